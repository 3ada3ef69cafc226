//! Estimators: every estimate computed in two ways, merging, and bad data.

use crate::common::models;
use nalgebra::{Const, DMatrix, Dyn};
use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::Real;
use sporadic::estimators::*;
use sporadic::features::{FeatureFn, FeatureMap, OneHot};
use sporadic::model::{Action, Tabular, draw, gallery};

/// Three bumps on the unit interval, times two actions; in R^6, or any larger dimension with zeros.
fn bumps<D>(dim: D) -> FeatureFn<f64, D, impl Fn(&f64, Action, &mut [f64]) + Clone> {
    FeatureFn::new(dim, |s: &f64, a, phi: &mut [f64]| {
        phi[3 * a..3 * a + 3].copy_from_slice(&[(1.0 - s) * (1.0 - s), 2.0 * s * (1.0 - s), s * s]);
    })
}

fn samples(count: usize, seed: u64) -> Vec<Transition<f64>> {
    let mut rng = Pcg64::new(u128::from(seed), 1);
    (0..count)
        .map(|_| {
            let state = draw::uniform(&mut rng);
            let action = usize::from(draw::bernoulli(0.4, &mut rng));
            let next = 0.5 * (state + draw::uniform(&mut rng));
            Transition { state, action, next, burst: draw::bernoulli(0.3, &mut rng) }
        })
        .collect()
}

/// Ridge regression as least squares on X stacked over sqrt(lambda) I, by singular values.
fn batch(data: &[Transition<f64>], ridge: f64, a: Action) -> DMatrix<f64> {
    let phi = bumps(Dyn(6));
    let (n, d) = (data.len(), 6);
    let mut x = DMatrix::zeros(n + d, d);
    let mut y = DMatrix::zeros(n + d, d);
    for (i, t) in data.iter().enumerate() {
        x.row_mut(i).copy_from(&phi.phi(&t.state, t.action).transpose());
        y.row_mut(i).copy_from(&phi.phi(&t.next, a).transpose());
    }
    for i in 0..d {
        x[(n + i, i)] = ridge.sqrt();
    }
    x.svd(true, true).solve(&y, 0.0).unwrap()
}

fn fed<E: Estimator<T>, T: Real>(mut estimator: E, data: &[Transition<E::State>]) -> E {
    for t in data {
        estimator.observe(t);
    }
    estimator
}

fn drawn(model: &Tabular<f64>, count: usize, seed: u64) -> Vec<Transition<usize>> {
    let (sampler, mut rng) = (Exploratory::uniform(model), Pcg64::new(u128::from(seed), 2));
    (0..count).map(|_| sampler.sample(&mut rng)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn batch_and_incremental_agree(
        count in 0..700_usize,
        seed in 0..1000_u64,
        ridge in prop_oneof![Just(1.0), 0.01..10.0_f64],
    ) {
        let data = samples(count, seed);
        let estimator = RidgeEstimator::new(bumps(Const::<6>), 2, 0.9).unwrap();
        let estimate = fed(estimator.with_ridge(ridge).unwrap(), &data).estimate().unwrap();
        for a in 0..2 {
            let off = (DMatrix::from_fn(6, 6, |i, j| estimate.matrix(a)[(i, j)])
                - batch(&data, ridge, a)).norm();
            prop_assert!(off < 1e-9, "{off}");
        }
    }

    #[test]
    fn a_merge_has_seen_both(counts in (0..600_usize, 0..600_usize), seed in 0..1000_u64) {
        let data = samples(counts.0 + counts.1, seed);
        let phi = bumps(Dyn(6));
        let empty = RidgeEstimator::new(&phi, 2, 0.9).unwrap();
        let whole = fed(empty.clone(), &data);
        let mut part = fed(empty.clone(), &data[..counts.0]);
        part.merge(&fed(empty, &data[counts.0..])).unwrap();
        let (x, y) = (whole.estimate().unwrap(), part.estimate().unwrap());
        prop_assert!(matrix_distance(&x, &y) < 1e-10);
        prop_assert_eq!(x.betas(), y.betas());
        prop_assert_eq!(whole.samples(), part.samples());
    }

    #[test]
    fn counting_is_ridge_regression(model in models(), count in 0..500_usize, seed in 0..99_u64) {
        let data = drawn(&model, count, seed);
        let (n, m, gamma) = (model.num_states(), model.num_actions(), model.gamma());
        let ridge = fed(RidgeEstimator::new(OneHot::new(n, m), m, gamma).unwrap(), &data);
        let table = fed(TabularEstimator::new(n, m, gamma).unwrap(), &data);
        let (x, y) = (ridge.estimate().unwrap(), table.estimate().unwrap());
        prop_assert!(matrix_distance(&x, &y) < 1e-12);
        prop_assert_eq!(x.betas(), y.betas());
        let (b, c) = (ridge.error_bounds(0.9), table.error_bounds(0.9));
        prop_assert!(
            (b.matrices / c.matrices - 1.0).abs() < 1e-9
                || (b.matrices.is_infinite() && c.matrices.is_infinite())
        );
        let (b, c) = (ridge.observed_bounds(0.9), table.observed_bounds(0.9));
        prop_assert!((b.matrices / c.matrices - 1.0).abs() < 1e-9);
        prop_assert!((ridge.log_det().unwrap() - table.log_det().unwrap()).abs() < 1e-9);
        // Integers add up without rounding, so here a merge is the whole to the last bit.
        let empty = RidgeEstimator::new(OneHot::new(n, m), m, gamma).unwrap();
        let mut part = fed(empty.clone(), &data[..count / 3]);
        part.merge(&fed(empty, &data[count / 3..])).unwrap();
        prop_assert_eq!(part.estimate().unwrap(), x);
    }
}

#[test]
fn static_dynamic_and_single_precision_agree() {
    let data = samples(3_000, 5);
    let fixed = fed(RidgeEstimator::new(bumps(Const::<6>), 2, 0.9).unwrap(), &data);
    let free = fed(RidgeEstimator::new(bumps(Dyn(6)), 2, 0.9).unwrap(), &data);
    let single = FeatureFn::new(Dyn(6), |s: &f64, a, phi: &mut [f32]| {
        let mut wide = [0.0; 6];
        wide[3 * a..3 * a + 3].copy_from_slice(&[(1.0 - s).powi(2), 2.0 * s * (1.0 - s), s * s]);
        phi.iter_mut().zip(wide).for_each(|(x, w)| *x = f32::of(w));
    });
    let single = fed(RidgeEstimator::new(single, 2, 0.9_f32).unwrap(), &data);
    let (x, y, z) =
        (fixed.estimate().unwrap(), free.estimate().unwrap(), single.estimate().unwrap());
    for a in 0..2 {
        for i in 0..36 {
            assert!((x.matrix(a)[i] - y.matrix(a)[i]).abs() < 1e-12);
            assert!((y.matrix(a)[i] - f64::from(z.matrix(a)[i])).abs() < 1e-4);
        }
    }
    let (free, single) = (free.observed_bounds(0.9).matrices, single.observed_bounds(0.9).matrices);
    assert!((free - f64::from(single)).abs() < 1e-2);
}

#[test]
fn estimates_without_samples_are_neutral() {
    let empty = RidgeEstimator::new(OneHot::new(2, 2), 2, 0.9_f64).unwrap();
    let estimate = empty.estimate().unwrap();
    assert!((0..2).all(|a| estimate.matrix(a).amax() == 0.0 && estimate.beta(a) == 0.0));
    let bounds = empty.error_bounds(0.9);
    assert!(bounds.matrices.is_infinite() && bounds.beta >= 1.0 && !bounds.large_enough);
    assert!(empty.observed_bounds(0.9).matrices >= 2.0);
    for confidence in [0.0, 1.0, -3.0, f64::NAN] {
        assert!(empty.error_bounds(confidence).matrices.is_infinite());
        assert!(empty.observed_bounds(confidence).matrices.is_infinite());
    }
    let error = empty.with_ridge(0.0).unwrap().estimate().unwrap_err();
    assert_eq!(error, EstimateError::Singular { index: 0, pivot: 0.0, ridge: 0.0 });
}

#[test]
fn an_action_never_seen_has_the_neutral_estimate() {
    let data: Vec<_> = (0..100)
        .map(|i| Transition { state: i % 2, action: 0, next: (i / 2) % 2, burst: i % 4 == 0 })
        .collect();
    let estimator = fed(RidgeEstimator::new(OneHot::new(2, 2), 2, 0.9).unwrap(), &data);
    let estimate = estimator.estimate().unwrap();
    assert_eq!(estimate.betas(), [0.25, 0.0]);
    // Rows 1 and 3 belong to action 1: nothing is known of what follows it.
    assert!((0..2).all(|b| estimate.matrix(b).row(1).amax() == 0.0));
    assert!(estimator.observed_bounds(0.9).beta >= 1.0);
    let error = estimator.with_ridge(0.0).unwrap().estimate().unwrap_err();
    assert_eq!(error, EstimateError::Singular { index: 1, pivot: 0.0, ridge: 0.0 });
}

#[test]
fn dependent_features_are_singular_without_a_ridge() {
    let twice = FeatureFn::new(Dyn(2), |s: &f64, _, phi: &mut [f64]| phi.fill(0.3 * s));
    let data = samples(400, 1);
    let data: Vec<_> = data.into_iter().map(|t| Transition { action: 0, ..t }).collect();
    let estimator = fed(RidgeEstimator::new(twice, 1, 0.9).unwrap(), &data);
    assert!(estimator.estimate().is_ok());
    let error = estimator.with_ridge(0.0).unwrap().estimate().unwrap_err();
    let EstimateError::Singular { index: 1, pivot, .. } = error else { panic!("{error}") };
    assert!(pivot.abs() < 1e-10);
}

#[test]
fn spoilt_features_are_named_and_left_out() {
    for (bad, at_next) in [(f64::NAN, false), (f64::INFINITY, true), (1e200, true)] {
        let phi = FeatureFn::new(Dyn(4), |s: &f64, a, phi: &mut [f64]| phi[2 * a + 1] = *s);
        let mut data = samples(600, 2);
        for t in &mut data {
            t.action = 0;
        }
        let clean = fed(RidgeEstimator::new(phi, 2, 0.9).unwrap(), &data);
        assert!(clean.estimate().is_ok());
        if at_next {
            data[300].next = bad;
        } else {
            data[300].state = bad;
        }
        let phi = FeatureFn::new(Dyn(4), |s: &f64, a, phi: &mut [f64]| phi[2 * a + 1] = *s * *s);
        let spoilt = fed(RidgeEstimator::new(phi, 2, 0.9).unwrap(), &data);
        let error = spoilt.estimate().unwrap_err();
        let EstimateError::Feature { sample, features, coordinate, .. } = error else {
            panic!("{error}")
        };
        assert_eq!((sample, coordinate), (300, 1));
        assert_eq!(features, if at_next { "phi(s', 0)" } else { "phi(s, a)" });
        assert!(spoilt.error_bounds(0.9).matrices.is_infinite());
        assert!(spoilt.observed_bounds(0.9).matrices.is_infinite());
    }
}

#[test]
fn unknown_actions_and_states_are_refused() {
    let bad = Transition { state: 0, action: 7, next: 0, burst: true };
    let ridge =
        fed(RidgeEstimator::new(OneHot::new(2, 2), 2, 0.9).unwrap(), std::slice::from_ref(&bad));
    let expected = EstimateError::Action { sample: 0, action: 7, num_actions: 2 };
    assert_eq!(ridge.estimate().unwrap_err(), expected);
    let table = TabularEstimator::new(2, 2, 0.9).unwrap();
    assert_eq!(fed(table.clone(), &[bad]).estimate().unwrap_err(), expected);
    let lost = Transition { state: 0, action: 1, next: 9, burst: true };
    let error = fed(table, &[lost]).estimate().unwrap_err();
    assert_eq!(error, EstimateError::State { sample: 0, state: 9, num_states: 2 });
}

#[test]
fn settings_out_of_range_are_refused() {
    let phi = OneHot::new(2, 1);
    assert!(RidgeEstimator::new(phi, 0, 0.9).is_err());
    assert!(RidgeEstimator::new(phi, 1, 1.0).is_err());
    let good = RidgeEstimator::new(phi, 1, 0.9).unwrap();
    assert!(good.clone().with_ridge(-1.0).is_err() && good.clone().with_ridge(f64::NAN).is_err());
    assert!(good.clone().with_known_beta(vec![1.5]).is_err());
    assert!(good.clone().with_known_beta(vec![0.5, 0.5]).is_err());
    assert!(Exploration::new(0.0, 0.5).is_err() && Exploration::new(0.5, f64::NAN).is_err());
    let lemmas = Lemmas::new(2, 1, 0.9, Exploration::new(0.5, 1.0).unwrap()).unwrap();
    assert!(lemmas.samples_needed(0.0, 0.1, true).is_err());
    assert!(lemmas.samples_needed(0.1, 1.0, true).is_err());
    assert!(BlockBootstrap::new(good.clone(), 1).is_err());
    let swim = gallery::river_swim::<f64>(6, 0.1, 0.9).unwrap();
    assert!(Exploratory::new(&swim, &[1.0; 3]).is_err());
    assert!(Exploratory::new(&swim, &[0.0; 12]).is_err());
    assert!(Exploratory::new(&swim, &[-1.0; 12]).is_err());
    let other = good.clone().with_ridge(2.0).unwrap();
    let error = good.clone().merge(&other).unwrap_err();
    assert_eq!(error.to_string(), "estimators with ridges 1 and 2 do not merge");
    let known = good.clone().with_known_beta(vec![0.5]).unwrap();
    assert!(good.clone().merge(&known).is_err());
}

#[test]
fn known_beta_is_kept_and_costs_nothing() {
    let swim = gallery::river_swim::<f64>(6, 0.1, 0.9).unwrap();
    let data = drawn(&swim, 1_000, 3);
    let estimator = TabularEstimator::new(6, 2, 0.9).unwrap();
    let unknown = fed(estimator.clone(), &data);
    let known = fed(estimator.with_known_beta(vec![0.1, 0.1]).unwrap(), &data);
    assert_eq!(known.estimate().unwrap().betas(), [0.1, 0.1]);
    assert!(known.observed_bounds(0.9).beta <= 0.0);
    assert!(known.observed_bounds(0.9).matrices < unknown.observed_bounds(0.9).matrices);
    assert!(known.error_bounds(0.9).matrices < unknown.error_bounds(0.9).matrices);
}

#[test]
fn samples_needed_are_enough_and_not_more() {
    let exploration = Exploration::new(0.05, 0.2).unwrap();
    for known in [true, false] {
        let lemmas = Lemmas::new(8, 4, 0.9, exploration).unwrap();
        let admissibility = |n: u64| {
            let p = if known { 0.1 } else { 0.05 };
            let beta = if known { 0.0 } else { lemmas.beta_error(n, p) };
            assert!(lemmas.is_large_enough(n, p));
            let matrices = lemmas.matrix_error(n, p);
            ErrorBounds::new(BoundKind::Lemma, 8, 0.9, matrices, beta).admissibility()
        };
        let n = lemmas.samples_needed(0.3, 0.1, known).unwrap();
        assert!(admissibility(n).unwrap() <= 0.3 * (1.0 + 1e-9));
        assert!(admissibility(n - n / 1000).unwrap() > 0.3);
    }
}

#[test]
fn value_stability() {
    let swim = gallery::river_swim::<f64>(6, 0.5, 0.9).unwrap();
    let drawn: Vec<_> =
        drawn(&swim, 4, 7).into_iter().map(|t| (t.state, t.action, t.next, t.burst)).collect();
    insta::assert_snapshot!(format!("{drawn:?}"), @"[(0, 1, 0, false), (1, 0, 0, false), (5, 0, 4, false), (1, 0, 0, false)]");
    let mut free = ExploratoryFn::new(&swim, |rng| {
        let twelfth = draw::uniform(rng) * 12.0;
        let pair = (1..12).take_while(|&i| twelfth >= f64::from(i)).count();
        (pair / 2, pair % 2)
    });
    let mut rng = Pcg64::new(7, 2);
    for expected in drawn {
        let t = free.sample(&mut rng);
        assert_eq!((t.state, t.action, t.next, t.burst), expected);
    }
}

#[test]
fn exploration_of_a_given_distribution() {
    let swim = gallery::river_swim::<f64>(6, 0.5, 0.9).unwrap();
    let mut weights = [1.0; 12];
    weights[3] = 3.0;
    let sampler = Exploratory::new(&swim, &weights).unwrap();
    let exploration = sampler.exploration().unwrap();
    assert!((exploration.lambda_min() - 1.0 / 14.0).abs() < 1e-15);
    assert!((exploration.p_min() - 6.0 / 14.0).abs() < 1e-15);
    weights[0] = 0.0;
    assert!(Exploratory::new(&swim, &weights).unwrap().exploration().is_err());
    let never = Exploratory::new(&swim, &weights).unwrap();
    let mut rng = Pcg64::new(1, 1);
    assert!((0..2_000).all(|_| {
        let t = never.sample(&mut rng);
        (t.state, t.action) != (0, 0)
    }));
}

#[test]
fn display_says_where_a_bound_comes_from() {
    let bounds = ErrorBounds::new(BoundKind::Observed, 4, 0.5, 0.01, 0.02);
    insta::assert_snapshot!(bounds.with_large_enough(false).to_string(), @r"
    bound                            Observed
    epsilon                          1.000e-2 (N too small)
    epsilon_beta                     2.000e-2 (N too small)
    ||psi_c - psi||                   1.600e0 (N too small)
    ||psi-hat - psi||                6.664e-1 (N too small)
    the same by the theorem           2.560e0 (N too small)
    admissibility of psi-tilde        5.120e0 (N too small)
    ");
}
