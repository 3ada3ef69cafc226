//! The best sequence for a linear function of psi: a beam of beliefs, completed by tails that are known.

use pulp::{Arch, Simd, WithSimd};

use super::blind::Blind;
use super::tails::Tails;
use crate::model::Action;

/// How many beliefs of each length are kept, at most, and how long prefixes grow.
pub(super) const WIDTH: usize = 8;
pub(super) const DEPTH: usize = 40;
/// A level has no more children than this, so that many actions make a narrower beam.
pub(super) const CHILDREN: usize = 64;

/// What all beliefs that are kept have for one state, side by side.
pub(super) type Beliefs = [f64; WIDTH];

/// A prefix, as its last action and where the rest of it is.
#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    action: u32,
}

const ROOT: u32 = u32::MAX;

/// A belief after one more action.
#[derive(Debug, Clone, Copy)]
struct Child {
    /// What the prefix has earned, with the best tail.
    total: f64,
    /// The lane of the parent, and the action.
    lane: usize,
    action: usize,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) prefix: Vec<Action>,
    pub(super) tail: usize,
    pub(super) value: f64,
}

/// Memory reused by every search.
///
/// Beliefs are kept side by side, in *lanes*: no operation mixes lanes, so that a belief's numbers do not depend on its
/// neighbours.
#[derive(Debug, Clone)]
pub(super) struct Beam {
    nodes: Vec<Node>,
    /// The nodes of the beliefs that are kept, and those beliefs state by state.
    kept: Vec<u32>,
    beliefs: Vec<Beliefs>,
    earned: Beliefs,
    /// The beliefs after action a in state t at `a * n + t`, what has been earned until then, and the value of the best tail.
    next: Vec<Beliefs>,
    next_earned: Vec<Beliefs>,
    completions: Vec<Beliefs>,
    children: Vec<Child>,
    chosen: Vec<Child>,
    /// The belief after the best prefix so far.
    best: Vec<f64>,
    arch: Arch,
}

impl Beam {
    pub(super) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            kept: Vec::new(),
            beliefs: Vec::new(),
            earned: [0.0; WIDTH],
            next: Vec::new(),
            next_earned: Vec::new(),
            completions: Vec::new(),
            children: Vec::new(),
            chosen: Vec::new(),
            best: Vec::new(),
            arch: Arch::new(),
        }
    }

    /// The best sequence found from state s under `rewards` of (s, a): a prefix and one of `tails`, of which there
    /// must be one. Of equals the first in the order of prefixes and tails.
    pub(super) fn search(
        &mut self,
        blind: &Blind,
        rewards: &[f64],
        tails: &mut Tails,
        s: usize,
        negligible: f64,
    ) -> Found {
        let (n, m) = (blind.num_states, blind.num_actions);
        let width = (CHILDREN / m).clamp(2, WIDTH);
        self.nodes.clear();
        self.beliefs.clear();
        self.beliefs.resize(n, [0.0; WIDTH]);
        self.beliefs[s] = [1.0; WIDTH];
        self.earned = [0.0; WIDTH];
        self.best.resize(n, 0.0);
        self.best.fill(0.0);
        self.best[s] = 1.0;
        let (mut prefix, mut value) = (ROOT, tails.best(&self.best).1);
        self.kept.clear();
        self.kept.push(ROOT);
        let mut weight = 1.0;
        for _ in 0..DEPTH {
            let Self { beliefs, earned, next, next_earned, .. } = self;
            next.resize(m * n, [0.0; WIDTH]);
            next_earned.resize(m, [0.0; WIDTH]);
            self.arch.dispatch(Expand { blind, rewards, beliefs, earned, next, next_earned });
            self.completions.resize(m, [0.0; WIDTH]);
            tails.complete(next, &mut self.completions);
            self.choose(n, width);
            self.keep(n);
            let Some(top) = self.chosen.first() else { break };
            if top.total > value + negligible {
                (prefix, value) = (self.kept[0], top.total);
                self.best.iter_mut().zip(&self.beliefs).for_each(|(to, belief)| *to = belief[0]);
            }
            weight *= blind.slowest;
            if weight < 1e-6 {
                break;
            }
        }
        Found { prefix: self.prefix(prefix), tail: tails.best(&self.best).0, value }
    }

    /// The actions that lead to a node.
    fn prefix(&self, mut at: u32) -> Vec<Action> {
        let mut actions = Vec::new();
        while at != ROOT {
            let node = self.nodes[at as usize];
            actions.push(node.action as usize);
            at = node.parent;
        }
        actions.reverse();
        actions
    }

    /// The best children of the beliefs that are kept, with different beliefs.
    fn choose(&mut self, n: usize, width: usize) {
        let Self { next, next_earned, completions, children, chosen, .. } = self;
        children.clear();
        for lane in 0..self.kept.len() {
            children.extend(next_earned.iter().zip(&*completions).enumerate().map(
                |(action, (earned, completion))| {
                    let total = earned[lane] + completion[lane];
                    Child { total, lane, action }
                },
            ));
        }
        // Stable: of equals the first.
        children.sort_by(|x, y| y.total.total_cmp(&x.total));
        chosen.clear();
        for child in children.iter() {
            if chosen.len() == width {
                break;
            }
            // Another order of the same actions often leads to the same belief.
            let close = 1e-12 * child.total.abs();
            let earned = |of: &Child| next_earned[of.action][of.lane];
            let belief = |Child { action, lane, .. }: Child| {
                next[action * n..][..n].iter().map(move |beliefs| beliefs[lane])
            };
            let twice = |other: &Child| {
                (other.total - child.total).abs() <= close
                    && (earned(other) - earned(child)).abs() <= close
                    && belief(*other).zip(belief(*child)).all(|(x, y)| (x - y).abs() < 1e-12)
            };
            if !chosen.iter().any(twice) {
                chosen.push(*child);
            }
        }
    }

    /// Goes on with the children chosen.
    #[allow(clippy::cast_possible_truncation)] // DEPTH * WIDTH nodes, and actions below their number
    fn keep(&mut self, n: usize) {
        let first = self.nodes.len() as u32;
        for (lane, child) in self.chosen.iter().enumerate() {
            let (parent, action) = (self.kept[child.lane], child.action as u32);
            self.nodes.push(Node { parent, action });
            self.earned[lane] = self.next_earned[child.action][child.lane];
            let next = &self.next[child.action * n..];
            let beliefs = self.beliefs.iter_mut().zip(next);
            beliefs.for_each(|(belief, next)| belief[lane] = next[child.lane]);
        }
        // Lanes without a belief of their own have that of the first: what is computed for it costs nothing.
        for lane in self.chosen.len()..WIDTH {
            self.beliefs.iter_mut().for_each(|belief| belief[lane] = belief[0]);
        }
        self.kept.clear();
        self.kept.extend((first..).take(self.chosen.len()));
    }
}

/// All beliefs after each action, and what has been earned until then.
struct Expand<'a> {
    blind: &'a Blind,
    rewards: &'a [f64],
    beliefs: &'a [Beliefs],
    earned: &'a Beliefs,
    next: &'a mut [Beliefs],
    next_earned: &'a mut [Beliefs],
}

impl WithSimd for Expand<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor
    fn with_simd<S: Simd>(self, _: S) {
        let n = self.blind.num_states;
        for (a, next) in self.next.chunks_exact_mut(n).enumerate() {
            let mut now = [0.0; WIDTH];
            for (s, beliefs) in self.beliefs.iter().enumerate() {
                add_product(&mut now, beliefs, self.rewards[s * self.blind.num_actions + a]);
            }
            for (t, next) in next.iter_mut().enumerate() {
                *next = [0.0; WIDTH];
                for &(s, p) in self.blind.arrivals(t, a) {
                    add_product(next, &self.beliefs[s], p);
                }
            }
            let earned = now.iter().zip(self.earned);
            self.next_earned[a].iter_mut().zip(earned).for_each(|(to, (x, y))| *to = y + x);
        }
    }
}

#[inline(always)]
#[allow(clippy::inline_always)]
fn add_product(sum: &mut Beliefs, beliefs: &Beliefs, factor: f64) {
    sum.iter_mut().zip(beliefs).for_each(|(sum, &b)| *sum += b * factor);
}
