//! One-hot features of finite state spaces.

use nalgebra::{Dyn, OVector, U1};
use thiserror::Error;

use super::FeatureMap;
use crate::Real;
use crate::dim::{Dimension, Dimensional};
use crate::model::{Action, Tabular};

/// One-hot encoding of state-action pairs: phi(s, a) is 1 at index `s * |A| + a` and 0 elsewhere,
/// so d = |S| |A|.
///
/// Every finite MDP is linear in these features.
///
/// # Example
/// ```
/// use nalgebra::{Const, Dyn};
/// use sporadic::features::{FeatureMap, OneHot};
/// let phi = OneHot::new(3, 2);
/// let v: nalgebra::DVector<f64> = phi.phi(&1, 0);
/// assert_eq!(v.as_slice(), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
/// assert!(OneHot::with_dim(3, 2, Const::<6>).is_ok());
/// assert!(OneHot::with_dim(3, 2, Const::<7>).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OneHot<D> {
    num_states: usize,
    num_actions: usize,
    dim: D,
}

/// A static dimension that is not |S| |A|.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "one-hot features of {num_states} states and {num_actions} actions have dimension {}, not {dim}",
    num_states * num_actions
)]
pub struct OneHotError {
    num_states: usize,
    num_actions: usize,
    dim: usize,
}

impl OneHot<Dyn> {
    /// One-hot features whose dimension is known at run time.
    pub fn new(num_states: usize, num_actions: usize) -> Self {
        Self { num_states, num_actions, dim: Dyn(num_states * num_actions) }
    }

    /// One-hot features of a tabular model.
    pub fn of<T: Real>(model: &Tabular<T>) -> Self {
        Self::new(model.num_states(), model.num_actions())
    }
}

impl<D: Dimension> OneHot<D> {
    /// One-hot features with a dimension given by its type, for example `Const::<12>`.
    ///
    /// # Errors
    /// [`OneHotError`] if `dim` is not `num_states * num_actions`.
    pub fn with_dim(num_states: usize, num_actions: usize, dim: D) -> Result<Self, OneHotError> {
        if dim.value() == num_states * num_actions {
            Ok(Self { num_states, num_actions, dim })
        } else {
            Err(OneHotError { num_states, num_actions, dim: dim.value() })
        }
    }

    /// The number of states.
    pub fn num_states(&self) -> usize {
        self.num_states
    }

    /// The number of actions.
    pub fn num_actions(&self) -> usize {
        self.num_actions
    }
}

impl<D: Dimension> Dimensional for OneHot<D> {
    type Dim = D;

    fn dim(&self) -> D {
        self.dim
    }
}

impl<T: Real, D: Dimension> FeatureMap<T> for OneHot<D> {
    type State = usize;

    /// # Panics
    /// If the state or the action is out of range.
    fn phi(&self, s: &usize, a: Action) -> OVector<T, D> {
        assert!(*s < self.num_states, "state {s} of {}", self.num_states);
        assert!(a < self.num_actions, "action {a} of {}", self.num_actions);
        let mut phi = OVector::zeros_generic(self.dim, U1);
        phi[s * self.num_actions + a] = T::one();
        phi
    }
}
