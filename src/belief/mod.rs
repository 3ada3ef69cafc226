//! Augmented states, which are all that an agent knows, and beliefs.

use crate::Real;
use crate::model::{Action, Tabular};

/// The augmented state x = (s, a_1, ..., a_n): the last state seen and the actions since.
///
/// It is all that an agent may base its next action on.
///
/// # Example
/// ```
/// use sporadic::belief::AugmentedState;
/// let mut x = AugmentedState::new("s3");
/// x.push(1);
/// x.push(0);
/// assert_eq!((x.state(), x.actions()), (&"s3", &[1, 0][..]));
/// x.reveal("s4");
/// assert!(x.actions().is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AugmentedState<S> {
    state: S,
    actions: Vec<Action>,
}

impl<S> AugmentedState<S> {
    /// The augmented state right after `state` was seen.
    pub fn new(state: S) -> Self {
        Self { state, actions: Vec::new() }
    }

    /// Sets the actions taken since the state was seen.
    ///
    /// # Example
    /// ```
    /// use sporadic::belief::AugmentedState;
    /// let x = AugmentedState::new("s3").with_actions([1, 0]);
    /// assert_eq!(x.actions(), [1, 0]);
    /// ```
    pub fn with_actions(self, actions: impl Into<Vec<Action>>) -> Self {
        Self { actions: actions.into(), ..self }
    }

    /// The last state seen.
    #[inline]
    pub fn state(&self) -> &S {
        &self.state
    }

    /// The actions taken since.
    #[inline]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Appends an action after which nothing was seen: x becomes x + a.
    #[inline]
    pub fn push(&mut self, a: Action) {
        self.actions.push(a);
    }

    /// Starts again at `state`, which was seen: x becomes s. Keeps its allocation.
    #[inline]
    pub fn reveal(&mut self, state: S) {
        self.state = state;
        self.actions.clear();
    }
}

/// Computes the belief b(.|x) on a tabular model: the distribution of the latent state after the
/// actions taken since the last state was seen.
///
/// # Complexity
/// One multiplication per stored transition and action.
///
/// # Panics
/// If the state or an action of `x` is not the model's.
///
/// # Example
/// ```
/// use sporadic::belief::{AugmentedState, belief};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let b = belief(&swim, &AugmentedState::new(0).with_actions([1, 0]));
/// assert_eq!(b, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn belief<T: Real>(model: &Tabular<T>, x: &AugmentedState<usize>) -> Vec<T> {
    let mut now = vec![T::zero(); model.num_states()];
    let mut next = now.clone();
    now[*x.state()] = T::one();
    for &a in x.actions() {
        model.push_forward(&now, a, &mut next);
        std::mem::swap(&mut now, &mut next);
    }
    now
}
