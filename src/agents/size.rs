//! Limits on the size of an agent's tables.

use thiserror::Error;

/// The most numbers that one table of an agent may have: 2^28, or 2 GB.
pub const MAX_NUMBERS: usize = 1 << 28;

/// A table that an agent would need is too large; nothing has been allocated.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{what} would be {numbers:.1e} numbers, above the limit of {MAX_NUMBERS}")]
pub struct TooLarge {
    /// Which table.
    pub what: &'static str,
    /// How many numbers it would have.
    pub numbers: f64,
}

/// Refuses a table with these extents if it would be too large.
pub(crate) fn check_size(what: &'static str, extents: &[usize]) -> Result<(), TooLarge> {
    // In floating point nothing overflows, and the limit is far below where rounding begins.
    let numbers: f64 = extents.iter().map(|&n| n as f64).product();
    if numbers <= MAX_NUMBERS as f64 { Ok(()) } else { Err(TooLarge { what, numbers }) }
}

/// The features of `sequences` in `states`, in 2d dimensions.
pub(crate) fn check_features(d: usize, states: usize, sequences: usize) -> Result<(), TooLarge> {
    check_size("the features of every state and sequence", &[2, d, states, sequences])
}

/// Lambda in this dimension.
pub(crate) fn check_lambda(dim: usize) -> Result<(), TooLarge> {
    check_size("the matrix Lambda", &[dim, dim])
}

/// A plan for every sighting u < H, with so many numbers for each of them.
pub(crate) fn check_plan(horizon: usize, each: usize) -> Result<(), TooLarge> {
    check_size("the plan for every sighting before H", &[horizon, each])
}

/// The transitions between states, for each action.
pub(crate) fn check_counts(states: usize, actions: usize) -> Result<(), TooLarge> {
    check_size("the counts of next states", &[states, actions, states])
}

/// Numbers that a tabular learner keeps for each sighting: V_u and the choice of every state, each
/// while planning and afterwards.
pub(crate) fn per_sighting(states: usize) -> usize {
    states.saturating_add(8).saturating_mul(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_multiplied_without_overflow() {
        assert!(check_size("a table", &[1 << 14, 1 << 14]).is_ok());
        let fault = check_size("a table", &[usize::MAX, usize::MAX, 3]).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "a table would be 1.0e39 numbers, above the limit of 268435456"
        );
    }
}
