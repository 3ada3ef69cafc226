//! Every sequence with a short prefix and a short period.

use std::borrow::Cow;

use super::choice::Best;
use super::exhaustive::score_blocks;
use super::truncated::DEFAULT_LIMIT;
use super::{Choice, OracleError, SequenceObjective, SequenceOracle};
use crate::Real;
use crate::sequence::{ActionSequence, periodic};

/// Scores every sequence with at most `prefix` actions before a period of at most `period`
/// actions: [`sequence::periodic`](crate::sequence::periodic) of the objective's actions.
///
/// # Complexity
/// Fewer than A^(prefix + period + 2) values, in blocks, and one bound.
///
/// # Example
/// ```
/// use sporadic::oracles::{ObjectiveFn, Periodic, SequenceOracle};
/// use sporadic::sequence::ActionSequence;
/// let target: ActionSequence = "1(011)".parse()?;
/// let agreement = |seq: &ActionSequence| {
///     seq.iter().zip(target.iter()).take_while(|(a, b)| a == b).take(99).count() as f64
/// };
/// let mut oracle = Periodic { prefix: 1, period: 3 };
/// assert_eq!(oracle.maximize(&mut ObjectiveFn::new(2, agreement))?.sequence, target);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Periodic {
    /// The longest prefix.
    pub prefix: usize,
    /// The longest period.
    pub period: usize,
}

impl Periodic {
    /// Sequences with prefixes and periods of at most these lengths.
    pub fn new(prefix: usize, period: usize) -> Self {
        Self { prefix, period }
    }
}

impl<T: Real> SequenceOracle<T> for Periodic {
    /// # Errors
    /// [`OracleError::TooMany`] if A^(prefix + period) is above 2^24,
    /// [`OracleError::EmptyFamily`] if `period` is 0.
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        let num_actions = objective.num_actions();
        let length = self.prefix.saturating_add(self.period);
        super::truncated::check_size(num_actions, length, DEFAULT_LIMIT)?;
        let mut best = Best::new();
        score_blocks(objective, periodic(num_actions, self.prefix, self.period), &mut best)?;
        let bound = objective.upper_bound(&[]);
        best.into_choice(bound)
    }

    /// The family, if it is small enough to be held.
    fn family(&self, num_actions: usize) -> Option<Cow<'_, [ActionSequence]>> {
        let length = self.prefix.saturating_add(self.period);
        super::truncated::check_size(num_actions, length, HELD).ok()?;
        let family: Vec<_> = periodic(num_actions, self.prefix, self.period).collect();
        (!family.is_empty()).then_some(Cow::Owned(family))
    }
}

/// The most prefixes times periods of a family that is held in memory.
const HELD: usize = 1 << 16;
