//! The segment between two sightings, as an agent observes it.

use crate::Real;
use crate::belief::AugmentedState;
use crate::model::Action;

/// The paper's tau = (s, a, R, `s_N`): from one sighting to the next, or to the termination.
///
/// The state `s` in which the segment started, the actions executed since (the last one made the
/// burst, or was the episode's last), the undiscounted reward R they earned together, and the state
/// then seen; no state is the paper's bottom, and its value is 0.
///
/// # Example
/// ```
/// use sporadic::agents::Segment;
/// let segment = Segment::new("s1", [1, 1, 0], 0.5, Some("s2"));
/// assert_eq!((segment.start(), segment.actions()), (&"s1", &[1, 1, 0][..]));
/// assert_eq!((segment.reward(), segment.next()), (0.5, Some(&"s2")));
/// assert!(!segment.is_terminal());
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Segment<S, T> {
    /// The augmented state now: the protocol grows it in place, so that one buffer serves a run.
    x: AugmentedState<S>,
    reward: T,
    next: Option<S>,
}

impl<S, T> Segment<S, T> {
    /// The segment from `start` through `actions` to `next`, `None` if the episode terminated.
    pub fn new(start: S, actions: impl Into<Vec<Action>>, reward: T, next: Option<S>) -> Self {
        Self { x: AugmentedState::new(start).with_actions(actions), reward, next }
    }

    /// The state in which the segment started.
    #[inline]
    pub fn start(&self) -> &S {
        self.x.state()
    }

    /// The actions executed, at least one in a complete segment.
    #[inline]
    pub fn actions(&self) -> &[Action] {
        self.x.actions()
    }

    /// The start and the actions together, as an augmented state.
    #[inline]
    pub fn augmented(&self) -> &AugmentedState<S> {
        &self.x
    }

    /// The undiscounted reward earned in the segment.
    #[inline]
    pub fn reward(&self) -> T
    where
        T: Copy,
    {
        self.reward
    }

    /// The state seen at the end; `None` if the episode terminated.
    #[inline]
    pub fn next(&self) -> Option<&S> {
        self.next.as_ref()
    }

    /// Whether the episode terminated.
    #[inline]
    pub fn is_terminal(&self) -> bool {
        self.next.is_none()
    }
}

/// How the protocol fills a segment.
impl<S, T: Real> Segment<S, T> {
    pub(crate) fn open(start: S) -> Self {
        Self::new(start, [], T::zero(), None)
    }

    /// Starts the next segment in `start`, in the same memory.
    #[inline]
    pub(crate) fn reopen(&mut self, start: S) {
        self.x.reveal(start);
        self.reward = T::zero();
        self.next = None;
    }

    #[inline]
    pub(crate) fn push(&mut self, a: Action, reward: T) {
        self.x.push(a);
        self.reward += reward;
    }

    #[inline]
    pub(crate) fn close(&mut self, next: S) {
        self.next = Some(next);
    }

    /// Starts the next segment where this one ended, if it ended in a state.
    #[inline]
    pub(crate) fn advance(&mut self) {
        if let Some(next) = self.next.take() {
            self.reopen(next);
        }
    }
}
