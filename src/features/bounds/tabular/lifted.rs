//! What bounds need of a model, in double precision.

use crate::Real;
use crate::model::{Action, Tabular};

/// The transitions and blind discounts of a model, as `f64` whatever its scalar is.
///
/// Where reveal probabilities depend on the age, its states are pairs of a state and the age of the next
/// action, up to the age N from which on nothing changes: state s at age n has number (n - 1) |S| + s, so that
/// the states themselves are those right after a sighting.
///
/// Bounds on single-precision models are computed in double precision: the rounding of sweeps over
/// 1 / (1 - gamma (1 - beta)) steps would otherwise cost more than the gaps that are asked for.
#[derive(Debug, Clone)]
pub(super) struct Lifted {
    num_states: usize,
    num_actions: usize,
    /// How many of the states have the same age.
    of_one_age: usize,
    /// gamma (1 - beta_n(a)) for each age and action.
    discounts: Vec<f64>,
    /// Where the row of (s, a) starts, at `s A + a`; one more than rows.
    starts: Vec<usize>,
    transitions: Vec<(usize, f64)>,
    /// The largest sum of a row, at least 1: rows may differ from 1 by the rounding of their scalar.
    mass: f64,
}

impl Lifted {
    pub(super) fn new<T: Real>(model: &Tabular<T>) -> Self {
        let (of_one_age, num_actions, ages) =
            (model.num_states(), model.num_actions(), model.ages());
        let num_states = of_one_age * ages;
        let gamma = model.gamma().as_f64();
        let betas = (1..=ages).flat_map(|n| (0..num_actions).map(move |a| model.beta_at(a, n)));
        let discounts = betas.map(|b| gamma * (1.0 - b.as_f64())).collect();
        let (mut starts, mut transitions, mut mass) = (vec![0], Vec::new(), 1.0_f64);
        for s in 0..num_states {
            let older = (s / of_one_age + 1).min(ages - 1) * of_one_age;
            for a in 0..num_actions {
                let before = transitions.len();
                let row = model.row(s % of_one_age, a);
                transitions.extend(row.map(|(t, p)| (older + t, p.as_f64())));
                mass = mass.max(transitions[before..].iter().map(|(_, p)| p).sum());
                starts.push(transitions.len());
            }
        }
        Self { num_states, num_actions, of_one_age, discounts, starts, transitions, mass }
    }

    pub(super) fn num_states(&self) -> usize {
        self.num_states
    }

    pub(super) fn num_actions(&self) -> usize {
        self.num_actions
    }

    /// gamma (1 - beta_n(a)) of each action as the n-th one, n >= 1.
    pub(super) fn discounts(&self, age: usize) -> &[f64] {
        let last = self.discounts.len() / self.num_actions;
        &self.discounts[(age.min(last) - 1) * self.num_actions..][..self.num_actions]
    }

    /// The age of the next action in state s.
    pub(super) fn age(&self, s: usize) -> usize {
        s / self.of_one_age + 1
    }

    /// P(.|s, a) where it is not 0.
    pub(super) fn row(&self, s: usize, a: Action) -> &[(usize, f64)] {
        let i = s * self.num_actions + a;
        &self.transitions[self.starts[i]..self.starts[i + 1]]
    }

    /// The belief after action `a`.
    pub(super) fn push_forward(&self, belief: &[f64], a: Action, out: &mut [f64]) {
        out.fill(0.0);
        for (s, &mass) in belief.iter().enumerate() {
            if mass != 0.0 {
                for &(t, p) in self.row(s, a) {
                    out[t] += mass * p;
                }
            }
        }
    }

    /// The most discounted blind actions there can be: 1 / (1 - the largest discount). Infinite if
    /// rounding has made rows sum to so much more than 1 that nothing bounds them.
    pub(super) fn reach(&self) -> f64 {
        let slowest = self.mass * self.discounts.iter().copied().fold(0.0, f64::max);
        if slowest < 1.0 { 1.0 / (1.0 - slowest) } else { f64::INFINITY }
    }
}
