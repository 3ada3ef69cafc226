//! psi as a product of what depends on the state and what does not.

use nalgebra::DMatrix;

use super::Psi;
use crate::Real;
use crate::dim::FeatureDim;
use crate::features::FeatureMap;
use crate::model::Action;
use crate::sequence::ActionSequence;

/// The factors of features psi(s, a) = 1/2 W(a)^T phi(s, a_1), where a_1 is the first action of the sequence a
/// and the matrix W(a) does not depend on the state.
///
/// [`SequenceFeatures::factors`](super::SequenceFeatures::factors) gives them. With a finite family a
/// learner computes each W(a) once, and then needs no more than phi of a state, whatever the number of
/// sequences.
///
/// # Example
/// ```
/// use sporadic::features::{Dynamics, OneHot, Psi, SequenceFeatures};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(3, 0.5, 0.9)?;
/// let psi = Psi::new(OneHot::of(&swim), Dynamics::one_hot(&swim, OneHot::of(&swim)))?;
/// let (factors, seq) = (psi.factors().ok_or("no factors")?, "1(01)".parse()?);
/// let mut phi = nalgebra::DVector::zeros(6);
/// factors.phi(&2, 1, phi.as_mut_slice());
/// let product = factors.weights(&seq).tr_mul(&phi) * 0.5;
/// assert!((product - psi.psi(&2, &seq)).norm() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FactoredFeatures<T, S> {
    /// Writes phi(s, a) into `phi`, a slice of d zeros.
    fn phi(&self, s: &S, a: Action, phi: &mut [T]);

    /// The matrix W of a sequence, d x 2d.
    fn weights(&self, seq: &ActionSequence) -> DMatrix<T>;
}

impl<T: Real, F: FeatureMap<T, Dim: FeatureDim>> FactoredFeatures<T, F::State> for Psi<T, F> {
    fn phi(&self, s: &F::State, a: Action, phi: &mut [T]) {
        phi.copy_from_slice(Psi::phi(self).phi(s, a).as_slice());
    }

    fn weights(&self, seq: &ActionSequence) -> DMatrix<T> {
        let w = Psi::weights(self, seq);
        DMatrix::from_column_slice(w.nrows(), w.ncols(), w.as_slice())
    }
}

/// Factors whose product is multiplied by a constant.
pub(crate) struct ScaledFactors<'a, T, S> {
    pub(crate) factors: Box<dyn FactoredFeatures<T, S> + 'a>,
    pub(crate) scale: T,
}

impl<T: Real, S> FactoredFeatures<T, S> for ScaledFactors<'_, T, S> {
    fn phi(&self, s: &S, a: Action, phi: &mut [T]) {
        self.factors.phi(s, a, phi);
    }

    fn weights(&self, seq: &ActionSequence) -> DMatrix<T> {
        self.factors.weights(seq) * self.scale
    }
}

impl<T, S, X: FactoredFeatures<T, S> + ?Sized> FactoredFeatures<T, S> for &X {
    fn phi(&self, s: &S, a: Action, phi: &mut [T]) {
        (**self).phi(s, a, phi);
    }

    fn weights(&self, seq: &ActionSequence) -> DMatrix<T> {
        (**self).weights(seq)
    }
}
