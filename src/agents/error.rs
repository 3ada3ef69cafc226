//! The errors of agents.

use thiserror::Error;

use super::{ParamsError, Segment, TooLarge};
use crate::model::Action;
use crate::oracles::OracleError;
use crate::sequence::ActionSequence;
use crate::{CustomError, DiscountError, Fault, Number, Real};

/// Why an agent could not be made or restored, or what went wrong while it learnt.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AgentError {
    /// A parameter is out of range.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// No states, no sequences or no features were given.
    #[error("there must be at least one state, one sequence and one feature")]
    Empty,
    /// The agent is made for reveal probabilities that do not depend on the age of the last sighting.
    #[error(
        "the reveal probabilities depend on the age of the last sighting up to age {ages}, which this agent is not made for"
    )]
    Ages {
        /// The age from which on they do not change.
        ages: usize,
    },
    /// A table that the learner needs would be too large.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// More candidates than can be numbered.
    #[error("{candidates} candidates are too many")]
    TooMany {
        /// How many there are.
        candidates: usize,
    },
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
    /// gamma must lie strictly between 0 and 1.
    #[error(transparent)]
    Discount(#[from] DiscountError),
    /// A state that the features are not defined for.
    #[error("{what}: {fault}")]
    State {
        /// Where the state was met.
        what: &'static str,
        /// What the features say of it.
        fault: CustomError,
    },
    /// The reward of a segment that is not a number, or is outside the declared range of rewards.
    #[error(
        "the reward {} of {rounds} rounds of the sequence {sequence}{} is not in {rounds} times the \
         declared range [{}, {}]",
        Number(*.reward), from_state(*.state), Number(*.low), Number(*.high)
    )]
    Reward {
        /// The reward since the last sighting.
        reward: f64,
        /// How many rounds it was earned in.
        rounds: usize,
        /// The sequence that was played.
        sequence: ActionSequence,
        /// The state in which the segment started, where states are numbers.
        state: Option<usize>,
        /// The smallest reward of a round.
        low: f64,
        /// The largest reward of a round.
        high: f64,
    },
    /// A feature that is not finite, as estimated ones may be.
    #[error("a feature of state {state} and sequence {sequence} is not finite")]
    Features {
        /// The state.
        state: usize,
        /// The sequence.
        sequence: ActionSequence,
    },
    /// Features, rho and lambda whose bonus overflows.
    #[error(
        "the bonus of state {state} and sequence {sequence} overflows: rho = {rho} and \
         lambda = {lambda} do not go with features whose 1-norm is {norm}"
    )]
    Scale {
        /// The state.
        state: usize,
        /// The sequence.
        sequence: ActionSequence,
        /// The weight of the bonus.
        rho: f64,
        /// The ridge.
        lambda: f64,
        /// The sum of the absolute values of the features.
        norm: f64,
    },
    /// Lambda^-1 is not what it should be any more: not finite, not positive definite, or without a correct digit.
    #[error(
        "Lambda^-1 has lost its accuracy: lambda = {lambda} is too small for this precision \
         (||psi||^2 in the norm of Lambda^-1 is {square}, and was learnt from {count} times)"
    )]
    Inverse {
        /// The ridge.
        lambda: f64,
        /// The square of ||psi||_{Lambda^-1}, as computed, of the segment learnt from.
        square: f64,
        /// How many segments with these features were learnt from at once.
        count: f64,
    },
    /// A value that is not finite.
    #[error("V_{u} of state {state} is {value}: with this lambda, rho and H the values diverge")]
    Value {
        /// The sighting, from 1.
        u: usize,
        /// The state, by number; for the general learner the number of the state among those seen.
        state: usize,
        /// The value.
        value: f64,
    },
    /// [`Continuation::Model`](super::Continuation) without a model.
    #[error(
        "the continuation is to be computed by the model, but only features are known: give the transition \
         probabilities as well"
    )]
    NoModel,
    /// psi could not be estimated.
    #[error("no estimate of psi: {0}")]
    Estimate(CustomError),
    /// The oracle gave no answer.
    #[error(transparent)]
    Oracle(#[from] OracleError),
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
    /// A saved number that no agent of this kind writes.
    #[error("the saved state has {what} {}, which is not {needed}", Number(*.value))]
    Saved {
        /// What it is.
        what: &'static str,
        /// The number saved.
        value: f64,
        /// What it must be.
        needed: &'static str,
    },
    /// A saved state whose random numbers are not those of this agent.
    #[error("the saved state has drawn {drawn} numbers from a generator with another seed")]
    Generator {
        /// How many were drawn.
        drawn: u64,
    },
}

/// ` from state s`, if it has a number.
fn from_state(state: Option<usize>) -> String {
    state.map_or_else(String::new, |state| format!(" from state {state}"))
}

impl AgentError {
    pub(super) fn estimate(fault: impl Into<Fault>) -> Self {
        Self::Estimate(CustomError::new(fault))
    }

    pub(super) fn state(what: &'static str, fault: Fault) -> Self {
        Self::State { what, fault: CustomError::new(fault) }
    }
}

/// Refuses a family that is empty or takes an action that the model does not have.
pub(super) fn check_family(
    family: &[ActionSequence],
    num_actions: usize,
) -> Result<(), AgentError> {
    if family.is_empty() {
        return Err(AgentError::Empty);
    }
    match family.iter().find(|seq| seq.max_action() >= num_actions) {
        None => Ok(()),
        Some(seq) => {
            let (action, sequence) = (seq.max_action(), seq.clone());
            Err(AgentError::Action { sequence, action, num_actions })
        }
    }
}

/// Refuses the reward of a segment that is not a number or that so many rounds with rewards in
/// `[low, high]` cannot earn, but for the rounding of their sum.
pub(super) fn check_reward<S, T: Real>(
    segment: &Segment<S, T>,
    (low, high): (T, T),
    sequence: &ActionSequence,
    state: Option<usize>,
) -> Result<(), AgentError> {
    let rounds = segment.actions().len();
    let count = T::of(rounds as f64);
    let slack = T::of(4.0) * T::epsilon() * count * count * low.abs().max(high.abs());
    let reward = segment.reward();
    // Written so that NaN is refused.
    if reward >= low * count - slack && reward <= high * count + slack {
        return Ok(());
    }
    Err(AgentError::Reward {
        reward: reward.as_f64(),
        rounds,
        sequence: sequence.clone(),
        state,
        low: low.as_f64(),
        high: high.as_f64(),
    })
}

/// Refuses a saved list of another length than the agent's own: what, how many expected, how many
/// found.
pub(super) fn check_counts(
    counts: impl IntoIterator<Item = (&'static str, usize, usize)>,
) -> Result<(), AgentError> {
    match counts.into_iter().find(|(_, expected, found)| expected != found) {
        None => Ok(()),
        Some((what, expected, found)) => Err(AgentError::Restore { what, expected, found }),
    }
}

/// Refuses a saved number that is not finite.
pub(super) fn check_finite<'a, T: Real>(
    what: &'static str,
    numbers: impl IntoIterator<Item = &'a T>,
) -> Result<(), AgentError> {
    let needed = "finite";
    match numbers.into_iter().find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(x) => Err(AgentError::Saved { what, value: x.as_f64(), needed }),
    }
}
