//! What bounds need of a model, in double precision.

use crate::Real;
use crate::model::{Action, Tabular};

/// The transitions and blind discounts of a model, as `f64` whatever its scalar is.
///
/// Bounds on single-precision models are computed in double precision: the rounding of sweeps over
/// 1 / (1 - gamma (1 - beta)) steps would otherwise cost more than the gaps that are asked for.
#[derive(Debug, Clone)]
pub(super) struct Lifted {
    num_states: usize,
    num_actions: usize,
    /// gamma (1 - beta(a)) for each action.
    discounts: Vec<f64>,
    /// Where the row of (s, a) starts, at `s A + a`; one more than rows.
    starts: Vec<usize>,
    transitions: Vec<(usize, f64)>,
    /// The largest sum of a row, at least 1: rows may differ from 1 by the rounding of their scalar.
    mass: f64,
}

impl Lifted {
    pub(super) fn new<T: Real>(model: &Tabular<T>) -> Self {
        let (num_states, num_actions) = (model.num_states(), model.num_actions());
        let gamma = model.gamma().as_f64();
        let discounts = model.betas().iter().map(|b| gamma * (1.0 - b.as_f64())).collect();
        let (mut starts, mut transitions, mut mass) = (vec![0], Vec::new(), 1.0_f64);
        for s in 0..num_states {
            for a in 0..num_actions {
                let before = transitions.len();
                transitions.extend(model.row(s, a).map(|(t, p)| (t, p.as_f64())));
                mass = mass.max(transitions[before..].iter().map(|(_, p)| p).sum());
                starts.push(transitions.len());
            }
        }
        Self { num_states, num_actions, discounts, starts, transitions, mass }
    }

    pub(super) fn num_states(&self) -> usize {
        self.num_states
    }

    pub(super) fn num_actions(&self) -> usize {
        self.num_actions
    }

    pub(super) fn discounts(&self) -> &[f64] {
        &self.discounts
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
