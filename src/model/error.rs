//! Errors of models.

use thiserror::Error;

use crate::{DiscountError, Number};

/// Why a model was refused. Each variant names the offending value and where it stands.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// gamma must lie strictly between 0 and 1.
    #[error(transparent)]
    Discount(#[from] DiscountError),
    /// beta(a) must lie in [0, 1].
    #[error("beta = {} of action {action:?} is not in [0, 1]", Number(*.beta))]
    Beta {
        /// The action's name.
        action: String,
        /// The value given.
        beta: f64,
    },
    /// beta_n(a) must lie in [0, 1] at every age n.
    #[error("beta = {} of action {action:?} at age {age} is not in [0, 1]", Number(*.beta))]
    BetaAt {
        /// The action's name.
        action: String,
        /// The age n, counted from 1.
        age: usize,
        /// The value given.
        beta: f64,
    },
    /// An action needs at least one reveal probability.
    #[error("action {action:?} lists no reveal probability")]
    NoBeta {
        /// The action's name.
        action: String,
    },
    /// Rewards must be finite.
    #[error(
        "the reward of action {action:?} in state {state:?} is {}, not a finite number", Number(*.reward)
    )]
    Reward {
        /// The state's name.
        state: String,
        /// The action's name.
        action: String,
        /// The value given.
        reward: f64,
    },
    /// A transition probability must lie in [0, 1].
    #[error(
        "the probability of {next:?} after action {action:?} in state {state:?} is {}, \
         not in [0, 1]",
        Number(*.probability)
    )]
    Probability {
        /// The state's name.
        state: String,
        /// The action's name.
        action: String,
        /// The next state's name.
        next: String,
        /// The value given.
        probability: f64,
    },
    /// The probabilities of the next states must sum to 1.
    #[error(
        "the transition probabilities of action {action:?} in state {state:?} sum to {}, not to 1",
        Number(*.sum)
    )]
    RowSum {
        /// The state's name.
        state: String,
        /// The action's name.
        action: String,
        /// What they sum to.
        sum: f64,
    },
    /// A table has the wrong number of entries.
    #[error("{what} has {found} entries where {expected} are needed")]
    Length {
        /// Which table.
        what: String,
        /// How many entries it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// There must be at least one state and one action.
    #[error("a model needs at least one {what}")]
    Empty {
        /// `"state"` or `"action"`.
        what: &'static str,
    },
    /// A state or an action with a name of no characters, or of white space only.
    #[error("the name of {what} number {number} is empty")]
    EmptyName {
        /// `"state"` or `"action"`.
        what: &'static str,
        /// Which one, counted from 1.
        number: usize,
    },
    /// Two states, or two actions, share a name.
    #[error("there are two {what}s named {name:?}")]
    DuplicateName {
        /// `"state"` or `"action"`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name that no state or action has.
    #[error("there is no {what} named {name:?}{}", hint(.known))]
    UnknownName {
        /// `"state"` or `"action"`.
        what: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A next state's index is out of range.
    #[error(
        "action {action:?} in state {state:?} leads to state number {next}, \
         but there are only {states} states"
    )]
    NextState {
        /// The state's name.
        state: String,
        /// The action's name.
        action: String,
        /// The index given.
        next: usize,
        /// The number of states.
        states: usize,
    },
    /// The initial distribution is not one.
    #[error(
        "the initial distribution gives state {state:?} the probability {}", Number(*.probability)
    )]
    InitialProbability {
        /// The state's name.
        state: String,
        /// The value given.
        probability: f64,
    },
    /// The initial probabilities must sum to 1.
    #[error("the initial probabilities sum to {}, not to 1", Number(*.sum))]
    InitialSum {
        /// What they sum to.
        sum: f64,
    },
    /// A generator was asked for something it cannot make.
    #[error("{parameter} = {} is not {needed}", Number(*.value))]
    Parameter {
        /// The parameter's name.
        parameter: &'static str,
        /// The value given.
        value: f64,
        /// What would be accepted.
        needed: &'static str,
    },
    /// A generator was asked for a model that is too large to make.
    #[error("{parameter} = {value} is above the limit of {limit}")]
    TooLarge {
        /// The parameter's name.
        parameter: &'static str,
        /// The value given.
        value: u128,
        /// The largest value accepted.
        limit: usize,
    },
}

/// The known names, as long as they fit on a line.
fn hint(known: &[String]) -> String {
    if known.is_empty() || known.len() > 12 {
        String::new()
    } else {
        format!(" (there are {})", known.join(", "))
    }
}
