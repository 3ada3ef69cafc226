//! psi from estimates: all computations agree, the paper's bounds hold, maps are admissible.

use crate::common::models_with_sequence;
use nalgebra::{Const, DMatrix, Dyn, dmatrix};
use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::Real;
use sporadic::estimators::*;
use sporadic::features::{Dynamics, FeatureFn, OneHot, Psi, PsiError, SequenceFeatures};
use sporadic::model::{Tabular, draw, gallery};
use sporadic::sequence::ActionSequence;

fn exact(model: &Tabular<f64>) -> Dynamics<f64, Dyn> {
    Dynamics::one_hot(model, OneHot::of(model))
}

/// An estimate from few samples: rows that sum to less than 1 or are empty.
fn rough(model: &Tabular<f64>, count: usize, seed: u64) -> Dynamics<f64, Dyn> {
    let (n, m) = (model.num_states(), model.num_actions());
    let mut estimator = TabularEstimator::new(n, m, model.gamma()).unwrap();
    let (sampler, mut rng) = (Exploratory::uniform(model), Pcg64::new(u128::from(seed), 1));
    (0..count).for_each(|_| estimator.observe(&sampler.sample(&mut rng)));
    estimator.estimate().unwrap()
}

/// Dynamics whose matrices are off by exactly `epsilon` in operator norm and whose betas are off by
/// at most `epsilon_beta`. Kind 0: random directions; 1: everything larger, which makes series grow;
/// 2: everything smaller.
fn perturbed(
    truth: &Dynamics<f64, Dyn>,
    epsilon: f64,
    epsilon_beta: f64,
    kind: usize,
    seed: u64,
) -> Dynamics<f64, Dyn> {
    let mut rng = Pcg64::new(u128::from(seed), 9);
    let d = truth.dim().0;
    let matrices = (0..truth.num_actions())
        .map(|a| {
            let m = truth.matrix(a);
            let e = match kind {
                0 => DMatrix::from_fn(d, d, |_, _| draw::uniform(&mut rng) - 0.5),
                1 => DMatrix::from_element(d, d, 1.0),
                _ => -m.clone(),
            };
            let norm = e.singular_values().max();
            m + e * (epsilon / norm)
        })
        .collect();
    let shift = |b: &f64| {
        let sign = if draw::bernoulli(0.5, &mut rng) { 1.0 } else { -1.0 };
        (b + sign * epsilon_beta).clamp(0.0, 1.0)
    };
    Dynamics::new(matrices, truth.betas().iter().map(shift).collect(), truth.gamma()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_computation_of_estimated_psi_agrees(
        (model, seq) in models_with_sequence(),
        count in 1..200_usize,
        seed in 0..1000_u64,
        noise in 0.0..0.02_f64,
    ) {
        // Noise on top, so that entries may be negative and rows sum to more than 1.
        let mut estimate = rough(&model, count, seed);
        estimate = perturbed(&estimate, noise, 0.0, 0, seed);
        prop_assume!(stability(&estimate).upper < 0.995);
        let psi = plug_in(OneHot::of(&model), estimate).unwrap();
        for s in 0..model.num_states() {
            let closed = psi.psi(&s, &seq);
            let series = psi.series(s, &seq, 1e-14);
            let mut cursor = psi.cursor(s);
            seq.iter().take(4000).for_each(|a| cursor.push(a));
            let weights = psi.weights(&seq).tr_mul(&sporadic::features::FeatureMap::<f64>::phi(
                psi.phi(), &s, seq.first())) * 0.5;
            for (name, other) in [("series", series), ("cursor", cursor.psi()), ("weights", weights)] {
                prop_assert!((&closed - &other).norm() < 1e-9, "{name}: {closed} {other}");
            }
        }
    }

    #[test]
    fn the_bounds_hold_under_perturbation(
        (model, seq) in models_with_sequence(),
        size in prop_oneof![0.0..=1.0_f64, Just(1.0)],
        epsilon_beta in prop_oneof![Just(0.0), 0.0..1.0_f64],
        kind in 0..3_usize,
        seed in 0..1000_u64,
    ) {
        let truth = exact(&model);
        let (gamma, d) = (model.gamma(), truth.dim().0);
        let phi = OneHot::of(&model);
        let psi = Psi::new(phi, truth.clone()).unwrap();
        let bounds = |e| ErrorBounds::new(BoundKind::Given, d, gamma, e, epsilon_beta);
        let off = |map: &dyn SequenceFeatures<f64, State = usize, Dim = Dyn>| {
            (0..model.num_states())
                .map(|s| (map.psi(&s, &seq) - psi.psi(&s, &seq)).norm())
                .fold(0.0, f64::max)
        };

        // The theorem, up to its largest epsilon.
        let epsilon = size * bounds(0.0).largest_for_theorem();
        let estimate = perturbed(&truth, epsilon, epsilon_beta, kind, seed);
        prop_assert!((matrix_distance(&estimate, &truth) - epsilon).abs() < 1e-9);
        let hat = plug_in(phi, estimate.clone()).unwrap();
        let error = off(&hat);
        prop_assert!(error <= bounds(epsilon).psi_theorem().unwrap() + 1e-9);
        prop_assert!(error <= bounds(epsilon).psi_plug_in().unwrap() + 1e-9);

        // psi-tilde is admissible with the stated epsilon.
        let tilde = normalized(phi, estimate, &bounds(epsilon)).unwrap();
        prop_assert!(off(&tilde) <= tilde.admissibility() + 1e-9);
        prop_assert!((tilde.admissibility() - bounds(epsilon).admissibility().unwrap()).abs() < 1e-9);
        for s in 0..model.num_states() {
            prop_assert!(tilde.psi(&s, &seq).norm() <= 1.0 + 1e-12);
        }

        // The second case of the general lemma, nearly up to its own limit.
        let epsilon = 0.95 * size * (1.0 / gamma - 1.0) / (d as f64).sqrt();
        let estimate = perturbed(&truth, epsilon, epsilon_beta, kind, seed);
        let error = off(&plug_in(phi, estimate).unwrap());
        prop_assert!(error <= bounds(epsilon).psi_plug_in().unwrap() + 1e-9);

        // The first case, for any epsilon.
        let epsilon = 2.0 * size;
        let estimate = perturbed(&truth, epsilon, epsilon_beta, kind, seed);
        let corrected = norm_corrected(phi, &estimate, epsilon).unwrap();
        let error = off(&corrected);
        prop_assert!(error <= bounds(epsilon).psi_corrected() + 1e-9);
        let tilde = Normalized::new(corrected, bounds(epsilon).psi_corrected()).unwrap();
        prop_assert!(off(&tilde) <= tilde.admissibility() + 1e-9);
    }
}

#[test]
fn divergence_is_found_and_named() {
    // Each action alone contracts; in turn they grow.
    let up = dmatrix![0.0, 1.5; 0.0, 0.0];
    let down = dmatrix![0.0, 0.0; 1.5, 0.0];
    let wild = Dynamics::new(vec![up, down], vec![0.0, 0.0], 0.9).unwrap();
    let error = plug_in(OneHot::new(1, 2), wild.clone()).unwrap_err();
    let PlugInError::Divergent { word, radius } = error else { panic!("{error}") };
    assert!(word == [0, 1] || word == [1, 0]);
    assert!((radius - 1.35).abs() < 1e-9);
    // Corrected by an honest epsilon it converges; by too small a one it still diverges.
    assert!(norm_corrected(OneHot::new(1, 2), &wild, 1.0).is_ok());
    assert!(norm_corrected(OneHot::new(1, 2), &wild, 0.1).is_err());
    assert!(norm_corrected(OneHot::new(1, 2), &wild, f64::NAN).is_err());
    let bounds = ErrorBounds::new(BoundKind::Given, 2, 0.9, 0.5, 0.0);
    let error = normalized(OneHot::new(1, 2), wild, &bounds).unwrap_err();
    assert!(matches!(error, PlugInError::TooLarge { .. }));
}

/// Products of up to sixteen steps contract and one of seventeen grows: a cycle of seventeen
/// features along which action 1 leads once and action 0 leads the other times.
fn grows_over_seventeen() -> Dynamics<f64, Dyn> {
    let next = |i: usize| (i + 1) % 17;
    let step = |from: &dyn Fn(usize) -> bool, size: f64| {
        DMatrix::from_fn(17, 17, |i, j| if from(i) && j == next(i) { size } else { 0.0 })
    };
    let (slow, fast) = (step(&|i| i < 16, 1.0), step(&|i| i == 16, 40.0));
    Dynamics::new(vec![slow, fast], vec![0.0; 2], 0.9).unwrap()
}

#[test]
fn divergent_series_are_refused() {
    // The smallest case: the closed form would be 0.05 / (1 - 1.08) = -.625.
    let wild = || Dynamics::new(vec![dmatrix![1.2]], vec![0.0], 0.9).unwrap();
    let error = Psi::new(OneHot::new(1, 1), wild()).unwrap_err();
    let PsiError::Divergent { period, radius } = &error else { panic!("{error}") };
    assert!(*period == [0] && (radius - 1.08).abs() < 1e-9);
    assert!(error.to_string().contains("[0]") && error.to_string().contains("1.08"), "{error}");
    assert!(matches!(plug_in(OneHot::new(1, 1), wild()), Err(PlugInError::Divergent { .. })));
    // Radius 1 exactly: the powers have no sum either.
    let edge = Dynamics::new(vec![dmatrix![1.25]], vec![0.0], 0.8).unwrap();
    assert!(Psi::new(OneHot::new(1, 1), edge).is_err());

    // Where no short word shows it, the sequence is refused when it is asked for, and by name.
    let dynamics = grows_over_seventeen();
    assert!(!stability(&dynamics).is_divergent());
    let phi = FeatureFn::new(Dyn(17), |&s: &usize, _, phi: &mut [f64]| phi[s] = 1.0);
    let psi = plug_in(phi, dynamics).unwrap();
    let fine: ActionSequence = "1(0)".parse().unwrap();
    let grows: ActionSequence = "(00000000000000001)".parse().unwrap();
    let value = psi.try_psi(&0, &fine).unwrap();
    assert!(value.iter().all(|x| x.is_finite()));
    let PsiError::Divergent { period, radius } = psi.try_psi(&0, &grows).unwrap_err() else {
        panic!("the wrong error")
    };
    assert_eq!(period.len(), 17);
    assert!((radius - 0.9 * 40_f64.powf(1.0 / 17.0)).abs() < 1e-9, "{radius}");
    assert!(psi.psi(&0, &grows).iter().all(|x| x.is_nan()));
    assert!(psi.weights(&grows).iter().all(|x| x.is_nan()));
    assert!(psi.series(0, &grows, 1e-9).iter().all(|x| x.is_nan()));
    let batch = psi.batch(&0, &[fine.clone(), grows.clone()]);
    assert!((batch.column(0) - value).norm() < 1e-12 && batch.column(1).iter().all(|x| x.is_nan()));
    // Learners and oracles refuse it, and name the sequence.
    let candidates =
        sporadic::agents::Candidates::new(&psi, 17, [fine, grows.clone()]).unwrap_err();
    assert!(candidates.to_string().contains(&grows.to_string()), "{candidates}");
    let w = nalgebra::DVector::from_element(34, 1.0);
    let mut k = sporadic::oracles::FeatureObjective::new(&psi, 0, &w).unwrap();
    let mut oracle = sporadic::oracles::Exhaustive::new([grows.clone()]);
    let error = sporadic::oracles::SequenceOracle::maximize(&mut oracle, &mut k).unwrap_err();
    assert!(error.to_string().contains(&grows.to_string()), "{error}");
}

#[test]
fn nothing_diverges_after_a_sure_sighting() {
    // Action 1 reveals for sure: what action 0 would do after it does not matter.
    let (up, down) = (dmatrix![0.0, 2.0; 0.0, 0.0], dmatrix![0.0, 0.0; 2.0, 0.0]);
    let matrices = vec![up.clone(), down, dmatrix![0.5, 0.0; 0.0, 0.5]];
    let dynamics = Dynamics::new(matrices, vec![0.0, 0.0, 1.0], 0.9).unwrap();
    let phi = FeatureFn::new(Dyn(2), |_: &usize, a, phi: &mut [f64]| {
        phi[a % 2] = 1.0;
    });
    let psi = Psi::new(phi, dynamics).unwrap();
    let seq: ActionSequence = "2(01)".parse().unwrap();
    let value = psi.try_psi(&0, &seq).unwrap();
    assert_eq!(value.as_slice(), psi.psi(&0, &seq).as_slice());
    assert!(value.iter().chain(psi.weights(&seq).iter()).all(|x| x.is_finite()));
    assert!((psi.series(0, &seq, 1e-12) - value).norm() < 1e-12);
}

#[test]
fn exact_dynamics_are_contractive() {
    for gamma in [0.5, 0.99] {
        let balance = gallery::river_balance::<f64>(6, 0.0, gamma).unwrap();
        let found = stability(&exact(&balance));
        assert!(found.is_contractive() && (found.upper - gamma).abs() < 1e-12);
    }
}

#[test]
fn static_dynamic_and_single_precision_agree() {
    fn tilde<T: Real>() -> Vec<f64> {
        let swim = gallery::river_swim::<T>(3, T::of(0.2), T::of(0.8)).unwrap();
        let phi = OneHot::with_dim(3, 2, Const::<6>).unwrap();
        let mut estimator = TabularEstimator::with_features(phi, T::of(0.8)).unwrap();
        let (sampler, mut rng) = (Exploratory::uniform(&swim), Pcg64::new(1, 1));
        (0..5_000).for_each(|_| estimator.observe(&sampler.sample(&mut rng)));
        let bounds = ErrorBounds::new(BoundKind::Given, 6, T::of(0.8), T::of(0.01), T::of(0.01));
        let psi = normalized(phi, estimator.estimate().unwrap(), &bounds).unwrap();
        let seq: ActionSequence = "1(01)".parse().unwrap();
        psi.psi(&0, &seq).iter().map(|x| x.as_f64()).collect()
    }
    let swim = gallery::river_swim::<f64>(3, 0.2, 0.8).unwrap();
    let bounds = ErrorBounds::new(BoundKind::Given, 6, 0.8, 0.01, 0.01);
    let free = normalized(OneHot::of(&swim), rough(&swim, 5_000, 1), &bounds).unwrap();
    let free = free.psi(&0, &"1(01)".parse().unwrap());
    for ((x, y), z) in tilde::<f64>().iter().zip(tilde::<f32>()).zip(free.iter()) {
        assert!((x - y).abs() < 1e-5 && (x - z).abs() < 1e-12);
    }
}
