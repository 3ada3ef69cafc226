//! psi from estimated dynamics: as they are, norm-corrected, or normalised.

use nalgebra::{DVector, Dim, OVector};

use super::{ErrorBounds, PlugInError, stability};
use crate::dim::{Batch, Dimensional, Doubled, FeatureDim};
use crate::features::{
    Dynamics, FactoredFeatures, FeatureMap, Optimism, PrefixBounds, Psi, ScaledFactors,
    SequenceFeatures,
};
use crate::model::Action;
use crate::sequence::ActionSequence;
use crate::{Fault, Real};

/// The plug-in map psi-hat: psi with the estimates in place of the truth.
///
/// Refused if some periodic sequence is shown to diverge under the estimates. That a map is
/// accepted proves convergence for all sequences only where
/// [`Stability::is_contractive`](super::Stability) does, as it does for one-hot features; for others the
/// joint spectral radius may stay undecided. Every sequence is then checked when its psi is asked for:
/// where that diverges, [`try_psi`](Psi::try_psi) names the period and its spectral radius, and
/// [`psi`](SequenceFeatures::psi) is not a number.
///
/// # Errors
/// [`PlugInError`] if psi diverges or the dimensions differ.
///
/// # Example
/// ```
/// use nalgebra::dmatrix;
/// use sporadic::estimators::{PlugInError, plug_in};
/// use sporadic::features::{Dynamics, OneHot};
/// let wild = Dynamics::new(vec![dmatrix![1.2]], vec![0.0], 0.9)?;
/// let error = plug_in(OneHot::new(1, 1), wild).unwrap_err();
/// assert!(matches!(error, PlugInError::Divergent { radius, .. } if radius > 1.07));
/// # Ok::<(), sporadic::features::DynamicsError>(())
/// ```
pub fn plug_in<T: Real, F: FeatureMap<T, Dim: FeatureDim>>(
    phi: F,
    dynamics: Dynamics<T, F::Dim>,
) -> Result<Psi<T, F>, PlugInError> {
    let found = stability(&dynamics);
    if found.is_divergent() {
        return Err(PlugInError::Divergent { word: found.word, radius: found.lower });
    }
    Psi::estimated(phi, dynamics).map_err(PlugInError::from)
}

/// The norm-corrected map `psi_c`: psi of `M-hat_a` / (1 + epsilon sqrt(d)).
///
/// If epsilon bounds the error of the matrices, products of corrected matrices have norm at most
/// sqrt(d), so `psi_c` exists however large epsilon is, and
/// [`psi_corrected`](ErrorBounds::psi_corrected) bounds its error (Lemma
/// "newfmap-estimation-general").
///
/// # Errors
/// [`PlugInError`] if epsilon is negative or not finite, the dimensions differ, or psi diverges,
/// which shows that epsilon is no bound on the error.
pub fn norm_corrected<T: Real, F: FeatureMap<T, Dim: FeatureDim>>(
    phi: F,
    dynamics: &Dynamics<T, F::Dim>,
    epsilon: T,
) -> Result<Psi<T, F>, PlugInError> {
    check(epsilon)?;
    let d = T::of(dynamics.dim().value() as f64);
    let shrink = T::one() / (T::one() + epsilon * d.sqrt());
    let matrices = (0..dynamics.num_actions()).map(|a| dynamics.matrix(a) * shrink).collect();
    let corrected =
        Dynamics::with_reveals(matrices, dynamics.schedule().reveals(), dynamics.gamma())?;
    plug_in(phi, corrected)
}

/// The normalised map psi-tilde = psi-hat / (1 + 16 d (eps + `eps_beta` / sqrt(d)) / (1 - gamma)) of
/// Theorem 4.2 ("newfmap-estimator"): admissible with
/// [`admissibility`](ErrorBounds::admissibility) if the bounds hold.
///
/// # Errors
/// [`PlugInError`] if epsilon is beyond the theorem's reach, the dimensions differ, or psi diverges.
///
/// # Example
/// ```
/// use sporadic::estimators::{BoundKind, ErrorBounds, normalized};
/// use sporadic::features::{Dynamics, OneHot, SequenceFeatures};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
/// let dynamics = Dynamics::one_hot(&swim, OneHot::of(&swim)); // or an estimate
/// let bounds = ErrorBounds::new(BoundKind::Given, 12, 0.9, 1e-4, 1e-4);
/// let psi = normalized(OneHot::of(&swim), dynamics, &bounds)?;
/// assert!(psi.psi(&0, &"1(01)".parse()?).norm() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn normalized<T: Real, F: FeatureMap<T, Dim: FeatureDim>>(
    phi: F,
    dynamics: Dynamics<T, F::Dim>,
    bounds: &ErrorBounds<T>,
) -> Result<Normalized<T, Psi<T, F>>, PlugInError> {
    check(bounds.matrices)?;
    let error = bounds.psi_theorem().ok_or_else(|| PlugInError::TooLarge {
        epsilon: bounds.matrices.as_f64(),
        largest: bounds.largest_for_theorem().as_f64(),
    })?;
    Normalized::new(plug_in(phi, dynamics)?, error)
}

/// A map within `error` of psi, divided by 1 + `error`: then its norm is at most 1 and it is a
/// 2 `error`-admissible approximation of psi.
///
/// The argument is that of Theorem 4.2 and holds for any map and any bound on its distance from
/// psi: for the norm-corrected map with its own bound as well as for psi-hat.
#[derive(Debug, Clone)]
pub struct Normalized<T, P> {
    inner: P,
    error: T,
}

impl<T: Real, P> Normalized<T, P> {
    /// Normalises `inner`, which is within `error` of psi.
    ///
    /// # Errors
    /// [`PlugInError::Bound`] if `error` is negative or not finite.
    pub fn new(inner: P, error: T) -> Result<Self, PlugInError> {
        check(error)?;
        Ok(Self { inner, error })
    }

    /// The map before it was normalised.
    pub fn inner(&self) -> &P {
        &self.inner
    }

    /// The epsilon with which this map is admissible, if `error` was right.
    pub fn admissibility(&self) -> T {
        T::of(2.0) * self.error
    }

    fn scale(&self) -> T {
        T::one() / (T::one() + self.error)
    }
}

impl<T, P: Dimensional> Dimensional for Normalized<T, P> {
    type Dim = P::Dim;

    fn dim(&self) -> P::Dim {
        self.inner.dim()
    }
}

impl<T, P> SequenceFeatures<T> for Normalized<T, P>
where
    T: Real,
    P: SequenceFeatures<T>,
{
    type State = P::State;

    fn num_actions(&self) -> usize {
        self.inner.num_actions()
    }

    fn gamma(&self) -> T {
        self.inner.gamma()
    }

    fn blind(&self, a: Action) -> T {
        self.inner.blind(a)
    }

    fn blind_at(&self, a: Action, age: usize) -> T {
        self.inner.blind_at(a, age)
    }

    fn ages(&self) -> usize {
        self.inner.ages()
    }

    fn check_state(&self, s: &P::State) -> Result<(), Fault> {
        self.inner.check_state(s)
    }

    fn psi(&self, s: &P::State, seq: &ActionSequence) -> OVector<T, Doubled<P::Dim>> {
        self.inner.psi(s, seq) * self.scale()
    }

    fn batch(&self, s: &P::State, family: &[ActionSequence]) -> Batch<T, Doubled<P::Dim>> {
        self.inner.batch(s, family) * self.scale()
    }

    fn factors(&self) -> Option<Box<dyn FactoredFeatures<T, P::State> + '_>> {
        let factors = self.inner.factors()?;
        Some(Box::new(ScaledFactors { factors, scale: self.scale() }))
    }

    fn bounds<'a>(
        &'a self,
        k: &Optimism,
        states: usize,
    ) -> Option<Box<dyn PrefixBounds<P::State> + 'a>>
    where
        P::State: Clone,
    {
        self.inner.bounds(&k.scaled(self.scale().as_f64()), states)
    }

    /// What is better before scaling is better after it.
    fn improve(
        &self,
        s: &P::State,
        weights: &DVector<f64>,
        around: &ActionSequence,
        size: (usize, usize),
    ) -> Option<ActionSequence> {
        self.inner.improve(s, weights, around, size)
    }
}

fn check<T: Real>(bound: T) -> Result<(), PlugInError> {
    if bound >= T::zero() && bound.is_finite() {
        Ok(())
    } else {
        Err(PlugInError::Bound { value: bound.as_f64() })
    }
}
