//! What an oracle answers.

use std::collections::VecDeque;
use std::fmt;

use super::OracleError;
use crate::Real;
use crate::model::Action;
use crate::sequence::ActionSequence;

/// An oracle's answer: a sequence, its value, and how much better any other could be.
///
/// `value <= sup over A^N <= upper_bound`. So the answer is within [`gap`](Self::gap) of optimal,
/// whatever family the oracle searched. The bound is as good as the objective's own: infinite for
/// a closure that gives none. [`FeatureObjective`](super::FeatureObjective) bounds the exact
/// supremum, rounding included; `value` is the exact value of the sequence up to rounding in `T`.
///
/// # Example
/// ```
/// use sporadic::oracles::Choice;
/// let choice = Choice { sequence: "1(10)".parse()?, value: 3.5, upper_bound: 3.75, evaluated: 1012 };
/// assert_eq!(choice.gap(), 0.25);
/// assert_eq!(choice.to_string(), "1(10)  value 3.5  upper bound 3.75  1012 evaluated");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Choice<T> {
    /// The best sequence found; the first of equals.
    pub sequence: ActionSequence,
    /// Its value.
    pub value: T,
    /// No sequence in A^N has a value above this.
    pub upper_bound: T,
    /// How many candidates it took: sequences scored plus prefixes bounded.
    pub evaluated: usize,
}

impl<T: Real> Choice<T> {
    /// How far from the optimum over all of A^N the value may be.
    pub fn gap(&self) -> T {
        self.upper_bound - self.value
    }
}

impl<T: fmt::Display> fmt::Display for Choice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}  value {}  upper bound {}  {} evaluated",
            self.sequence, self.value, self.upper_bound, self.evaluated
        )
    }
}

/// The bound, or infinity if it is not a number and so bounds nothing.
pub(super) fn or_infinite<T: Real>(bound: T) -> T {
    if bound.as_f64().is_nan() { T::of(f64::INFINITY) } else { bound }
}

/// The sequences that were suggested last. For a prefix of one of them another suggestion would be much like it.
#[derive(Debug, Default)]
pub(super) struct Suggested(VecDeque<ActionSequence>);

impl Suggested {
    /// How many are remembered.
    const MOST: usize = 32;

    /// Whether one of them starts with `prefix`.
    pub(super) fn covers(&self, prefix: &[Action]) -> bool {
        self.0.iter().any(|seq| seq.starts_with(prefix))
    }

    pub(super) fn push(&mut self, seq: ActionSequence) {
        if self.0.len() == Self::MOST {
            self.0.pop_front();
        }
        self.0.push_back(seq);
    }
}

/// The best of the candidates seen so far; the first of equals.
#[derive(Debug)]
pub(super) struct Best<T> {
    found: Option<(ActionSequence, T)>,
    pub(super) evaluated: usize,
}

impl<T: Real> Best<T> {
    pub(super) fn new() -> Self {
        Self { found: None, evaluated: 0 }
    }

    pub(super) fn value(&self) -> Option<T> {
        self.found().map(|(_, value)| value)
    }

    /// The best candidate, and its value.
    pub(super) fn found(&self) -> Option<(&ActionSequence, T)> {
        self.found.as_ref().map(|(sequence, value)| (sequence, *value))
    }

    /// Counts a scored candidate and keeps it if it is better than all before it.
    pub(super) fn offer(&mut self, sequence: &ActionSequence, value: T) -> Result<(), OracleError> {
        self.evaluated += 1;
        if value.as_f64().is_nan() {
            return Err(OracleError::NotANumber { sequence: sequence.to_string() });
        }
        if self.value().is_none_or(|best| value > best) {
            self.found = Some((sequence.clone(), value));
        }
        Ok(())
    }

    /// The answer, given a bound on everything not scored.
    pub(super) fn into_choice(self, upper_bound: T) -> Result<Choice<T>, OracleError> {
        let (sequence, value) = self.found.ok_or(OracleError::EmptyFamily)?;
        let upper_bound = or_infinite(upper_bound);
        Ok(Choice {
            sequence,
            value,
            upper_bound: upper_bound.max(value),
            evaluated: self.evaluated,
        })
    }
}
