//! psi, R, PV, K and beliefs at augmented states, each against its definition.

use nalgebra::Const;
use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::belief::AugmentedState;
use sporadic::features::{LinearModel, Psi, RandomLinear, SequenceFeatures, TabularPsi};
use sporadic::model::{Action, Tabular, gallery};
use sporadic::planning::{PlanningError, Segments, bellman, sequence_value_at, sequence_values};

use crate::common::schedules::scheduled;
use crate::common::{dense, sequence};

/// Any actions, turned into some of the model.
fn actions(raw: &[usize], model: &Tabular<f64>) -> Vec<Action> {
    raw.iter().map(|a| a % model.num_actions()).collect()
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|s| (1.0 + s as f64).sin()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The definition: K(x, a s) = E r + gamma beta E V + gamma (1 - beta) K(x a, s).
    #[test]
    fn k_satisfies_its_recursion(
        (model, seq) in scheduled(),
        raw in proptest::collection::vec(0..8_usize, 0..6),
    ) {
        let v = numbers(model.num_states());
        let (first, tail) = (seq.first(), seq.tail());
        let plain = sequence_values(&model, &seq, &v).unwrap();
        for s in 0..model.num_states() {
            let x = AugmentedState::new(s).with_actions(actions(&raw, &model));
            let tiny = 1e-10 / (1.0 - model.gamma());
            let at = |x: &AugmentedState<usize>, v: &[f64]| {
                sequence_value_at(&model, x, &seq, v).unwrap()
            };
            let k = at(&x, &v).total();
            prop_assert!((at(&AugmentedState::new(s), &v).total() - plain[s]).abs() < tiny);
            prop_assert!((at(&x, &vec![0.0; v.len()]).total() - at(&x, &v).reward).abs() < tiny);
            let step = bellman::q(&model, &x, first, |y| {
                if y.actions().is_empty() {
                    v[*y.state()]
                } else {
                    sequence_value_at(&model, y, &tail, &v).unwrap().total()
                }
            });
            prop_assert!((k - step).abs() < tiny);
        }
    }

    /// Theorem on the linearity of K, R and PV at augmented states, and the bound on psi.
    #[test]
    fn values_are_linear_in_psi(
        (model, seq) in scheduled(),
        raw in proptest::collection::vec(0..8_usize, 0..6),
    ) {
        let v = numbers(model.num_states());
        let linear = LinearModel::one_hot(&model);
        let v12 = linear.value_vector(model.gamma(), |&s| v[s]);
        let closed = dense(&model);
        let tabular = TabularPsi::new(model.clone());
        let d = model.num_states() * model.num_actions();
        for s in 0..model.num_states() {
            let x = AugmentedState::new(s).with_actions(actions(&raw, &model));
            let psi = tabular.psi_at(&x, &seq);
            prop_assert!((&psi - closed.psi_at(&x, &seq)).norm() < 1e-10);
            prop_assert!(psi.norm() <= 1.0 + 1e-12);
            let k = sequence_value_at(&model, &x, &seq, &v).unwrap();
            let scale = 1e-10 / (1.0 - model.gamma());
            prop_assert!((psi.rows(0, d).dot(&v12.rows(0, d)) - k.reward).abs() < scale);
            prop_assert!((psi.rows(d, d).dot(&v12.rows(d, d)) - k.continuation).abs() < scale);
        }
    }
}

/// Features that are not one-hot: psi at x by the closed form, and by the mean over the belief. The
/// quadrature rule is exact, because these features are polynomials.
#[test]
fn closed_form_is_the_mean_on_continuous_states() {
    let world = RandomLinear::new(Const::<4>, vec![0.3, 0.8], 0.9, &mut Pcg64::new(3, 5)).unwrap();
    let linear = world.linear_model(16);
    let dynamics = linear.dynamics(&[0.3, 0.8], 0.9).unwrap();
    let psi = Psi::new(linear.phi(), dynamics.clone()).unwrap();
    for text in ["(0)", "1(01)", "001(1)"] {
        let seq = sequence(text);
        for actions in [&[][..], &[1], &[0, 1, 1]] {
            let x = AugmentedState::new(0.3).with_actions(actions);
            let at = psi.psi_at(&x, &seq);
            let Some(belief) = linear.belief(&x) else {
                assert!((at - psi.psi(&0.3, &seq)).norm() < 1e-12);
                continue;
            };
            assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-10);
            let mut mean = at * 0.0;
            for (atom, b) in linear.atoms().iter().zip(belief) {
                mean += psi.psi(&atom.state, &seq) * b;
            }
            assert!((at - mean).norm() < 1e-10, "{text} {actions:?}: {at} {mean}");
            let phi = linear.phi_at(&x).unwrap();
            assert!((phi - dynamics.phi(linear.phi(), &x).unwrap()).norm() < 1e-12);
        }
    }
}

#[test]
fn augmented_states_of_another_model_are_refused() {
    let swim = gallery::river_swim::<f64>(6, 0.1, 0.99).unwrap();
    let seq = sequence("(1)");
    let at = |x: AugmentedState<usize>| Segments::new(&swim).segment_at(&x, &seq).unwrap_err();
    assert_eq!(at(AugmentedState::new(6)), PlanningError::State { state: 6, num_states: 6 });
    assert_eq!(
        at(AugmentedState::new(0).with_actions([1, 2])).to_string(),
        "action number 2 of the augmented state is 2, but there are only 2 actions"
    );
    let short = sequence_value_at(&swim, &AugmentedState::new(0), &seq, &[0.0; 5]).unwrap_err();
    assert_eq!(short.to_string(), "the value has 5 entries, but there are 6 states");
}

#[test]
fn psi_at_a_state_is_psi() {
    let psi = dense(&gallery::river_swim(6, 0.1, 0.99).unwrap());
    let seq = sequence("1(01)");
    assert_eq!(psi.psi_at(&AugmentedState::new(2), &seq), psi.psi(&2, &seq));
}
