//! psi: what the paper proves of it, precision and dimensions.

use crate::common::{dense, distance, models_with_sequence, sequence};
use approx::assert_abs_diff_eq;
use nalgebra::Const;
use proptest::prelude::*;
use sporadic::Real;
use sporadic::belief::{AugmentedState, belief};
use sporadic::features::{Dynamics, LinearModel, OneHot, Psi, SequenceFeatures, TabularPsi};
use sporadic::model::{Reveal, Tabular, gallery};
use sporadic::sequence::{ActionSequence, runs};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

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
            prop_assert!(phi.norm() <= 1.0 + 1e-12);
            prop_assert!((&phi - linear.phi_at(&x).unwrap()).norm() < 1e-12);
            prop_assert!(distance(&linear.belief(&x).unwrap(), &after) < 1e-12);
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
}

/// With and without schedules: closed form and tables, dimensions of both kinds, against f64.
fn both_dimensions<T: Real>(tolerance: f64) {
    for reveals in [[&[0.1][..], &[0.1]], [&[0.0, 0.0, 0.5], &[1.0, 0.0, 0.25, 0.1]]] {
        let river = gallery::river_swim(6, 0.1, 0.9).unwrap();
        let wide = reveals.map(|list| Reveal::from(list.to_vec()));
        let reference = dense(&river.with_reveals(wide.to_vec()).unwrap());
        let river = gallery::river_swim(6, T::of(0.1), T::of(0.9)).unwrap();
        let own = reveals.map(|list| list.iter().map(|&b| T::of(b)).collect::<Vec<_>>());
        let river = river.with_reveals(own.map(Reveal::from).to_vec()).unwrap();
        let fixed = OneHot::with_dim(6, 2, Const::<12>).unwrap();
        let fixed = Psi::new(fixed, Dynamics::one_hot(&river, fixed)).unwrap();
        let free = OneHot::of(&river);
        let free = Psi::new(free, Dynamics::one_hot(&river, free)).unwrap();
        let table = TabularPsi::with_dim(river, Const::<12>).unwrap();
        for seq in runs(2, 3, 3).chain([sequence("01(001)"), sequence("00000000(1)")]) {
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
fn gamma_near_one_and_long_periods_stay_accurate() {
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
fn beta_zero_and_one_have_known_psi() {
    let seq = sequence("01(110)");
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
    let seq = sequence("11(110)");
    let psi = TabularPsi::new(model.clone()).psi(&1_000, &seq);
    assert_abs_diff_eq!(psi.rows(0, 4_000).sum(), mass(&model, &seq), epsilon = 1e-13);
}
