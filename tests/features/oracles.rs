//! Oracles: inclusions, gaps, dimensions, tie rule, refusals.

use crate::common::{dense, distance, models};
use nalgebra::{Const, DMatrix, DVector, OMatrix, OVector};
use proptest::prelude::*;
use sporadic::dim::{Double, FeatureDim};
use sporadic::features::{Dynamics, OneHot, Psi, SequenceFeatures, TabularPsi};
use sporadic::model::{Tabular, gallery};
use sporadic::oracles::*;
use sporadic::sequence::{ActionSequence, runs, words};

/// A model, weights, a square root of Lambda^-1 and rho, sometimes 0.
fn problems() -> impl Strategy<Value = (Tabular<f64>, Vec<f64>, Vec<f64>, f64)> {
    models().prop_flat_map(|model| {
        let d = 2 * model.num_states() * model.num_actions();
        (
            Just(model),
            proptest::collection::vec(-5.0..10.0_f64, d),
            proptest::collection::vec(-1.0..1.0_f64, d * d),
            prop_oneof![Just(0.0), 0.0..5.0_f64],
        )
    })
}

fn inverse(root: &[f64]) -> DMatrix<f64> {
    let d = root.len().isqrt();
    let root = DMatrix::from_row_slice(d, d, root);
    let square = &root * root.transpose();
    (&square + square.transpose()) * 0.5
}

/// The longest depth with at most 2^14 words.
fn depth(num_actions: usize) -> usize {
    [1, 14, 8][num_actions - 1]
}

/// Runs, or the only sequence there is.
fn family(num_actions: usize, prefix: usize, run: usize) -> Exhaustive {
    let constant = (num_actions == 1).then(|| ActionSequence::constant(0));
    Exhaustive::new(runs(num_actions, prefix, run).chain(constant))
}

fn oracles(num_actions: usize) -> Vec<(&'static str, Box<dyn SequenceOracle<f64>>)> {
    vec![
        ("exhaustive", Box::new(family(num_actions, 2, 3))),
        ("periodic", Box::new(Periodic { prefix: 2, period: 3 })),
        ("truncated", Box::new(Truncated::new(depth(num_actions) / 2 + 1))),
        ("beam", Box::new(Beam { width: 8, depth: 16 })),
        ("branch and bound", Box::new(BranchAndBound::new(0.01).with_nodes(2000))),
        (
            "portfolio",
            Box::new(
                Portfolio::new()
                    .with(Beam { width: 3, depth: 9 })
                    .with(BranchAndBound::new(0.5).with_nodes(300)),
            ),
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn larger_families_are_no_worse((model, w, root, rho) in problems()) {
        let psi = TabularPsi::new(model.clone());
        let mut k = FeatureObjective::new(&psi, 0, &DVector::from_vec(w)).unwrap()
            .with_bonus(rho, &inverse(&root)).unwrap();
        let m = model.num_actions();
        let mut value = |oracle: &mut dyn SequenceOracle<f64>| oracle.maximize(&mut k).unwrap().value;
        let chains: [Vec<Box<dyn SequenceOracle<f64>>>; 3] = [
            (1..5).map(|l| Box::new(Truncated::new(l)) as _).collect(),
            (1..4).map(|l| Box::new(Periodic { prefix: l, period: l }) as _).collect(),
            (1..4).map(|l| Box::new(family(m, l, l + 1)) as _).collect(),
        ];
        for mut chain in chains {
            let values: Vec<_> = chain.iter_mut().map(|oracle| value(oracle)).collect();
            prop_assert!(values.windows(2).all(|v| v[0] <= v[1] + 1e-12), "{values:?}");
        }
    }

    #[test]
    fn branch_and_bound_keeps_its_gap((model, w, root, rho) in problems(), gap in 0.001..1.0_f64) {
        let psi = TabularPsi::new(model.clone());
        let mut k = FeatureObjective::new(&psi, 0, &DVector::from_vec(w)).unwrap()
            .with_bonus(rho, &inverse(&root)).unwrap();
        let search = BranchAndBound::new(gap).with_nodes(3000).maximize(&mut k).unwrap();
        let plain = Exhaustive::new(words(model.num_actions(), depth(model.num_actions())))
            .maximize(&mut k).unwrap();
        prop_assert!(search.upper_bound >= plain.value - 1e-9);
        // Within its gap, or out of nodes and saying so.
        let missed = search.gap() > gap + 1e-9;
        prop_assert!(missed || search.value >= plain.value - gap - 1e-9);
        prop_assert!(!missed || search.evaluated >= 3000);
    }
}

/// What three searches answer, with weights and bonus in the dimension of psi.
fn answers<P>(psi: &P) -> Vec<Choice<f64>>
where
    P: SequenceFeatures<f64, State = usize>,
    P::Dim: FeatureDim,
{
    let size = psi.dim().double();
    let w = OVector::from_fn_generic(size, Const::<1>, |i, _| 40.0 + (i as f64).sin());
    let inverse = OMatrix::identity_generic(size, size) * 0.01;
    let mut k = FeatureObjective::new(psi, 2, &w).unwrap().with_bonus(3.0, &inverse).unwrap();
    vec![
        BranchAndBound::new(0.1).with_nodes(500).maximize(&mut k).unwrap(),
        Periodic { prefix: 1, period: 3 }.maximize(&mut k).unwrap(),
        Beam { width: 8, depth: 12 }.maximize(&mut k).unwrap(),
    ]
}

#[test]
fn static_and_dynamic_dimension_agree() {
    let model = gallery::river_balance::<f64>(6, 0.2, 0.99).unwrap();
    let phi = OneHot::with_dim(6, 2, Const::<12>).unwrap();
    let fixed = Psi::new(phi, Dynamics::one_hot(&model, phi)).unwrap();
    for (free, fixed) in [
        (answers(&dense(&model)), answers(&fixed)),
        (
            answers(&TabularPsi::new(model.clone())),
            answers(&TabularPsi::with_dim(model, Const::<12>).unwrap()),
        ),
    ] {
        for (x, y) in free.iter().zip(&fixed) {
            assert_eq!(x.sequence, y.sequence);
            assert!(distance(&[x.value, x.upper_bound], &[y.value, y.upper_bound]) < 1e-9);
        }
    }
}

#[test]
fn the_first_of_equals_wins() {
    let mut flat = ObjectiveFn::new(2, |_: &ActionSequence| 1.0).with_upper_bound(|_| 1.0);
    for (_, mut oracle) in oracles(2) {
        assert_eq!(oracle.maximize(&mut flat).unwrap().sequence.to_string(), "(0)");
    }
    let psi = TabularPsi::new(gallery::river_balance::<f64>(6, 0.1, 0.99).unwrap());
    let mut clipped =
        FeatureObjective::planning(&psi, 0, &[50.0; 6]).unwrap().with_clip(0.5).unwrap();
    let choice = Exhaustive::new(runs(2, 5, 10)).maximize(&mut clipped).unwrap();
    assert_eq!((choice.sequence.to_string().as_str(), choice.gap()), ("(0)", 0.0));
}

#[test]
fn refusals_name_the_value() {
    let mut k = ObjectiveFn::new(2, |_: &ActionSequence| 0.0);
    let message = |result: Result<Choice<f64>, OracleError>| result.unwrap_err().to_string();
    assert!(message(Truncated::new(40).maximize(&mut k)).contains("depth 40 over 2 actions"));
    assert!(message(Periodic { prefix: 20, period: 20 }.maximize(&mut k)).contains("16777216"));
    assert_eq!(Exhaustive::new([]).maximize(&mut k), Err(OracleError::EmptyFamily));
    assert!(message(Exhaustive::new(words(3, 1)).maximize(&mut k)).contains("action 2"));
    assert!(message(BranchAndBound::new(-1.0).maximize(&mut k)).contains("gap = -1"));
    assert!(message(Beam { width: 0, depth: 3 }.maximize(&mut k)).contains("width"));
    assert_eq!(Portfolio::new().maximize(&mut k), Err(OracleError::EmptyFamily));
    let mut nan = ObjectiveFn::new(2, |_: &ActionSequence| f64::NAN);
    assert!(message(Truncated::new(3).maximize(&mut nan)).contains("not a number"));
    let mut none = ObjectiveFn::new(0, |_: &ActionSequence| 0.0);
    for (name, mut oracle) in oracles(2).into_iter().skip(1) {
        assert_eq!(oracle.maximize(&mut none), Err(OracleError::NoActions), "{name}");
    }

    // Depths that follow from (gamma (1 - beta_min))^L range <= epsilon.
    assert_eq!(Truncated::within(1.0, 0.99, 0.05, 100.0).unwrap().depth(), 76);
    assert_eq!(Truncated::within(0.01, 0.99, 0.5, 100.0).unwrap().depth(), 14);
    assert_eq!(Truncated::within(0.01, 0.99, 1.0, 100.0).unwrap().depth(), 1);
    assert!(
        message(Truncated::within(1.0, 0.99, 0.05, 100.0).unwrap().maximize(&mut k)).contains("76")
    );
    assert!(Truncated::within(0.0, 0.9, 0.0, 1.0).is_err());
    assert!(Truncated::within(0.1, 1.0, 0.0, 1.0).is_err());

    let psi = TabularPsi::new(gallery::river_swim::<f64>(3, 0.5, 0.9).unwrap());
    let w = DVector::from_element(12, 1.0);
    let refused = |result: Result<FeatureObjective<'_, f64, TabularPsi<f64>>, ObjectiveError>| {
        result.err().unwrap().to_string()
    };
    assert_eq!(refused(FeatureObjective::new(&psi, 7, &w)), "state 7 of 3");
    assert!(
        refused(FeatureObjective::new(&psi, 0, &DVector::zeros(5))).contains("5 x 1, not 12 x 1")
    );
    assert!(refused(FeatureObjective::planning(&psi, 0, &[f64::INFINITY; 3])).contains("inf"));
    let k = || FeatureObjective::new(&psi, 0, &w).unwrap();
    assert!(refused(k().with_bonus(-1.0, &DMatrix::identity(12, 12))).contains("rho is -1"));
    let mut skew = DMatrix::identity(12, 12);
    skew[(3, 1)] = 0.5;
    assert!(refused(k().with_bonus(1.0, &skew)).contains("(3, 1)"));
}
