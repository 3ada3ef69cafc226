//! Beam search.

use std::cmp::Ordering;

use super::choice::{Best, Suggested, or_infinite};
use super::climb::{climb, score_first};
use super::{Choice, OracleError, SequenceObjective, SequenceOracle};
use crate::Real;
use crate::features::hold;
use crate::model::Action;

/// Beam search: keeps the `width` most promising prefixes of each length up to `depth`, and scores
/// sequences that start with them.
///
/// Prefixes are ranked by the objective's upper bound, and where bounds are equal, as at the clip, by the value
/// with the last action held. An objective that suggests nothing but to hold the last action is taken to
/// have coarse bounds, from norms or none: half of the places then go by value whatever the bounds
/// are. What is dropped is remembered by its bound: the certificate is the largest bound among all
/// dropped prefixes and all leaves, so it holds for all of A^N. Prefixes with no better sequence than the best found are
/// dropped at once. The search ends where a value reaches the bound on all of A^N, as it does at the clip.
///
/// Tried first are sequences that hold one action and the objective's [hints](SequenceObjective::hints), which the objective is
/// then asked to [improve](SequenceObjective::improve). Where it says that the question is
/// [familiar](SequenceObjective::is_familiar), as a learner does that has just asked nearly the same, that is all: no prefix is bounded,
/// and the upper bound of the answer is that of the empty prefix, which in a learner is the clip. For answers that are certified
/// there too, use [`BranchAndBound`](super::BranchAndBound).
///
/// # Complexity
/// At most A `width` `depth` bounds, and one suggestion scored per length and per leaf, unless an earlier suggestion
/// starts with the prefix; one value more for each prefix where bounds are coarse, or whose bound ties with that of the last one kept.
///
/// # Example
/// ```
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::oracles::{Beam, FeatureObjective, SequenceOracle};
/// let psi = TabularPsi::new(gallery::river_balance::<f64>(6, 0.2, 0.99)?);
/// let mut objective = FeatureObjective::planning(&psi, 0, &[50.0; 6])?;
/// let choice = Beam { width: 16, depth: 40 }.maximize(&mut objective)?;
/// assert!(choice.value <= choice.upper_bound);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Beam {
    /// How many prefixes of each length are kept.
    pub width: usize,
    /// How long prefixes grow.
    pub depth: usize,
}

impl Beam {
    /// A beam of this width and depth.
    pub fn new(width: usize, depth: usize) -> Self {
        Self { width, depth }
    }
}

#[derive(Debug)]
struct Kept<T> {
    prefix: Vec<Action>,
    bound: T,
    /// With the last action held, if it has been asked for.
    value: T,
}

impl<T: Real> SequenceOracle<T> for Beam {
    /// # Errors
    /// [`OracleError::Parameter`] if the width is 0.
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        let num_actions = objective.num_actions();
        if num_actions == 0 {
            return Err(OracleError::NoActions);
        }
        if self.width == 0 {
            return Err(OracleError::Parameter {
                name: "width",
                value: 0.0,
                expected: "at least 1",
            });
        }
        let mut best = Best::new();
        let root = or_infinite(objective.upper_bound(&[]));
        let nothing = T::of(f64::NEG_INFINITY);
        // A value at the bound on all of A^N is a maximum: then nothing is searched, and no table is made.
        let is_largest = |best: &Best<T>| best.value().is_some_and(|value| value >= root);
        if root.is_finite() {
            score_first(objective, &mut best)?;
            let has_climbed = climb(objective, &mut best, root, (self.width, self.depth))?;
            if is_largest(&best) || (has_climbed && objective.is_familiar()) {
                best.evaluated += 1;
                return best.into_choice(root);
            }
        }
        let mut dropped = nothing;
        let mut bounded = 1;
        let mut suggested = Suggested::default();
        let mut beam = vec![Kept { prefix: Vec::new(), bound: root, value: nothing }];
        for _ in 0..self.depth {
            let mut longer = Vec::with_capacity(beam.len() * num_actions);
            for kept in &beam {
                for a in 0..num_actions {
                    let mut prefix = Vec::with_capacity(kept.prefix.len() + 1);
                    prefix.extend_from_slice(&kept.prefix);
                    prefix.push(a);
                    let bound = or_infinite(objective.upper_bound(&prefix)).min(kept.bound);
                    bounded += 1;
                    longer.push(Kept { prefix, bound, value: nothing });
                }
            }
            // No sequence that starts with these is better than the best found.
            longer.retain(|kept| {
                let is_open = best.value().is_none_or(|value| kept.bound > value);
                if !is_open {
                    dropped = dropped.max(kept.bound);
                }
                is_open
            });
            if longer.is_empty() {
                beam = longer;
                break;
            }
            // Stable: of equals the first in lexicographic order of the beam stays.
            longer.sort_by(by_bound);
            let mut is_coarse = false;
            if !suggested.covers(&longer[0].prefix) {
                let seq = objective.suggest(&longer[0].prefix);
                let value = objective.value(&seq);
                best.offer(&seq, value)?;
                if is_largest(&best) {
                    best.evaluated += bounded;
                    return best.into_choice(root);
                }
                is_coarse = seq == hold(&longer[0].prefix);
                if !is_coarse {
                    suggested.push(seq);
                }
            }
            rank(&mut longer, self.width, is_coarse, objective, &mut best)?;
            dropped =
                longer.drain(self.width.min(longer.len())..).fold(dropped, |d, k| d.max(k.bound));
            beam = longer;
        }
        let leaves = beam.iter().filter(|kept| !suggested.covers(&kept.prefix));
        let leaves: Vec<_> = leaves.map(|kept| objective.suggest(&kept.prefix)).collect();
        for (seq, value) in leaves.iter().zip(objective.values(&leaves)) {
            best.offer(seq, value)?;
        }
        let bound = beam.iter().fold(dropped, |bound, kept| bound.max(kept.bound));
        best.evaluated += bounded;
        best.into_choice(bound.min(root))
    }
}

fn descending<T: Real>(x: T, y: T) -> Ordering {
    y.partial_cmp(&x).unwrap_or(Ordering::Equal)
}

fn by_bound<T: Real>(x: &Kept<T>, y: &Kept<T>) -> Ordering {
    descending(x.bound, y.bound).then(descending(x.value, y.value))
}

/// Puts the `width` prefixes to keep before the others, given all of them sorted by bound.
fn rank<T: Real>(
    sorted: &mut [Kept<T>],
    width: usize,
    is_coarse: bool,
    objective: &mut dyn SequenceObjective<T>,
    best: &mut Best<T>,
) -> Result<(), OracleError> {
    // The prefixes that values decide between: all, or those that tie with the last one kept.
    let (mut start, mut end) = (0, sorted.len());
    if !is_coarse {
        if end <= width {
            return Ok(());
        }
        let last = sorted[width - 1].bound;
        start = sorted.partition_point(|kept| kept.bound > last);
        end = sorted.partition_point(|kept| kept.bound >= last);
        if end <= width {
            return Ok(());
        }
    }
    let held: Vec<_> = sorted[start..end].iter().map(|kept| hold(&kept.prefix)).collect();
    let values = objective.values(&held);
    for ((kept, seq), value) in sorted[start..end].iter_mut().zip(&held).zip(values) {
        best.offer(seq, value)?;
        kept.value = value;
    }
    sorted[start..end].sort_by(by_bound);
    if is_coarse && sorted.len() > width {
        sorted[width.div_ceil(2)..].sort_by(|x, y| descending(x.value, y.value));
    }
    Ok(())
}
