//! One set of vectors per age, each chosen among the backups of the next.

use super::super::arrays::{Arrays, dot};
use super::super::columns::Columns;
use super::super::limits::Limits;
use super::super::lp::{DominanceLp, Verdict};
use super::{Ages, tail};
use crate::model::Action;
use crate::sequence::ActionSequence;

/// Vectors of one age: the values of an action followed by a vector of the next age.
#[derive(Debug)]
pub(super) struct Layer {
    columns: Columns,
    /// The action and the vector of the next age; of the last age, the number of a sequence.
    parts: Vec<(Action, usize)>,
    /// rho: how far backups by each action rise above the layer, at most.
    pub(super) error: Vec<f64>,
}

impl Layer {
    pub(super) fn new(n: usize, actions: usize) -> Self {
        Self { columns: Columns::new(n), parts: Vec::new(), error: vec![0.0; actions] }
    }

    pub(super) fn push(&mut self, vector: &[f64], action: Action, rest: usize) {
        self.columns.push(self.parts.len(), vector);
        self.parts.push((action, rest));
    }
}

/// The layers of ages 1, ..., N, in this order.
#[derive(Debug)]
pub(super) struct Layers {
    by_age: Vec<Layer>,
    /// The sequences of the vectors of the last layer.
    tails: Vec<ActionSequence>,
    n: usize,
    full: bool,
}

impl Layers {
    /// Builds all layers for sightings that pay `v`; `None` if the time is up.
    pub(super) fn build(
        arrays: &Arrays,
        ages: &Ages,
        v: &[f64],
        limits: Limits,
        lp: &mut DominanceLp,
        tolerance: f64,
    ) -> Option<Self> {
        let (n, last) = (arrays.n, ages.len());
        // What is lost at an age is lost once between two sightings; at the last age, in every round.
        let slowest = (0..arrays.actions.len()).map(|a| ages.at(last, a).0).fold(0.0, f64::max);
        let share = tolerance / last as f64;
        let (layer, tails) = tail::close(
            arrays,
            ages,
            &base(arrays, ages, last, v),
            limits,
            lp,
            share * (1.0 - slowest),
        )?;
        let most = (limits.entries / last).max(64);
        let mut found = Self { by_age: vec![layer], tails, n, full: false };
        for age in (1..last).rev() {
            let next = &found.by_age[found.by_age.len() - 1];
            let base = base(arrays, ages, age, v);
            let (layer, full) =
                backups(arrays, ages, age, (&base, next), limits, lp, (share, most))?;
            found.full |= full;
            found.by_age.push(layer);
        }
        found.by_age.reverse();
        Some(found)
    }

    /// The number of vectors.
    pub(super) fn len(&self) -> usize {
        self.by_age.iter().map(|layer| layer.parts.len()).sum()
    }

    /// Whether memory kept a layer from being as fine as was asked for.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// What the vectors take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.len() * (8 * self.n + 32)
    }

    /// The best vector of age 1 at state s: its value there, and its sequence.
    pub(super) fn best(&self, arrays: &Arrays, s: usize) -> (f64, ActionSequence) {
        let (mut i, value) = self.by_age[0].columns.best(&arrays.corner(s), &mut Vec::new());
        let mut prefix = Vec::with_capacity(self.by_age.len());
        for layer in &self.by_age[..self.by_age.len() - 1] {
            let (action, rest) = layer.parts[i];
            prefix.push(action);
            i = rest;
        }
        let tail = &self.tails[i];
        prefix.extend_from_slice(tail.prefix());
        (value, ActionSequence::new(prefix, tail.period()))
    }

    /// d with V* <= V + d, if the layers prove any.
    pub(super) fn rise(&self, arrays: &Arrays, ages: &Ages, v: &[f64]) -> Option<Vec<f64>> {
        let slack = arrays.slack();
        let ahead: Vec<f64> = (0..self.n).map(|s| self.best(arrays, s).0 - v[s] + slack).collect();
        let most = ahead.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ceiling = 2.0 * arrays.magnitude;
        // From above: each number is a bound if the one before is.
        let mut bound = ceiling;
        for _ in 0..100_000 {
            let next = (most + self.eta(ages, slack, bound)).max(0.0);
            if next < bound * (1.0 - 1e-9) {
                bound = next;
            } else {
                break;
            }
        }
        let eta = self.eta(ages, slack, bound);
        (bound < ceiling).then(|| ahead.iter().map(|x| (x + eta).clamp(0.0, bound)).collect())
    }

    /// eta_1(D).
    fn eta(&self, ages: &Ages, slack: f64, rise: f64) -> f64 {
        let last = self.by_age.len();
        let mut eta = 0.0;
        for age in (1..=last).rev() {
            let layer = &self.by_age[age - 1];
            let of = |(a, error): (usize, &f64)| {
                let (blind, seen) = ages.at(age, a);
                let now = error + slack + seen * rise;
                if age == last { now / (1.0 - blind) } else { now + blind * eta }
            };
            eta = layer.error.iter().enumerate().map(of).fold(f64::NEG_INFINITY, f64::max);
        }
        eta.max(0.0) * (1.0 + 1e-12)
    }
}

/// r_a + s_{n,a} P_a V for each action.
fn base(arrays: &Arrays, ages: &Ages, age: usize, v: &[f64]) -> Vec<Vec<f64>> {
    let of = |a: usize| {
        let (action, seen) = (&arrays.actions[a], ages.at(age, a).1);
        (0..arrays.n).map(|s| action.reward[s] + seen * action.pull(s, v)).collect()
    };
    (0..arrays.actions.len()).map(of).collect()
}

/// Chooses a layer among the backups of the next one, such that none of them rises above it by more than
/// the tolerance, or the layer has as many vectors as it may have; says which. `None` if the time is up.
fn backups(
    arrays: &Arrays,
    ages: &Ages,
    age: usize,
    (base, next): (&[Vec<f64>], &Layer),
    limits: Limits,
    lp: &mut DominanceLp,
    (tolerance, most): (f64, usize),
) -> Option<(Layer, bool)> {
    let n = arrays.n;
    let mut candidates = Columns::new(n);
    let mut parts = Vec::new();
    for (a, action) in arrays.actions.iter().enumerate() {
        let blind = ages.at(age, a).0;
        // Where nothing stays hidden, the backup does not depend on what follows.
        let count = if blind > 0.0 { next.parts.len() } else { 1 };
        for i in 0..count {
            let rest = next.columns.column(i);
            let vector: Vec<f64> = if blind > 0.0 {
                (0..n).map(|s| base[a][s] + blind * action.pull(s, &rest)).collect()
            } else {
                base[a].clone()
            };
            candidates.push(parts.len(), &vector);
            parts.push((a, i));
        }
    }
    let mut layer = Layer::new(n, arrays.actions.len());
    layer.error.fill(f64::NEG_INFINITY);
    let mut scratch = Vec::new();
    let mut taken = vec![false; parts.len()];
    let mut full = false;
    lp.forget();
    let mut take = |j: usize, layer: &mut Layer| {
        let fresh = !std::mem::replace(&mut taken[j], true);
        if fresh {
            layer.push(&candidates.column(j), parts[j].0, parts[j].1);
        }
        fresh
    };
    // What is best at the corners, and in the middle, comes first.
    for s in 0..n {
        take(candidates.best(&arrays.corner(s), &mut scratch).0, &mut layer);
    }
    take(candidates.best(&vec![1.0 / n as f64; n], &mut scratch).0, &mut layer);
    for (j, &(a, _)) in parts.iter().enumerate() {
        let target = candidates.column(j);
        let error = loop {
            if limits.late() {
                return None;
            }
            full |= layer.parts.len() >= most;
            if full {
                break lp.gain(&target, &layer.columns, tolerance);
            }
            match lp.check(&target, &layer.columns, layer.parts.len(), tolerance) {
                Verdict::Below(error) => break error,
                // Of all candidates the one that is best there; if it is in already, this one.
                Verdict::Above(belief) => {
                    let best = candidates.best(&belief, &mut scratch).0;
                    if !take(best, &mut layer) && !take(j, &mut layer) {
                        break excess(&target, &layer, &belief);
                    }
                }
            }
        };
        layer.error[a] = layer.error[a].max(error);
    }
    Some((layer, full))
}

/// A crude bound on how far `target` rises above the layer: over the one vector that is best at `belief`.
fn excess(target: &[f64], layer: &Layer, belief: &[f64]) -> f64 {
    let i = layer.columns.best(belief, &mut Vec::new()).0;
    debug_assert!(dot(target, belief).is_finite());
    let above = target.iter().enumerate().map(|(j, t)| t - layer.columns.component(i, j));
    above.fold(f64::NEG_INFINITY, f64::max)
}
