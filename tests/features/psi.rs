//! psi: three roads, and what the paper proves of it.

use crate::common::{models, models_with_sequence};
use approx::assert_abs_diff_eq;
use nalgebra::{Const, DVector, Dyn};
use proptest::prelude::*;
use sporadic::Real;
use sporadic::belief::{AugmentedState, belief};
use sporadic::features::{Dynamics, LinearModel, OneHot, Psi, SequenceFeatures, TabularPsi};
use sporadic::model::{Tabular, gallery};
use sporadic::sequence::{ActionSequence, periodic, runs};

type DynPsi = Psi<f64, OneHot<Dyn>>;

fn dense(model: &Tabular<f64>) -> DynPsi {
    Psi::new(OneHot::of(model), Dynamics::one_hot(model, OneHot::of(model))).unwrap()
}

/// R and PV by the series of the decomposition lemma, on beliefs, until the rest is below 1e-13.
fn decomposition(model: &Tabular<f64>, s: usize, seq: &ActionSequence, v: &[f64]) -> (f64, f64) {
    let (mut r, mut pv, mut weight) = (0.0, 0.0, 1.0);
    let mut x = AugmentedState::new(s);
    for a in seq.iter() {
        let now = belief(model, &x);
        r += weight * (0..now.len()).map(|s| now[s] * model.reward(s, a)).sum::<f64>();
        x.push(a);
        let next = belief(model, &x);
        let expected: f64 = next.iter().zip(v).map(|(b, v)| b * v).sum();
        pv += weight * model.gamma() * model.beta(a) * expected;
        weight *= model.gamma() * (1.0 - model.beta(a));
        // The belief is pushed from the start each time; beyond 60 actions that gets slow.
        if weight < 1e-13 || x.actions().len() > 60 {
            break;
        }
    }
    (r, pv)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_roads_agree((model, seq) in models_with_sequence()) {
        let (general, fast) = (dense(&model), TabularPsi::new(model.clone()));
        for s in 0..model.num_states() {
            let closed = general.psi(&s, &seq);
            let series = general.series(s, &seq, 1e-13);
            let quick = fast.psi(&s, &seq);
            let column = fast.table(std::slice::from_ref(&seq)).column(s).into_owned();
            let weights = general.weights(&seq).tr_mul(&phi(&model, s, seq.first())) * 0.5;
            for (road, other) in
                [("series", series), ("tabular", quick), ("table", column), ("weights", weights)]
            {
                prop_assert!((&closed - &other).norm() < 1e-11, "{road}: {closed} {other}");
            }
        }
    }

    #[test]
    fn norms_are_at_most_one((model, seq) in models_with_sequence()) {
        let psi = dense(&model);
        let bound = (1.0 + model.gamma()) / 2.0 + 1e-12;
        for s in 0..model.num_states() {
            prop_assert!(psi.psi(&s, &seq).norm() <= bound);
            let mut x = AugmentedState::new(s);
            for a in seq.iter().take(12) {
                x.push(a);
                let phi = psi.dynamics().phi(psi.phi(), &x).unwrap();
                prop_assert!(phi.norm() <= 1.0 + 1e-12);
            }
        }
    }

    #[test]
    fn products_of_action_matrices_are_bounded((model, seq) in models_with_sequence()) {
        let dynamics = Dynamics::one_hot(&model, OneHot::of(&model));
        let d = model.num_states() * model.num_actions();
        let mut product = nalgebra::DMatrix::identity(d, d);
        for a in seq.iter().take(10) {
            product *= dynamics.matrix(a);
            prop_assert!(product.singular_values().max() <= (d as f64).sqrt() + 1e-9);
            // Gelfand: the radius is at most the 2^-20th power of the norm of the 2^20th power.
            let power = (0..20).fold(product.clone(), |p, _| &p * &p);
            prop_assert!(power.norm() <= d as f64 + 1e-6, "spectral radius above 1");
        }
    }

    #[test]
    fn belief_reward_and_value_are_linear_in_phi(
        (model, seq) in models_with_sequence(),
        values in proptest::collection::vec(-1.0..1.0_f64, 5),
    ) {
        let linear = LinearModel::one_hot(&model);
        let dynamics = linear.dynamics(model.betas(), model.gamma()).unwrap();
        let v = linear.integrate(|&s| values[s]);
        let mut x = AugmentedState::new(0);
        for a in seq.iter().take(8) {
            let before = belief(&model, &x);
            x.push(a);
            let after = belief(&model, &x);
            let phi = dynamics.phi(linear.phi(), &x).unwrap();
            for (s, &b) in after.iter().enumerate() {
                let mu = linear.integrate(|&t| f64::from(u8::from(t == s)));
                prop_assert!((phi.dot(&mu) - b).abs() < 1e-12);
            }
            let reward: f64 = before.iter().enumerate().map(|(s, b)| b * model.reward(s, a)).sum();
            prop_assert!((phi.dot(linear.theta()) - reward).abs() < 1e-12);
            let value: f64 = after.iter().zip(&values).map(|(b, v)| b * v).sum();
            prop_assert!((phi.dot(&v) - value).abs() < 1e-12);
        }
    }

    #[test]
    fn psi_gives_reward_and_continuation(
        (model, seq) in models_with_sequence(),
        values in proptest::collection::vec(-1.0..1.0_f64, 5),
    ) {
        let linear = LinearModel::one_hot(&model);
        let psi = TabularPsi::new(model.clone());
        let d = model.num_states() * model.num_actions();
        let w = linear.value_vector(model.gamma(), |&s| values[s]);
        for s in 0..model.num_states() {
            let features = psi.psi(&s, &seq);
            let half = |range: std::ops::Range<usize>| -> f64 {
                range.map(|i| features[i] * w[i]).sum()
            };
            let (r, pv) = decomposition(&model, s, &seq, &values);
            // What 60 terms leave out.
            let left = (model.gamma() * (1.0 - model.betas().iter().fold(1.0, |x: f64, &b| x.min(b))))
                .powi(60) / (1.0 - model.gamma());
            prop_assert!((half(0..d) - r).abs() < 1e-10 + left);
            prop_assert!((half(d..2 * d) - pv).abs() < 1e-10 + left);
        }
    }

    #[test]
    fn a_cursor_bounds_what_is_to_come((model, seq) in models_with_sequence()) {
        let (general, fast) = (dense(&model), TabularPsi::new(model.clone()));
        let whole = general.psi(&0, &seq);
        let (mut cursor, mut quick) = (general.cursor(0), fast.cursor(0));
        let mut part = DVector::zeros(whole.len());
        for a in seq.iter().take(15) {
            cursor.push(a);
            quick.push(a);
            quick.psi_into(part.as_mut_slice());
            prop_assert!((&whole - cursor.psi()).norm() <= cursor.remaining() + 1e-12);
            prop_assert!((cursor.psi() - &part).norm() < 1e-12);
            prop_assert!((cursor.remaining() - quick.remaining()).abs() < 1e-12);
        }
    }

    #[test]
    fn batches_are_their_columns(model in models()) {
        let family: Vec<_> = periodic(model.num_actions(), 2, 3).take(40).collect();
        let (general, fast) = (dense(&model), TabularPsi::new(model.clone()));
        let table = fast.table(&family);
        for s in 0..model.num_states() {
            let (a, b) = (general.batch(&s, &family), fast.batch(&s, &family));
            for (j, seq) in family.iter().enumerate() {
                let one = general.psi(&s, seq);
                prop_assert!((&one - a.column(j)).norm() < 1e-11);
                prop_assert!((&one - b.column(j)).norm() < 1e-11);
                prop_assert!((&one - table.column(s * family.len() + j)).norm() < 1e-11);
            }
        }
    }
}

fn phi(model: &Tabular<f64>, s: usize, a: usize) -> DVector<f64> {
    use sporadic::features::FeatureMap;
    OneHot::of(model).phi(&s, a)
}

fn both_dimensions<T: Real>(tolerance: f64) {
    let swim = gallery::river_swim::<T>(6, T::of(0.1), T::of(0.9)).unwrap();
    let fixed = OneHot::with_dim(6, 2, Const::<12>).unwrap();
    let fixed = Psi::new(fixed, Dynamics::one_hot(&swim, fixed)).unwrap();
    let free = Psi::new(OneHot::of(&swim), Dynamics::one_hot(&swim, OneHot::of(&swim))).unwrap();
    let table = TabularPsi::with_dim(swim.clone(), Const::<12>).unwrap();
    let reference = dense(&gallery::river_swim(6, 0.1, 0.9).unwrap());
    for seq in runs(2, 3, 3) {
        for s in 0..6 {
            let (a, b, c) = (fixed.psi(&s, &seq), free.psi(&s, &seq), table.psi(&s, &seq));
            let exact = reference.psi(&s, &seq);
            for i in 0..24 {
                for x in [a[i], b[i], c[i]] {
                    assert_abs_diff_eq!(x.as_f64(), exact[i], epsilon = tolerance);
                }
            }
        }
    }
}

#[test]
fn static_and_dynamic_dimensions_agree_in_f64() {
    both_dimensions::<f64>(1e-14);
}

#[test]
fn single_precision_agrees_to_its_own() {
    // Condition number at most 1 / (1 - gamma) = 10, some hundred roundings of 6e-8.
    both_dimensions::<f32>(5e-6);
}

/// Mass is conserved: the reward half sums to (1 - gamma) / 2 sum c_h, whatever the model.
fn mass(model: &Tabular<f64>, seq: &ActionSequence) -> f64 {
    let per = |word: &[usize]| {
        word.iter()
            .fold((0.0, 1.0), |(sum, w), &a| (sum + w, w * model.gamma() * (1.0 - model.beta(a))))
    };
    let ((head, w), (round, decay)) = (per(seq.prefix()), per(seq.period()));
    (1.0 - model.gamma()) / 2.0 * (head + w * round / (1.0 - decay))
}

#[test]
fn gamma_close_to_one_and_long_periods_keep_their_digits() {
    // The sum has condition number 1 / (1 - gamma); n roundings each. So 1e-16 x 1e6 x 100.
    for (gamma, beta, tolerance) in
        [(0.999_999, 0.0, 1e-8), (0.999, 0.0, 1e-11), (0.99, 0.1, 1e-13)]
    {
        let model = gallery::river_swim(6, beta, gamma).unwrap();
        let period: Vec<usize> = (0..1000).map(|i: usize| (i * i / 7) % 2).collect();
        let seq = ActionSequence::new([1, 0, 0], period);
        assert!(seq.period().len() > 400);
        let (general, fast) = (dense(&model), TabularPsi::new(model.clone()));
        let (a, b) = (general.psi(&2, &seq), fast.psi(&2, &seq));
        let c = fast.table(std::slice::from_ref(&seq)).column(2).into_owned();
        let expected = mass(&model, &seq);
        for psi in [&a, &b, &c] {
            assert_abs_diff_eq!(psi.rows(0, 12).sum(), expected, epsilon = tolerance);
        }
        assert!((&a - &b).norm() < tolerance, "{}", (&a - &b).norm());
        assert!((&a - &c).norm() < tolerance, "{}", (&a - &c).norm());
    }
}

#[test]
fn never_seen_has_no_continuation_and_always_seen_is_phi() {
    let seq: ActionSequence = "01(110)".parse().unwrap();
    let never = TabularPsi::new(gallery::river_swim(6, 0.0, 0.99).unwrap()).psi(&3, &seq);
    assert_abs_diff_eq!(never.rows(12, 12).norm(), 0.0);
    assert_abs_diff_eq!(never.rows(0, 12).sum(), 0.5, epsilon = 1e-12);
    let always = TabularPsi::new(gallery::river_swim(6, 1.0, 0.99).unwrap()).psi(&3, &seq);
    assert_abs_diff_eq!(always[6], 0.005, epsilon = 1e-15); // (1 - gamma) / 2 at (s4, 0)
    assert_abs_diff_eq!(always[12 + 6], 0.495, epsilon = 1e-15);
    assert_abs_diff_eq!(always.sum(), 0.5, epsilon = 1e-15);
}

#[test]
fn large_chains_are_summed_term_by_term() {
    let model = gallery::river_swim(2_000, 0.1, 0.99).unwrap();
    let seq: ActionSequence = "11(110)".parse().unwrap();
    let psi = TabularPsi::new(model.clone()).psi(&1_000, &seq);
    assert_abs_diff_eq!(psi.rows(0, 4_000).sum(), mass(&model, &seq), epsilon = 1e-13);
}
