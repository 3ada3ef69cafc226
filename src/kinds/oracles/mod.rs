//! The oracles, by name.

mod adaptive;
mod beam;
mod branch_and_bound;
mod periodic;
mod runs;
mod truncated;
mod words;

pub use adaptive::Adaptive;
pub use beam::Beam;
pub use branch_and_bound::BranchAndBound;
pub use periodic::Periodic;
pub use runs::Runs;
pub use truncated::Truncated;
pub use words::Words;

use super::ParameterError;
use crate::sequence::ActionSequence;

/// A family with more members than this is refused before any is made.
pub const MAX_MEMBERS: f64 = 1e6;
/// A family whose prefixes and periods have more actions than this together is refused.
pub const MAX_ACTIONS: f64 = 2e7;
/// A beam deeper than this is refused.
pub const MAX_DEPTH: usize = 1_000;
/// A search that may look at more prefixes than this is refused.
pub const MAX_PREFIXES: usize = 1_000_000;

/// The members of a family over some actions, given at least their number and the most actions in the
/// prefix and period of one, unless there are too many. Of one action there is only the constant
/// sequence, however long prefix and period may be.
fn members(
    num_actions: usize,
    count: impl FnOnce(f64) -> f64,
    length: f64,
    members: impl FnOnce() -> Vec<ActionSequence>,
) -> Result<Option<Vec<ActionSequence>>, crate::Fault> {
    if num_actions == 1 {
        return Ok(Some(vec![ActionSequence::constant(0)]));
    }
    // In floating point, where nothing overflows. No part of a count is negative: it is never NaN.
    let count = count(num_actions as f64);
    let message = if count > MAX_MEMBERS {
        format!(
            "it has about {count:.0e} members for {num_actions} actions, above the limit of {MAX_MEMBERS:e}"
        )
    } else if count * length > MAX_ACTIONS {
        format!(
            "its members have about {:.0e} actions together for {num_actions} actions, above the limit of {MAX_ACTIONS:e}",
            count * length
        )
    } else {
        return Ok(Some(members()));
    };
    Err(ParameterError::Refused { place: String::new(), message }.into())
}

fn at_least_1(name: &str, value: usize) -> Result<(), ParameterError> {
    if value >= 1 { Ok(()) } else { Err(ParameterError::new(name, value, "at least 1")) }
}
