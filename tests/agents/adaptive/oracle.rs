//! The oracle for any objective.

use sporadic::features::TabularPsi;
use sporadic::model::gallery;
use sporadic::oracles::{
    Adaptive, Exhaustive, FeatureObjective, ObjectiveFn, OracleError, SequenceOracle,
};
use sporadic::sequence::{ActionSequence, runs, words};

/// At least as good as the family that it starts with, within its size, never above its bound or above the best of
/// everything.
#[test]
fn between_its_family_and_everything() {
    for (beta, gamma) in [(0.1, 0.99), (0.5, 0.9), (0.0, 0.7), (1.0, 0.9)] {
        let psi = TabularPsi::new(gallery::river_balance::<f64>(4, beta, gamma).unwrap());
        for s in 0..4 {
            let v: Vec<f64> = (0..4).map(|t| f64::from(t % 3) / (1.0 - gamma)).collect();
            let mut k = FeatureObjective::planning(&psi, s, &v).unwrap();
            let found = Adaptive::default().maximize(&mut k).unwrap();
            let family = Exhaustive::new(runs(2, 2, 3)).maximize(&mut k).unwrap();
            assert!(found.value >= family.value && found.value <= found.upper_bound);
            assert!(found.evaluated <= Adaptive::default().size + 1);
            if gamma < 0.8 {
                let all = Exhaustive::new(words(2, 12)).maximize(&mut k).unwrap();
                assert!(found.value >= all.value - 0.02 / (1.0 - gamma), "{found} {all}");
            }
        }
    }
}

#[test]
fn sizes_and_actions() {
    let value = |seq: &ActionSequence| {
        seq.iter().zip(0..20).map(|(a, h)| a as f64 * 0.5_f64.powi(h)).sum::<f64>()
    };
    for actions in [1, 2, 7, 60] {
        for size in [1, 2, 10, 200] {
            let choice = Adaptive { size }.maximize(&mut ObjectiveFn::new(actions, value)).unwrap();
            assert!(choice.sequence.max_action() < actions && choice.evaluated <= size + 1);
            assert!(choice.upper_bound.is_infinite());
        }
    }
    let mut none = ObjectiveFn::new(0, value);
    assert_eq!(Adaptive { size: 5 }.maximize(&mut none), Err(OracleError::NoActions));
    let mut some = ObjectiveFn::new(2, value);
    assert!(matches!(Adaptive { size: 0 }.maximize(&mut some), Err(OracleError::Parameter { .. })));
    let mut nan = ObjectiveFn::new(2, |_: &ActionSequence| f64::NAN);
    assert!(matches!(Adaptive::default().maximize(&mut nan), Err(OracleError::NotANumber { .. })));
}
