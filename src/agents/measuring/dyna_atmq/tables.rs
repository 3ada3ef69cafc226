//! What Dyna-ATMQ learns: values, transitions and rewards.

use super::DynaAtmqParams;
use crate::agents::AgentError;
use crate::agents::error::{check_counts, check_finite};
use crate::agents::measuring::Transitions;

/// A pair with fewer measurements takes no part in updates from the model.
const FEWEST: f64 = 5.0;
/// A pair with fewer measurements may still lead anywhere: its prior weighs as one measurement.
const FEW: f64 = 8.0;

/// States with their probabilities, in increasing order.
pub(super) type Belief = Vec<(usize, f64)>;

/// The tables of a [`DynaAtmq`](super::DynaAtmq), each at `s * controls + c` for state s and control c.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Tables {
    controls: usize,
    /// Values raised by optimism, and those learnt.
    pub(super) q: Vec<f64>,
    pub(super) plain: Vec<f64>,
    /// Mean rewards, and of how many rounds.
    rewards: Vec<f64>,
    rounds: Vec<u64>,
    /// Next states; the end of an episode is the state after the last.
    pub(super) seen: Transitions,
}

impl Tables {
    pub(super) fn new(states: usize, controls: usize, optimism: f64) -> Self {
        let pairs = states * controls;
        Self {
            controls,
            q: vec![optimism; pairs],
            plain: vec![0.0; pairs],
            rewards: vec![0.0; pairs],
            rounds: vec![0; pairs],
            seen: Transitions::new(pairs),
        }
    }

    pub(super) fn pair(&self, s: usize, control: usize) -> usize {
        s * self.controls + control
    }

    fn num_states(&self) -> usize {
        self.q.len() / self.controls
    }

    /// Q(s, .), empty for the end of an episode.
    pub(super) fn row(&self, s: usize) -> &[f64] {
        self.q.get(s * self.controls..(s + 1) * self.controls).unwrap_or_default()
    }

    /// max Q(s, .), 0 at the end of an episode.
    pub(super) fn best(&self, s: usize) -> f64 {
        self.row(s).iter().copied().reduce(f64::max).unwrap_or(0.0)
    }

    /// The law of the next state after `control` in `belief`, the end included, by transitions counted so far.
    pub(super) fn law(&self, belief: &[(usize, f64)], control: usize) -> Vec<f64> {
        let mut law = vec![0.0; self.num_states() + 1];
        for &(s, weight) in belief {
            let pair = self.pair(s, control);
            let total = self.seen.total(pair);
            let prior = if total < FEW { 1.0 } else { 0.0 };
            let each = weight / (total + prior);
            if prior > 0.0 {
                let share = each * prior / law.len() as f64;
                law.iter_mut().for_each(|p| *p += share);
            }
            for &(next, count) in self.seen.row(pair) {
                law[next] += each * count;
            }
        }
        law
    }

    /// max Q(s', .) in the mean after `control` in `s`.
    pub(super) fn ahead(&self, s: usize, control: usize) -> f64 {
        let law = self.law(&[(s, 1.0)], control);
        let likely = law.iter().enumerate().filter(|(_, p)| **p > 0.0);
        likely.map(|(t, p)| p * self.best(t)).sum()
    }

    /// What a measurement is worth: how much is lost in the mean by taking `control` without one. What is not
    /// known yet counts as lost: optimistic values are compared with those learnt.
    pub(super) fn measuring_value(&self, belief: &[(usize, f64)], control: usize) -> f64 {
        let lost = |&(s, p): &(usize, f64)| {
            let learnt = self.plain.get(self.pair(s, control));
            learnt.map_or(0.0, |learnt| p * (self.best(s) - learnt).max(0.0))
        };
        belief.iter().map(lost).sum()
    }

    /// Counts a measurement after `control` in `belief` that found `next`, or the end.
    pub(super) fn count(&mut self, belief: &[(usize, f64)], control: usize, next: Option<usize>) {
        match (belief, next) {
            (&[(s, _)], Some(next)) => self.seen.add(self.pair(s, control), next, 1.0),
            (_, Some(_)) => (),
            (_, None) => {
                let end = self.num_states();
                belief.iter().for_each(|&(s, p)| self.seen.add(self.pair(s, control), end, p));
            }
        }
    }

    /// Keeps the mean reward of a pair.
    pub(super) fn count_reward(&mut self, s: usize, control: usize, reward: f64) {
        let pair = self.pair(s, control);
        self.rounds[pair] += 1;
        self.rewards[pair] += (reward - self.rewards[pair]) / self.rounds[pair] as f64;
    }

    /// One update of Q(s, control), where s has probability `p`, towards `target`.
    pub(super) fn update(
        &mut self,
        (s, p): (usize, f64),
        control: usize,
        target: f64,
        params: &DynaAtmqParams,
    ) {
        let pair = self.pair(s, control);
        let rate = params.learning_rate * p;
        let learnt = (1.0 - rate) * self.plain[pair] + rate * target;
        let tries = params.optimistic_tries as f64;
        let done = self.seen.total(pair) + 1.0 + p;
        let left = if done < tries { (tries - done) / tries } else { 0.0 };
        self.plain[pair] = learnt;
        self.q[pair] = learnt + left * (params.optimism - learnt).max(0.0);
    }

    /// One update of Q(s, control) by the transitions and rewards counted so far.
    pub(super) fn update_from_model(&mut self, s: usize, control: usize, params: &DynaAtmqParams) {
        let pair = self.pair(s, control);
        if self.seen.total(pair) < FEWEST {
            return;
        }
        let target = self.rewards[pair] + params.discount * self.ahead(s, control);
        self.update((s, 1.0), control, target, params);
    }

    /// Refuses tables of another shape.
    pub(super) fn check(&self, other: &Self) -> Result<(), AgentError> {
        check_counts([
            ("controls", self.controls, other.controls),
            ("values", self.q.len(), other.q.len()),
            ("rewards", self.rewards.len(), other.rewards.len()),
            ("rounds", self.rounds.len(), other.rounds.len()),
            ("learnt values", self.plain.len(), other.plain.len()),
        ])?;
        check_finite("a value", other.q.iter().chain(&other.plain).chain(&other.rewards))?;
        other.seen.check(self.q.len(), self.num_states() + 1)
    }
}
