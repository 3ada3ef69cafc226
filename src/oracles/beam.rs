//! A few prefixes at a time.

use std::cmp::Ordering;

use super::choice::{Best, or_infinite};
use super::{Choice, OracleError, SequenceObjective, SequenceOracle};
use crate::Real;
use crate::features::hold;
use crate::model::Action;

/// Beam search: keeps the `width` most promising prefixes of each length up to `depth`, and scores
/// sequences that start with them.
///
/// Prefixes are ranked by the objective's upper bound. Where bounds are infinite, or where prefixes with
/// equal bounds, such as the clip, would be kept and dropped, those are ranked by the value with the last
/// action held. What is dropped is remembered by its bound: the certificate is the
/// largest bound among all dropped prefixes and all leaves, so it holds for all of A^N.
///
/// # Complexity
/// At most A `width` `depth` bounds, and one suggestion scored per length and per leaf; one value more
/// for each prefix whose bound is infinite or ties with that of the last one kept.
///
/// # Example
/// ```
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::oracles::{Beam, SequenceOracle, FeatureObjective};
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

#[derive(Debug)]
struct Kept<T> {
    prefix: Vec<Action>,
    bound: T,
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
        let mut dropped = T::of(f64::NEG_INFINITY);
        let mut bounded = 1;
        let mut beam = vec![Kept { prefix: Vec::new(), bound: root }];
        for _ in 0..self.depth {
            let mut longer = Vec::with_capacity(beam.len() * num_actions);
            for kept in &beam {
                for a in 0..num_actions {
                    let mut prefix = Vec::with_capacity(kept.prefix.len() + 1);
                    prefix.extend_from_slice(&kept.prefix);
                    prefix.push(a);
                    let bound = or_infinite(objective.upper_bound(&prefix)).min(kept.bound);
                    bounded += 1;
                    longer.push(Kept { prefix, bound });
                }
            }
            // Stable: of equals the first in lexicographic order of the beam stays.
            longer.sort_by(|x, y| descending(x.bound, y.bound));
            rank_ties(&mut longer, self.width, objective, &mut best)?;
            dropped =
                longer.drain(self.width.min(longer.len())..).fold(dropped, |d, k| d.max(k.bound));
            beam = longer;
            let seq = objective.suggest(&beam[0].prefix);
            let value = objective.value(&seq);
            best.offer(&seq, value)?;
        }
        let leaves: Vec<_> = beam.iter().map(|kept| objective.suggest(&kept.prefix)).collect();
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

/// Ranks by value, with the last action held, the prefixes whose bound is that of the last one kept, if some of
/// them would be dropped or the bound is infinite.
fn rank_ties<T: Real>(
    sorted: &mut [Kept<T>],
    width: usize,
    objective: &mut dyn SequenceObjective<T>,
    best: &mut Best<T>,
) -> Result<(), OracleError> {
    let Some(last) = sorted.get(width.min(sorted.len()) - 1).map(|kept| kept.bound) else {
        return Ok(());
    };
    let start = sorted.partition_point(|kept| kept.bound > last);
    let end = sorted.partition_point(|kept| kept.bound >= last);
    if end <= width && last.is_finite() {
        return Ok(());
    }
    let tied = &mut sorted[start..end];
    let held: Vec<_> = tied.iter().map(|kept| hold(&kept.prefix)).collect();
    let values = objective.values(&held);
    let mut order = Vec::with_capacity(tied.len());
    for (i, (seq, value)) in held.iter().zip(values).enumerate() {
        best.offer(seq, value)?;
        order.push((i, value));
    }
    order.sort_by(|x, y| descending(x.1, y.1));
    let mut ranked: Vec<Kept<T>> = Vec::with_capacity(tied.len());
    for (i, _) in order {
        let Kept { prefix, bound } = &mut tied[i];
        ranked.push(Kept { prefix: std::mem::take(prefix), bound: *bound });
    }
    for (place, kept) in tied.iter_mut().zip(ranked) {
        *place = kept;
    }
    Ok(())
}
