//! psi one action at a time.

use nalgebra::OVector;

use super::{Psi, Sums};
use crate::Real;
use crate::dim::{Doubled, FeatureDim};
use crate::features::FeatureMap;
use crate::model::Action;

/// psi of a growing action sequence from one state.
///
/// After actions a_1 ... a_h it holds the part of psi that they decide, whatever follows; what the
/// rest can still add is `weight` times psi(x, rest) at the augmented state reached, so at most
/// [`remaining`](Self::remaining) in norm. Cloning a cursor shares the work done for its prefix.
///
/// # Example
/// ```
/// use sporadic::features::{Dynamics, OneHot, Psi, SequenceFeatures};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.2, 0.9)?;
/// let psi = Psi::new(OneHot::of(&swim), Dynamics::one_hot(&swim, OneHot::of(&swim)))?;
/// let mut cursor = psi.cursor(0);
/// for a in [1, 1, 0, 1] {
///     cursor.push(a);
/// }
/// let whole = psi.psi(&0, &"110(1)".parse()?);
/// assert!((whole - cursor.psi()).norm() <= cursor.remaining());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Cursor<'a, T: Real, F: FeatureMap<T>> {
    psi: &'a Psi<T, F>,
    state: F::State,
    /// The features v_h after the last action; none before the first.
    features: Option<OVector<T, F::Dim>>,
    sums: Sums<T, F::Dim>,
}

// By hand: a derive would ask for `F: Clone`, which a shared reference to psi does not need.
impl<T: Real, F: FeatureMap<T, State: Clone>> Clone for Cursor<'_, T, F> {
    fn clone(&self) -> Self {
        Self {
            psi: self.psi,
            state: self.state.clone(),
            features: self.features.clone(),
            sums: self.sums.clone(),
        }
    }
}

impl<'a, T: Real, F: FeatureMap<T, Dim: FeatureDim>> Cursor<'a, T, F> {
    pub(super) fn new(psi: &'a Psi<T, F>, state: F::State) -> Self {
        Self { psi, state, features: None, sums: Sums::new(psi.dynamics()) }
    }

    /// Appends an action.
    ///
    /// # Panics
    /// If `a` is not an action of the model.
    pub fn push(&mut self, a: Action) {
        let dynamics = self.psi.dynamics();
        let features = match &self.features {
            None => self.psi.phi().phi(&self.state, a),
            Some(v) => dynamics.matrix(a).tr_mul(v),
        };
        self.sums.add(dynamics, a, &features);
        self.features = Some(features);
    }

    /// The part of psi that the actions so far decide.
    pub fn psi(&self) -> OVector<T, Doubled<F::Dim>> {
        self.sums.join(self.psi.dynamics().gamma())
    }

    /// The weight gamma^h (1 - beta_1) ... (1 - beta_h) of what follows: the probability that the
    /// episode still runs and nothing has been seen.
    pub fn weight(&self) -> T {
        self.sums.weight
    }

    /// The features phi(x) of the augmented state reached; `None` before the first action.
    pub fn features(&self) -> Option<&OVector<T, F::Dim>> {
        self.features.as_ref()
    }

    /// A bound on the norm of what the rest of the sequence can still add, for dynamics with
    /// `||phi(x)|| <= 1`: the weight times (1 + gamma) / 2.
    pub fn remaining(&self) -> T {
        self.sums.weight * (T::one() + self.psi.dynamics().gamma()) * T::of(0.5)
    }
}
