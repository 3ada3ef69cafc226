//! Playing on from a prefix as a table advises.

use super::delayed::{Delayed, Near, shift};
use super::lifted::Lifted;
use super::path::Path;
use crate::model::Action;

/// What was played, from the first action of the prefix on.
#[derive(Debug, Clone)]
pub(super) struct Played {
    pub(super) actions: Vec<Action>,
    /// The linear functions of the occupancy that the path sums.
    pub(super) sums: Vec<f64>,
}

/// Suggestions are played until what follows weighs less than this, or for so many actions.
const FAINT: f64 = 1e-7;
const LONGEST: usize = 400;

/// Plays on from the end of `path`, always the action with the largest bound of the table `advice`, whose bounds on
/// short prefixes are `near`. `sums` has the rewards of the functions that the path sums.
///
/// Only beliefs and the occupancy are kept on the way; the sums follow from the occupancy at the end.
pub(super) fn play(
    model: &Lifted,
    path: &Path,
    (advice, sums): (&Delayed, &Delayed),
    near: &Near,
) -> Played {
    let (n, m, k) = (model.num_states(), model.num_actions(), advice.delay);
    let words = advice.values().len() / n;
    let mut actions = path.actions().to_vec();
    // The beliefs after each of the last actions, at least as many as the delay is long.
    let mut beliefs = Vec::with_capacity((k + LONGEST + 1) * n);
    for ago in (0..=k.min(actions.len())).rev() {
        beliefs.extend_from_slice(path.belief_before(ago));
    }
    let (mut word, mut weight) = (path.word(k, m, words), path.weight());
    let mut occupancy = vec![0.0; n * m];
    let mut next = vec![0.0; n];
    let longest = actions.len() + LONGEST;
    while weight > FAINT && actions.len() < longest {
        let before = |ago: usize| {
            let last = beliefs.len() / n - 1;
            &beliefs[last.saturating_sub(ago) * n..][..n]
        };
        let (belief, discounts) = (before(0), model.discounts(actions.len() + 1));
        let mut best = (0, f64::NEG_INFINITY);
        for (a, &discount) in discounts.iter().enumerate() {
            let rewards = (0..n).map(|s| advice.reward(s * m + a)[0]);
            let now = belief.iter().zip(rewards).fold(0.0, |sum, (&b, r)| sum + b * r);
            let longer = shift(word, a, m, words);
            let mut rest = [0.0];
            if actions.len() < k {
                near.at(actions.len() + 1, longer, &mut rest);
            } else if k > 0 {
                advice.at(before(k - 1), longer, &mut rest);
            } else {
                model.push_forward(belief, a, &mut next);
                advice.at(&next, 0, &mut rest);
            }
            let value = now + discount * rest[0];
            if value > best.1 {
                best = (a, value);
            }
        }
        let a = best.0;
        for (s, &b) in belief.iter().enumerate() {
            occupancy[s * m + a] += weight * b;
        }
        model.push_forward(belief, a, &mut next);
        weight *= discounts[a];
        beliefs.extend_from_slice(&next);
        word = shift(word, a, m, words);
        actions.push(a);
    }
    let mut totals = path.sums().to_vec();
    for (i, &mass) in occupancy.iter().enumerate() {
        totals.iter_mut().zip(sums.reward(i)).for_each(|(x, &r)| *x += mass * r);
    }
    Played { actions, sums: totals }
}
