//! Long sequences in short form.

use crate::model::Action;
use crate::sequence::ActionSequence;

/// No sequence is looked at further than this.
const LONGEST: usize = 256;

/// The sequence with the shortest prefix and period that agrees with `seq` on its first `length` actions; of
/// equally short ones that with the shortest period.
///
/// # Complexity
/// The square of `length`.
pub(crate) fn shorten(seq: &ActionSequence, length: usize) -> ActionSequence {
    let length = length.clamp(1, LONGEST);
    if seq.prefix().len() + seq.period().len() <= 2 {
        return seq.clone();
    }
    let word: Vec<Action> = seq.iter().take(length).collect();
    let mut best = (length, 1);
    for period in 1..=length {
        // The longest end of the word in which every action is that of `period` actions before.
        let repeats = (period..length).rev().take_while(|&i| word[i] == word[i - period]).count();
        let prefix = length - period - repeats;
        if prefix + period < best.0 + best.1 {
            best = (prefix, period);
        }
    }
    let (prefix, period) = best;
    if prefix + period >= seq.prefix().len() + seq.period().len() {
        return seq.clone();
    }
    ActionSequence::new(&word[..prefix], &word[prefix..prefix + period])
}

/// The sequence without its first `h` actions.
pub(crate) fn suffix(seq: &ActionSequence, h: usize) -> ActionSequence {
    let (prefix, period) = (seq.prefix(), seq.period());
    if h <= prefix.len() {
        return ActionSequence::new(&prefix[h..], period);
    }
    let mut period = period.to_vec();
    let turn = (h - prefix.len()) % period.len();
    period.rotate_left(turn);
    ActionSequence::new([], period)
}
