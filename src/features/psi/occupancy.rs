//! One-hot psi of a discounted occupancy.

use crate::Real;
use crate::model::Tabular;

/// The factors that turn the discounted occupancy o(s, a) of a sequence into its one-hot psi:
/// 1/2 ((1 - gamma) o(s, a), gamma beta(a) o(s, a)). Where reveal probabilities depend on the age, there is one
/// factor for each age n, for the occupancy of (s, n, a).
#[derive(Debug, Clone)]
pub(crate) struct OccupancyScales<T> {
    /// 1/2 (1 - gamma).
    pub(crate) reward: T,
    /// 1/2 gamma beta_n(a), for each age and action.
    continuation: Vec<T>,
    num_actions: usize,
    /// The number of pairs of a state and an action.
    pairs: usize,
}

impl<T: Real> OccupancyScales<T> {
    /// The factors of `model`, in the scalar `T`, which need not be the model's.
    pub(crate) fn of<M: Real>(model: &Tabular<M>) -> Self {
        let (half, gamma) = (T::of(0.5), T::of(model.gamma().as_f64()));
        let (num_actions, ages) = (model.num_actions(), 1..=model.ages());
        let betas = ages.flat_map(|n| (0..num_actions).map(move |a| model.beta_at(a, n)));
        let continuation = betas.map(|b| half * (gamma * T::of(b.as_f64()))).collect();
        let pairs = model.num_states() * num_actions;
        Self { reward: half * (T::one() - gamma), continuation, num_actions, pairs }
    }

    /// 1/2 gamma beta_n(a) of the triple (s, n, a) at index i = (n - 1) |S| |A| + s |A| + a.
    pub(crate) fn continuation(&self, i: usize) -> T {
        self.continuation[i / self.pairs * self.num_actions + i % self.num_actions]
    }

    /// Writes psi of `occupancy`, all of which is of ages from the last one on, into `psi`, which is twice as
    /// long.
    pub(super) fn psi_into(&self, occupancy: &[T], psi: &mut [T]) {
        let (rewards, continuations) = psi.split_at_mut(occupancy.len());
        for (x, &o) in rewards.iter_mut().zip(occupancy) {
            *x = self.reward * o;
        }
        let m = self.num_actions;
        let last = &self.continuation[self.continuation.len() - m..];
        for (xs, os) in continuations.chunks_exact_mut(m).zip(occupancy.chunks_exact(m)) {
            for ((x, &o), &c) in xs.iter_mut().zip(os).zip(last) {
                *x = c * o;
            }
        }
    }
}
