//! The oracles, by name.

mod beam;
mod branch_and_bound;
mod periodic;
mod runs;
mod words;

pub use beam::Beam;
pub use branch_and_bound::BranchAndBound;
pub use periodic::Periodic;
pub use runs::Runs;
pub use words::Words;

use super::ParameterError;
use crate::sequence::ActionSequence;

/// A family with more members than this is refused before any is made.
pub const MAX_MEMBERS: f64 = 1e6;
/// A search that may look at more prefixes than this is refused.
pub const MAX_PREFIXES: usize = 1_000_000;

/// The members of a family, given at least their number, unless there are too many.
fn members(
    bound: f64,
    num_actions: usize,
    members: impl FnOnce() -> Vec<ActionSequence>,
) -> Result<Option<Vec<ActionSequence>>, crate::Fault> {
    // Written so that what is no number is too large.
    if bound <= MAX_MEMBERS {
        return Ok(Some(members()));
    }
    let message = format!(
        "about {bound:.0e} sequences for {num_actions} actions are above the limit of {MAX_MEMBERS:e}"
    );
    Err(ParameterError::Refused { place: String::new(), message }.into())
}

fn at_least_1(name: &str, value: usize) -> Result<(), ParameterError> {
    if value >= 1 { Ok(()) } else { Err(ParameterError::new(name, value, "at least 1")) }
}
