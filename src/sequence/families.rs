//! Finite families of action sequences, as iterators without duplicates.
//!
//! The order of a family is part of its definition: ties between candidates go to the first.

use itertools::{Itertools, iproduct};

use super::{ActionSequence, primitive_length};
use crate::model::Action;

/// Every word of length `depth`, its last action held forever: the `A^depth` sequences that are
/// constant from position `depth` on, in lexicographic order.
///
/// # Example
/// ```
/// use itertools::Itertools;
/// use sporadic::sequence::words;
/// assert_eq!(words(2, 2).join(" "), "(0) 0(1) 1(0) (1)");
/// assert_eq!(words(3, 4).count(), 81);
/// ```
pub fn words(num_actions: usize, depth: usize) -> impl Iterator<Item = ActionSequence> + Clone {
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

/// Runs: `b^P (c^L1 b^L2)` repeated, for actions b != c, `1 <= P <= prefix`, `0 <= L1, L2 <= run`,
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
    let pairs = (0..num_actions)
        .flat_map(move |b| (0..num_actions).map(move |c| (b, c)))
        .filter(move |(b, c)| b != c || num_actions == 1);
    iproduct!(pairs, 1..=prefix, 0..=run, 0..=run)
        .filter(|&(_, _, l1, l2)| l1 + l2 > 0)
        .map(|((b, c), p, l1, l2)| {
            let mut period = vec![c; l1];
            period.resize(l1 + l2, b);
            ActionSequence::new(vec![b; p], period)
        })
        .unique()
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
        // The same set, made by brute force from all pairs.
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
    fn words_end_constant() {
        assert!(words(2, 4).all(|w| w.period().len() == 1 && w.prefix().len() <= 3));
    }
}
