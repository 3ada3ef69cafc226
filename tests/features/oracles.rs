//! Oracles: certificates against brute force, inclusions, scalars, dimensions, tie rule, refusals.

use crate::common::models;
use nalgebra::{Const, DMatrix, DVector};
use proptest::prelude::*;
use sporadic::Real;
use sporadic::features::{Dynamics, OneHot, Psi, TabularPsi};
use sporadic::model::{Tabular, gallery};
use sporadic::oracles::*;
use sporadic::sequence::{ActionSequence, periodic, runs, words};

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

fn brute(objective: &mut dyn SequenceObjective<f64>, depth: usize) -> f64 {
    let all: Vec<_> = words(objective.num_actions(), depth).collect();
    objective.values(&all).into_iter().fold(f64::NEG_INFINITY, f64::max)
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

    /// Every word of 2^14 is a sequence, so no certificate may be below the best of them; and the
    /// best of them plus the largest tail is a certificate, so no value may be above that.
    #[test]
    fn certificates_hold((model, w, root, rho) in problems(), delay in 0..5_usize) {
        let psi = TabularPsi::new(model.clone());
        let dense = Psi::new(OneHot::of(&model), Dynamics::one_hot(&model, OneHot::of(&model)))
            .unwrap();
        let (w, inverse) = (DVector::from_vec(w), inverse(&root));
        let mut tabular = FeatureObjective::new(&psi, 0, &w).unwrap()
            .with_bonus(rho, &inverse).unwrap()
            .with_delay(delay);
        let mut general =
            FeatureObjective::new(&dense, 0, &w).unwrap()
                .with_bonus(rho, &inverse).unwrap();
        let l = depth(model.num_actions());
        let best = brute(&mut tabular, l);
        let tolerance = 1e-9 * (1.0 + w.norm() + rho * inverse.norm());
        prop_assert!((best - brute(&mut general, l)).abs() < tolerance);
        let blind = model.betas().iter().fold(1.0_f64, |x, b| x.min(*b));
        // Two tails of weight 1 differ by at most twice the norm of psi, which is at most 1.
        let range = 2.0 * (w.norm() + rho * inverse.norm().sqrt());
        let tail = (model.gamma() * (1.0 - blind)).powf(l as f64) * range;
        for (name, mut oracle) in oracles(model.num_actions()) {
            for objective in [&mut tabular as &mut dyn SequenceObjective<f64>, &mut general] {
                let choice = oracle.maximize(objective).unwrap();
                prop_assert!(choice.upper_bound >= best - tolerance, "{name}: {choice} < {best}");
                prop_assert!(choice.value <= best + tail + tolerance, "{name}: {choice} > {best} + {tail}");
                prop_assert!(choice.value <= choice.upper_bound);
                let again = objective.value(&choice.sequence);
                prop_assert!((again - choice.value).abs() < tolerance);
            }
        }
    }

    /// The bound of a prefix holds for every continuation, not only at the root.
    #[test]
    fn bounds_hold_below_every_prefix((model, w, root, rho) in problems(), delay in 0..4_usize) {
        let psi = TabularPsi::new(model.clone());
        let dense = Psi::new(OneHot::of(&model), Dynamics::one_hot(&model, OneHot::of(&model)))
            .unwrap();
        let (w, inverse) = (DVector::from_vec(w), inverse(&root));
        let mut tabular = FeatureObjective::new(&psi, 1, &w).unwrap()
            .with_bonus(rho, &inverse).unwrap()
            .with_delay(delay);
        let mut general = FeatureObjective::new(&dense, 1, &w).unwrap()
            .with_bonus(rho, &inverse).unwrap();
        let tolerance = 1e-9 * (1.0 + w.norm() + rho * inverse.norm());
        for seq in periodic(model.num_actions(), 2, 3).step_by(3) {
            let value = tabular.value(&seq);
            for h in [0, 1, 2, 3, 5, 8, 13] {
                let prefix: Vec<_> = seq.iter().take(h).collect();
                prop_assert!(tabular.upper_bound(&prefix) >= value - tolerance, "{seq} {h}");
                prop_assert!(general.upper_bound(&prefix) >= value - tolerance, "{seq} {h}");
            }
            let suggested = tabular.suggest(&[seq.first(), seq.action(1)]);
            prop_assert_eq!(suggested.iter().take(2).collect::<Vec<_>>(), [seq.first(), seq.action(1)]);
        }
    }

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

#[test]
fn scalars_agree() {
    // Stated tolerance: 1e-3 of the value, for single precision against double.
    fn solve<T: Real>() -> Vec<f64> {
        let model = gallery::river_balance(6, T::of(0.2), T::of(0.99)).unwrap();
        let psi = TabularPsi::new(model);
        let w = DVector::from_fn(24, |i, _| T::of(40.0 + 3.0 * (i as f64).sin()));
        let inverse =
            DMatrix::from_diagonal(&DVector::from_fn(24, |i, _| T::of(0.01 + 0.001 * i as f64)));
        let mut k =
            FeatureObjective::new(&psi, 0, &w).unwrap().with_bonus(T::of(5.0), &inverse).unwrap();
        let family = Exhaustive::new(runs(2, 3, 4)).maximize(&mut k).unwrap();
        let search = BranchAndBound::new(T::of(0.05)).maximize(&mut k).unwrap();
        assert!(search.gap() <= T::of(0.0501));
        [family.value, family.upper_bound].map(Real::as_f64).to_vec()
    }
    for (single, double) in solve::<f32>().into_iter().zip(solve::<f64>()) {
        assert!((single - double).abs() < 1e-3 * double, "{single} {double}");
    }
}

#[test]
fn static_and_dynamic_dimension_agree() {
    let model = gallery::river_balance::<f64>(6, 0.2, 0.99).unwrap();
    let free = TabularPsi::new(model.clone());
    let fixed = TabularPsi::with_dim(model.clone(), Const::<12>).unwrap();
    let w = DVector::from_fn(24, |i, _| 40.0 + (i as f64).sin());
    let inverse = DMatrix::<f64>::identity(24, 24) * 0.01;
    let mut a = FeatureObjective::new(&free, 2, &w).unwrap().with_bonus(3.0, &inverse).unwrap();
    let mut b = FeatureObjective::new(
        &fixed,
        2,
        &nalgebra::SVector::<f64, 24>::from_iterator(w.iter().copied()),
    )
    .unwrap()
    .with_bonus(3.0, &(nalgebra::SMatrix::<f64, 24, 24>::identity() * 0.01))
    .unwrap();
    let phi = OneHot::with_dim(6, 2, Const::<12>).unwrap();
    let psi = Psi::new(phi, Dynamics::one_hot(&model, phi)).unwrap();
    let mut c = FeatureObjective::new(
        &psi,
        2,
        &nalgebra::SVector::<f64, 24>::from_iterator(w.iter().copied()),
    )
    .unwrap()
    .with_bonus(3.0, &(nalgebra::SMatrix::<f64, 24, 24>::identity() * 0.01))
    .unwrap();
    let dense: Psi<f64, _> =
        Psi::new(OneHot::of(&model), Dynamics::one_hot(&model, OneHot::of(&model))).unwrap();
    let mut d = FeatureObjective::new(&dense, 2, &w).unwrap().with_bonus(3.0, &inverse).unwrap();
    for oracle in [
        &mut BranchAndBound::new(0.1).with_nodes(500) as &mut dyn SequenceOracle<f64>,
        &mut Periodic { prefix: 1, period: 3 },
        &mut Beam { width: 8, depth: 12 },
    ] {
        let (x, y) = (oracle.maximize(&mut a).unwrap(), oracle.maximize(&mut b).unwrap());
        assert_eq!(x.sequence, y.sequence);
        assert!((x.value - y.value).abs() < 1e-9 && (x.upper_bound - y.upper_bound).abs() < 1e-9);
        let (x, y) = (oracle.maximize(&mut c).unwrap(), oracle.maximize(&mut d).unwrap());
        assert!((x.value - y.value).abs() < 1e-9 && (x.upper_bound - y.upper_bound).abs() < 1e-9);
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
fn another_start_keeps_the_tables() {
    let psi = TabularPsi::new(gallery::river_balance::<f64>(6, 0.2, 0.99).unwrap());
    let v = [55.0, 56.0, 57.0, 57.0, 56.0, 55.0];
    let mut moved = FeatureObjective::planning(&psi, 0, &v).unwrap();
    moved.upper_bound(&[1, 1]);
    for s in 1..6 {
        moved = moved.with_state(s).unwrap();
        let mut fresh = FeatureObjective::planning(&psi, s, &v).unwrap();
        for prefix in [&[][..], &[1, 0], &[0; 20]] {
            assert!((moved.upper_bound(prefix) - fresh.upper_bound(prefix)).abs() < 1e-9);
        }
    }
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
