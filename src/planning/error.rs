//! Errors of planners.

use thiserror::Error;

use crate::Number;
use crate::model::Action;
use crate::sequence::{ActionSequence, BurstPolicy};

/// Why a planner refused a model, a policy, a sequence or a family.
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
    /// A policy without a sequence for a state of the model.
    #[error(
        "the policy has no sequence for state {state}: it has one for {covered} of {num_states} states"
    )]
    Uncovered {
        /// The first state without a sequence.
        state: usize,
        /// How many states have one.
        covered: usize,
        /// The number of states.
        num_states: usize,
    },
    /// An augmented state with an action that the model does not have.
    #[error(
        "action number {position} of the augmented state is {action}, but there are only \
         {num_actions} actions"
    )]
    AugmentedAction {
        /// Where in the augmented state, counted from 1.
        position: usize,
        /// The action.
        action: Action,
        /// The number of actions.
        num_actions: usize,
    },
    /// Bounds on V* that contradict each other, or are no numbers.
    #[error("the bounds {} <= V* <= {} of state {state} cannot both hold", Number(*.lower), Number(*.upper))]
    Bracket {
        /// The state.
        state: usize,
        /// The lower bound given.
        lower: f64,
        /// The upper bound given.
        upper: f64,
    },
    /// Values that may be too large for the scalar; see
    /// [`check_magnitude`](super::check_magnitude).
    #[error(
        "the reward of action {action:?} in state {state:?} is {reward:e}{}: with gamma = {gamma} values may exceed {limit:e}, the largest that is computed with",
        beside(*.given)
    )]
    Overflow {
        /// The state with the largest reward in size.
        state: String,
        /// The action with the largest reward in size.
        action: String,
        /// That reward.
        reward: f64,
        /// The discount factor.
        gamma: f64,
        /// The largest size of the values that were given for sightings; 0 if none were.
        given: f64,
        /// The largest size of values that is computed with.
        limit: f64,
    },
    /// A system of equations that is singular after rounding.
    #[error(
        "1 - gamma = {:e} is too small to compute values of {states} states in this precision",
        1.0 - .gamma
    )]
    Precision {
        /// The discount factor.
        gamma: f64,
        /// The number of states.
        states: usize,
    },
    /// A policy on many states with so many different sequences that their values at all states
    /// do not fit in memory.
    #[error(
        "the policy has {tails} different tails of sequences on {states} states: their values take {bytes} bytes, more than {limit}"
    )]
    Size {
        /// The number of states.
        states: usize,
        /// The number of different tails of the policy's sequences.
        tails: usize,
        /// What a value per tail and state takes, in bytes.
        bytes: usize,
        /// The most bytes that are used.
        limit: usize,
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

/// The part of the sentence about values that were given.
fn beside(given: f64) -> String {
    if given > 0.0 || given.is_nan() {
        format!(" and a value of size {given:e} is given")
    } else {
        String::new()
    }
}

/// Refuses a policy that lacks a sequence for one of the states below `num_states`.
pub(super) fn check_coverage(
    policy: &(impl BurstPolicy<usize> + ?Sized),
    num_states: usize,
) -> Result<(), PlanningError> {
    let Some(state) = (0..num_states).find(|s| !policy.covers(s)) else { return Ok(()) };
    let covered = (0..num_states).filter(|s| policy.covers(s)).count();
    Err(PlanningError::Uncovered { state, covered, num_states })
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
