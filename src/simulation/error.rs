//! Errors of a run.

use thiserror::Error;

use super::Feedback;
use crate::model::{Action, Environment, MAX_AGES};
use crate::{Discount, DiscountError, Number, Real};

/// Why a run stopped. Each variant names the offending value and where it came up.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The agent took an action that the environment does not have.
    #[error(
        "the agent took action {action} in episode {episode}, round {round}, but the environment \
         has only the actions below {num_actions}"
    )]
    Action {
        /// The action taken.
        action: Action,
        /// The number of actions there are.
        num_actions: usize,
        /// The episode, counted from 0.
        episode: u64,
        /// The round, counted from 1.
        round: u64,
    },
    /// The agent cannot learn from the rewards that it would be shown.
    #[error(
        "the agent needs rewards as with feedback = {needed}, but the feedback of this run is {given}"
    )]
    Feedback {
        /// What the agent needs.
        needed: Feedback,
        /// What it would be given.
        given: Feedback,
    },
    /// gamma must lie strictly between 0 and 1, or episodes would have no end or no second round.
    #[error("the environment's {0}")]
    Discount(#[from] DiscountError),
    /// An episode was still under way after the largest number of rounds allowed.
    #[error(
        "episode {episode} is not over after {limit} rounds, the most that are played: with gamma = {} \
         episodes have {} rounds on average",
        Number(*.gamma), Number((1.0 / (1.0 - .gamma)).round())
    )]
    Rounds {
        /// The episode, counted from 0.
        episode: u64,
        /// The largest number of rounds.
        limit: u64,
        /// The environment's gamma.
        gamma: f64,
    },
    /// beta(a) must lie in [0, 1].
    #[error("the environment's beta = {} of action {action} is not in [0, 1]", Number(*.beta))]
    Beta {
        /// The action.
        action: Action,
        /// The value found.
        beta: f64,
    },
    /// beta_n(a) must lie in [0, 1] at every age n.
    #[error("the environment's beta = {} of action {action} at age {age} is not in [0, 1]", Number(*.beta))]
    BetaAt {
        /// The action.
        action: Action,
        /// The age n, counted from 1.
        age: usize,
        /// The value found.
        beta: f64,
    },
}

/// Refuses an environment under which the protocol is not defined: one of the user's own need not
/// have been validated, and gamma = 1 would loop for ever.
pub(super) fn check<M: Environment>(env: &M) -> Result<(), SimulationError> {
    Discount::new(env.gamma())?;
    for action in 0..env.num_actions() {
        let beta = env.beta(action).as_f64();
        if !(0.0..=1.0).contains(&beta) {
            return Err(SimulationError::Beta { action, beta });
        }
        for age in 1..env.ages().min(MAX_AGES) {
            let beta = env.beta_at(action, age).as_f64();
            if !(0.0..=1.0).contains(&beta) {
                return Err(SimulationError::BetaAt { action, age, beta });
            }
        }
    }
    Ok(())
}
