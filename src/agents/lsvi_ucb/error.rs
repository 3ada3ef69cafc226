//! What can be wrong with a learner's inputs.

use thiserror::Error;

use super::ParamsError;
use crate::model::Action;
use crate::sequence::ActionSequence;

/// Why a learner could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LsviUcbError {
    /// A parameter is out of range.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// There is nothing to choose from.
    #[error("there must be at least one state and one sequence")]
    Empty,
    /// More candidates than can be numbered.
    #[error("{candidates} candidates are too many")]
    TooMany {
        /// How many there are.
        candidates: usize,
    },
    /// A sequence takes an action that there is not.
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
    /// gamma must lie strictly between 0 and 1.
    #[error("gamma = {gamma} is not in the open interval (0, 1)")]
    Gamma {
        /// The value given.
        gamma: f64,
    },
    /// A feature that is not finite, as estimated ones may be.
    #[error("a feature of state {state} and sequence {sequence} is not finite")]
    Features {
        /// The state.
        state: usize,
        /// The sequence.
        sequence: ActionSequence,
    },
    /// A saved state that belongs to another agent.
    #[error("the saved state has {found} {what}, but this agent has {expected}")]
    Restore {
        /// What they are.
        what: &'static str,
        /// How many this agent has.
        expected: usize,
        /// How many were saved.
        found: usize,
    },
}
