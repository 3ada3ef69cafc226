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

use super::delayed::{Delayed, Near};
use super::path::Path;
use crate::Real;
use crate::model::{Action, Tabular};
use crate::sequence::ActionSequence;

/// A table for the weights c + F slopes.
#[derive(Debug, Clone)]
struct Anchor<T> {
    slopes: Vec<T>,
    table: Delayed<T>,
    near: Near<T>,
}

/// A bound, and where it came from.
#[derive(Debug, Clone, Copy)]
struct Found<T> {
    bound: T,
    mu: T,
    anchor: usize,
    /// What the distance to the anchor costs, and what the box costs.
    detour: T,
    excess: T,
}

/// All tables of one objective, and the path to the last prefix.
#[derive(Debug, Clone)]
pub(super) struct Bounds<T> {
    /// For c, then the columns of F, then their negatives.
    table: Delayed<T>,
    near: Near<T>,
    anchors: Vec<Anchor<T>>,
    path: Path<T>,
    state: usize,
    rank: usize,
    rho: T,
    words: usize,
    /// Bounds on the tail, one per function of `table`.
    tail: Vec<T>,
}

/// The most anchors: each is a table of |S| A^delay numbers.
const ANCHORS: usize = 96;
/// A detour below this, relative to the bound, is not worth an anchor.
const RESOLUTION: f64 = 2e-5;
/// Suggestions are played until what follows weighs less than this, or for so many actions.
const FAINT: f64 = 1e-7;
const LONGEST: usize = 400;

impl<T: Real> Bounds<T> {
    /// Tables for weights `c` and bonus factors `f` (columns of F, one after the other).
    pub(super) fn new(
        model: &Tabular<T>,
        c: &[T],
        f: &[T],
        rho: T,
        delay: usize,
        state: usize,
    ) -> Self {
        let d = c.len();
        let rank = f.len() / d;
        let mut rewards = Vec::with_capacity(d * (1 + 2 * rank));
        for (i, &x) in c.iter().enumerate() {
            rewards.push(x);
            rewards.extend(f.iter().skip(i).step_by(d));
            rewards.extend(f.iter().skip(i).step_by(d).map(|&x| -x));
        }
        let table = Delayed::new(model, delay, rewards);
        let mut bounds = Self {
            near: Near::new(model, &table, state),
            anchors: Vec::new(),
            path: Path::new(model.num_states(), 1 + rank, state),
            state,
            rank,
            rho,
            words: table.values().len() / (table.width * model.num_states()),
            tail: vec![T::zero(); table.width],
            table,
        };
        bounds.add_anchor(model, vec![T::zero(); rank]);
        bounds
    }

    /// Moves to another start; the tables stay.
    pub(super) fn restart(&mut self, model: &Tabular<T>, state: usize) {
        if state != self.state {
            self.state = state;
            self.near = Near::new(model, &self.table, state);
            for anchor in &mut self.anchors {
                anchor.near = Near::new(model, &anchor.table, state);
            }
            self.path = Path::new(model.num_states(), 1 + self.rank, state);
        }
    }

    /// A bound on the objective over every sequence that starts with `prefix`.
    pub(super) fn upper_bound(&mut self, model: &Tabular<T>, prefix: &[Action]) -> T {
        let table = &self.table;
        self.path.go(model, prefix, |i| table.reward(i));
        let found = self.best_anchor(model);
        let worth = found.bound.abs() * T::of(RESOLUTION);
        if found.detour > worth && found.detour > found.excess && self.anchors.len() < ANCHORS {
            self.add_anchor(model, self.slopes(found.mu));
            return found.bound.min(self.best_anchor(model).bound);
        }
        found.bound
    }

    /// The slopes at the middle of the box.
    fn slopes(&self, mu: T) -> Vec<T> {
        (0..self.rank)
            .map(|j| {
                let (l, u) = self.range(j);
                self.rho * (l + u) * T::of(0.5) / mu
            })
            .collect()
    }

    /// The box of `z_j`, from the tail's bounds.
    fn range(&self, j: usize) -> (T, T) {
        let (z, weight) = (self.path.sums()[1 + j], self.path.weight());
        let (up, down) = (self.tail[1 + j], self.tail[1 + self.rank + j]);
        (z - weight * down, z + weight * up)
    }

    /// Fills `tail` and finds the best bound that the anchors give at the path's end.
    fn best_anchor(&mut self, model: &Tabular<T>) -> Found<T> {
        let k = self.table.delay;
        let (h, m) = (self.path.actions().len(), model.num_actions());
        let word = self.path.word(k, m, self.words);
        if h <= k {
            self.near.at(h, word, &mut self.tail);
        } else {
            self.table.at(self.path.belief_before(k), word, &mut self.tail);
        }
        let linear = self.path.sums()[0] + self.path.weight() * self.tail[0];
        if self.rank == 0 {
            let zero = T::zero();
            return Found { bound: linear, mu: T::one(), anchor: 0, detour: zero, excess: zero };
        }
        // The corner of the box that is farthest from 0, its middle, and its size.
        let (mut far, mut middle, mut size) = (T::zero(), T::zero(), T::zero());
        for j in 0..self.rank {
            let (l, u) = self.range(j);
            far += (l * l).max(u * u);
            middle += (l + u) * (l + u) * T::of(0.25);
            size += (u - l) * (u - l) * T::of(0.25);
        }
        let mut best = Found {
            bound: linear + self.rho * far.sqrt(),
            mu: far.sqrt(),
            anchor: 0,
            detour: T::zero(),
            excess: self.rho * far.sqrt(),
        };
        if far <= T::zero() {
            return best;
        }
        // Between the middle and the far corner the best mu lies somewhere; the bound is convex in
        // 1/mu.
        let guess = (middle + size).sqrt();
        for anchor in 0..self.anchors.len() {
            let value = self.anchor_value(model, anchor, word);
            let found = self.chord(anchor, value, guess);
            if found.bound < best.bound {
                best = found;
            }
        }
        let value = self.anchor_value(model, best.anchor, word);
        for step in [1.5, 1.2, 1.07] {
            for factor in [T::of(step), T::one() / T::of(step)] {
                let found = self.chord(best.anchor, value, best.mu * factor);
                if found.bound < best.bound {
                    best = found;
                }
            }
        }
        best
    }

    /// The anchor's bound on the tail.
    fn anchor_value(&self, model: &Tabular<T>, anchor: usize, word: usize) -> T {
        let (anchor, h, k) = (&self.anchors[anchor], self.path.actions().len(), self.table.delay);
        debug_assert_eq!(word, self.path.word(k, model.num_actions(), self.words));
        let mut out = [T::zero()];
        if h <= k {
            anchor.near.at(h, word, &mut out);
        } else {
            anchor.table.at(self.path.belief_before(k), word, &mut out);
        }
        out[0]
    }

    /// The bound by chords, with this mu and this anchor, whose table gives `value` on the tail.
    fn chord(&self, anchor: usize, value: T, mu: T) -> Found<T> {
        let half = T::of(0.5);
        let (sums, weight) = (self.path.sums(), self.path.weight());
        let scale = self.rho / mu;
        let (mut settled, mut detour, mut excess) = (T::zero(), T::zero(), T::zero());
        for j in 0..self.rank {
            let (l, u) = self.range(j);
            let slope = scale * half * (l + u);
            settled += slope * sums[1 + j] - scale * half * l * u;
            let apart = slope - self.anchors[anchor].slopes[j];
            detour += if apart > T::zero() {
                apart * self.tail[1 + j]
            } else {
                -apart * self.tail[1 + self.rank + j]
            };
            excess += scale * half * half * half * (u - l) * (u - l);
        }
        let bound = sums[0] + settled + self.rho * mu * half + weight * (value + detour);
        Found { bound, mu, anchor, detour: weight * detour, excess }
    }

    /// Adds a table for the weights c + F slopes.
    fn add_anchor(&mut self, model: &Tabular<T>, slopes: Vec<T>) {
        let (rank, width) = (self.rank, self.table.width);
        let mut weights = vec![T::one()];
        weights.extend_from_slice(&slopes);
        weights.resize(width, T::zero());
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
                    let apart = slope - nearest.map_or(T::zero(), |a| self.anchors[a].slopes[j]);
                    sum + (apart * row[1 + j]).max(-apart * row[1 + rank + j])
                })
            })
            .collect();
        let table = self.table.combine(model, &weights, start);
        let near = Near::new(model, &table, self.state);
        self.anchors.push(Anchor { slopes, table, near });
    }

    /// The anchor with the slopes nearest to these.
    fn nearest(&self, slopes: &[T]) -> Option<usize> {
        let distance = |anchor: &Anchor<T>| distance(&anchor.slopes, slopes);
        (0..self.anchors.len()).reduce(|best, next| {
            if distance(&self.anchors[next]) < distance(&self.anchors[best]) { next } else { best }
        })
    }

    /// A sequence that starts with `prefix` and goes on as the tables advise.
    ///
    /// The objective is convex in the occupancy, so the best sequence for its slopes at one
    /// sequence is at least as good as that sequence: a few rounds of that, then the best.
    pub(super) fn suggest(&mut self, model: &Tabular<T>, prefix: &[Action]) -> ActionSequence {
        self.upper_bound(model, prefix);
        let mut anchor = self.best_anchor(model).anchor;
        let mut best: Option<(T, Vec<Action>)> = None;
        for _ in 0..4 {
            self.play(model, prefix, anchor);
            let (linear, z) = (self.path.sums()[0], &self.path.sums()[1..]);
            let norm = z.iter().fold(T::zero(), |sum, &x| sum + x * x).sqrt();
            let value = linear + self.rho * norm;
            let slopes: Vec<T> = z
                .iter()
                .map(|&x| if norm > T::zero() { self.rho * x / norm } else { norm })
                .collect();
            let better = best.as_ref().is_none_or(|(before, _)| value > *before);
            if better {
                best = Some((value, self.path.actions().to_vec()));
            }
            let Some(nearest) = self.nearest(&slopes) else { break };
            let far = distance(&self.anchors[nearest].slopes, &slopes)
                > self.rho * self.rho * T::of(0.01);
            if far && self.anchors.len() < ANCHORS / 2 {
                self.add_anchor(model, slopes);
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
    fn play(&mut self, model: &Tabular<T>, prefix: &[Action], anchor: usize) {
        let (m, k) = (model.num_actions(), self.table.delay);
        let table = &self.table;
        self.path.go(model, prefix, |i| table.reward(i));
        while self.path.weight() > T::of(FAINT)
            && self.path.actions().len() < prefix.len() + LONGEST
        {
            let h = self.path.actions().len();
            let mut best: Option<(Action, T)> = None;
            for a in 0..m {
                let table = &self.table;
                self.path.push(model, a, &|i| table.reward(i));
                let word = self.path.word(k, m, self.words);
                let sums = self.path.sums();
                let so_far = self.anchors[anchor]
                    .slopes
                    .iter()
                    .zip(&sums[1..])
                    .fold(sums[0], |sum, (&slope, &z)| sum + slope * z);
                let value = so_far + self.path.weight() * self.anchor_value(model, anchor, word);
                self.path.truncate(h);
                if best.is_none_or(|(_, before)| value > before) {
                    best = Some((a, value));
                }
            }
            let table = &self.table;
            self.path.push(model, best.map_or(0, |(a, _)| a), &|i| table.reward(i));
        }
    }
}

fn distance<T: Real>(x: &[T], y: &[T]) -> T {
    x.iter().zip(y).fold(T::zero(), |sum, (&x, &y)| sum + (x - y) * (x - y))
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
        None => super::super::objective::hold(&word),
    }
}
