//! The Bellman equations on augmented states.
//!
//! An augmented policy pi maps x = (s, a_1, ..., a_n) to an action. With V a function on augmented
//! states,
//!
//! ```math
//! Q_V(x, a) = E_{s ~ b(x)} r(s, a) + gamma beta(a) E_{s' ~ b(x a)} V(s') + gamma (1 - beta(a)) V(x a)
//! ```
//!
//! with the reveal probability beta_(n+1)(a) of the age reached where it depends on the age, and the Bellman operator is the maximum over a. It contracts by gamma in the supremum norm, and
//! its fixed point is V*.

use super::error::PlanningError;
use super::{Stationary, evaluate};
use crate::Real;
use crate::belief::{AugmentedState, belief};
use crate::model::{Action, Tabular};
use crate::sequence::ActionSequence;

/// Computes Q_V(x, a): the value of taking `a` at x and continuing with the value function `value`.
///
/// # Panics
/// If `x` or `a` is not the model's.
///
/// # Example
/// ```
/// use sporadic::belief::AugmentedState;
/// use sporadic::model::gallery;
/// use sporadic::planning::bellman;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
/// let x = AugmentedState::new(5).with_actions([1]);
/// let q = bellman::q(&swim, &x, 1, |_| 0.0);
/// assert!((q - 0.6).abs() < 1e-12); // still at the upper end with probability 0.6
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn q<T: Real>(
    model: &Tabular<T>,
    x: &AugmentedState<usize>,
    a: Action,
    value: impl Fn(&AugmentedState<usize>) -> T,
) -> T {
    let now = belief(model, x);
    let mut next = x.clone();
    next.push(a);
    let after = belief(model, &next);
    let reward =
        now.iter().enumerate().fold(T::zero(), |sum, (s, &b)| sum + b * model.reward(s, a));
    let age = next.actions().len();
    // `value` is asked only where it counts: it may be costly, or not defined elsewhere.
    let (mut total, seen, blind) = (reward, model.seen_at(a, age), model.blind_at(a, age));
    if seen > T::zero() {
        for (s, &b) in after.iter().enumerate().filter(|(_, b)| **b > T::zero()) {
            total += seen * b * value(&AugmentedState::new(s));
        }
    }
    if blind > T::zero() {
        total += blind * value(&next);
    }
    total
}

/// Applies the Bellman operator at x: the largest Q_V(x, a), and the first action that attains it.
///
/// # Panics
/// If `x` is not the model's.
pub fn backup<T: Real>(
    model: &Tabular<T>,
    x: &AugmentedState<usize>,
    value: impl Fn(&AugmentedState<usize>) -> T,
) -> (T, Action) {
    let mut best = (q(model, x, 0, &value), 0);
    for a in 1..model.num_actions() {
        let candidate = q(model, x, a, &value);
        if candidate > best.0 {
            best = (candidate, a);
        }
    }
    best
}

/// The sequence that an augmented policy induces from x: pi(x), pi(x pi(x)), ..., its first `depth`
/// actions, the last one held forever.
///
/// # Panics
/// If `depth` is 0.
pub fn induced(
    policy: impl Fn(&AugmentedState<usize>) -> Action,
    x: &AugmentedState<usize>,
    depth: usize,
) -> ActionSequence {
    assert!(depth > 0, "an induced sequence needs at least one action");
    let mut x = x.clone();
    let mut word = Vec::with_capacity(depth);
    for _ in 0..depth {
        let a = policy(&x);
        x.push(a);
        word.push(a);
    }
    let last = word[depth - 1];
    ActionSequence::new(word, [last])
}

/// The value of an augmented policy at every state, up to a stated error; see
/// [`evaluate_augmented`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TruncatedValue<T> {
    /// The values, one per state.
    pub values: Vec<T>,
    /// The largest difference between these values and those of the policy.
    pub error: T,
}

/// Computes the value of an augmented policy up to a stated error: each induced sequence is followed
/// for `depth` blind actions and its last action held from there on.
///
/// The truncated policy differs only after `depth` blind actions, which are reached between two
/// sightings with discounted weight w at most; there the two differ by (r_max - r_min) / (1 - gamma)
/// at most. With D the largest difference of the values, D <= w (r_max - r_min) / (1 - gamma) +
/// gamma D, which gives the error; D <= (r_max - r_min) / (1 - gamma) in any case.
///
/// # Errors
/// [`PlanningError::Action`] if the policy takes an action that the model does not have, and
/// [`PlanningError::Overflow`] if values may be too large for the scalar.
///
/// # Panics
/// If `depth` is 0.
pub fn evaluate_augmented<T: Real>(
    model: &Tabular<T>,
    policy: impl Fn(&AugmentedState<usize>) -> Action,
    depth: usize,
) -> Result<TruncatedValue<T>, PlanningError> {
    let sequences: Vec<_> =
        (0..model.num_states()).map(|s| induced(&policy, &AugmentedState::new(s), depth)).collect();
    let weight = sequences.iter().fold(T::zero(), |worst: T, seq| {
        // `evaluate` refuses actions that there are not.
        let blind = |w, (a, age)| {
            if a < model.num_actions() { w * model.blind_at(a, age) } else { w }
        };
        worst.max(seq.iter().zip(1..).take(depth).fold(T::one(), blind))
    });
    let values = evaluate(model, &Stationary::new(sequences))?;
    let (low, high) = model.reward_range();
    let horizon = model.discount().mean_rounds();
    // In this order nothing overflows that `evaluate` has not refused.
    let span = high * horizon - low * horizon;
    Ok(TruncatedValue { values, error: span * (weight * horizon).min(T::one()) })
}
