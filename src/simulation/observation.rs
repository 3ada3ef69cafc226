//! What a round reveals to the agent, and what to observers.

use crate::model::Action;

/// The observation that the agent gets after a round.
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
    /// The episode goes on and nothing is revealed.
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

/// One round with its latent states, as observers see it and agents do not.
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
    /// The observation that the agent gets.
    pub observation: Observation<&'a S, T>,
}
