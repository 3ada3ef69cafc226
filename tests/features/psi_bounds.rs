//! Bounds of psi whose features may be longer than those of an MDP.

use nalgebra::{DMatrix, DVector, Dyn, dmatrix};
use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::features::{Dynamics, FeatureFn, OneHot, Optimism, Psi, SequenceFeatures};
use sporadic::model::draw;
use sporadic::sequence::periodic;

/// K = <psi, w> + rho ||psi||, by definition.
fn value(k: &Optimism, psi: &DVector<f64>) -> f64 {
    let bonus = k.bonus.as_ref().map_or(0.0, |(rho, g)| rho * psi.dot(&(g * psi)).sqrt());
    psi.dot(&k.w) + bonus
}

/// How many bounds of this estimated psi were finite, of how many; none may be too small.
fn audit(seed: u64, scale: f64) -> (u32, u32) {
    const D: usize = 3;
    let mut rng = Pcg64::new(seed.into(), 4);
    let mut signed = move |scale: f64| scale * (2.0 * draw::uniform(&mut rng) - 1.0);
    let table: Vec<f64> = (0..2 * 2 * D).map(|_| signed(1.5)).collect();
    let phi = FeatureFn::new(Dyn(D), move |&s: &usize, a, phi: &mut [f64]| {
        phi.copy_from_slice(&table[(2 * s + a) * D..][..D]);
    });
    let matrices = (0..2).map(|_| DMatrix::from_fn(D, D, |_, _| signed(scale))).collect();
    let beta = (0..2).map(|_| signed(0.5) + 0.5).collect();
    let Ok(psi) = Psi::estimated(phi, Dynamics::new(matrices, beta, 0.9).unwrap()) else {
        return (0, 0);
    };
    let root = DMatrix::from_fn(2 * D, 2 * D, |_, _| signed(1.0));
    let bonus = Some((signed(1.0).abs(), &root * root.transpose()));
    let k = Optimism { w: DVector::from_fn(2 * D, |_, _| signed(2.0)), bonus };
    let mut bounds = psi.bounds(&k, 64).unwrap();
    let (mut finite, mut all) = (0, 0);
    for s in 0..2 {
        bounds.move_to(&s);
        for seq in periodic(2, 3, 2) {
            let psi = psi.psi(&s, &seq);
            for length in [0, 1, 2, 3, 4, 9] {
                let prefix: Vec<_> = seq.iter().take(length).collect();
                let bound = bounds.upper_bound(&prefix);
                let k = value(&k, &psi);
                assert!(
                    k.is_nan() || k <= bound,
                    "{seq} from {s}: {k} above {bound} after {prefix:?}"
                );
                (finite, all) = (finite + u32::from(bound.is_finite()), all + 1);
            }
        }
    }
    (finite, all)
}

proptest! {
    #[test]
    fn no_sequence_is_above_the_bounds_of_estimated_psi(seed: u64, scale in 0.05..1.2) {
        audit(seed, scale);
    }
}

/// The property above is not empty: where norms allow bounds there are some.
#[test]
fn estimated_psi_has_bounds_if_norms_allow_them() {
    for seed in 0..20 {
        let (finite, all) = audit(seed, 0.3);
        assert!(finite == all && all > 0, "each norm is below 1, and {finite} of {all} are finite");
    }
    assert!((0..20).any(|seed| audit(seed, 1.2).0 == 0), "no norm is below 1");
}

#[test]
fn exact_psi_is_believed_until_features_are_too_long() {
    let grows = || Dynamics::new(vec![dmatrix![1.05]], vec![0.0], 0.9).unwrap();
    let k = Optimism { w: DVector::from_element(2, 1.0), bonus: None };
    let held = "(0)".parse().unwrap();

    let exact = Psi::new(OneHot::new(1, 1), grows()).unwrap();
    let mut bounds = exact.bounds(&k, 64).unwrap();
    bounds.move_to(&0);
    // One action has features of norm 1, and the bound is too small: these dynamics are no MDP's.
    assert!(bounds.upper_bound(&[0]) < value(&k, &exact.psi(&0, &held)));
    // Two have 1.05, which shows it.
    assert!(bounds.upper_bound(&[0, 0]).is_infinite());
    assert!(bounds.upper_bound(&[0]).is_infinite());

    let estimated = Psi::estimated(OneHot::new(1, 1), grows()).unwrap();
    let mut bounds = estimated.bounds(&k, 64).unwrap();
    bounds.move_to(&0);
    let bound = bounds.upper_bound(&[0]);
    assert!(bound.is_finite() && bound >= value(&k, &estimated.psi(&0, &held)));
}
