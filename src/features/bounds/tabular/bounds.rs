//! Bounds on linear weights plus a bonus, over all continuations of a prefix.
//!
//! On an occupancy o = p + w t (prefix, weight, tail) the objective is <c, o> + rho ||z||, with
//! z = F^T o and F F^T the matrix of the bonus. [`Delayed`] bounds every linear function of the
//! tail; so it boxes each `z_j` between `l_j` and `u_j`. On the box `z_j^2` is below its chord, and a
//! root is below its tangent, so for every mu > 0
//!
//! ```text
//! rho ||z|| <= rho/2 mu + rho/(2 mu) sum over j of ((l_j + u_j) z_j - l_j u_j)
//! ```
//!
//! which is linear in the tail again: weights c + F slopes, `slopes_j = rho (l_j + u_j) / (2 mu)`, and
//! bounded again by [`Delayed`]. What it gives away goes with the square of the box, so with w^2.
//! The triangle inequality, in contrast, gives away a multiple of w.
//!
//! A table for every prefix's own slopes would be exact and dear. So there are tables for a few
//! slopes, the anchors, and what differs from the nearest anchor is bounded by the box.
//!
//! # Rounding
//! Let N = 1 / (1 - the largest gamma (1 - beta)), n the number of states, r the number of columns of F,
//! and let |c| and `Z_j` be the largest absolute entries of c and of column j. For rewards of at most 1:
//!
//! - A belief after h actions is off by a factor of at most 1 + h (n + 1) eps in every entry, its weight by
//!   1 + 3 h eps. Sums along a prefix add up terms that fall as fast as the weights: terms below eps times the
//!   sum no longer change it, which is so after 37 N actions. So a sum is off by (n + 4 + 64) eps N^2 at most.
//! - A sweep computes each entry of a table with an error of (n + 3) eps N and contracts the errors of the
//!   last one by 1 - 1/N; expected rewards went through at most 12 products before. So a table is off by
//!   16 (n + 3) eps N^2 at most.
//! - The weights of an anchor are at most |c| + sum of `|slopes_j| Z_j`, with r + 2 more roundings.
//!   Slopes are at most 3 rho: mu is never below a third of the norm of the box's far corner.
//!
//! With margin = 32 (n + 3 + r + 64) eps N^2, and more for delays above 12, the box of `z_j` is therefore widened by
//! margin `Z_j` on both sides, so that it holds the exact `z_j`, and every bound raised by
//! margin (|c| + 8 rho sum of `Z_j`).

use super::axes::Axes;
use super::delayed::{Delayed, Near};
use super::lifted::Lifted;
use super::path::Path;
use super::rollout::{self, Played};
use crate::features::bounds::hold;
use crate::model::Action;
use crate::sequence::ActionSequence;

/// A table for the weights c + F slopes.
#[derive(Debug, Clone)]
struct Anchor {
    slopes: Vec<f64>,
    table: Delayed,
    near: Near,
}

/// A bound, and where it came from.
#[derive(Debug, Clone, Copy)]
struct Found {
    bound: f64,
    mu: f64,
    anchor: usize,
    /// What the distance to the anchor costs, and what the box costs.
    detour: f64,
    excess: f64,
}

/// The chords of all `z_j^2` with one mu: a linear function above rho ||z|| on the box.
struct Chord {
    mu: f64,
    /// What the slopes give on the prefix, less what the chords leave out.
    settled: f64,
    excess: f64,
}

/// All tables of one objective, and the path to the last prefix.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    model: Lifted,
    /// For c, then the columns of F, then their negatives.
    table: Delayed,
    near: Near,
    anchors: Vec<Anchor>,
    path: Path,
    state: usize,
    rank: usize,
    rho: f64,
    words: usize,
    /// How much the box of each `z_j` is widened, and every bound raised, for rounding.
    widening: Vec<f64>,
    raise: f64,
    /// Bounds on the tail, one per function of `table`.
    tail: Vec<f64>,
    /// The box of `z` that they give.
    low: Vec<f64>,
    high: Vec<f64>,
}

/// The most anchors: each is a table of |S| A^delay numbers.
const ANCHORS: usize = 96;
/// A detour below this, relative to the bound, is not worth an anchor.
const RESOLUTION: f64 = 2e-5;

impl Bounds {
    /// Tables for weights `c`, given those that do not depend on them.
    pub(super) fn new(axes: &Axes, c: &[f64], state: usize) -> Self {
        let Axes { f, rho, extra, .. } = axes;
        let (model, mut table, rho) = (axes.model.clone(), axes.table.clone(), *rho);
        let c: Vec<f64> = c.iter().zip(extra).map(|(c, x)| c + x).collect();
        let (d, delay) = (c.len(), table.delay);
        let rank = f.len() / d;
        table.set_first(&Delayed::new(&model, delay, c.clone()));
        let margin = Self::margin(&model, rank, delay);
        let largest = |column: &[f64]| column.iter().fold(0.0_f64, |x, y| x.max(y.abs()));
        let sizes: Vec<f64> = f.chunks_exact(d).map(largest).collect();
        let size = largest(&c) + 8.0 * rho * sizes.iter().sum::<f64>();
        let mut bounds = Self {
            widening: sizes.iter().map(|size| margin * size).collect(),
            // Numbers so small that they underflow have no relative error.
            raise: margin * size + f64::MIN_POSITIVE,
            near: Near::new(&model, &table, state),
            anchors: Vec::new(),
            path: Path::new(model.num_states(), 1 + rank, state),
            state,
            rank,
            rho,
            words: table.values().len() / (table.width * model.num_states()),
            tail: vec![0.0; table.width],
            low: vec![0.0; rank],
            high: vec![0.0; rank],
            table,
            model,
        };
        bounds.add_anchor(vec![0.0; rank]);
        bounds
    }

    /// The rounding of sums and tables of rewards of at most 1: see the top of this file.
    fn margin(model: &Lifted, rank: usize, delay: usize) -> f64 {
        let (n, reach) = (model.num_states(), model.reach());
        32.0 * ((n + 3) * (1 + delay / 12) + rank + 64) as f64 * f64::EPSILON * reach * reach
    }

    /// Moves to another start; the tables stay, but for the anchors that questions about the last start have added, so
    /// that no answer depends on where the bounds have been before.
    pub(super) fn restart(&mut self, state: usize) {
        self.anchors.truncate(1);
        self.path.truncate(0);
        if state != self.state {
            self.state = state;
            self.near = Near::new(&self.model, &self.table, state);
            for anchor in &mut self.anchors {
                anchor.near = Near::new(&self.model, &anchor.table, state);
            }
            self.path = Path::new(self.model.num_states(), 1 + self.rank, state);
        }
    }

    /// A bound on the objective over every sequence that starts with `prefix`.
    pub(super) fn upper_bound(&mut self, prefix: &[Action]) -> f64 {
        let table = &self.table;
        self.path.go(&self.model, prefix, |i| table.reward(i));
        self.raise + self.best()
    }

    /// The bound as it was computed, with another anchor if that is worth it.
    fn best(&mut self) -> f64 {
        let found = self.best_anchor();
        let worth = found.bound.abs() * RESOLUTION;
        if found.detour > worth && found.detour > found.excess && self.anchors.len() < ANCHORS {
            self.add_anchor(self.slopes(found.mu));
            return found.bound.min(self.best_anchor().bound);
        }
        found.bound
    }

    /// The slopes at the middle of the box.
    fn slopes(&self, mu: f64) -> Vec<f64> {
        (0..self.rank).map(|j| self.rho * (self.low[j] + self.high[j]) * 0.5 / mu).collect()
    }

    /// Computes the box of z from the tail's bounds.
    fn fill_box(&mut self) {
        let (sums, weight) = (&self.path.sums()[1..], self.path.weight());
        let (up, down) = self.tail[1..].split_at(self.rank);
        for j in 0..self.rank {
            self.low[j] = sums[j] - weight * down[j] - self.widening[j];
            self.high[j] = sums[j] + weight * up[j] + self.widening[j];
        }
    }

    /// Fills `tail` and finds the best bound that the anchors give at the path's end.
    fn best_anchor(&mut self) -> Found {
        let k = self.table.delay;
        let (h, m) = (self.path.actions().len(), self.model.num_actions());
        let word = self.path.word(k, m, self.words);
        if h <= k {
            self.near.at(h, word, &mut self.tail);
        } else {
            self.table.at(self.path.belief_before(k), word, &mut self.tail);
        }
        let linear = self.path.sums()[0] + self.path.weight() * self.tail[0];
        if self.rank == 0 {
            let zero = 0.0;
            return Found { bound: linear, mu: 1.0, anchor: 0, detour: zero, excess: zero };
        }
        self.fill_box();
        // The norm of the box's far corner, and the root mean square of its corners; in units of the
        // largest entry, so that no square underflows.
        let sides = self.low.iter().zip(&self.high);
        let unit = sides.fold(0.0_f64, |unit, (l, u)| unit.max(l.abs()).max(u.abs()));
        let (mut far, mut mean) = (0.0, 0.0);
        if unit > 0.0 {
            for j in 0..self.rank {
                let (l, u) = (self.low[j] / unit, self.high[j] / unit);
                far += (l * l).max(u * u);
                mean += 0.5 * (l * l + u * u);
            }
        }
        let far = unit * far.sqrt();
        let mut best = Found {
            bound: linear + self.rho * far,
            mu: far,
            anchor: 0,
            detour: 0.0,
            excess: self.rho * far,
        };
        if far <= 0.0 {
            return best;
        }
        // Between the middle and the far corner the best mu lies somewhere; the bound is convex in
        // 1/mu.
        let chord = self.chord(unit * mean.sqrt());
        for anchor in 0..self.anchors.len() {
            let found = self.found(anchor, self.anchor_value(anchor, word), &chord);
            if found.bound < best.bound {
                best = found;
            }
        }
        let value = self.anchor_value(best.anchor, word);
        for step in [1.5, 1.2, 1.07] {
            for factor in [step, 1.0 / step] {
                let found = self.found(best.anchor, value, &self.chord(best.mu * factor));
                if found.bound < best.bound {
                    best = found;
                }
            }
        }
        best
    }

    /// The anchor's bound on the tail.
    fn anchor_value(&self, anchor: usize, word: usize) -> f64 {
        let (anchor, h, k) = (&self.anchors[anchor], self.path.actions().len(), self.table.delay);
        let mut out = [0.0];
        if h <= k {
            anchor.near.at(h, word, &mut out);
        } else {
            anchor.table.at(self.path.belief_before(k), word, &mut out);
        }
        out[0]
    }

    /// What chords with this mu give for every anchor.
    fn chord(&self, mu: f64) -> Chord {
        let half = 0.5;
        let (sums, scale) = (&self.path.sums()[1..], self.rho / mu);
        let mut chord = Chord { mu, settled: 0.0, excess: 0.0 };
        for ((&l, &u), &z) in self.low.iter().zip(&self.high).zip(sums) {
            let slope = scale * half * (l + u);
            chord.settled += slope * z - scale * half * l * u;
            chord.excess += scale * half * half * half * (u - l) * (u - l);
        }
        chord
    }

    /// The bound by chords with this anchor, whose table gives `value` on the tail.
    fn found(&self, anchor: usize, value: f64, chord: &Chord) -> Found {
        let (up, down) = self.tail[1..].split_at(self.rank);
        let (half, scale) = (0.5, self.rho / chord.mu);
        let sides = self.low.iter().zip(&self.high).zip(&self.anchors[anchor].slopes);
        let mut detour = 0.0;
        for (((&l, &u), &near), (&up, &down)) in sides.zip(up.iter().zip(down)) {
            let apart = scale * half * (l + u) - near;
            detour += if apart > 0.0 { apart * up } else { -apart * down };
        }
        let (weight, mu) = (self.path.weight(), chord.mu);
        let so_far = self.path.sums()[0] + chord.settled + self.rho * mu * 0.5;
        let bound = so_far + weight * (value + detour);
        Found { bound, mu, anchor, detour: weight * detour, excess: chord.excess }
    }

    /// Adds a table for the weights c + F slopes.
    fn add_anchor(&mut self, slopes: Vec<f64>) {
        let (rank, width) = (self.rank, self.table.width);
        let mut weights = vec![1.0];
        weights.extend_from_slice(&slopes);
        weights.resize(width, 0.0);
        // A bound to start from: a known table plus the box for the rest.
        let nearest = self.nearest(&slopes);
        let start = self
            .table
            .values()
            .chunks_exact(width)
            .enumerate()
            .map(|(i, row)| {
                let base = nearest.map_or(row[0], |a| self.anchors[a].table.values()[i]);
                slopes.iter().enumerate().fold(base, |sum, (j, &slope)| {
                    let apart = slope - nearest.map_or(0.0, |a| self.anchors[a].slopes[j]);
                    sum + (apart * row[1 + j]).max(-apart * row[1 + rank + j])
                })
            })
            .collect();
        let table = self.table.combine(&self.model, &weights, start);
        let near = Near::new(&self.model, &table, self.state);
        self.anchors.push(Anchor { slopes, table, near });
    }

    /// The anchor with the slopes nearest to these.
    fn nearest(&self, slopes: &[f64]) -> Option<usize> {
        let distance = |anchor: &Anchor| distance(&anchor.slopes, slopes);
        (0..self.anchors.len()).reduce(|best, next| {
            if distance(&self.anchors[next]) < distance(&self.anchors[best]) { next } else { best }
        })
    }

    /// A sequence that starts with `prefix` and goes on as the tables advise.
    ///
    /// The objective is convex in the occupancy, so the best sequence for its slopes at one
    /// sequence is at least as good as that sequence: a few rounds of that, then the best.
    pub(super) fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        self.upper_bound(prefix);
        let mut anchor = self.best_anchor().anchor;
        let mut best: Option<(f64, Vec<Action>)> = None;
        for _ in 0..4 {
            let Played { actions, sums } = self.play(prefix, anchor);
            let (linear, z) = (sums[0], &sums[1..]);
            let norm = z.iter().fold(0.0, |sum, &x| sum + x * x).sqrt();
            let value = linear + self.rho * norm;
            let slopes: Vec<f64> =
                z.iter().map(|&x| if norm > 0.0 { self.rho * x / norm } else { norm }).collect();
            let better = best.as_ref().is_none_or(|(before, _)| value > *before);
            if better {
                best = Some((value, actions));
            }
            let Some(nearest) = self.nearest(&slopes) else { break };
            let far = distance(&self.anchors[nearest].slopes, &slopes) > self.rho * self.rho * 0.01;
            if far && self.anchors.len() < ANCHORS / 2 {
                self.add_anchor(slopes);
                anchor = self.anchors.len() - 1;
            } else if nearest != anchor && better {
                anchor = nearest;
            } else {
                break;
            }
        }
        close(best.map(|(_, actions)| actions).unwrap_or_default(), prefix.len())
    }

    /// Plays on from `prefix`, always the action with the largest bound of this anchor.
    fn play(&mut self, prefix: &[Action], anchor: usize) -> Played {
        let table = &self.table;
        self.path.go(&self.model, prefix, |i| table.reward(i));
        let Anchor { table, near, .. } = &self.anchors[anchor];
        let (values, near) = ((table, &self.table), near);
        rollout::play(&self.model, &self.path, values, near)
    }
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (&x, &y)| sum + (x - y) * (x - y))
}

/// A long word as a sequence: if its end repeats, on with the repetition, else its last action held.
fn close(mut word: Vec<Action>, prefix: usize) -> ActionSequence {
    let played = word.len() - prefix.min(word.len());
    // At least four rounds must be seen.
    let seen = &word[word.len() - played / 2..];
    let period = (1..=seen.len() / 4).find(|&l| seen[l..].iter().zip(seen).all(|(a, b)| a == b));
    match period {
        Some(l) => {
            let period = word.split_off(word.len() - l);
            ActionSequence::new(word, period)
        }
        None => hold(&word),
    }
}
