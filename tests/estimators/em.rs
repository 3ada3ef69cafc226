//! EM on segments: against likelihoods by brute force, its guarantees, and attacks on them.

use itertools::Itertools;
use nalgebra::Dyn;
use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::agents::UniformRandom;
use sporadic::belief::AugmentedState;
use sporadic::estimators::{
    EmEstimator, EstimateError, Estimator, MomentEstimator, RidgeEstimator, Transition,
};
use sporadic::features::{OneHot, TabularPsi};
use sporadic::model::{Tabular, draw, gallery};
use sporadic::simulation::{Collector, Simulation, Streams};

fn random_model(n: usize, m: usize, seed: u128) -> Tabular<f64> {
    let mut rng = Pcg64::new(seed, 1);
    let mut builder = Tabular::builder(0.9);
    for a in 0..m {
        let rows = (0..n).map(|_| {
            let raw: Vec<f64> = (0..n).map(|_| draw::uniform(&mut rng).powi(2) + 1e-3).collect();
            let sum: f64 = raw.iter().sum();
            raw.iter().map(|x| x / sum).collect::<Vec<_>>()
        });
        let rows: Vec<_> = rows.collect();
        builder = builder.action(a.to_string(), 0.4, vec![0.5; n], rows);
    }
    builder.build().unwrap()
}

/// An estimator that has learnt from uniformly random play.
fn learnt(model: &Tabular<f64>, episodes: u64, seed: u64) -> EmEstimator<f64> {
    let (n, m) = (model.num_states(), model.num_actions());
    let mut collector = Collector::new(EmEstimator::new(n, m, model.gamma()).unwrap());
    let streams = Streams::new(seed);
    let mut agent = UniformRandom::new(m, streams.agent());
    Simulation::new(model, streams).run(0..episodes, &mut agent, &mut collector).unwrap();
    collector.into_estimator()
}

/// log P(s' | s, a_1 .. a_n) by going through all paths.
fn log_probability(em: &EmEstimator<f64>, s: usize, actions: &[usize], next: usize) -> f64 {
    let n = em.num_states();
    let between = (1..actions.len()).map(|_| 0..n).multi_cartesian_product();
    let paths: Vec<Vec<usize>> = if actions.len() == 1 { vec![vec![]] } else { between.collect() };
    let path_probability = |path: &Vec<usize>| {
        let states: Vec<usize> =
            [s].into_iter().chain(path.iter().copied()).chain([next]).collect();
        actions
            .iter()
            .enumerate()
            .map(|(h, &a)| em.probability(states[h], a, states[h + 1]))
            .product::<f64>()
    };
    paths.iter().map(path_probability).sum::<f64>().ln()
}

#[test]
fn the_likelihood_is_that_of_all_paths() {
    for (n, m, seed) in [(2, 2, 1), (3, 2, 2), (2, 3, 3)] {
        let mut em = learnt(&random_model(n, m, seed), 30, 5).with_longest(6).unwrap();
        em.fit();
        let short: f64 = em
            .segments()
            .filter(|(_, actions, _, _)| actions.len() <= 6)
            .map(|(s, actions, next, count)| count as f64 * log_probability(&em, s, &actions, next))
            .sum();
        // The same through the beliefs of the fitted model.
        let model = em.model().unwrap();
        let beliefs = |(s, actions, next, count): (usize, Vec<usize>, usize, u64)| {
            let x = AugmentedState::new(s).with_actions(actions);
            count as f64 * sporadic::belief::belief(&model, &x)[next].ln()
        };
        let all: f64 = em.segments().map(beliefs).sum();
        let long: f64 =
            em.segments().filter(|(_, actions, _, _)| actions.len() > 6).map(beliefs).sum();
        assert!((em.log_likelihood() - all).abs() < 1e-8 * all.abs(), "{all}");
        assert!((short + long - all).abs() < 1e-8 * all.abs());
    }
}

#[test]
fn no_probabilities_nearby_are_likelier() {
    // Two roads: EM's stationary point, and the objective at perturbed points by brute force.
    let mut em = learnt(&random_model(2, 2, 7), 60, 3)
        .with_iterations(5_000, 1e-12)
        .unwrap()
        .with_mixing(0.0)
        .unwrap();
    em.fit();
    let objective = |p: &dyn Fn(usize, usize, usize) -> f64| {
        let likelihood: f64 = em
            .segments()
            .map(|(s, actions, next, count)| {
                let belief = actions.iter().fold([1.0 - s as f64, s as f64], |b, &a| {
                    [0, 1].map(|y| b[0] * p(0, a, y) + b[1] * p(1, a, y))
                });
                count as f64 * belief[next].ln()
            })
            .sum();
        let prior: f64 = (0..8).map(|i| 0.25 * p(i & 1, i >> 1 & 1, i >> 2).ln()).sum();
        likelihood + prior
    };
    let best = objective(&|s, a, y| em.probability(s, a, y));
    assert!((best - em.log_posterior()).abs() < 1e-8 * best.abs());
    for (s0, a0, step) in
        (0..2).cartesian_product(0..2).cartesian_product([1e-3, -1e-3]).map(|((s, a), d)| (s, a, d))
    {
        let moved = objective(&|s, a, y| {
            let p = em.probability(s, a, y);
            if (s, a) == (s0, a0) { p + step * if y == 0 { 1.0 } else { -1.0 } } else { p }
        });
        assert!(moved < best, "({s0}, {a0}) {step}: {moved} above {best}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_iteration_makes_the_posterior_smaller(n in 1_usize..5, m in 1_usize..4, seed in 0_u64..1_000, pseudo in 0.0..2.0_f64) {
        let mut em = learnt(&random_model(n, m, u128::from(seed)), 15, seed)
            .with_mixing(0.0).unwrap()
            .with_iterations(1, 0.0).unwrap()
            .with_pseudo_count(pseudo).unwrap();
        let mut before = em.log_posterior();
        for _ in 0..25 {
            em.fit();
            let after = em.log_posterior();
            prop_assert!(after >= before - 1e-9 * before.abs(), "{before} then {after}");
            before = after;
        }
        for (s, a) in (0..n).cartesian_product(0..m) {
            let sum: f64 = (0..n).map(|y| em.probability(s, a, y)).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn single_actions_are_counted() {
    let mut em = EmEstimator::<f64>::new(2, 1, 0.9).unwrap().with_pseudo_count(0.0).unwrap();
    for next in [0, 1, 1, 1] {
        em.observe(&Transition { state: 0, action: 0, next, burst: next == 0 });
    }
    let estimate = em.estimate().unwrap();
    assert!((estimate.matrix(0)[(0, 1)] - 0.75).abs() < 1e-12);
    assert!((estimate.beta(0) - 0.25).abs() < 1e-12);
    // Of state 1 nothing is known.
    assert!((estimate.matrix(0)[(1, 0)] - 0.5).abs() < 1e-12);
    em.fit();
    assert_eq!((em.visits(0, 0), em.visits(1, 0), em.samples()), (4.0, 0.0, 4));
}

/// The largest total variation of a row.
fn distance(em: &EmEstimator<f64>, model: &Tabular<f64>) -> f64 {
    let (n, m) = (model.num_states(), model.num_actions());
    let row = |(s, a)| {
        (0..n).map(|y| (em.probability(s, a, y) - model.probability(s, a, y)).abs()).sum::<f64>()
            / 2.0
    };
    (0..n).cartesian_product(0..m).map(row).fold(0.0, f64::max)
}

#[test]
fn the_error_falls_with_the_number_of_episodes() {
    let model = random_model(3, 2, 11);
    let mut errors = Vec::new();
    for episodes in [30, 300, 3_000, 30_000] {
        // Warm-started, as an agent does it: a fit whenever the data have tripled.
        let mut em = learnt(&model, episodes, 4);
        (0..6).for_each(|_| {
            em.fit();
        });
        errors.push(distance(&em, &model));
    }
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{errors:?}");
    assert!(errors[3] < 0.03, "{errors:?}");
}

#[test]
fn the_interval_of_many_estimates_covers_the_truth() {
    // EM is consistent: over repetitions its mean is near the truth, by z = 4 standard errors plus the pull of the prior.
    let model = random_model(2, 2, 5);
    let estimates: Vec<f64> = (0..60)
        .map(|seed| {
            let mut em = learnt(&model, 300, 1_000 + seed);
            (0..4).for_each(|_| {
                em.fit();
            });
            em.probability(0, 1, 0)
        })
        .collect();
    let mean = estimates.iter().sum::<f64>() / 60.0;
    let variance = estimates.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / 59.0;
    let error = (mean - model.probability(0, 1, 0)).abs();
    assert!(error < 4.0 * (variance / 60.0).sqrt() + 2e-3, "{error}, {}", (variance / 60.0).sqrt());
}

#[test]
fn contradicted_estimates_open_up_again() {
    // 100 times 0 -> 1, then 10,000 times 0 -> 0 in two steps: the way must lead over state 1, which
    // no estimate without mixing and prior has ever seen left.
    let feed = |mut em: EmEstimator<f64>| {
        (0..100).for_each(|_| em.observe_segment(&0, &[0], Some(&1)));
        em.fit();
        (0..10_000).for_each(|_| em.observe_segment(&0, &[0, 0], Some(&0)));
        (0..5).for_each(|_| {
            em.fit();
        });
        em
    };
    let plain = EmEstimator::new(2, 1, 0.9).unwrap();
    let em = feed(plain.clone());
    let stuck = feed(plain.with_mixing(0.0).unwrap().with_pseudo_count(0.0).unwrap());
    for em in [em, stuck] {
        assert!(em.log_likelihood().is_finite() && em.estimate().is_ok());
        assert!(em.probability(0, 0, 1) > 0.99 && em.probability(1, 0, 0) > 0.99);
    }
}

#[test]
fn one_state_many_actions_and_extreme_gamma() {
    for (n, m, gamma) in [(1, 1, 0.5_f32), (1, 50, 1e-9), (3, 100, 0.999_999), (40, 1, 0.5)] {
        let mut em = EmEstimator::<f32>::new(n, m, gamma).unwrap();
        for i in 0..200 {
            em.observe_segment(&(i % n), &[i % m, (i * 7) % m], Some(&((i * 3) % n)));
            em.observe_segment(&(i % n), &[i % m], None);
        }
        em.fit();
        assert!(em.log_likelihood().is_finite());
        let psi = TabularPsi::new(em.model().unwrap());
        assert!(psi.table(&["(0)".parse().unwrap()]).iter().all(|x| x.is_finite()));
    }
    let error = EmEstimator::<f64>::new(0, 1, 0.9).unwrap_err();
    assert!(error.to_string().contains("the number of states = 0"), "{error}");
    assert!(
        EmEstimator::<f64>::new(1, 0, 0.9).is_err() && EmEstimator::<f64>::new(1, 1, 1.0).is_err()
    );
    assert!(EmEstimator::<f64>::new(1 << 20, 2, 0.9).is_err());
}

#[test]
fn what_cannot_be_used_is_told() {
    let em = EmEstimator::<f64>::new(2, 2, 0.9).unwrap();
    let told = |start, actions: &[usize], next| {
        let mut em = em.clone();
        em.observe_segment(&start, actions, Some(&next));
        em.model().unwrap_err()
    };
    assert!(matches!(told(0, &[2], 0), EstimateError::Action { action: 2, .. }));
    assert!(matches!(told(2, &[0], 0), EstimateError::State { state: 2, .. }));
    assert!(matches!(told(0, &[0, 1], 9), EstimateError::State { state: 9, .. }));
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(em.clone().with_pseudo_count(bad).is_err() && em.clone().with_mixing(bad).is_err());
    }
    assert!(em.clone().with_iterations(0, 0.1).is_err() && em.clone().with_longest(0).is_err());
    assert!(em.clone().with_known_beta(vec![0.5]).is_err());
    assert!(em.error_bounds(0.9).matrices.is_infinite());
}

#[test]
fn long_segments_tell_of_reveals_only() {
    let mut em = EmEstimator::<f64>::new(2, 1, 0.9).unwrap().with_longest(3).unwrap();
    em.observe_segment(&0, &[0; 4], Some(&1));
    assert_eq!((em.samples(), em.reveals().count(0)), (0, (4, 1)));
    em.observe_segment(&0, &[0; 3], Some(&1));
    assert_eq!((em.samples(), em.segments().count()), (1, 1));
    // The last action of an episode tells nothing of b.
    em.observe_segment(&0, &[0; 3], None);
    assert_eq!(em.reveals().count(0), (9, 2));
}

#[test]
fn files_round_trip_and_are_checked() {
    let mut em = learnt(&random_model(3, 2, 1), 20, 1);
    em.fit();
    let text = serde_json::to_string(&em).unwrap();
    let back: EmEstimator<f64> = serde_json::from_str(&text).unwrap();
    assert_eq!(back, em);
    let (mut one, mut two) = (em, back);
    assert_eq!(one.fit(), two.fit());
    for (from, to) in [
        ("\"num_actions\":2", "\"num_actions\":1"),
        ("\"mixing\":0.02", "\"mixing\":2.0"),
        ("\"segments\":", "\"segments\":9"),
    ] {
        assert!(text.contains(from));
        assert!(
            serde_json::from_str::<EmEstimator<f64>>(&text.replacen(from, to, 1)).is_err(),
            "{to}"
        );
    }
}

#[test]
fn moments_of_single_actions_are_the_ridge_regression() {
    let swim = gallery::river_swim::<f64>(4, 0.5, 0.9).unwrap();
    let (streams, phi) = (Streams::new(2), OneHot::<Dyn>::of(&swim));
    let run = |seed: u64,
               agent: &mut UniformRandom,
               observer: &mut dyn sporadic::simulation::Observer<usize, f64>| {
        Simulation::new(&swim, Streams::new(seed)).run(0..300, agent, observer).unwrap();
    };
    let mut all = (
        Collector::new(RidgeEstimator::new(phi, 2, 0.9).unwrap()),
        Collector::new(MomentEstimator::new(phi, 2, 0.9).unwrap().with_rounds(0)),
    );
    run(2, &mut UniformRandom::new(2, streams.agent()), &mut all);
    let (ridge, moments) =
        (all.0.estimator().estimate().unwrap(), all.1.estimator().estimate().unwrap());
    for a in 0..2 {
        assert!((ridge.matrix(a) - moments.matrix(a)).amax() < 1e-10);
    }
    assert_eq!(ridge.betas(), moments.betas());
}
