//! The gallery against the paper's diagrams, and tabular draws.

use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::check;
use sporadic::model::gallery::{
    RandomTabular, measuring_value, random_tabular, river_balance, river_swim, sensing_cost,
};
use sporadic::model::{Environment, ModelError, Tabular, acno, intermittent, tabulate};

/// A river as the paper draws it: rewards, and where each action leads, by position 0 to 5.
fn drawn(
    beta: f64,
    reward: impl Fn(&usize, &usize) -> f64,
    next: impl Fn(usize, usize) -> Vec<(usize, f64)>,
) -> Tabular<f64> {
    tabulate(0.99, 0, 0..2, |_| beta, reward, |&s, &a| next(s, a)).unwrap()
}

#[test]
fn rivers_are_the_diagrams() {
    let pays = |s: &usize, a: &usize| match (s, a) {
        (0, 0) => 0.005,
        (5, 1) => 1.0,
        _ => 0.0,
    };
    let swim = drawn(0.05, pays, |s, a| match (s, a) {
        (s, 0) => vec![(s.saturating_sub(1), 1.0)],
        (0, _) => vec![(0, 0.4), (1, 0.6)],
        (5, _) => vec![(4, 0.4), (5, 0.6)],
        (s, _) => vec![(s - 1, 0.05), (s, 0.6), (s + 1, 0.35)],
    });
    let pays = |s: &usize, a: &usize| f64::from(u8::from([(3, 0), (2, 1)].contains(&(*s, *a))));
    let balance = drawn(0.05, pays, |s, a| match (s, a) {
        (0..3, 0) => vec![(s.saturating_sub(1), 1.0)],
        (_, 0) => vec![(s - 1, 0.85), (s, 0.15)],
        (0..3, _) => vec![(s, 0.15), (s + 1, 0.85)],
        _ => vec![((s + 1).min(5), 1.0)],
    });
    for (drawn, river) in
        [(swim, river_swim(6, 0.05, 0.99)), (balance, river_balance(6, 0.05, 0.99))]
    {
        let river = river.unwrap();
        assert_eq!(drawn.state_names(), ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(river.state_names(), ["s1", "s2", "s3", "s4", "s5", "s6"]);
        assert_eq!(river.action_names(), ["0", "1"]);
        assert_eq!((river.betas(), river.gamma()), (&[0.05; 2][..], 0.99));
        assert_eq!(river.initial_distribution(), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        for (s, a) in (0..6).flat_map(|s| [(s, 0), (s, 1)]) {
            assert!(drawn.row(s, a).eq(river.row(s, a)), "{s} {a}");
            assert_eq!(drawn.reward(s, a).to_bits(), river.reward(s, a).to_bits(), "{s} {a}");
        }
    }
}

fn rounded(values: &[f64]) -> String {
    values.iter().map(|v| format!("{v:.6}")).collect::<Vec<_>>().join(" ")
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
fn odd_rivers_pay_in_the_middle_only() {
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

/// Asserts that 40,000 draws have these probabilities: z = 5 for each count. Of 54 correct counts
/// one fails in 1 of 30,000 seeds, and the seed is fixed.
fn assert_frequencies(probabilities: &[f64], mut draw: impl FnMut() -> usize) {
    let runs = 40_000.0;
    let mut hits = vec![0.0; probabilities.len()];
    (0..40_000).for_each(|_| hits[draw()] += 1.0);
    for (p, hit) in probabilities.iter().zip(hits) {
        assert!((hit - runs * p).abs() <= 5.0 * (runs * p * (1.0 - p)).sqrt(), "{p}: {hit}");
    }
}

#[test]
fn draws_follow_the_rows_and_the_start() {
    let mut rng = Pcg64::new(5, 0);
    let model = random_tabular(&mut rng, &RandomTabular::<f64>::default()).unwrap();
    for (s, a) in (0..5).flat_map(|s| [(s, 0), (s, 1)]) {
        let row: Vec<f64> = (0..5).map(|t| model.probability(s, a, t)).collect();
        assert_frequencies(&row, || model.next(&s, a, &mut rng));
    }
    let initial = [0.25, 0.0, 0.75, 0.0];
    let model = Tabular::builder(0.9)
        .initial(initial)
        .action("a", 0.5, [0.0; 4], [[0.25; 4]; 4])
        .build()
        .unwrap();
    assert_frequencies(&initial, || model.initial(&mut rng));
}

#[test]
fn single_precision_models_are_rounded_double_ones() {
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
