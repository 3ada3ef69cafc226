//! One-hot psi of a discounted occupancy.

use crate::Real;
use crate::model::Tabular;

/// The factors that turn the discounted occupancy o(s, a) of a sequence into its one-hot psi:
/// 1/2 ((1 - gamma) o(s, a), gamma beta(a) o(s, a)).
#[derive(Debug, Clone)]
pub(crate) struct OccupancyScales<T> {
    /// 1/2 (1 - gamma).
    pub(crate) reward: T,
    /// 1/2 gamma beta(a), for each action.
    continuation: Vec<T>,
}

impl<T: Real> OccupancyScales<T> {
    /// The factors of `model`, in the scalar `T`, which need not be the model's.
    pub(crate) fn of<M: Real>(model: &Tabular<M>) -> Self {
        let (half, gamma) = (T::of(0.5), T::of(model.gamma().as_f64()));
        let continuation = model.betas().iter().map(|b| half * (gamma * T::of(b.as_f64())));
        Self { reward: half * (T::one() - gamma), continuation: continuation.collect() }
    }

    /// 1/2 gamma beta(a) of the pair (s, a) at index i = s |A| + a.
    pub(crate) fn continuation(&self, i: usize) -> T {
        self.continuation[i % self.continuation.len()]
    }

    /// Writes psi of `occupancy` into `psi`, which is twice as long.
    pub(super) fn psi_into(&self, occupancy: &[T], psi: &mut [T]) {
        let (rewards, continuations) = psi.split_at_mut(occupancy.len());
        for (x, &o) in rewards.iter_mut().zip(occupancy) {
            *x = self.reward * o;
        }
        let m = self.continuation.len();
        for (xs, os) in continuations.chunks_exact_mut(m).zip(occupancy.chunks_exact(m)) {
            for ((x, &o), &c) in xs.iter_mut().zip(os).zip(&self.continuation) {
                *x = c * o;
            }
        }
    }
}
