//! The two sums that make psi.

use nalgebra::{OVector, U1};

use crate::Real;
use crate::dim::{Dimension, Doubled, FeatureDim};
use crate::features::Dynamics;
use crate::model::Action;

/// The sums of `c_h v_h` and `c_h beta_h v_h` over the actions so far, and the weight `c` and the age of
/// the next term.
#[derive(Debug, Clone)]
pub(super) struct Sums<T: Real, D: Dimension> {
    pub(super) weight: T,
    age: usize,
    reward: OVector<T, D>,
    continuation: OVector<T, D>,
}

impl<T: Real, D: FeatureDim> Sums<T, D> {
    pub(super) fn new(dynamics: &Dynamics<T, D>) -> Self {
        let zero = OVector::zeros_generic(dynamics.dim(), U1);
        Self { weight: T::one(), age: 1, reward: zero.clone(), continuation: zero }
    }

    /// Adds the term of action `a`, whose features are `v`.
    pub(super) fn add(&mut self, dynamics: &Dynamics<T, D>, a: Action, v: &OVector<T, D>) {
        self.reward.axpy(self.weight, v, T::one());
        self.continuation.axpy(self.weight * dynamics.beta_at(a, self.age), v, T::one());
        self.weight *= dynamics.blind_at(a, self.age);
        self.age += 1;
    }

    /// psi = 1/2 ((1 - gamma) reward, gamma continuation).
    pub(super) fn join(&self, gamma: T) -> OVector<T, Doubled<D>> {
        let dim = self.reward.shape_generic().0;
        let d = dim.value();
        let half = T::of(0.5);
        let (one, two) = (half * (T::one() - gamma), half * gamma);
        OVector::from_fn_generic(dim.double(), U1, |i, _| {
            if i < d { one * self.reward[i] } else { two * self.continuation[i - d] }
        })
    }
}
