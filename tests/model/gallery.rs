//! The gallery against the paper's diagrams and published values, and tabular draws.

use crate::common::published::{RIVER_BALANCE_SEEN, RIVER_SWIM, assert_known};
use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::check;
use sporadic::model::gallery::{
    RandomTabular, measuring_value, random_tabular, river_balance, river_swim, sensing_cost,
};
use sporadic::model::{Environment, ModelError, Tabular, acno, intermittent};

/// The whole model as dense tables: per action, per state, the reward and the row.
fn tables(model: &Tabular<f64>, a: usize) -> Vec<(f64, Vec<f64>)> {
    let n = model.num_states();
    (0..n)
        .map(|s| (model.reward(s, a), (0..n).map(|t| model.probability(s, a, t)).collect()))
        .collect()
}

fn assert_tables(model: &Tabular<f64>, a: usize, expected: &[(f64, [f64; 6])]) {
    let found = tables(model, a);
    assert_eq!(found.len(), expected.len());
    for (s, ((r, row), (reward, expected))) in found.iter().zip(expected).enumerate() {
        assert_eq!((r.to_bits(), row), (reward.to_bits(), &expected.to_vec()), "s{}", s + 1);
    }
}

#[test]
fn river_swim_is_the_diagram() {
    let model = river_swim(6, 0.05, 0.99).unwrap();
    assert_eq!(model.state_names(), ["s1", "s2", "s3", "s4", "s5", "s6"]);
    assert_eq!(model.action_names(), ["0", "1"]);
    assert_eq!(model.betas(), [0.05, 0.05]);
    assert_eq!(model.initial_distribution(), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_tables(
        &model,
        0,
        &[
            (0.005, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            (0.0, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            (0.0, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
            (0.0, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            (0.0, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
            (0.0, [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
        ],
    );
    assert_tables(
        &model,
        1,
        &[
            (0.0, [0.4, 0.6, 0.0, 0.0, 0.0, 0.0]),
            (0.0, [0.05, 0.6, 0.35, 0.0, 0.0, 0.0]),
            (0.0, [0.0, 0.05, 0.6, 0.35, 0.0, 0.0]),
            (0.0, [0.0, 0.0, 0.05, 0.6, 0.35, 0.0]),
            (0.0, [0.0, 0.0, 0.0, 0.05, 0.6, 0.35]),
            (1.0, [0.0, 0.0, 0.0, 0.0, 0.4, 0.6]),
        ],
    );
}

#[test]
fn river_balance_is_the_diagram() {
    let model = river_balance(6, 0.5, 0.99).unwrap();
    assert_eq!(model.betas(), [0.5, 0.5]);
    assert_tables(
        &model,
        0,
        &[
            (0.0, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            (0.0, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            (0.0, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
            (1.0, [0.0, 0.0, 0.85, 0.15, 0.0, 0.0]),
            (0.0, [0.0, 0.0, 0.0, 0.85, 0.15, 0.0]),
            (0.0, [0.0, 0.0, 0.0, 0.0, 0.85, 0.15]),
        ],
    );
    assert_tables(
        &model,
        1,
        &[
            (0.0, [0.15, 0.85, 0.0, 0.0, 0.0, 0.0]),
            (0.0, [0.0, 0.15, 0.85, 0.0, 0.0, 0.0]),
            (1.0, [0.0, 0.0, 0.15, 0.85, 0.0, 0.0]),
            (0.0, [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
            (0.0, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
            (0.0, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        ],
    );
}

/// max over actions of r + gamma P v, iterated until nothing moves: the state is always seen.
fn value_iteration(model: &Tabular<f64>, actions: &[usize]) -> Vec<f64> {
    let n = model.num_states();
    let mut v = vec![0.0; n];
    let mut next = vec![0.0; n];
    for _ in 0..20_000 {
        let mut best = vec![f64::NEG_INFINITY; n];
        for &a in actions {
            model.pull_back(&v, a, &mut next);
            for s in 0..n {
                best[s] = best[s].max(model.reward(s, a) + model.gamma() * next[s]);
            }
        }
        v = best;
    }
    v
}

fn rounded(values: &[f64]) -> String {
    values.iter().map(|v| format!("{v:.6}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn fully_seen_values_are_the_published_ones() {
    let swim = value_iteration(&river_swim(6, 1.0, 0.99).unwrap(), &[0, 1]);
    let balance = value_iteration(&river_balance(6, 1.0, 0.99).unwrap(), &[0, 1]);
    for s in 0..6 {
        assert_known(swim[s], RIVER_SWIM[s]);
        assert_known(balance[s], RIVER_BALANCE_SEEN[s]);
    }
}

#[test]
fn sensing_for_nothing_costs_what_kapoor_and_nair_say() {
    let model = sensing_cost(0.0, 0.5).unwrap();
    let looking = [model.action("R+look").unwrap(), model.action("B+look").unwrap()];
    insta::assert_snapshot!(rounded(&value_iteration(&model, &looking)), @"-0.568182 -0.795455");
}

#[test]
fn measuring_value_is_worth_what_krale_et_al_say() {
    for cost in [0.0, 0.05, 0.16, 0.3] {
        let gamma = 1.0 - 1e-9_f64;
        let model = measuring_value(cost, gamma).unwrap();
        let [go, look, back] = ["a0", "a0+look", "a1"].map(|a| model.action(a).unwrap());
        // Look after the only move that is random: the state is known all the time.
        let plan = [look, go, back, go];
        let (mut v, mut next) = (vec![0.0; 4], vec![0.0; 4]);
        for _ in 0..200 {
            let old = v.clone();
            for (s, &a) in plan.iter().enumerate() {
                model.pull_back(&old, a, &mut next);
                v[s] = model.reward(s, a) + gamma * next[s];
            }
        }
        assert!((v[0] - (1.0 - 1.25 * cost)).abs() < 1e-6, "{cost}: {v:?}");
        assert!((v[0] - (0.8 * gamma - cost) / (1.0 - 0.2 * gamma * gamma)).abs() < 1e-12);
        // Without looking: twice a0.
        let mut belief = [0.0; 4];
        model.push_forward(&[1.0, 0.0, 0.0, 0.0], go, &mut belief);
        let blind: f64 = (0..4).map(|s| belief[s] * model.reward(s, go)).sum();
        assert!((blind - 0.8).abs() < 1e-12);
    }
}

#[test]
fn chains_need_two_states() {
    for n in [0, 1] {
        for model in [river_swim(n, 0.5, 0.9), river_balance(n, 0.5, 0.9)] {
            let expected =
                ModelError::Parameter { parameter: "n", value: n as f64, needed: "at least 2" };
            assert_eq!(model.unwrap_err(), expected);
        }
    }
    assert_eq!(
        river_balance(4, 1.5, 0.9).unwrap_err().to_string(),
        "beta = 1.5 of action \"0\" is not in [0, 1]"
    );
    assert_eq!(
        river_swim(4, 0.5, 1.0).unwrap_err(),
        ModelError::Discount(sporadic::DiscountError { gamma: 1.0 })
    );
}

#[test]
fn the_middle_of_an_odd_river_belongs_to_both_halves() {
    let model = river_balance(5, 0.5, 0.9).unwrap();
    assert_eq!(model.row(2, 0).collect::<Vec<_>>(), [(1, 0.85), (2, 0.15)]);
    assert_eq!(model.row(2, 1).collect::<Vec<_>>(), [(2, 0.15), (3, 0.85)]);
    let paid: Vec<_> =
        (0..5).flat_map(|s| [(s, 0), (s, 1)]).filter(|&(s, a)| model.reward(s, a) > 0.0).collect();
    assert_eq!(paid, [(2, 0), (2, 1)]);
}

proptest! {
    #[test]
    fn balance_is_its_own_mirror_image(n in 2_usize..40) {
        let model = river_balance(n, 0.5_f64, 0.9).unwrap();
        for s in 0..n {
            for a in 0..2 {
                let mirror = (n - 1 - s, 1 - a);
                prop_assert_eq!(model.reward(s, a).to_bits(),
                    model.reward(mirror.0, mirror.1).to_bits());
                for t in 0..n {
                    let image = model.probability(mirror.0, mirror.1, n - 1 - t);
                    prop_assert_eq!(model.probability(s, a, t).to_bits(), image.to_bits());
                }
            }
        }
    }

    #[test]
    fn random_models_have_the_shape_asked_for(
        seed: u64, states in 1_usize..30, actions in 1_usize..5, k in 1_usize..30, low in 0.0..0.5,
    ) {
        let branching = k.min(states);
        let beta = low..=0.5;
        let shape = RandomTabular { states, actions, branching, gamma: 0.7, beta: beta.clone() };
        let model = random_tabular(&mut Pcg64::new(seed.into(), 0), &shape).unwrap();
        prop_assert_eq!((model.num_states(), model.num_actions()), (states, actions));
        prop_assert_eq!(model.num_transitions(), states * actions * branching);
        prop_assert!(model.betas().iter().all(|b| beta.contains(b)));
        let (low, high) = model.reward_range();
        prop_assert!(low >= 0.0 && high < 1.0);
        check::environment(&model, seed, 3).assert();
        let same = random_tabular(&mut Pcg64::new(seed.into(), 0), &shape).unwrap();
        prop_assert_eq!(same, model);
    }

    #[test]
    fn acno_doubles_and_intermittent_replaces(seed: u64, cost in -2.0..2.0, p in 0.0..=1.0) {
        let shape = RandomTabular::<f64>::default();
        let mdp = random_tabular(&mut Pcg64::new(seed.into(), 0), &shape).unwrap();
        let twice = acno(&mdp, cost).unwrap();
        prop_assert_eq!(twice.num_actions(), 4);
        for (s, a) in (0..5).flat_map(|s| [(s, 0), (s, 1)]) {
            for variant in [2 * a, 2 * a + 1] {
                prop_assert!(twice.row(s, variant).eq(mdp.row(s, a)));
            }
            prop_assert_eq!(twice.reward(s, 2 * a).to_bits(), mdp.reward(s, a).to_bits());
            let paid = mdp.reward(s, a) - cost;
            prop_assert_eq!(twice.reward(s, 2 * a + 1).to_bits(), paid.to_bits());
        }
        let seen = intermittent(&mdp, p).unwrap();
        prop_assert_eq!(seen.betas(), &[p, p][..]);
        prop_assert_eq!(seen.with_betas(mdp.betas().to_vec()).unwrap(), mdp);
    }
}

#[test]
fn value_stability_of_random_models() {
    let model = random_tabular(&mut Pcg64::new(1, 2), &RandomTabular::<f64>::default()).unwrap();
    let row: Vec<String> = model.row(0, 0).map(|(t, p)| format!("{t}:{p:.6}")).collect();
    let text = format!(
        "beta {} reward {} row {}",
        rounded(model.betas()),
        rounded(&[model.reward(0, 0), model.reward(4, 1)]),
        row.join(" ")
    );
    insta::assert_snapshot!(text, @"beta 0.839218 0.369078 reward 0.760023 0.850025 row 0:0.713504 1:0.228963 4:0.057533");
}

#[test]
fn value_stability_of_tabular_draws() {
    let model = river_swim(6, 0.5, 0.99).unwrap();
    let mut rng = Pcg64::new(7, 11);
    let mut s = model.initial(&mut rng);
    let mut path = vec![s];
    for t in 0..30 {
        s = model.next(&s, usize::from(t % 7 != 0), &mut rng);
        path.push(s);
    }
    insta::assert_snapshot!(format!("{path:?}"), @"[0, 0, 0, 1, 2, 1, 2, 2, 1, 1, 1, 1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 3, 2, 2, 1, 2, 2, 2, 2, 1, 1]");
}

#[test]
fn tabular_draws_follow_the_rows() {
    let model = random_tabular(&mut Pcg64::new(5, 0), &RandomTabular::<f64>::default())
        .unwrap()
        .with_gamma(0.5)
        .unwrap();
    let mut rng = Pcg64::new(6, 0);
    let runs = 40_000;
    for (s, a) in (0..5).flat_map(|s| [(s, 0), (s, 1)]) {
        let mut hits = [0.0; 5];
        for _ in 0..runs {
            hits[model.next(&s, a, &mut rng)] += 1.0;
        }
        for (t, hit) in hits.into_iter().enumerate() {
            let p = model.probability(s, a, t);
            let sd = (f64::from(runs) * p * (1.0 - p)).sqrt();
            // z = 5 for each of 50 counts: a false alarm in 1 of 30,000 seeds, and this one is fixed.
            assert!((hit - f64::from(runs) * p).abs() <= 5.0 * sd, "{s} {a} {t}: {hit}");
        }
    }
}

#[test]
fn initial_draws_follow_the_initial_distribution() {
    let model = Tabular::builder(0.9)
        .initial([0.25, 0.0, 0.75, 0.0])
        .action("a", 0.5, [0.0; 4], [[0.25; 4]; 4])
        .build()
        .unwrap();
    let mut rng = Pcg64::new(8, 0);
    let mut hits = [0.0; 4];
    (0..40_000).for_each(|_| hits[model.initial(&mut rng)] += 1.0);
    assert!(hits[1] < 0.5 && hits[3] < 0.5);
    // z = 5.
    assert!((hits[0] - 10_000.0_f64).abs() < 5.0 * (40_000.0_f64 * 0.25 * 0.75).sqrt());
}

#[test]
fn ten_thousand_states_are_no_problem() {
    let n = 10_000;
    let model = river_swim(n, 0.1, 0.99).unwrap();
    assert_eq!(model.num_transitions(), n + 3 * n - 2);
    let mut belief = vec![0.0; n];
    let mut next = vec![0.0; n];
    belief[n / 2] = 1.0;
    for t in 0..50 {
        model.push_forward(&belief, usize::from(t % 2 == 0), &mut next);
        std::mem::swap(&mut belief, &mut next);
    }
    assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let random = RandomTabular { states: n, ..RandomTabular::default() };
    let model: Tabular<f64> = random_tabular(&mut Pcg64::new(1, 0), &random).unwrap();
    assert_eq!(model.num_transitions(), n * 2 * 3);
}

#[test]
fn single_precision_models_are_the_double_precision_ones_rounded() {
    #[allow(clippy::cast_possible_truncation)]
    let same = |x: f32, y: f64| assert!((x - y as f32).abs() <= f32::EPSILON, "{x} {y}");
    let shape = RandomTabular { beta: 0.0_f32..=0.5, ..RandomTabular::default() };
    let narrow = random_tabular(&mut Pcg64::new(2, 0), &shape).unwrap();
    let shape = RandomTabular { beta: 0.0_f64..=0.5, ..RandomTabular::default() };
    let wide = random_tabular(&mut Pcg64::new(2, 0), &shape).unwrap();
    for (s, a) in (0..5).flat_map(|s| [(s, 0), (s, 1)]) {
        same(narrow.reward(s, a), wide.reward(s, a));
        (0..5).for_each(|t| same(narrow.probability(s, a, t), wide.probability(s, a, t)));
    }
    check::environment(&narrow, 1, 5).assert();
    assert!(river_balance(7, 0.5_f32, 0.9).is_ok() && measuring_value(0.1_f32, 0.999).is_ok());
    assert!(sensing_cost(0.1_f32, 0.5).is_ok());
}
