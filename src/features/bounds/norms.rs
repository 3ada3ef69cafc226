//! Bounds for any features, from norms alone.

use std::marker::PhantomData;

use nalgebra::DVector;

use super::{Optimism, PrefixBounds, hold};
use crate::Real;
use crate::features::SequenceFeatures;
use crate::model::Action;

/// Bounds on K(s, .) for features with ||psi(x, .)|| <= 1 at every augmented state x, as exact and normalised
/// ones have.
///
/// Two sequences that start with the same prefix have features that differ by c (psi(x, t) - psi(x, t')),
/// with c the product of gamma (1 - beta) over the prefix, x the augmented state it leads to and t, t' their
/// tails: by at most 2 c in norm. So with v the features of the prefix with its last action held,
///
/// ```text
/// K(s, a) <= <v, w> + rho ||v|| + 2 c (||w|| + rho sqrt(lambda_max(Lambda^-1)))
/// ```
///
/// and never more than `||w||` + rho sqrt(`lambda_max`). Rounding in v is not accounted for. Once features of a
/// norm above 1 are met, the assumption is wrong, and every bound is infinite.
#[derive(Debug)]
pub(in crate::features) struct NormBounds<'a, T: Real, P: SequenceFeatures<T> + ?Sized> {
    psi: &'a P,
    state: Option<P::State>,
    k: Optimism,
    /// `||w||` + rho sqrt(`lambda_max`).
    most: f64,
    scalar: PhantomData<T>,
}

impl<'a, T: Real, P: SequenceFeatures<T> + ?Sized> NormBounds<'a, T, P> {
    pub(in crate::features) fn new(psi: &'a P, k: &Optimism) -> Self {
        let most = k.w.norm() + k.largest_bonus();
        Self { psi, state: None, k: k.clone(), most, scalar: PhantomData }
    }
}

impl<T: Real, P> PrefixBounds<P::State> for NormBounds<'_, T, P>
where
    P: SequenceFeatures<T, State: Clone> + ?Sized,
{
    fn move_to(&mut self, s: &P::State) {
        self.state = Some(s.clone());
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> f64 {
        let Some(state) = self.state.as_ref().filter(|_| !prefix.is_empty()) else {
            return self.most;
        };
        let ages = prefix.iter().zip(1..);
        let weight = ages.fold(1.0, |c, (&a, age)| c * self.psi.blind_at(a, age).as_f64());
        let psi = self.psi.psi(state, &hold(prefix));
        let psi = DVector::from_iterator(psi.len(), psi.iter().map(|x| x.as_f64()));
        let rounding = 64.0 * T::epsilon().as_f64() / (1.0 - self.psi.gamma().as_f64());
        if psi.norm() > 1.0 + rounding {
            self.most = f64::INFINITY;
        }
        let bonus = self.k.bonus.as_ref().map_or(0.0, |(rho, g)| {
            let square: f64 = (g * &psi).dot(&psi);
            rho * square.max(0.0).sqrt()
        });
        let value = psi.dot(&self.k.w) + bonus;
        let bound = value + 2.0 * weight * self.most;
        if bound.is_nan() { f64::INFINITY } else { bound.min(self.most) }
    }
}
