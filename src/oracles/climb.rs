//! What searches try before they look at prefixes.

use super::choice::Best;
use super::{OracleError, SequenceObjective};
use crate::Real;
use crate::sequence::ActionSequence;

/// How often the objective is asked for a better sequence, at most.
const ROUNDS: usize = 6;
/// Another round is worth it if the last one has gained this share of the value.
const WORTH: f64 = 1e-5;

/// Scores the sequences that hold one action, then the objective's hints.
pub(super) fn score_first<T: Real>(
    objective: &mut dyn SequenceObjective<T>,
    best: &mut Best<T>,
) -> Result<(), OracleError> {
    let mut first: Vec<_> = (0..objective.num_actions()).map(ActionSequence::constant).collect();
    for hint in objective.hints() {
        if !first.contains(hint) {
            first.push(hint.clone());
        }
    }
    for (seq, value) in first.iter().zip(objective.values(&first)) {
        best.offer(seq, value)?;
    }
    Ok(())
}

/// Goes from the best sequence so far to better ones, as long as the objective knows one and none has the value `most`; then from
/// what it suggests, which may lead to another maximum. Whether the objective can search.
pub(super) fn climb<T: Real>(
    objective: &mut dyn SequenceObjective<T>,
    best: &mut Best<T>,
    most: T,
    size: (usize, usize),
) -> Result<bool, OracleError> {
    let Some((first, value)) = best.found() else { return Ok(false) };
    if value >= most {
        return Ok(true);
    }
    let first = (first.clone(), value);
    if !climb_from(objective, best, first, most, size)? {
        return Ok(false);
    }
    if best.value().is_some_and(|value| value < most) {
        let other = objective.suggest(&[]);
        let value = objective.value(&other);
        best.offer(&other, value)?;
        climb_from(objective, best, (other, value), most, size)?;
    }
    Ok(true)
}

/// Goes on from one sequence. Whether the objective can search.
fn climb_from<T: Real>(
    objective: &mut dyn SequenceObjective<T>,
    best: &mut Best<T>,
    (mut from, mut value): (ActionSequence, T),
    most: T,
    size: (usize, usize),
) -> Result<bool, OracleError> {
    for _ in 0..ROUNDS {
        if value >= most {
            break;
        }
        let Some(next) = objective.improve(&from, size) else { return Ok(false) };
        if next == from {
            break;
        }
        let reached = objective.value(&next);
        best.offer(&next, reached)?;
        let is_best = best.value().is_some_and(|best| reached >= best);
        if !is_best || reached <= value + T::of(WORTH) * value.abs() {
            break;
        }
        (from, value) = (next, reached);
    }
    Ok(true)
}
