//! Ends of sequences, as what a prefix can go on with.

use super::Blind;
use crate::sequence::ActionSequence;

/// The most suffixes of a sequence that serve as tails.
const SUFFIXES: usize = 64;

/// Adds the values of the suffixes of `seq` at every state: that without its first `start` actions, then each of those that
/// are one action shorter, as long as they differ. Of the last the first `length` actions count, one at least, and none of what is
/// beyond them.
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
    let end = start + count + length.min(256) - 1;
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
