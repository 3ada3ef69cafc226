//! Upper bounds on ||psi||_{Lambda^-1} that stay valid while Lambda grows.

use nalgebra::DMatrix;

use super::kernels::{SINGLE_LANES, SingleLanes};
use crate::Real;

/// The norms of all columns are computed again after Lambda has grown this often, because the bounds
/// are then no longer close.
const MAX_GROWTHS: usize = 4096;

/// For every column of psi a number that is at least the norm that the learner would compute for it
/// now; section 4 of the page of the module proves it.
#[derive(Debug, Clone)]
pub(super) struct NormBounds {
    /// The bound of the candidate in lane l of block b at `[b][l]`.
    pub(super) lanes: Vec<SingleLanes>,
    /// An upper bound on all of them.
    pub(super) largest: f64,
    d: usize,
    /// The largest 1-norm of a column of psi.
    one_norm: f64,
    /// The machine epsilon and the smallest normal number of T.
    epsilon: f64,
    tiny: f64,
    /// Upper bounds on |entries| of Lambda^-1: now, and at any time since the norms were last computed.
    entries: f64,
    peak: f64,
    /// How much rounding can have added to a squared norm since, and how much the bounds allow for.
    drift: f64,
    budget: f64,
    growths: usize,
}

impl NormBounds {
    pub(super) fn new<T: Real>(psi: &DMatrix<T>, blocks: usize) -> Self {
        let one_norm = |column: nalgebra::DVectorView<'_, T>| {
            column.iter().map(|x| x.as_f64().abs()).sum::<f64>()
        };
        let epsilon = T::epsilon().as_f64();
        Self {
            lanes: vec![[0.0; SINGLE_LANES]; blocks],
            largest: 0.0,
            d: psi.nrows(),
            one_norm: psi.column_iter().map(one_norm).fold(0.0, f64::max),
            epsilon,
            tiny: if epsilon < f64::from(f32::EPSILON) {
                f64::MIN_POSITIVE
            } else {
                f64::from(f32::MIN_POSITIVE)
            },
            entries: 0.0,
            peak: 0.0,
            drift: 0.0,
            budget: -1.0,
            growths: 0,
        }
    }

    /// Lambda^-1 has become Lambda^-1 - z z^T.
    pub(super) fn grow<T: Real>(&mut self, z: &[T]) {
        let largest = z.iter().map(|z| z.as_f64().abs()).fold(0.0, f64::max);
        self.entries += 1.01 * largest * largest;
        self.drift += 2.0 * self.epsilon * self.entries * self.one_norm * self.one_norm;
        self.growths += 1;
    }

    /// Lambda^-1 has been replaced: nothing is known.
    pub(super) fn forget(&mut self) {
        self.budget = -1.0;
    }

    /// Measures the entries of Lambda^-1; whether the bounds still hold.
    pub(super) fn hold<T: Real>(&mut self, inverse: &DMatrix<T>) -> bool {
        let measured = inverse.iter().fold(0.0, |max: f64, x| max.max(x.as_f64().abs()));
        self.peak = self.peak.max(self.entries).max(measured);
        self.entries = measured;
        self.drift + self.evaluation() <= self.budget && self.growths < MAX_GROWTHS
    }

    /// What rounding can make of a squared norm that is computed now and once before.
    fn evaluation(&self) -> f64 {
        let (d, square) = (self.d as f64, self.one_norm * self.one_norm);
        let underflow = 8.0 * (self.growths as f64 + d) * d * (1.0 + square) * self.tiny;
        (2.0 * d + 4.0) * self.epsilon * self.peak * square + underflow
    }

    /// Begins to compute all norms afresh: bounds allow for a share 2^-30 of the squares that matter,
    /// which are those of size (cap / rho)^2.
    pub(super) fn restart<T: Real>(&mut self, rho: T, cap: T) {
        let (rho, cap) = (rho.as_f64(), cap.as_f64());
        let matters = if rho > cap / 1024.0 { cap / rho } else { 1024.0 };
        self.budget = (matters / 32768.0) * (matters / 32768.0);
        (self.drift, self.growths, self.largest, self.peak) = (0.0, 0, 0.0, self.entries);
    }

    /// Sets the bound of a column to that of the norm computed now.
    pub(super) fn set<T: Real>(&mut self, (block, lane): (usize, usize), norm: T) {
        let norm = norm.as_f64();
        let bound = (norm * norm + self.budget).sqrt() * (1.0 + 4.0 * f64::from(f32::EPSILON));
        self.largest = if bound <= self.largest { self.largest } else { bound };
        self.lanes[block][lane] = super::upper_bounds::single(bound);
    }
}
