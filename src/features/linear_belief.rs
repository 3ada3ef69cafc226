//! Beliefs in linear models.

use nalgebra::OVector;

use super::{FeatureMap, LinearModel};
use crate::Real;
use crate::belief::AugmentedState;

impl<T: Real, F: FeatureMap<T>> LinearModel<T, F> {
    /// The features phi(x) = phi(s, a_1)^T M_a2 ... M_an of an augmented state; `None` if no action
    /// was taken yet.
    ///
    /// [`Dynamics::phi`](super::Dynamics::phi) computes it from action matrices; here it goes through
    /// the atoms of mu, and no matrix is formed.
    ///
    /// # Complexity
    /// One inner product and one feature vector per atom and action.
    pub fn phi_at(&self, x: &AugmentedState<F::State>) -> Option<OVector<T, F::Dim>> {
        let (&first, rest) = x.actions().split_first()?;
        Some(rest.iter().fold(self.phi().phi(x.state(), first), |phi, &a| {
            let mut next = OVector::zeros_generic(self.phi().dim(), nalgebra::U1);
            for atom in self.atoms() {
                next.axpy(phi.dot(&atom.weight), &self.phi().phi(&atom.state, a), T::one());
            }
            next
        }))
    }

    /// The belief b(.|x) = <phi(x), mu(.)> of an augmented state: one weight per atom of mu, in their
    /// order; `None` if no action was taken yet, when the state is known.
    ///
    /// The expectation of f under the belief is the sum of the weights times f at the atoms. On a
    /// finite state space the weights are the probabilities of the states; on a continuous one they are
    /// those of a quadrature rule.
    ///
    /// # Example
    /// ```
    /// use sporadic::belief::{AugmentedState, belief};
    /// use sporadic::features::LinearModel;
    /// use sporadic::model::gallery;
    /// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
    /// let x = AugmentedState::new(2).with_actions([1, 1, 0]);
    /// let linear = LinearModel::one_hot(&swim).belief(&x).expect("three actions were taken");
    /// for (b, p) in linear.iter().zip(belief(&swim, &x)) {
    ///     assert!((b - p).abs() < 1e-12);
    /// }
    /// # Ok::<(), sporadic::model::ModelError>(())
    /// ```
    pub fn belief(&self, x: &AugmentedState<F::State>) -> Option<Vec<T>> {
        let phi = self.phi_at(x)?;
        Some(self.atoms().iter().map(|atom| phi.dot(&atom.weight)).collect())
    }
}
