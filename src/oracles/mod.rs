//! oracles
mod beam;
mod branch_and_bound;
mod choice;
mod counted;
mod error;
mod exhaustive;
mod objective;
mod periodic;
mod portfolio;
mod tabular;
mod truncated;

pub use beam::Beam;
pub use branch_and_bound::BranchAndBound;
pub use choice::Choice;
pub use counted::Counted;
pub use error::{ObjectiveError, OracleError};
pub use exhaustive::Exhaustive;
pub use objective::{FromFn, SequenceObjective, Unbounded};
pub use periodic::Periodic;
pub use portfolio::Portfolio;
pub use tabular::TabularObjective;
pub use truncated::Truncated;

use crate::Real;

/// A search for the best action sequence: argmax over A^N.
pub trait SequenceOracle<T: Real> {
    /// The best sequence it finds, its value and a bound on all others.
    ///
    /// # Errors
    /// [`OracleError`] if there is nothing to choose from or too much.
    fn maximize(
        &self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError>;
}
