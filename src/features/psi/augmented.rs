//! psi at augmented states.

use nalgebra::{OVector, U1};

use super::{Psi, SequenceFeatures, TabularPsi};
use crate::Real;
use crate::belief::{AugmentedState, belief};
use crate::dim::{Dimensional, Double, Doubled, FeatureDim};
use crate::features::FeatureMap;
use crate::sequence::ActionSequence;

impl<T: Real, F: FeatureMap<T, Dim: FeatureDim>> Psi<T, F>
where
    F::State: Clone,
{
    /// The features psi(x, a) of an augmented state x and a sequence a: the paper's extension of psi
    /// from states to augmented states, 1/2 W^T phi(x a_1) with the matrix W of
    /// [`weights`](Self::weights).
    ///
    /// K, R and PV at x are linear in it, as they are at states in psi(s, a). Not a number where the
    /// series of psi diverges.
    ///
    /// # Panics
    /// If an action of `x` or of `seq` is not the model's.
    ///
    /// # Example
    /// ```
    /// use sporadic::belief::AugmentedState;
    /// use sporadic::features::{Dynamics, OneHot, Psi, SequenceFeatures};
    /// use sporadic::model::gallery;
    /// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
    /// let psi = Psi::new(OneHot::of(&swim), Dynamics::one_hot(&swim, OneHot::of(&swim)))?;
    /// let (x, seq) = (AugmentedState::new(0).with_actions([1]), "(1)".parse()?);
    /// // One action to the right leads to s1 or s2.
    /// let mean = psi.psi(&0, &seq) * 0.4 + psi.psi(&1, &seq) * 0.6;
    /// assert!((psi.psi_at(&x, &seq) - mean).norm() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn psi_at(
        &self,
        x: &AugmentedState<F::State>,
        seq: &ActionSequence,
    ) -> OVector<T, Doubled<F::Dim>> {
        let Some((first, rest)) = x.actions().split_first() else {
            return self.psi(x.state(), seq);
        };
        let start = self.phi().phi(x.state(), *first);
        let then = rest.iter().copied().chain([seq.first()]);
        let phi = then.fold(start, |v, a| self.dynamics().matrix(a).tr_mul(&v));
        let product = self.weights_from(seq, x.actions().len()).tr_mul(&phi);
        let half = T::of(0.5);
        OVector::from_fn_generic(self.dim().double(), U1, |i, _| half * product[i])
    }
}

impl<T: Real, D: FeatureDim> TabularPsi<T, D> {
    /// The features psi(x, a) of an augmented state x and a sequence a: the mean of psi(s, a) over the
    /// belief b(.|x), with the reveal probabilities of the ages that follow x.
    ///
    /// # Complexity
    /// One psi per state of positive belief.
    ///
    /// # Panics
    /// If `x` or an action of `seq` is not the model's.
    pub fn psi_at(
        &self,
        x: &AugmentedState<usize>,
        seq: &ActionSequence,
    ) -> OVector<T, Doubled<D>> {
        if self.model().ages() > 1 {
            // The sequence starts at the age of x, so it is not psi of any state.
            return self.psi_from(belief(self.model(), x), x.actions().len(), seq);
        }
        let mut mean = OVector::zeros_generic(self.dim().double(), U1);
        for (s, mass) in belief(self.model(), x).into_iter().enumerate() {
            if mass > T::zero() {
                mean.axpy(mass, &self.psi(&s, seq), T::one());
            }
        }
        mean
    }
}
