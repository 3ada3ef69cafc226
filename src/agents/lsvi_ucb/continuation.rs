//! Where the value of what follows the next sighting comes from.

use crate::Real;
use crate::model::Tabular;

/// How the value of what follows the next sighting is found: the part of line 6 that is about V_(u+1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Continuation {
    /// By least squares, together with the rewards, as in the paper.
    #[default]
    Regression,
    /// By the transition probabilities that psi was made from, exact or estimated; only rewards are regressed on. A model-based
    /// variant of Algorithm 1. The theorem does not cover it; on the paper's rivers it has less regret.
    Model,
}

/// For every state s' of `model` the w with E[value] = <psi, w> of a value of 1 if s' is the next state seen; none for a regression,
/// which finds it from segments.
pub(super) fn weights<T: Real>(
    model: &Tabular<T>,
    continuation: Continuation,
) -> Vec<(usize, Vec<T>)> {
    let (n, m) = (model.num_states(), model.num_actions());
    // The continuation half of psi is 1/2 gamma beta(a) o(x, a), with o the mean number of visits.
    let weight = |i: usize, next| match i.checked_sub(n * m) {
        None => T::zero(),
        Some(i) => T::of(2.0) * model.probability(i / m, i % m, next),
    };
    let weights = |next| (0..2 * n * m).map(|i| weight(i, next)).collect();
    match continuation {
        Continuation::Regression => Vec::new(),
        Continuation::Model => (0..n).map(|next| (next, weights(next))).collect(),
    }
}
