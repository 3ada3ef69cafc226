//! Which map is made of estimated dynamics.

use nalgebra::Dim as _;

use super::{BoundKind, ErrorBounds, Normalized, PlugInError, norm_corrected, plug_in};
use crate::Real;
use crate::dim::FeatureDim;
use crate::features::{Dynamics, FeatureMap, Psi};

/// Which of the paper's three maps is made of estimated dynamics, by name: psi-hat, `psi_c` or psi-tilde.
///
/// epsilon is taken as a bound on the error of the action matrices, and the reveal probabilities as exact. Only the last two use it, and what
/// is proved of them holds only if it is one.
///
/// # Example
/// ```
/// use sporadic::estimators::EstimatedMap;
/// use sporadic::features::{Dynamics, OneHot, SequenceFeatures};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
/// let norm = |map: EstimatedMap<f64>| {
///     let estimate = Dynamics::one_hot(&swim, OneHot::of(&swim)); // the truth, for once
///     let psi = map.build(OneHot::of(&swim), estimate)?;
///     Ok::<_, Box<dyn std::error::Error>>(psi.psi(&0, &"(1)".parse()?).norm())
/// };
/// let plain = norm(EstimatedMap::PlugIn)?;
/// assert!(norm(EstimatedMap::NormCorrected { epsilon: 0.01 })? < plain);
/// assert!(norm(EstimatedMap::Normalized { epsilon: 0.0 })? <= plain);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum EstimatedMap<T> {
    /// psi-hat: the estimates in place of the truth. See [`plug_in`].
    #[default]
    PlugIn,
    /// `psi_c`: action matrices divided by 1 + epsilon sqrt(d). See [`norm_corrected`].
    NormCorrected {
        /// epsilon.
        epsilon: T,
    },
    /// psi-tilde, of norm at most 1: psi-hat divided by 1 + its error by Theorem 4.2 where the theorem covers epsilon, otherwise
    /// `psi_c` divided by 1 + its own error bound. The division acts as a larger ridge lambda: features scaled by c are those of
    /// lambda / c^2.
    Normalized {
        /// epsilon.
        epsilon: T,
    },
}

impl<T: Real> EstimatedMap<T> {
    /// The map in features `phi`.
    ///
    /// # Errors
    /// [`PlugInError`] if epsilon is negative or not finite, the dimensions differ, or psi diverges.
    pub fn build<F: FeatureMap<T, Dim: FeatureDim>>(
        &self,
        phi: F,
        dynamics: Dynamics<T, F::Dim>,
    ) -> Result<Normalized<T, Psi<T, F>>, PlugInError> {
        match *self {
            Self::PlugIn => Normalized::new(plug_in(phi, dynamics)?, T::zero()),
            Self::NormCorrected { epsilon } => {
                Normalized::new(norm_corrected(phi, &dynamics, epsilon)?, T::zero())
            }
            Self::Normalized { epsilon } => {
                let (dim, gamma) = (dynamics.dim().value(), dynamics.gamma());
                let bounds = ErrorBounds::new(BoundKind::Given, dim, gamma, epsilon, T::zero());
                match bounds.psi_theorem() {
                    Some(error) => Normalized::new(plug_in(phi, dynamics)?, error),
                    None => {
                        let corrected = norm_corrected(phi, &dynamics, epsilon)?;
                        Normalized::new(corrected, bounds.psi_corrected())
                    }
                }
            }
        }
    }
}
