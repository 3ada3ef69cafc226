//! Finite families of action sequences, as iterators without duplicates.
//!
//! The order of a family is part of its definition: ties between candidates go to the first.
//!
//! The iterators make one member at a time and remember none, so their memory does not depend on the
//! size of the family. The kinds of oracles refuse families that are too large to go
//! through (`kinds::oracles::MAX_MEMBERS`).

use itertools::iproduct;

use super::{ActionSequence, primitive_length};
use crate::model::Action;

/// The longest word that [`words`] makes.
pub const MAX_LENGTH: usize = 1 << 24;

/// Every word of length `depth`, its last action held forever: the `A^depth` sequences that are
/// constant from position `depth` on, in lexicographic order.
///
/// There is none if `depth` is 0 or above [`MAX_LENGTH`]: such a word would not fit into memory.
///
/// # Example
/// ```
/// use itertools::Itertools;
/// use sporadic::sequence::words;
/// assert_eq!(words(2, 2).join(" "), "(0) 0(1) 1(0) (1)");
/// assert_eq!(words(3, 4).count(), 81);
/// ```
pub fn words(num_actions: usize, depth: usize) -> impl Iterator<Item = ActionSequence> + Clone {
    let depth = if depth <= MAX_LENGTH { depth } else { 0 };
    all_words(num_actions, depth).filter_map(|mut word| {
        let last = word.pop()?;
        Some(ActionSequence::new(word, [last]))
    })
}

/// Every sequence with a prefix of at most `prefix` actions and a period of at most `period`
/// actions, shorter periods first, then shorter prefixes.
///
/// # Example
/// ```
/// use itertools::Itertools;
/// use sporadic::sequence::periodic;
/// assert_eq!(periodic(2, 1, 2).join(" "), "(0) (1) 1(0) 0(1) (01) (10) 0(01) 1(10)");
/// ```
pub fn periodic(
    num_actions: usize,
    prefix: usize,
    period: usize,
) -> impl Iterator<Item = ActionSequence> + Clone {
    // Of one action there is only the constant sequence.
    let (prefix, period) = if num_actions == 1 { (0, period.min(1)) } else { (prefix, period) };
    (1..=period)
        .flat_map(move |l| (0..=prefix).map(move |p| (p, l)))
        .flat_map(move |(p, l)| {
            all_words(num_actions, l)
                .filter(|period| primitive_length(period) == period.len())
                .flat_map(move |period| {
                    all_words(num_actions, p).map(move |prefix| (prefix, period.clone()))
                })
        })
        // Only canonical pairs: each sequence then comes once, with no memory of the others.
        .filter(|(prefix, period)| prefix.last() != period.last() || prefix.is_empty())
        .map(|(prefix, period)| ActionSequence::new(prefix, period))
}

/// Every sequence of runs: `b^P (c^L1 b^L2)` repeated, for actions b != c, `1 <= P <= prefix`, `0 <= L1, L2 <= run`,
/// not both zero. With two actions this is A^seq of the paper's experiments, in the order of its
/// definition (b, then c, P, L1, L2); the first of equal sequences stays. There are
/// `A (A - 1) prefix (run^2 + 1) + A` of them.
///
/// # Example
/// ```
/// use sporadic::sequence::runs;
/// assert_eq!(runs(2, 5, 10).count(), 1012);
/// ```
pub fn runs(
    num_actions: usize,
    prefix: usize,
    run: usize,
) -> impl Iterator<Item = ActionSequence> + Clone {
    // Without a c (L1 = 0) all of them are the constant sequence of b, which comes once, for the first c; with
    // one action that is all there is. Without a second run of b (L2 = 0) all L1 give b^P (c), which comes
    // once, for L1 = 1. Otherwise the lengths of the first three runs are P, L1 and L2.
    let constant = move |b: Action, c: Action| c == usize::from(b == 0 && num_actions > 1);
    let (prefix, run) = if num_actions == 1 { (prefix.min(1), run.min(1)) } else { (prefix, run) };
    let pairs = (0..num_actions)
        .flat_map(move |b| (0..num_actions).map(move |c| (b, c)))
        .filter(move |(b, c)| b != c || num_actions == 1);
    iproduct!(pairs, 1..=prefix, 0..=run).flat_map(move |((b, c), p, l1)| {
        let last = match l1 {
            0 if p == 1 && constant(b, c) => Some(1..=run.min(1)),
            1.. if b != c => Some(usize::from(l1 > 1)..=run),
            _ => None,
        };
        last.into_iter().flatten().map(move |l2| {
            let mut period = vec![c; l1];
            period.resize(l1 + l2, b);
            ActionSequence::new(vec![b; p], period)
        })
    })
}

/// Every word of exactly `length` actions, in lexicographic order.
fn all_words(num_actions: usize, length: usize) -> impl Iterator<Item = Vec<Action>> + Clone {
    let mut next = (num_actions > 0 || length == 0).then(|| vec![0; length]);
    std::iter::from_fn(move || {
        let word = next.take()?;
        // Count up: the last position that is not yet the last action moves on.
        if let Some(i) = word.iter().rposition(|&a| a + 1 < num_actions) {
            let mut following = word.clone();
            following[i] += 1;
            following[i + 1..].fill(0);
            next = Some(following);
        }
        Some(word)
    })
}

/// The sequences that a search of this size starts with: the largest of some families of runs that takes up no more
/// than half of it, at the least the constant sequences as far as they fit.
pub(crate) fn first_sequences(num_actions: usize, size: usize) -> Vec<ActionSequence> {
    let members = |(prefix, run): (usize, usize)| {
        let pairs = num_actions.saturating_mul(num_actions.saturating_sub(1));
        pairs.saturating_mul(prefix * (run * run + 1)).saturating_add(num_actions)
    };
    let fits = |&family: &(usize, usize)| members(family) <= size / 2;
    match [(2, 3), (1, 2), (1, 1)].into_iter().find(fits) {
        Some((prefix, run)) => runs(num_actions, prefix, run).collect(),
        None => (0..num_actions.min(size.max(1))).map(ActionSequence::constant).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn distinct(family: impl Iterator<Item = ActionSequence>) -> usize {
        let all: Vec<_> = family.collect();
        let set: HashSet<_> = all.iter().collect();
        assert_eq!(set.len(), all.len(), "a family has duplicates");
        all.len()
    }

    #[test]
    fn families_have_no_duplicates_and_the_right_size() {
        assert_eq!(distinct(words(2, 10)), 1024);
        assert_eq!(distinct(words(3, 0)), 0);
        assert_eq!(distinct(runs(2, 5, 10)), 1012);
        // Per ordered pair of actions P L^2 words with both runs and P with one, then the constants.
        assert_eq!(distinct(runs(3, 2, 3)), 6 * (2 * 9 + 2) + 3);
        assert_eq!(distinct(runs(1, 2, 3)), 1);
    }

    #[test]
    fn periodic_is_everything_short() {
        // The set made by brute force from all pairs.
        let (p, l) = (3, 4);
        let brute: HashSet<_> = (0..=p)
            .flat_map(|i| all_words(2, i))
            .flat_map(|prefix| {
                (1..=l)
                    .flat_map(|i| all_words(2, i))
                    .map(move |period| ActionSequence::new(prefix.clone(), period))
            })
            .collect();
        let family: HashSet<_> = periodic(2, p, l).collect();
        assert_eq!(distinct(periodic(2, p, l)), family.len());
        assert_eq!(family, brute);
    }

    #[test]
    fn runs_are_the_definition_without_repetitions() {
        use itertools::Itertools;
        for (actions, prefix, run) in
            [(1, 3, 2), (2, 5, 4), (3, 2, 3), (4, 1, 1), (2, 0, 3), (2, 3, 0)]
        {
            let pairs = iproduct!(0..actions, 0..actions).filter(|(b, c)| b != c || actions == 1);
            let definition = iproduct!(pairs, 1..=prefix, 0..=run, 0..=run)
                .filter(|&(_, _, l1, l2)| l1 + l2 > 0)
                .map(|((b, c), p, l1, l2)| {
                    ActionSequence::new(vec![b; p], [vec![c; l1], vec![b; l2]].concat())
                })
                .unique();
            assert!(runs(actions, prefix, run).eq(definition), "{actions} {prefix} {run}");
        }
    }

    #[test]
    fn huge_families_begin_at_once() {
        let huge = usize::MAX;
        assert_eq!(runs(2, huge, huge).take(1000).count(), 1000);
        assert_eq!(periodic(2, huge, huge).take(1000).count(), 1000);
        assert_eq!(words(2, huge).count(), 0);
        assert_eq!(runs(1, huge, huge).count(), 1);
        assert_eq!(periodic(1, huge, huge).count(), 1);
    }

    #[test]
    fn words_end_constant() {
        assert!(words(2, 4).all(|w| w.period().len() == 1 && w.prefix().len() <= 3));
    }
}
