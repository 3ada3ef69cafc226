//! Bounds by sweeps over the stored transitions alone, for models with many states.
//!
//! Every number here is a bound after every single update, so the work may be cut short anywhere, and
//! nothing takes more memory than a few vectors of n numbers.
//!
//! # Lower bounds
//! A few sequences, each an action a_i followed by the sequence next(i), which may be i itself. Let
//!
//! ```math
//! B_i(V, alpha) = r_a + s_a P_a V + w_a P_a alpha_next(i),     a = a_i
//! ```
//!
//! and suppose alpha_i <= B_i(V, alpha) for all i, and V(s) <= alpha_choice(s)(s). Then V is at most the
//! value of the policy that plays sequence choice(s) from each sighting of s: the right sides are that
//! policy's equations, which are monotone and contract by gamma. At first every number is
//! r_min / (1 - gamma), for which this holds. Raising one alpha_i(s) to B_i(V, alpha)(s) keeps it true, because B
//! is monotone, and so does raising V(s) to the largest alpha_i(s). If computed values of B are too
//! large by at most `slack`, then alpha_i <= B_i + slack and V exceeds the policy's value by at most
//! slack / (1 - gamma).
//!
//! After a complete sweep no B_i exceeds alpha_i by more than gamma times the largest rise in the sweep, so the
//! policy is worth at most V + (gamma rise + slack) / (1 - gamma).
//!
//! # Upper bounds
//! Let Q*(s, a) be the value of starting with a in a known state s. With numbers q_a(s) >= Q*(s, a) and
//! V(s) = max_a q_a(s),
//!
//! ```math
//! Q*(s, a) <= r_a(s) + s_a (P_a V)(s) + w_a max_a' (P_a q_a')(s)
//! ```
//!
//! because the value of a belief b under first action a' is convex in b, so at most b.q_a'. Lowering q_a(s) to the
//! right side keeps q_a >= Q*(., a). Computed numbers may be too low by slack / (1 - gamma).

use super::arrays::{ActionArrays, Arrays};
use super::bracket::Bracket;
use super::certificate::always_seen;
use super::limits::Limits;
use super::report::GapPoint;
use crate::model::Action;
use crate::sequence::ActionSequence;

/// States between two looks at the clock.
const STRIDE: usize = 256;

/// The most sequences beyond one per action.
const MOST_SEQUENCES: usize = 48;

/// Sequences added between two rounds of sweeps.
const AT_ONCE: usize = 4;

/// Narrows the bracket by sweeps until they gain nothing any more, or the time is up.
pub(super) fn sweep<F: FnMut(&GapPoint)>(bracket: &mut Bracket<F>) {
    let (arrays, limits) = (bracket.arrays, bracket.limits);
    let left = 1.0 - arrays.gamma;
    let allowance = arrays.backup_slack() / left;
    let aim = bracket.asked().min(arrays.magnitude);
    let enough = (1e-3 * aim * left).max(4.0 * f64::EPSILON * arrays.magnitude);

    let revealed = always_seen(arrays, &limits.share(0.2), aim);
    bracket.offer_upper(&revealed, allowance);
    let mut below = Below::new(arrays);
    let most = (limits.vectors / 2).clamp(below.nodes.len(), below.nodes.len() + MOST_SEQUENCES);
    below.settle(&limits.share(0.3), enough);
    below.offer(bracket, allowance);
    bracket.record();
    if bracket.reached() {
        return;
    }
    let mut above = Above::new(arrays, revealed);
    for share in [0.5, 1.0] {
        above.settle(&limits.share(share), enough);
        bracket.offer_upper(&above.v, allowance);
        if !bracket.reached() {
            below.settle(&limits.share(share), enough);
            below.offer(bracket, allowance);
        }
        bracket.record();
    }
    while !bracket.reached() && !limits.late() && below.grow(&limits, most, 0.1 * aim * left) {
        below.settle(&limits, enough);
        below.offer(bracket, allowance);
        bracket.record();
    }
}

/// A sequence: an action, then the sequence with this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node {
    action: Action,
    next: usize,
}

/// Sequences with lower bounds on what they are worth from each state.
struct Below<'a> {
    arrays: &'a Arrays,
    nodes: Vec<Node>,
    alphas: Vec<Vec<f64>>,
    v: Vec<f64>,
    choice: Vec<usize>,
    /// No B_i(V, alpha) exceeds alpha_i by more.
    residual: f64,
    /// Whether the next sweep goes through the states in increasing order.
    upward: bool,
}

impl<'a> Below<'a> {
    /// One action for ever, for each action.
    fn new(arrays: &'a Arrays) -> Self {
        let actions = arrays.actions.len();
        let (low, high) = arrays.trivial;
        Self {
            arrays,
            nodes: (0..actions).map(|action| Node { action, next: action }).collect(),
            alphas: vec![vec![low; arrays.n]; actions],
            v: vec![low; arrays.n],
            choice: vec![0; arrays.n],
            residual: high - low,
            upward: true,
        }
    }

    /// Sweeps until no number rises by more than `enough`, or the time is up.
    fn settle(&mut self, limits: &Limits, enough: f64) {
        let (low, high) = self.arrays.trivial;
        self.residual = high - low;
        while let Some(rise) = self.sweep(limits) {
            self.residual = self.arrays.gamma * rise;
            if rise <= enough {
                break;
            }
        }
    }

    /// One sweep over all sequences and states; the largest rise, or `None` if the time was up.
    fn sweep(&mut self, limits: &Limits) -> Option<f64> {
        let n = self.arrays.n;
        self.upward = !self.upward;
        let mut rise = 0.0_f64;
        for i in 0..self.nodes.len() {
            let Node { action, next } = self.nodes[i];
            let action = &self.arrays.actions[action];
            let mut own = std::mem::take(&mut self.alphas[i]);
            for k in 0..n {
                if k % STRIDE == 0 && limits.late() {
                    self.alphas[i] = own;
                    return None;
                }
                let s = if self.upward { k } else { n - 1 - k };
                let rest = if next == i { &own } else { &self.alphas[next] };
                let after =
                    |&(t, p): &(usize, f64)| p * (action.seen * self.v[t] + action.blind * rest[t]);
                let new = action.reward[s] + action.row(s).iter().map(after).sum::<f64>();
                if new > own[s] {
                    rise = rise.max(new - own[s]);
                    own[s] = new;
                    if new > self.v[s] {
                        (self.v[s], self.choice[s]) = (new, i);
                    }
                }
            }
            self.alphas[i] = own;
        }
        Some(rise)
    }

    /// Adds the sequences "a, then i" that raise V most, summed over the states where it is best; false
    /// if none raises V by more than `worth` anywhere, there are `most` already, or the time is up.
    fn grow(&mut self, limits: &Limits, most: usize, worth: f64) -> bool {
        let count = self.nodes.len();
        let mut gains = vec![0.0; self.arrays.actions.len() * count];
        for s in 0..self.arrays.n {
            if s % STRIDE == 0 && limits.late() {
                return false;
            }
            let mut best = (self.v[s] + worth, None);
            for (a, action) in self.arrays.actions.iter().enumerate() {
                if action.blind <= 0.0 {
                    continue;
                }
                let base = action.reward[s] + action.seen * action.pull(s, &self.v);
                for (i, alpha) in self.alphas.iter().enumerate() {
                    let value = base + action.blind * action.pull(s, alpha);
                    if value > best.0 {
                        best = (value, Some(a * count + i));
                    }
                }
            }
            if let (value, Some(place)) = best {
                gains[place] += value - self.v[s];
            }
        }
        let mut order: Vec<usize> = (0..gains.len()).filter(|&place| gains[place] > 0.0).collect();
        order.sort_by(|&x, &y| gains[y].total_cmp(&gains[x]).then(x.cmp(&y)));
        for place in order.into_iter().take(AT_ONCE) {
            let node = Node { action: place / count, next: place % count };
            if self.nodes.len() < most && !self.nodes.contains(&node) {
                self.nodes.push(node);
                self.alphas.push(vec![self.arrays.trivial.0; self.arrays.n]);
            }
        }
        self.nodes.len() > count
    }

    /// The sequence with number `i`: next leads to smaller numbers, or to itself.
    fn sequence(&self, mut i: usize) -> ActionSequence {
        let mut prefix = Vec::new();
        while self.nodes[i].next != i {
            prefix.push(self.nodes[i].action);
            i = self.nodes[i].next;
        }
        ActionSequence::new(prefix, [self.nodes[i].action])
    }

    fn offer<F: FnMut(&GapPoint)>(&self, bracket: &mut Bracket<F>, allowance: f64) {
        let width = 2.0 * self.arrays.magnitude;
        let above = (self.residual / (1.0 - self.arrays.gamma)).min(width);
        bracket.work.sequences = self.nodes.len();
        let vectors = self.nodes.len() + 2 * self.arrays.actions.len() + 8;
        bracket.work.bytes = bracket.work.bytes.max(8 * self.arrays.n * vectors);
        bracket.offer_lower(&self.v, allowance, allowance + above, || {
            let sequences: Vec<_> = (0..self.nodes.len()).map(|i| self.sequence(i)).collect();
            self.choice.iter().map(|&i| sequences[i].clone()).collect()
        });
    }
}

/// Upper bounds on the value of each first action, and on V*.
struct Above<'a> {
    arrays: &'a Arrays,
    q: Vec<Vec<f64>>,
    v: Vec<f64>,
    upward: bool,
}

impl<'a> Above<'a> {
    /// What upper bounds `v` on V* say of each first action, as if the state were seen after it.
    fn new(arrays: &'a Arrays, v: Vec<f64>) -> Self {
        let of = |action: &ActionArrays| {
            let value = |s| action.reward[s] + arrays.gamma * action.pull(s, &v);
            (0..arrays.n).map(value).collect()
        };
        Self { arrays, q: arrays.actions.iter().map(of).collect(), v, upward: true }
    }

    /// Sweeps until no number falls by more than `enough`, or the time is up.
    fn settle(&mut self, limits: &Limits, enough: f64) {
        while self.sweep(limits).is_some_and(|fall| fall > enough) {}
    }

    /// One sweep over all states and actions; the largest fall, or `None` if the time was up.
    fn sweep(&mut self, limits: &Limits) -> Option<f64> {
        let n = self.arrays.n;
        self.upward = !self.upward;
        let mut fall = 0.0_f64;
        for k in 0..n {
            if k % STRIDE == 0 && limits.late() {
                return None;
            }
            let s = if self.upward { k } else { n - 1 - k };
            for (a, action) in self.arrays.actions.iter().enumerate() {
                let mut new = action.reward[s] + action.seen * action.pull(s, &self.v);
                if action.blind > 0.0 {
                    let blind = self.q.iter().map(|q| action.pull(s, q));
                    new += action.blind * blind.fold(f64::NEG_INFINITY, f64::max);
                }
                let old = &mut self.q[a][s];
                fall = fall.max(*old - new);
                *old = old.min(new);
            }
            let best = self.q.iter().map(|q| q[s]).fold(f64::NEG_INFINITY, f64::max);
            self.v[s] = self.v[s].min(best);
        }
        Some(fall)
    }
}
