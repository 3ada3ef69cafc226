//! The world between two sightings, in double precision.

use crate::Real;
use crate::model::{Action, Tabular};

/// A tabular model as long as nothing is seen: transitions weighted with gamma (1 - beta), which must not depend on the
/// age.
///
/// Beliefs carry the weight gamma^h (1 - beta_1) ... (1 - beta_h) of the actions so far, so that sums along a
/// sequence need no weights.
#[derive(Debug, Clone)]
pub(crate) struct Blind {
    pub(crate) num_states: usize,
    pub(crate) num_actions: usize,
    /// Where the row of (s, a) starts, at `s A + a`; one more than rows.
    starts: Vec<usize>,
    /// Next state and gamma (1 - beta(a)) P(t|s, a).
    entries: Vec<(usize, f64)>,
    /// Where the list of action a and next state t starts, at `a n + t`; one more than lists.
    arrival_starts: Vec<usize>,
    /// The state s before, in rising order, and gamma (1 - beta(a)) P(t|s, a).
    arrivals: Vec<(usize, f64)>,
    /// The largest gamma (1 - beta(a)).
    pub(crate) slowest: f64,
}

impl Blind {
    pub(crate) fn new<T: Real>(model: &Tabular<T>) -> Self {
        let (num_states, num_actions) = (model.num_states(), model.num_actions());
        let mut arrivals = vec![Vec::new(); num_actions * num_states];
        let (mut starts, mut entries) = (vec![0], Vec::with_capacity(model.num_transitions()));
        for s in 0..num_states {
            for a in 0..num_actions {
                let weight = model.blind(a).as_f64();
                for (t, p) in model.row(s, a).map(|(t, p)| (t, weight * p.as_f64())) {
                    entries.push((t, p));
                    arrivals[a * num_states + t].push((s, p));
                }
                starts.push(entries.len());
            }
        }
        let ends = arrivals.iter().scan(0, |end, list| {
            *end += list.len();
            Some(*end)
        });
        Self {
            num_states,
            num_actions,
            arrival_starts: std::iter::once(0).chain(ends).collect(),
            arrivals: arrivals.concat(),
            starts,
            entries,
            slowest: (0..num_actions).map(|a| model.blind(a).as_f64()).fold(0.0, f64::max),
        }
    }

    fn row(&self, s: usize, a: Action) -> &[(usize, f64)] {
        let i = s * self.num_actions + a;
        &self.entries[self.starts[i]..self.starts[i + 1]]
    }

    /// Every state from which `a` leads to state t, in rising order, with gamma (1 - beta(a)) P(t|s, a).
    #[inline(always)]
    #[allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor
    pub(crate) fn arrivals(&self, t: usize, a: Action) -> &[(usize, f64)] {
        let i = a * self.num_states + t;
        &self.arrivals[self.arrival_starts[i]..self.arrival_starts[i + 1]]
    }

    /// The values, state by state, of `a` followed by a sequence with values `tail`.
    pub(crate) fn prepend(&self, rewards: &[f64], a: Action, tail: &[f64], out: &mut [f64]) {
        for (s, out) in out.iter_mut().enumerate() {
            let now = rewards[s * self.num_actions + a];
            *out = self.row(s, a).iter().fold(now, |sum, &(t, p)| sum + p * tail[t]);
        }
    }
}
