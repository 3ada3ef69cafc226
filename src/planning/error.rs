//! What can be wrong with a question to a planner.

use thiserror::Error;

use crate::model::Action;
use crate::sequence::ActionSequence;

/// Why a planner refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PlanningError {
    /// A sequence takes an action that the model does not have.
    #[error(
        "the sequence {sequence} takes action {action}, but there are only {num_actions} actions"
    )]
    Action {
        /// The sequence.
        sequence: ActionSequence,
        /// Its largest action.
        action: Action,
        /// The number of actions.
        num_actions: usize,
    },
    /// A family of no sequences has no best one.
    #[error("the family of sequences is empty")]
    EmptyFamily,
    /// A policy or value with the wrong number of entries.
    #[error("{what} has {found} entries, but there are {expected} states")]
    Length {
        /// What has them.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A state that the model does not have.
    #[error("there is no state {state}: there are only {num_states} states")]
    State {
        /// The state named.
        state: usize,
        /// How many there are.
        num_states: usize,
    },
    /// A policy without any row of sequences.
    #[error("a staged policy needs at least one stage")]
    NoStage,
    /// A stage to continue with that the policy does not have.
    #[error("stage {stage} is to be repeated, but there are only {stages} stages")]
    Stage {
        /// The stage named, counted from 1.
        stage: usize,
        /// How many there are.
        stages: usize,
    },
}

/// Refuses a sequence that the model cannot play.
pub(super) fn check_actions(
    sequence: &ActionSequence,
    num_actions: usize,
) -> Result<(), PlanningError> {
    let action = sequence.max_action();
    if action < num_actions {
        Ok(())
    } else {
        Err(PlanningError::Action { sequence: sequence.clone(), action, num_actions })
    }
}
