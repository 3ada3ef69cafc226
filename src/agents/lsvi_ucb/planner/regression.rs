//! Lines 6 and 7 of Algorithm 1 as an affine function of V_(u+1), for every state and candidate.

use nalgebra::DMatrix;
use pulp::Arch;

use super::kernels::{Coefficients, LANES, Lanes};
use crate::Real;

/// What lines 6 and 7 are computed from once the history is summed by next state:
///
/// ```text
/// K_u(s, j) = min {c_0 + <c, V_(u+1)>, 1/(1-gamma)},   c_0  = <psi, Lambda^-1 q> + rho ||psi||_{Lambda^-1},
///                                                      c_s' = <psi, Lambda^-1 b_s'>
/// ```
///
/// The 1 + n coefficients of state s and candidate j do not depend on u.
#[derive(Debug, Clone, Copy)]
pub(in crate::agents::lsvi_ucb) struct Regression<'a, T: Real> {
    /// Column `s * m + j` has the features of state s and candidate j.
    pub(in crate::agents::lsvi_ucb) psi: &'a DMatrix<T>,
    /// Lambda^-1.
    pub(in crate::agents::lsvi_ucb) inverse: &'a DMatrix<T>,
    /// Lambda^-1 (q, b_1, ..., b_n).
    pub(in crate::agents::lsvi_ucb) weights: &'a DMatrix<T>,
    pub(in crate::agents::lsvi_ucb) rho: T,
    /// 1/(1-gamma).
    pub(in crate::agents::lsvi_ucb) cap: T,
}

impl<T: Real> Regression<'_, T> {
    /// The number n of states.
    pub(in crate::agents::lsvi_ucb) fn num_states(&self) -> usize {
        self.weights.ncols() - 1
    }

    /// The number m of candidates of a state.
    pub(in crate::agents::lsvi_ucb) fn num_candidates(&self) -> usize {
        self.psi.ncols() / self.num_states()
    }
}

/// The coefficients and the norms ||psi||_{Lambda^-1} of up to [`LANES`] columns of psi.
///
/// Each lane is computed by the same operations in the same order, so the numbers of a column do
/// not depend on when they are computed or on the other columns beside it.
#[derive(Debug, Clone)]
pub(in crate::agents::lsvi_ucb) struct Block<T> {
    psi: Vec<Lanes<T>>,
    pub(in crate::agents::lsvi_ucb) coefficients: Vec<Lanes<T>>,
    pub(in crate::agents::lsvi_ucb) norms: Lanes<T>,
    arch: Arch,
}

impl<T: Real> Block<T> {
    /// Room for features of dimension d and 1 + n coefficients.
    pub(in crate::agents::lsvi_ucb) fn new(d: usize, n: usize) -> Self {
        let zeros = |length| vec![[T::zero(); LANES]; length];
        Self {
            psi: zeros(d),
            coefficients: zeros(1 + n),
            norms: [T::zero(); LANES],
            arch: Arch::new(),
        }
    }

    /// Computes the coefficients and norms of `columns`, at most [`LANES`] of them.
    pub(in crate::agents::lsvi_ucb) fn compute(
        &mut self,
        regression: Regression<'_, T>,
        columns: &[usize],
    ) {
        for (lane, &column) in columns.iter().take(LANES).enumerate() {
            let psi = regression.psi.column(column);
            self.psi.iter_mut().zip(psi.iter()).for_each(|(lanes, &x)| lanes[lane] = x);
        }
        let Self { psi, coefficients: out, norms, arch } = self;
        arch.dispatch(Coefficients { regression, psi, out, norms });
    }
}
