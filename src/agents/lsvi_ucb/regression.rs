//! Lines 6 and 7 of Algorithm 1 for some candidates.

use nalgebra::DMatrix;
use pulp::Arch;

use super::kernels::{Coefficients, EXACT, Exact};
use crate::Real;

/// What line 7 is made of once the history is summed by next state:
///
/// ```text
/// K_u(s, j) = min {c_0 + <c, V_(u+1)>, 1/(1-gamma)},   c_0 = <psi, Lambda^-1 q> + rho ||psi||_{Lambda^-1},
///                                                      c_s' = <psi, Lambda^-1 b_s'>
/// ```
///
/// with 1 + n coefficients per state s and candidate j that do not depend on u.
#[derive(Debug, Clone, Copy)]
pub(super) struct Regression<'a, T: Real> {
    /// A column per state and candidate.
    pub(super) psi: &'a DMatrix<T>,
    /// Lambda^-1.
    pub(super) inverse: &'a DMatrix<T>,
    /// Lambda^-1 (q, b_1, ..., b_n).
    pub(super) weights: &'a DMatrix<T>,
    pub(super) rho: T,
    /// 1/(1-gamma).
    pub(super) cap: T,
}

/// Coefficients and norms of a few candidates, side by side.
///
/// Computed in one way only and from nothing but Lambda and the sums, so that a candidate's do not
/// depend on when, or beside whom, they are asked for.
#[derive(Debug, Clone)]
pub(super) struct Block<T> {
    psi: Vec<Exact<T>>,
    pub(super) coefficients: Vec<Exact<T>>,
    pub(super) norms: Exact<T>,
    arch: Arch,
}

impl<T: Real> Block<T> {
    pub(super) fn new(d: usize, n: usize) -> Self {
        let zeros = |length| vec![[T::zero(); EXACT]; length];
        Self {
            psi: zeros(d),
            coefficients: zeros(1 + n),
            norms: [T::zero(); EXACT],
            arch: Arch::new(),
        }
    }

    /// Computes those of the columns given, at most as many as there is room for.
    pub(super) fn compute(&mut self, regression: Regression<'_, T>, columns: &[usize]) {
        for (lane, &column) in columns.iter().take(EXACT).enumerate() {
            let psi = regression.psi.column(column);
            self.psi.iter_mut().zip(psi.iter()).for_each(|(lanes, &x)| lanes[lane] = x);
        }
        let Self { psi, coefficients: out, norms, arch } = self;
        arch.dispatch(Coefficients { regression, psi, out, norms });
    }
}
