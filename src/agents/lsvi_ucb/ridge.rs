//! Lambda and its inverse.

use nalgebra::{OMatrix, OVector, Storage, U1, Vector};

use crate::Real;
use crate::agents::AgentError;
use crate::dim::Dimension;

/// Lambda^-1 of Lambda = lambda I + sum of x x^T, kept up to date by the formula of Sherman and
/// Morrison, and log det Lambda.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ridge<T: Real, N: Dimension> {
    pub(super) inverse: OMatrix<T, N, N>,
    pub(super) log_det: T,
    pub(super) lambda: T,
}

impl<T: Real, N: Dimension> Ridge<T, N> {
    pub(super) fn new(dim: N, lambda: T) -> Self {
        let inverse = OMatrix::from_diagonal_element_generic(dim, dim, T::one() / lambda);
        Self {
            inverse,
            log_det: T::of(dim.value() as f64) * T::of(libm::log(lambda.as_f64())),
            lambda,
        }
    }

    /// Adds `count` times x x^T. Leaves in `out` the vector z for which the square of every norm
    /// `||y||_{Lambda^-1}` has just shrunk by <y, z>^2.
    ///
    /// # Errors
    /// [`AgentError::Inverse`] if no digit of the new ||x||_{Lambda^-1}^2 is correct. It is the old one divided
    /// by g = 1 + count ||x||^2, but computed as a difference of numbers of the size of the old one. So
    /// its relative error is about g epsilon, and must stay below 1/4. A square that is negative
    /// or not finite has no correct digit either.
    pub(super) fn add(
        &mut self,
        x: &Vector<T, N, impl Storage<T, N>>,
        count: T,
        out: &mut OVector<T, N>,
    ) -> Result<(), AgentError> {
        out.gemv(T::one(), &self.inverse, x, T::zero());
        let computed = x.dot(out);
        let square = computed.max(T::zero());
        let growth = T::one() + count * square;
        *out *= (count / growth).sqrt();
        self.inverse.ger(-T::one(), out, out, T::one());
        self.log_det += T::of(libm::log(growth.as_f64()));
        if computed >= T::zero() && growth * T::epsilon() < T::of(0.25) {
            return Ok(());
        }
        Err(AgentError::Inverse {
            lambda: self.lambda.as_f64(),
            square: computed.as_f64(),
            count: count.as_f64(),
        })
    }

    pub(super) fn zeros(&self) -> OVector<T, N> {
        OVector::zeros_generic(self.inverse.shape_generic().0, U1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::draw;
    use nalgebra::{Const, DMatrix, DVector, Dyn, SMatrix, SVector};
    use rand_pcg::Pcg64;

    #[test]
    fn rank_one_updates_stay_with_the_direct_inverse() {
        let (n, lambda) = (24, 0.01);
        let mut rng = Pcg64::new(1, 2);
        let mut ridge = Ridge::new(Dyn(n), lambda);
        let mut gram = DMatrix::identity(n, n) * lambda;
        let mut z = ridge.zeros();
        for round in 0..20_000 {
            let count = f64::from(1 + round % 3);
            // Short vectors with a common direction, as psi has them.
            let x = DVector::from_fn(n, |i, _| 0.5 * draw::uniform(&mut rng) / (1.0 + i as f64));
            let y = DVector::from_element(n, 0.1);
            let before = y.dot(&(&ridge.inverse * &y));
            ridge.add(&x, count, &mut z).unwrap();
            gram += &x * x.transpose() * count;
            let after = y.dot(&(&ridge.inverse * &y));
            assert!((before - after - y.dot(&z).powi(2)).abs() < 1e-9);
        }
        let cholesky = gram.cholesky().unwrap();
        let log_det = 2.0 * cholesky.l().diagonal().iter().map(|x| x.ln()).sum::<f64>();
        assert!((ridge.log_det - log_det).abs() < 1e-8);
        let direct = cholesky.inverse();
        assert!((&ridge.inverse - &direct).norm() < 1e-9 * direct.norm());
    }

    #[test]
    fn static_and_dynamic_dimensions_agree() {
        let x = [0.5, 0.25, -1.0];
        let mut free = Ridge::new(Dyn(3), 0.5);
        let mut z = free.zeros();
        free.add(&DVector::from_row_slice(&x), 2.0, &mut z).unwrap();
        let mut fixed = Ridge::new(Const::<3>, 0.5);
        let mut z = fixed.zeros();
        fixed.add(&SVector::from(x), 2.0, &mut z).unwrap();
        let free = SMatrix::<f64, 3, 3>::from_column_slice(free.inverse.as_slice());
        assert!((free - fixed.inverse).norm() < 1e-14);
    }

    #[test]
    fn lost_accuracy_is_told() {
        let x = DVector::from_row_slice(&[0.5, 0.25]);
        for (lambda, fine) in [(1e-14, true), (1e-16, false), (1e-300, false), (1e-305, false)] {
            let mut ridge = Ridge::new(Dyn(2), lambda);
            let mut z = ridge.zeros();
            assert_eq!(ridge.add(&x, 1.0, &mut z).is_ok(), fine, "{lambda}");
        }
        for (lambda, fine) in [(1e-5, true), (1e-8, false), (1e-38, false)] {
            let x = x.map(|x: f64| f32::of(x));
            let mut ridge = Ridge::new(Dyn(2), f32::of(lambda));
            let mut z = ridge.zeros();
            assert_eq!(ridge.add(&x, 1.0, &mut z).is_ok(), fine, "{lambda}");
        }
    }
}
