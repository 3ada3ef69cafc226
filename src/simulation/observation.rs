//! What a round shows, to the agent and to the experimenter.

use crate::model::Action;

/// What the agent is shown after a round.
///
/// # Example
/// ```
/// use sporadic::simulation::Observation;
/// let seen = Observation::Burst { state: "s2", reward: 1.5 };
/// assert_eq!(seen.reward(), Some(1.5));
/// assert_eq!(Observation::<&str, f64>::Hidden.reward(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Observation<S, T> {
    /// A data-burst: the state now, and the reward since the last burst.
    Burst {
        /// The state now.
        state: S,
        /// The undiscounted reward since the last burst, or since the start.
        reward: T,
    },
    /// The episode terminated.
    Terminated {
        /// The undiscounted reward since the last burst, or since the start.
        reward: T,
    },
    /// Nothing.
    Hidden,
}

impl<S, T> Observation<S, T> {
    /// The reward revealed, if anything was.
    pub fn reward(self) -> Option<T> {
        match self {
            Self::Burst { reward, .. } | Self::Terminated { reward } => Some(reward),
            Self::Hidden => None,
        }
    }

    /// Whether the state was seen.
    pub fn is_burst(&self) -> bool {
        matches!(self, Self::Burst { .. })
    }
}

/// One round with its latent truth: for the experimenter's eyes, never the agent's.
///
/// Handed to [`Observer::step`](super::Observer::step).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step<'a, S, T> {
    /// The episode, counted from 0.
    pub episode: u64,
    /// The round, counted from 1.
    pub round: u64,
    /// The latent state s before the action.
    pub state: &'a S,
    /// The action a.
    pub action: Action,
    /// The reward r(s, a) of this round.
    pub reward: T,
    /// The latent state s' after the action, also in the last round.
    pub next: &'a S,
    /// What the agent is shown of it.
    pub observation: Observation<&'a S, T>,
}
