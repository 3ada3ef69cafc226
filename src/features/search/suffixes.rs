//! Ends of sequences, as what a prefix can go on with.

use super::Blind;
use crate::sequence::ActionSequence;

/// The most suffixes of a sequence that serve as tails.
pub(crate) const SUFFIXES: usize = 64;

/// The tails, by number, whose values are not below those of another at every state; of equals the first.
///
/// A tail that is left out is the only best one at no belief.
pub(crate) fn undominated(values: &[f64], n: usize) -> Vec<usize> {
    let tail = |t: usize| &values[t * n..(t + 1) * n];
    let mut order: Vec<(f64, usize)> =
        (0..values.len() / n).map(|t| (tail(t).iter().sum(), t)).collect();
    // What is above another at every state has a larger sum.
    order.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut kept: Vec<usize> = Vec::new();
    for (_, t) in order {
        let below = |&k: &usize| tail(k).iter().zip(tail(t)).all(|(x, y)| x >= y);
        if !kept.iter().any(below) {
            kept.push(t);
        }
    }
    kept
}

/// Adds the values of the suffixes of `seq` at every state: that without its first `start` actions, then each of those that
/// are one action shorter, as long as they differ. What is `length` actions beyond the last is left out.
pub(crate) fn push_suffixes(
    blind: &Blind,
    rewards: &[f64],
    seq: &ActionSequence,
    start: usize,
    length: usize,
    out: &mut Vec<f64>,
) {
    let n = blind.num_states;
    let count = (seq.prefix().len() + seq.period().len() - start).min(SUFFIXES);
    let end = start + count + length.min(256);
    let word: Vec<usize> = seq.iter().take(end).collect();
    let (mut values, mut next) = (vec![0.0; n], vec![0.0; n]);
    let mut all = vec![0.0; count * n];
    for h in (start..end).rev() {
        blind.prepend(rewards, word[h], &values, &mut next);
        std::mem::swap(&mut values, &mut next);
        if h < start + count {
            all[(h - start) * n..][..n].copy_from_slice(&values);
        }
    }
    out.extend_from_slice(&all);
}
