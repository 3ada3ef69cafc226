//! Does the series of psi converge for a sequence that repeats a period?

use nalgebra::DMatrix;

use crate::Real;
use crate::dim::Dimension;
use crate::features::Dynamics;
use crate::model::Action;
use crate::norms::{column_norm, row_norm};
use crate::product::dynamic_product;

/// Whether one norm, by rows or by columns, is below 1 for the steps of all actions: then so it is for all
/// their products, and the series of psi converges for every sequence.
pub(super) fn is_contractive<T: Real, D: Dimension>(dynamics: &Dynamics<T, D>) -> bool {
    let steps: Vec<_> = (0..dynamics.num_actions()).map(|a| dynamics.blind_step(a)).collect();
    let norms: [fn(&DMatrix<f64>) -> f64; 2] = [row_norm, column_norm];
    norms.iter().any(|norm| steps.iter().all(|step| norm(step) < 1.0))
}

/// Whether the powers of the product of the steps over `period` sum; if not, its spectral radius to the
/// power 1 / length.
pub(super) fn check_period<T: Real, D: Dimension>(
    dynamics: &Dynamics<T, D>,
    period: &[Action],
) -> Result<(), f64> {
    let d = dynamics.dim().value();
    let round = period
        .iter()
        .fold(DMatrix::identity(d, d), |all, &a| dynamic_product(&all, &dynamics.blind_step(a)));
    powers_sum(round).map_err(|radius| libm::pow(radius, 1.0 / period.len().max(1) as f64))
}

/// The number of squarings after which rounding, not their number, limits how well a spectral radius is told
/// from 1.
const SQUARINGS: i32 = 48;

/// Shows that the spectral radius is below 1, or gives an estimate of it.
///
/// By Gelfand's formula `||X^n||^(1/n)` falls to the spectral radius for n = 1, 2, 4, ...; it is an upper
/// bound for every n, so one power with a norm below 1 is a proof. Powers are kept at norm 1 with the
/// logarithm of their norm beside them, so that nothing overflows.
fn powers_sum(mut x: DMatrix<f64>) -> Result<(), f64> {
    if row_norm(&x) < 1.0 || column_norm(&x) < 1.0 {
        return Ok(());
    }
    let mut log = 0.0;
    let mut radius = f64::INFINITY;
    for k in 0..SQUARINGS {
        let norm = row_norm(&x);
        log += libm::log(norm);
        // Also if the matrix is nilpotent: log is then -inf.
        if log < 0.0 {
            return Ok(());
        }
        if !norm.is_finite() {
            break;
        }
        radius = radius.min(libm::exp(libm::scalbn(log, -k)));
        x /= norm;
        x = dynamic_product(&x, &x);
        log *= 2.0;
    }
    Err(radius)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::dmatrix;

    #[test]
    fn the_spectral_radius_decides_not_the_norm() {
        // Radius .9 and a norm of 1,000; nilpotent; radius 1.08; complex eigenvalues of modulus 1.1.
        assert_eq!(powers_sum(dmatrix![0.9, 1000.0; 0.0, 0.9]), Ok(()));
        assert_eq!(powers_sum(dmatrix![0.0, 1e200; 0.0, 0.0]), Ok(()));
        let radius = powers_sum(dmatrix![1.08, 5.0; 0.0, 0.3]).unwrap_err();
        assert!((radius - 1.08).abs() < 1e-9);
        let (c, s) = (1.1 * 0.3_f64.cos(), 1.1 * 0.3_f64.sin());
        let radius = powers_sum(dmatrix![c, -s; s, c]).unwrap_err();
        assert!((radius - 1.1).abs() < 1e-9);
    }

    #[test]
    fn on_either_side_of_one() {
        assert_eq!(powers_sum(dmatrix![1.0 - 1e-12, 1.0; 0.0, 0.5]), Ok(()));
        assert!(powers_sum(dmatrix![1.0 + 1e-12, 1.0; 0.0, 0.5]).is_err());
        assert!(powers_sum(DMatrix::identity(3, 3)).is_err());
    }
}
