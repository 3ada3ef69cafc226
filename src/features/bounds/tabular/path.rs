//! The last prefix asked for, kept step by step.

use super::delayed::shift;
use super::lifted::Lifted;
use crate::model::Action;

/// Beliefs, weights and sums along one prefix, so that a prefix that shares its beginning with the
/// last one costs only the rest.
#[derive(Debug, Clone)]
pub(super) struct Path {
    num_states: usize,
    /// How many linear functions of the occupancy are summed.
    width: usize,
    actions: Vec<Action>,
    /// One more of each of the following than actions.
    beliefs: Vec<f64>,
    weights: Vec<f64>,
    sums: Vec<f64>,
}

impl Path {
    pub(super) fn new(num_states: usize, width: usize, s: usize) -> Self {
        let mut beliefs = vec![0.0; num_states];
        beliefs[s] = 1.0;
        Self {
            num_states,
            width,
            actions: Vec::new(),
            beliefs,
            weights: vec![1.0],
            sums: vec![0.0; width],
        }
    }

    /// Moves to `prefix`. `rewards(s A + a)` starts with the coefficients of the functions summed.
    pub(super) fn go<'r>(
        &mut self,
        model: &Lifted,
        prefix: &[Action],
        rewards: impl Fn(usize) -> &'r [f64],
    ) {
        let shared = self.actions.iter().zip(prefix).take_while(|(a, b)| a == b).count();
        self.truncate(shared);
        for &a in &prefix[shared..] {
            self.push(model, a, &rewards);
        }
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.actions.truncate(length);
        self.beliefs.truncate((length + 1) * self.num_states);
        self.weights.truncate(length + 1);
        self.sums.truncate((length + 1) * self.width);
    }

    pub(super) fn push<'r>(
        &mut self,
        model: &Lifted,
        a: Action,
        rewards: &impl Fn(usize) -> &'r [f64],
    ) {
        let (n, m, h) = (self.num_states, model.num_actions(), self.actions.len());
        let weight = self.weights[h];
        self.sums.extend_from_within(h * self.width..);
        let belief = &self.beliefs[h * n..];
        for (s, &b) in belief.iter().enumerate() {
            let mass = weight * b;
            for (x, &r) in self.sums[(h + 1) * self.width..].iter_mut().zip(rewards(s * m + a)) {
                *x += mass * r;
            }
        }
        self.beliefs.resize((h + 2) * n, 0.0);
        let (before, after) = self.beliefs.split_at_mut((h + 1) * n);
        model.push_forward(&before[h * n..], a, after);
        self.weights.push(weight * model.discounts(h + 1)[a]);
        self.actions.push(a);
    }

    pub(super) fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The weight of what follows.
    pub(super) fn weight(&self) -> f64 {
        self.weights[self.actions.len()]
    }

    /// The functions of the occupancy so far.
    pub(super) fn sums(&self) -> &[f64] {
        &self.sums[self.actions.len() * self.width..]
    }

    /// The belief `delay` actions ago, or at the start.
    pub(super) fn belief_before(&self, delay: usize) -> &[f64] {
        let h = self.actions.len().saturating_sub(delay);
        &self.beliefs[h * self.num_states..(h + 1) * self.num_states]
    }

    /// The last `delay` actions, or all, as a number; `words` is A^delay.
    pub(super) fn word(&self, delay: usize, num_actions: usize, words: usize) -> usize {
        let h = self.actions.len().saturating_sub(delay);
        self.actions[h..].iter().fold(0, |word, &a| shift(word, a, num_actions, words))
    }
}
