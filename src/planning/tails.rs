//! Values of stationary policies on many states, by sweeps over the stored transitions.
//!
//! The tails here carry values of a policy; those of `features::psi::tails` carry occupancies, from which psi is made.

use std::collections::HashMap;

use super::error::{PlanningError, check_actions};
use crate::Real;
use crate::model::{Action, Tabular};
use crate::sequence::ActionSequence;

/// The most memory that values of tails may take, in bytes.
const MOST_BYTES: usize = 1 << 30;

/// The tails of the sequences of a stationary policy: what is left of them after some actions, each
/// distinct tail stored once.
///
/// With alpha_t(s) the value of playing tail t from state s until the next sighting and the policy
/// from there on,
///
/// ```math
/// alpha_t = r_a + gamma P_a (beta_a V + (1 - beta_a) alpha_t'),     V(s) = alpha_start(s)(s)
/// ```
///
/// where a is the first action of t and t' is t without it. An eventually periodic sequence has
/// finitely many tails, so this is a finite system, and one sweep over it contracts by gamma.
///
/// Where reveal probabilities depend on the age, a tail is one of a sequence and of the age at which it
/// starts, up to the age N from which on nothing changes.
#[derive(Debug)]
pub(super) struct Tails {
    /// The first action of each tail, the tail that follows it, and the age of the action.
    parts: Vec<(Action, usize, usize)>,
    /// An order in which a tail comes after the one that follows it, except where a period closes.
    order: Vec<usize>,
    /// The tail that each state starts.
    starts: Vec<usize>,
}

impl Tails {
    /// The tails of the sequences that `sequence` gives for the states of `model`.
    pub(super) fn new<T: Real>(
        model: &Tabular<T>,
        sequence: impl Fn(usize) -> ActionSequence,
    ) -> Result<Self, PlanningError> {
        let states = model.num_states();
        let ages = model.ages();
        let mut known: HashMap<(ActionSequence, usize), usize> = HashMap::new();
        let mut found = Self { parts: Vec::new(), order: Vec::new(), starts: Vec::new() };
        for s in 0..states {
            let mut tail = (sequence(s), 1);
            if let Some(&start) = known.get(&tail) {
                found.starts.push(start);
                continue;
            }
            check_actions(&tail.0, model.num_actions())?;
            let first = found.parts.len();
            found.starts.push(first);
            while !known.contains_key(&tail) {
                known.insert(tail.clone(), found.parts.len());
                found.parts.push((tail.0.first(), found.parts.len() + 1, tail.1));
                tail = (tail.0.tail(), ages.min(tail.1 + 1));
            }
            let last = found.parts.len() - 1;
            found.parts[last].1 = known[&tail];
            found.order.extend((first..=last).rev());
            let tails = found.parts.len();
            let bytes = tails.saturating_mul(states).saturating_mul(size_of::<T>());
            if bytes > MOST_BYTES {
                return Err(PlanningError::Size { states, tails, bytes, limit: MOST_BYTES });
            }
        }
        Ok(found)
    }

    /// The value of the policy at each state, in units of `unit`; `None` if `late` says so between two
    /// tails.
    ///
    /// Sweeps go through the states in turns upward and downward and use new values at once. Each
    /// contracts the error by gamma, which starts at max |r| / (1 - gamma) = M at most, so after
    /// log(epsilon) / log(gamma) of them it is epsilon M. They end before if no number changes by more
    /// than 4 epsilon M; then the error is 4 epsilon M / (1 - gamma), as much as rounding amounts to.
    pub(super) fn values<T: Real>(
        &self,
        model: &Tabular<T>,
        unit: T,
        late: impl Fn() -> bool,
    ) -> Option<Vec<T>> {
        let n = model.num_states();
        let (low, high) = model.reward_range();
        let largest = (low / unit).abs().max((high / unit).abs());
        let enough = T::of(4.0) * T::epsilon() * largest / (T::one() - model.gamma());
        let most =
            (libm::log(T::epsilon().as_f64()) / libm::log(model.gamma().as_f64())).ceil() + 4.0;
        let mut alphas = vec![vec![T::zero(); n]; self.parts.len()];
        let mut v = vec![T::zero(); n];
        let (mut sweeps, mut upward) = (0.0, true);
        loop {
            let mut change = T::zero();
            for &i in &self.order {
                if late() {
                    return None;
                }
                let (a, next, age) = self.parts[i];
                let (seen, blind) = (model.seen_at(a, age), model.blind_at(a, age));
                let mut own = std::mem::take(&mut alphas[i]);
                for k in 0..n {
                    let s = if upward { k } else { n - 1 - k };
                    let rest = if next == i { &own } else { &alphas[next] };
                    let new = model.row(s, a).fold(model.reward(s, a) / unit, |sum, (t, p)| {
                        sum + p * (seen * v[t] + blind * rest[t])
                    });
                    change = change.max((new - own[s]).abs());
                    own[s] = new;
                    if self.starts[s] == i {
                        v[s] = new;
                    }
                }
                alphas[i] = own;
            }
            sweeps += 1.0;
            upward = !upward;
            if change <= enough || sweeps >= most {
                return Some(v);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::gallery;

    #[test]
    fn tails_are_shared() {
        let model = gallery::river_swim::<f64>(3, 0.5, 0.9).unwrap();
        let sequences = ["01(011)", "1(011)", "(011)"];
        let tails = Tails::new(&model, |s| sequences[s].parse().unwrap()).unwrap();
        // 01(011), 1(011) = (101), (011), (110): the second is a rotation of the period.
        assert_eq!(tails.parts.len(), 4);
        assert_eq!(tails.starts, [0, 1, 2]);
    }

    #[test]
    fn too_many_tails_are_refused_by_number() {
        let model = gallery::river_swim::<f64>(20_000, 0.5, 0.9).unwrap();
        let own = |s: usize| {
            let bits: Vec<usize> = (0..15).map(|i| (s >> i) & 1).collect();
            ActionSequence::new(bits, [0])
        };
        let refused = Tails::new(&model, own).unwrap_err();
        assert!(
            matches!(refused, PlanningError::Size { states: 20_000, bytes, .. } if bytes > MOST_BYTES)
        );
    }
}
