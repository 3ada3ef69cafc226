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
use sporadic::model::Tabular;
use sporadic::model::gallery::{self, RandomTabular, random_tabular};
use sporadic::simulation::{Collector, Simulation, Streams};

fn random_model(n: usize, m: usize, seed: u128) -> Tabular<f64> {
    let shape = RandomTabular { states: n, actions: m, branching: n, gamma: 0.9, beta: 0.4..=0.4 };
    random_tabular(&mut Pcg64::new(seed, 1), &shape).unwrap()
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

#[test]
fn the_likelihood_follows_from_beliefs() {
    for (n, m, seed) in [(2, 2, 1), (3, 2, 2), (2, 3, 3)] {
        let mut em = learnt(&random_model(n, m, seed), 30, 5).with_longest(6).unwrap();
        em.fit();
        let model = em.model().unwrap();
        let log = |(s, actions, next, count): (usize, Vec<usize>, usize, u64)| {
            let x = AugmentedState::new(s).with_actions(actions);
            count as f64 * sporadic::belief::belief(&model, &x)[next].ln()
        };
        let all: f64 = em.segments().map(log).sum();
        assert!((em.log_likelihood() - all).abs() < 1e-8 * all.abs(), "{all}");
    }
}

#[test]
fn no_probabilities_nearby_are_likelier() {
    // The objective at perturbed points, by brute force.
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
    fn no_iteration_makes_the_posterior_smaller(
        n in 1_usize..5, m in 1_usize..4, seed in 0_u64..1_000, pseudo in 0.0..2.0_f64,
    ) {
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
fn the_mean_of_many_estimates_is_the_truth() {
    // Within z = 4 standard errors, plus the pull of the prior.
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
fn bad_data_and_settings_are_refused() {
    let em = EmEstimator::<f64>::new(2, 2, 0.9).unwrap();
    let refused = |start, actions: &[usize], next| {
        let mut em = em.clone();
        em.observe_segment(&start, actions, Some(&next));
        em.model().unwrap_err()
    };
    assert!(matches!(refused(0, &[2], 0), EstimateError::Action { action: 2, .. }));
    assert!(matches!(refused(2, &[0], 0), EstimateError::State { state: 2, .. }));
    assert!(matches!(refused(0, &[0, 1], 9), EstimateError::State { state: 9, .. }));
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(em.clone().with_pseudo_count(bad).is_err() && em.clone().with_mixing(bad).is_err());
    }
    assert!(em.clone().with_iterations(0, 0.1).is_err() && em.clone().with_longest(0).is_err());
    assert!(em.clone().with_known_beta(vec![0.5]).is_err());
    assert!(em.error_bounds(0.9).matrices.is_infinite());
}

#[test]
fn long_segments_count_for_reveals_only() {
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
    let mut all = (
        Collector::new(RidgeEstimator::new(phi, 2, 0.9).unwrap()),
        Collector::new(MomentEstimator::new(phi, 2, 0.9).unwrap().with_rounds(0)),
    );
    let mut agent = UniformRandom::new(2, streams.agent());
    Simulation::new(&swim, streams).run(0..300, &mut agent, &mut all).unwrap();
    let (ridge, moments) =
        (all.0.estimator().estimate().unwrap(), all.1.estimator().estimate().unwrap());
    for a in 0..2 {
        assert!((ridge.matrix(a) - moments.matrix(a)).amax() < 1e-10);
    }
    assert_eq!(ridge.betas(), moments.betas());
}
