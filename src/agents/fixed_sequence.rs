//! One action sequence, whatever is seen.

use std::borrow::Cow;

use super::{Agent, Segment};
use crate::belief::AugmentedState;
use crate::model::Action;
use crate::planning::BurstPolicy;
use crate::sequence::ActionSequence;

/// Plays one action sequence from every sighting: a_1 right after the sighting, a_2 if no burst
/// followed a_1, and so on.
///
/// As a policy on X it is x = (s, a_1, ..., a_n) -> `a_{n+1}`, which depends on n alone.
///
/// # Example
/// ```
/// use sporadic::agents::{Agent, FixedSequence};
/// use sporadic::belief::AugmentedState;
/// let mut agent = FixedSequence::new("1(0)".parse()?);
/// let x = AugmentedState::new("s4").with_actions([1]);
/// assert_eq!(Agent::<_, f64>::act(&mut agent, &x), 0);
/// # Ok::<(), sporadic::sequence::ParseSequenceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FixedSequence {
    sequence: ActionSequence,
}

impl FixedSequence {
    /// Plays `sequence` from every sighting.
    pub fn new(sequence: ActionSequence) -> Self {
        Self { sequence }
    }

    /// The sequence played.
    pub fn sequence(&self) -> &ActionSequence {
        &self.sequence
    }
}

impl<S, T> Agent<S, T> for FixedSequence {
    #[inline]
    fn begin_episode(&mut self, _: &S) {}

    #[inline]
    fn act(&mut self, x: &AugmentedState<S>) -> Action {
        self.sequence.action(x.actions().len())
    }

    #[inline]
    fn observe(&mut self, _: &Segment<S, T>) {}

    fn policy(&self) -> Option<&dyn BurstPolicy<S>> {
        Some(self)
    }
}

impl<S> BurstPolicy<S> for FixedSequence {
    fn horizon(&self) -> usize {
        1
    }

    fn sequence(&self, _: usize, _: &S) -> Cow<'_, ActionSequence> {
        Cow::Borrowed(&self.sequence)
    }
}
