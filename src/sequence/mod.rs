//! Infinite action sequences that end in a period, and finite families of them.

mod families;
mod parse;
mod policy;

pub(crate) use families::first_sequences;
pub use families::{MAX_LENGTH, periodic, runs, words};
pub use parse::ParseSequenceError;
pub use policy::BurstPolicy;

use crate::model::Action;

/// An eventually periodic action sequence in A^N: a prefix, then a period repeated forever.
///
/// Kept in canonical form (the shortest period, then the shortest prefix), so that `==` and hashing
/// are those of the infinite words: `1(1)` equals `(1)`, and `0(10)` equals `(01)`.
///
/// Prints and parses as `111(01)`. Sequences with an action above 9 put a comma after each action:
/// `10,3,(0,11,)`.
///
/// # Example
/// ```
/// use sporadic::sequence::ActionSequence;
///
/// let a: ActionSequence = "111(01)".parse()?;
/// assert_eq!(a, ActionSequence::new([1, 1], [1, 0])); // 11 10 10 10 ...
/// assert_eq!(a.to_string(), "11(10)");
/// assert_eq!(a.iter().take(6).collect::<Vec<_>>(), [1, 1, 1, 0, 1, 0]);
/// assert_eq!(a.tail().to_string(), "1(10)");
/// # Ok::<(), sporadic::sequence::ParseSequenceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "String", try_from = "String"))]
pub struct ActionSequence {
    prefix: Vec<Action>,
    period: Vec<Action>,
}

impl ActionSequence {
    /// The sequence `prefix period period period ...`, brought to canonical form.
    ///
    /// # Panics
    /// If `period` is empty: the sequence would be finite.
    pub fn new(prefix: impl Into<Vec<Action>>, period: impl Into<Vec<Action>>) -> Self {
        let (mut prefix, mut period) = (prefix.into(), period.into());
        assert!(!period.is_empty(), "the period of an action sequence must not be empty");
        period.truncate(primitive_length(&period));
        // A prefix that ends as the period does gives its last action to the period: p x (q x) is
        // p (x q).
        let shared = prefix
            .iter()
            .rev()
            .zip(period.iter().rev().cycle())
            .take_while(|(a, b)| a == b)
            .count();
        prefix.truncate(prefix.len() - shared);
        let turn = shared % period.len();
        period.rotate_right(turn);
        Self { prefix, period }
    }

    /// The sequence that holds one action forever.
    pub fn constant(a: Action) -> Self {
        Self { prefix: Vec::new(), period: vec![a] }
    }

    /// The shortest prefix before the period sets in.
    pub fn prefix(&self) -> &[Action] {
        &self.prefix
    }

    /// The shortest period; never empty.
    pub fn period(&self) -> &[Action] {
        &self.period
    }

    /// The action at position `h`, counted from 0.
    #[inline]
    pub fn action(&self, h: usize) -> Action {
        match self.prefix.get(h) {
            Some(&a) => a,
            None => self.period[(h - self.prefix.len()) % self.period.len()],
        }
    }

    /// The first action.
    pub fn first(&self) -> Action {
        self.action(0)
    }

    /// The actions one after the other, without end.
    pub fn iter(&self) -> impl Iterator<Item = Action> + '_ {
        self.prefix.iter().chain(self.period.iter().cycle()).copied()
    }

    /// The sequence without its first action.
    pub fn tail(&self) -> Self {
        let mut tail = self.clone();
        if tail.prefix.is_empty() {
            tail.period.rotate_left(1);
        } else {
            tail.prefix.remove(0);
        }
        tail
    }

    /// The sequence with `a` put in front: the paper's `a + sequence`.
    pub fn prepend(&self, a: Action) -> Self {
        let mut prefix = Vec::with_capacity(self.prefix.len() + 1);
        prefix.push(a);
        prefix.extend_from_slice(&self.prefix);
        Self::new(prefix, self.period.clone())
    }

    /// Whether its first actions are those of `word`.
    pub(crate) fn starts_with(&self, word: &[Action]) -> bool {
        word.iter().copied().eq(self.iter().take(word.len()))
    }

    /// The largest action that occurs; a model needs more actions than this.
    pub fn max_action(&self) -> Action {
        self.prefix.iter().chain(&self.period).copied().max().unwrap_or(0)
    }
}

/// The length of the shortest word of which `word` is a power, by the failure function of
/// Knuth, Morris and Pratt.
fn primitive_length(word: &[Action]) -> usize {
    let n = word.len();
    let mut border = vec![0; n];
    for i in 1..n {
        let mut k = border[i - 1];
        while k > 0 && word[i] != word[k] {
            k = border[k - 1];
        }
        border[i] = if word[i] == word[k] { k + 1 } else { 0 };
    }
    let root = n - border[n - 1];
    if n.is_multiple_of(root) { root } else { n }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word(min: usize) -> impl Strategy<Value = Vec<Action>> {
        proptest::collection::vec(0..3_usize, min..8)
    }

    proptest! {
        #[test]
        fn canonical_form_keeps_the_word(prefix in word(0), period in word(1)) {
            let seq = ActionSequence::new(prefix.clone(), period.clone());
            let plain = prefix.iter().chain(period.iter().cycle()).copied();
            prop_assert!(seq.iter().take(40).eq(plain.take(40)));
            prop_assert!((0..40).all(|h| seq.iter().nth(h) == Some(seq.action(h))));
        }

        #[test]
        fn equality_is_equality_of_words(
            a in (word(0), word(1)),
            b in (word(0), word(1)),
        ) {
            let (a, b) = (ActionSequence::new(a.0, a.1), ActionSequence::new(b.0, b.1));
            // Two such words that agree on prefix + both periods agree everywhere (Fine and Wilf).
            let same = a.iter().take(40).eq(b.iter().take(40));
            prop_assert_eq!(a == b, same);
        }

        #[test]
        fn prepend_undoes_tail(prefix in word(0), period in word(1)) {
            let seq = ActionSequence::new(prefix, period);
            prop_assert_eq!(seq.tail().prepend(seq.first()), seq.clone());
            prop_assert!(seq.tail().iter().take(20).eq(seq.iter().skip(1).take(20)));
        }
    }

    #[test]
    fn tail_stays_canonical() {
        let seq: ActionSequence = "01(1)".parse().unwrap();
        assert_eq!(seq.to_string(), "0(1)");
        assert_eq!(seq.tail(), ActionSequence::constant(1));
    }
}
