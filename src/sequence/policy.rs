//! Burst-dependent policies.

use std::borrow::Cow;

use super::ActionSequence;

/// A burst-dependent policy: the sequence to commit to when state `s` is seen at the `u`-th
/// sighting of an episode, the start being sighting u = 1.
///
/// From some sighting on, its [`horizon`](Self::horizon), it must not depend on u any more: that
/// makes its value exact, by one linear solve and one step back per sighting before.
///
/// # Example
/// ```
/// use std::borrow::Cow;
/// use sporadic::sequence::{ActionSequence, BurstPolicy};
///
/// /// Rests at the start, then always acts.
/// struct WarmUp(ActionSequence, ActionSequence);
///
/// impl BurstPolicy<usize> for WarmUp {
///     fn horizon(&self) -> usize { 2 }
///     fn sequence(&self, u: usize, _: &usize) -> Cow<'_, ActionSequence> {
///         Cow::Borrowed(if u < 2 { &self.0 } else { &self.1 })
///     }
/// }
/// ```
pub trait BurstPolicy<S> {
    /// The sighting from which on the policy no longer depends on u; at least 1.
    fn horizon(&self) -> usize;

    /// The sequence committed to at the `u`-th sighting (from 1), of state `s`.
    ///
    /// # Panics
    /// Implementations may panic if they do not [cover](Self::covers) the state.
    fn sequence(&self, u: usize, s: &S) -> Cow<'_, ActionSequence>;

    /// Whether the policy has sequences for state `s`; true unless you say otherwise. Planners refuse
    /// a policy that does not cover every state of the model.
    fn covers(&self, s: &S) -> bool {
        let _ = s;
        true
    }
}
