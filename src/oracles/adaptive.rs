//! A pool of sequences that grows around the best of them.

use std::collections::HashSet;

use super::choice::{Best, or_infinite};
use super::{Choice, OracleError, SequenceObjective, SequenceOracle};
use crate::Real;
use crate::model::Action;
use crate::sequence::{ActionSequence, first_sequences};

/// A search over all sequences that starts from a small family and goes on from the best found to what differs
/// from it in one place, as long as that is better.
///
/// Neighbours of a sequence: one of its first actions changed, left out or put in; an action put in front of it; the
/// sequence after any of its first actions; a beginning of it repeated for ever; a beginning of it followed by another of
/// the best sequences found. No bound is needed for the search, so it works with any objective; the answer's
/// upper bound is that of the objective on all sequences.
///
/// What it answers is never below the best of the family that it starts with, and depends on the objective alone.
/// [`AdaptiveLsviUcb`](crate::agents::AdaptiveLsviUcb) keeps such a pool from one episode to the next and searches by
/// linear functions of psi, which is faster and finds more.
///
/// # Complexity
/// At most `size` values: as many as the family has, then about 60 per action and round.
///
/// # Example
/// ```
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::oracles::{Adaptive, Exhaustive, FeatureObjective, SequenceOracle};
/// use sporadic::sequence::runs;
/// let psi = TabularPsi::new(gallery::river_balance::<f64>(6, 0.1, 0.99)?);
/// let mut k = FeatureObjective::planning(&psi, 0, &[44.0; 6])?;
/// let found = Adaptive::default().maximize(&mut k)?;
/// let paper = Exhaustive::new(runs(2, 5, 10)).maximize(&mut k)?;
/// assert!(found.value > paper.value);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Adaptive {
    /// The most sequences that are scored for one answer.
    pub size: usize,
}

/// The first positions of a sequence that are changed.
const POSITIONS: usize = 16;
/// Prefix and period of a sequence may grow to this many actions together.
const LONGEST: usize = 64;
/// How many of the best sequences are gone on from.
const ELITE: usize = 4;

impl Default for Adaptive {
    /// At most 1024 sequences for an answer.
    fn default() -> Self {
        Self { size: 1024 }
    }
}

impl<T: Real> SequenceOracle<T> for Adaptive {
    /// # Errors
    /// [`OracleError::Parameter`] if the size is 0.
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        let num_actions = objective.num_actions();
        if num_actions == 0 {
            return Err(OracleError::NoActions);
        }
        if self.size == 0 {
            let (name, value, expected) = ("size", 0.0, "at least 1");
            return Err(OracleError::Parameter { name, value, expected });
        }
        let first = first_sequences(num_actions, self.size);
        let mut best = Best::new();
        let mut elite = Elite::default();
        for (seq, value) in first.iter().zip(objective.values(&first)) {
            best.offer(seq, value)?;
            elite.offer(seq, value);
        }
        let mut known: HashSet<ActionSequence> = first.into_iter().collect();
        while let Some(around) = elite.next() {
            for seq in neighbours(&around, &elite, num_actions) {
                if best.evaluated >= self.size {
                    break;
                }
                if known.insert(seq.clone()) {
                    // One by one, so that an objective keeps what it knows of the first family.
                    let value = objective.value(&seq);
                    best.offer(&seq, value)?;
                    elite.offer(&seq, value);
                }
            }
        }
        let bound = or_infinite(objective.upper_bound(&[]));
        best.evaluated += 1;
        best.into_choice(bound)
    }
}

/// The best sequences so far, best first, and whether they were gone on from.
#[derive(Debug)]
struct Elite<T> {
    members: Vec<(ActionSequence, T, bool)>,
}

impl<T> Default for Elite<T> {
    fn default() -> Self {
        Self { members: Vec::new() }
    }
}

impl<T: Real> Elite<T> {
    fn offer(&mut self, seq: &ActionSequence, value: T) {
        let at = self.members.partition_point(|(_, known, _)| *known >= value);
        if at < ELITE {
            self.members.insert(at, (seq.clone(), value, false));
            self.members.truncate(ELITE);
        }
    }

    /// The best that has not been gone on from.
    fn next(&mut self) -> Option<ActionSequence> {
        let (seq, _, done) = self.members.iter_mut().find(|(_, _, done)| !done)?;
        *done = true;
        Some(seq.clone())
    }
}

/// What differs from `seq` in one place.
fn neighbours<T>(
    seq: &ActionSequence,
    elite: &Elite<T>,
    num_actions: usize,
) -> Vec<ActionSequence> {
    let mut all = Vec::new();
    let mut add = |head: &[Action], rest: &ActionSequence| {
        let prefix = [head, rest.prefix()].concat();
        if prefix.len() + rest.period().len() <= LONGEST {
            all.push(ActionSequence::new(prefix, rest.period()));
        }
    };
    let word: Vec<Action> = seq.iter().take(POSITIONS).collect();
    let mut rest = seq.clone(); // what follows the first h actions
    for h in 0..POSITIONS {
        let (head, after) = (&word[..h], rest.tail());
        for a in 0..num_actions {
            let longer = [head, &[a]].concat();
            if a != word[h] {
                add(&longer, &after);
            }
            add(&longer, &rest);
        }
        add(head, &after);
        add(&[], &after);
        for (other, _, _) in &elite.members {
            add(head, other);
        }
        add(&[], &ActionSequence::new([], &word[..=h]));
        rest = after;
    }
    all
}
