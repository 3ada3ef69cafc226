//! Enumeration of all words of one length.

use super::choice::{Best, or_infinite};
use super::exhaustive::score_blocks;
use super::{Choice, OracleError, SequenceObjective, SequenceOracle};
use crate::Real;
use crate::sequence::words;

/// The most candidates that [`Truncated`] scores unless told otherwise: 2^24, minutes of work.
pub(super) const DEFAULT_LIMIT: usize = 1 << 24;

/// Scores every word of `depth` actions, its last action held forever
/// ([`sequence::words`](crate::sequence::words)): plain enumeration, which other searches are compared with.
///
/// The tail rule matters only in the certificate: every sequence of A^N agrees with some candidate
/// on its first `depth` actions, and what differs weighs at most (gamma (1 - `beta_min`))^depth.
/// The upper bound is the largest of the objective's bounds on the words; so it counts both.
///
/// # Complexity
/// A^depth values and about as many bounds.
///
/// # Example
/// Ten actions decide all but 1/1000 of a sum with discount 1/2.
/// ```
/// use sporadic::oracles::{ObjectiveFn, SequenceOracle, Truncated};
/// use sporadic::sequence::ActionSequence;
/// let sum = |seq: &ActionSequence| {
///     seq.iter().zip(0..40).map(|(a, h)| a as f64 * 0.5_f64.powi(h)).sum::<f64>()
/// };
/// let mut oracle = Truncated::within(0.002, 0.5, 0.0, 2.0)?;
/// assert_eq!(oracle.depth(), 10);
/// assert_eq!(oracle.maximize(&mut ObjectiveFn::new(2, sum))?.sequence.to_string(), "(1)");
/// # Ok::<(), sporadic::oracles::OracleError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Truncated {
    depth: usize,
    limit: usize,
}

impl Truncated {
    /// Words of this depth; at least 1 is used.
    pub fn new(depth: usize) -> Self {
        Self { depth: depth.max(1), limit: DEFAULT_LIMIT }
    }

    /// The smallest depth L with (gamma (1 - `beta_min`))^L `value_range` <= epsilon.
    ///
    /// If two sequences that part after L actions differ in value by at most `value_range` times
    /// the weight gamma^L (1 - `beta_1`) ... (1 - `beta_L`) of their tails, then the best word is
    /// within epsilon of the optimum over A^N. For K with continuation values in [0, 1/(1-gamma)]
    /// and rewards in [0, 1] the range is 1/(1-gamma); for the optimistic K add rho times the
    /// diameter of the tails in the Lambda^-1 norm.
    ///
    /// # Errors
    /// [`OracleError::Parameter`] if epsilon or the range is not positive and finite, gamma not in
    /// (0, 1), `beta_min` not in [0, 1], or the depth beyond any memory.
    pub fn within<T: Real>(
        epsilon: T,
        gamma: T,
        beta_min: T,
        value_range: T,
    ) -> Result<Self, OracleError> {
        let check = |name, value: T, holds: bool, expected| {
            let value = value.as_f64();
            if holds { Ok(()) } else { Err(OracleError::Parameter { name, value, expected }) }
        };
        let (zero, one) = (T::zero(), T::one());
        let positive = "positive and finite";
        check("epsilon", epsilon, epsilon > zero && epsilon.is_finite(), positive)?;
        check("value_range", value_range, value_range > zero && value_range.is_finite(), positive)?;
        check("gamma", gamma, gamma > zero && gamma < one, "in the open interval (0, 1)")?;
        check("beta_min", beta_min, beta_min >= zero && beta_min <= one, "in [0, 1]")?;
        let decay = gamma.as_f64() * (1.0 - beta_min.as_f64());
        let target = epsilon.as_f64() / value_range.as_f64();
        if target >= 1.0 || decay <= 0.0 {
            return Ok(Self::new(1));
        }
        // A little less than the quotient, so that an exact power is not pushed up by rounding.
        let depth = (libm::log(target) / libm::log(decay) - 1e-9).ceil();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Ok(Self::new(depth.min(1e9) as usize))
    }

    /// Sets the largest number of candidates, which is 2^24 otherwise.
    ///
    /// Candidates are scored in blocks and not kept, so the limit guards time more than memory.
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// The length of the words.
    pub fn depth(&self) -> usize {
        self.depth
    }
}

/// Refuses more than `limit` words of this length.
pub(super) fn check_size(
    num_actions: usize,
    depth: usize,
    limit: usize,
) -> Result<(), OracleError> {
    if num_actions == 0 {
        return Err(OracleError::NoActions);
    }
    let fits = u32::try_from(depth)
        .ok()
        .and_then(|depth| num_actions.checked_pow(depth))
        .is_some_and(|count| count <= limit);
    if fits { Ok(()) } else { Err(OracleError::TooMany { depth, num_actions, limit }) }
}

impl<T: Real> SequenceOracle<T> for Truncated {
    /// # Errors
    /// [`OracleError::TooMany`] if A^depth is above the limit.
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        let num_actions = objective.num_actions();
        check_size(num_actions, self.depth, self.limit)?;
        let mut best = Best::new();
        score_blocks(objective, words(num_actions, self.depth), &mut best)?;

        let mut bound = objective.upper_bound(&[]);
        best.evaluated += 1;
        // Without a finite bound at the root none is to be expected at the leaves.
        if bound.is_finite() {
            let mut leaves = T::of(f64::NEG_INFINITY);
            let mut word = vec![0; self.depth];
            loop {
                leaves = leaves.max(or_infinite(objective.upper_bound(&word)));
                best.evaluated += 1;
                // Above the root's bound already: the root's stands.
                let Some(i) = word.iter().rposition(|&a| a + 1 < num_actions) else { break };
                if leaves >= bound {
                    break;
                }
                word[i] += 1;
                word[i + 1..].fill(0);
            }
            bound = bound.min(leaves);
        }
        best.into_choice(bound)
    }
}
