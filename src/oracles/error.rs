//! Why an oracle or an objective refused.

use thiserror::Error;

use crate::model::Action;
use crate::{CustomError, Fault};

/// Why an oracle gave no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OracleError {
    /// The objective has no actions, so there are no sequences.
    #[error("the objective has no actions")]
    NoActions,
    /// There is no candidate to choose from.
    #[error("the family has no sequences")]
    EmptyFamily,
    /// A candidate uses an action that the objective does not have.
    #[error("sequence {sequence} uses action {action}, but there are only {num_actions} actions")]
    UnknownAction {
        /// The candidate.
        sequence: String,
        /// Its largest action.
        action: Action,
        /// How many actions the objective has.
        num_actions: usize,
    },
    /// More candidates than the limit allows.
    #[error(
        "depth {depth} over {num_actions} actions means more than {limit} candidates: \
         take a smaller depth, a larger epsilon, raise the limit, or use BranchAndBound"
    )]
    TooMany {
        /// The length of the words to enumerate.
        depth: usize,
        /// How many actions the objective has.
        num_actions: usize,
        /// The largest number of candidates allowed.
        limit: usize,
    },
    /// The objective gave something that is not a number.
    #[error("the value of sequence {sequence} is not a number")]
    NotANumber {
        /// The candidate.
        sequence: String,
    },
    /// A parameter is outside its range.
    #[error("{name} = {} is not {expected}", crate::Number(*.value))]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// An error of an oracle of one's own.
    #[error(transparent)]
    Custom(CustomError),
}

impl OracleError {
    /// An error of an oracle of one's own.
    ///
    /// # Example
    /// ```
    /// use sporadic::oracles::OracleError;
    /// let error = OracleError::custom("the temperature is 0 from the start");
    /// assert_eq!(error.to_string(), "the temperature is 0 from the start");
    /// ```
    pub fn custom(error: impl Into<Fault>) -> Self {
        Self::Custom(CustomError::new(error))
    }
}

/// Why an objective could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ObjectiveError {
    /// A state that the features are not defined for, in their own words.
    #[error(transparent)]
    State(CustomError),
    /// A vector or matrix of the wrong size.
    #[error("{what} is {rows} x {columns}, not {expected}")]
    Shape {
        /// What was given.
        what: &'static str,
        /// Its number of rows.
        rows: usize,
        /// Its number of columns.
        columns: usize,
        /// What it should be.
        expected: String,
    },
    /// An entry, a scale or a clip that is not finite, or is negative where it must not be.
    #[error("{what} is {}", crate::Number(*.value))]
    Value {
        /// What was given.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// The matrix of the bonus must be symmetric.
    #[error("entries ({row}, {column}) and ({column}, {row}) of the matrix of the bonus differ")]
    Asymmetric {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
}
