//! The best sequence for a linear function of psi: a beam of beliefs, completed by tails that are known.

use pulp::{Arch, Simd, WithSimd};

use super::blind::Blind;
use super::tails::Tails;
use crate::model::Action;

/// How many beliefs are side by side.
pub(super) const LANES: usize = 8;

/// What the beliefs of a block have for one state, side by side.
pub(super) type Beliefs = [f64; LANES];

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
    /// Which of the beliefs kept the parent is, and the action.
    parent: usize,
    action: usize,
}

impl Child {
    /// Where what has been earned is, with m actions: group and lane.
    fn at(&self, m: usize) -> (usize, usize) {
        (self.parent / LANES * m + self.action, self.parent % LANES)
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) prefix: Vec<Action>,
    pub(crate) tail: usize,
    pub(crate) value: f64,
}

/// Memory reused by every search.
///
/// Beliefs are kept in blocks, side by side in *lanes*: no operation mixes lanes, so that a belief's numbers do not depend on
/// its neighbours.
#[derive(Debug, Clone)]
pub(crate) struct Beam {
    nodes: Vec<Node>,
    /// The nodes of the beliefs that are kept, those beliefs, block by block and state by state, and what each has earned.
    kept: Vec<u32>,
    beliefs: Vec<Beliefs>,
    earned: Vec<Beliefs>,
    /// The beliefs of block b after action a in state t at `(b * m + a) * n + t`, what has been earned until then, and the value of
    /// the best tail.
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
    pub(crate) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            kept: Vec::new(),
            beliefs: Vec::new(),
            earned: Vec::new(),
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
    /// must be one. Of equals the first in the order of prefixes and tails. At most `width` beliefs of each length are
    /// kept, and prefixes have at most `depth` actions.
    pub(crate) fn search(
        &mut self,
        blind: &Blind,
        rewards: &[f64],
        tails: &mut Tails,
        s: usize,
        (width, depth): (usize, usize),
        negligible: f64,
    ) -> Found {
        let (n, m) = (blind.num_states, blind.num_actions);
        self.nodes.clear();
        self.beliefs.clear();
        self.beliefs.resize(n, [0.0; LANES]);
        self.beliefs[s] = [1.0; LANES];
        self.earned.clear();
        self.earned.push([0.0; LANES]);
        self.best.resize(n, 0.0);
        self.best.fill(0.0);
        self.best[s] = 1.0;
        let (mut prefix, mut value) = (ROOT, tails.best(&self.best).1);
        self.kept.clear();
        self.kept.push(ROOT);
        let mut weight = 1.0;
        for _ in 0..depth {
            let Self { beliefs, earned, next, next_earned, .. } = self;
            let groups = earned.len() * m;
            next.resize(groups * n, [0.0; LANES]);
            next_earned.resize(groups, [0.0; LANES]);
            self.arch.dispatch(Expand { blind, rewards, beliefs, earned, next, next_earned });
            self.completions.resize(groups, [0.0; LANES]);
            tails.complete(next, &mut self.completions);
            self.choose((n, m), width);
            self.keep(n, m);
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
    fn choose(&mut self, (n, m): (usize, usize), width: usize) {
        let Self { next, next_earned, completions, children, chosen, .. } = self;
        children.clear();
        for parent in 0..self.kept.len() {
            children.extend((0..m).map(|action| {
                let mut child = Child { total: 0.0, parent, action };
                let (group, lane) = child.at(m);
                child.total = next_earned[group][lane] + completions[group][lane];
                child
            }));
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
            let earned = |of: &Child| {
                let (group, lane) = of.at(m);
                next_earned[group][lane]
            };
            let belief = |of: &Child| {
                let (group, lane) = of.at(m);
                next[group * n..][..n].iter().map(move |beliefs| beliefs[lane])
            };
            let twice = |other: &Child| {
                (other.total - child.total).abs() <= close
                    && (earned(other) - earned(child)).abs() <= close
                    && belief(other).zip(belief(child)).all(|(x, y)| (x - y).abs() < 1e-12)
            };
            if !chosen.iter().any(twice) {
                chosen.push(*child);
            }
        }
    }

    /// Goes on with the children chosen.
    #[allow(clippy::cast_possible_truncation)] // nodes that fit in memory, and actions below their number
    fn keep(&mut self, n: usize, m: usize) {
        let first = self.nodes.len() as u32;
        let blocks = self.chosen.len().div_ceil(LANES);
        self.beliefs.resize(blocks * n, [0.0; LANES]);
        self.earned.resize(blocks, [0.0; LANES]);
        for (i, child) in self.chosen.iter().enumerate() {
            let (block, to) = (i / LANES, i % LANES);
            let (parent, action) = (self.kept[child.parent], child.action as u32);
            self.nodes.push(Node { parent, action });
            let (group, lane) = child.at(m);
            self.earned[block][to] = self.next_earned[group][lane];
            let beliefs = self.beliefs[block * n..].iter_mut().zip(&self.next[group * n..][..n]);
            beliefs.for_each(|(belief, next)| belief[to] = next[lane]);
        }
        // Lanes without a belief of their own have that of the first of their block: what is computed for it costs nothing.
        let free = self.chosen.len() % LANES;
        if free > 0 {
            let last = &mut self.beliefs[(blocks - 1) * n..];
            last.iter_mut().for_each(|belief| {
                let first = belief[0];
                belief[free..].fill(first);
            });
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
    earned: &'a [Beliefs],
    next: &'a mut [Beliefs],
    next_earned: &'a mut [Beliefs],
}

impl WithSimd for Expand<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor
    fn with_simd<S: Simd>(self, _: S) {
        let (n, m) = (self.blind.num_states, self.blind.num_actions);
        let groups = self.next.chunks_exact_mut(n).zip(self.next_earned);
        for (group, (next, next_earned)) in groups.enumerate() {
            let (block, a) = (group / m, group % m);
            let (before, earned) = (&self.beliefs[block * n..][..n], &self.earned[block]);
            let mut now = [0.0; LANES];
            for (s, beliefs) in before.iter().enumerate() {
                add_product(&mut now, beliefs, self.rewards[s * m + a]);
            }
            for (t, next) in next.iter_mut().enumerate() {
                *next = [0.0; LANES];
                for &(s, p) in self.blind.arrivals(t, a) {
                    add_product(next, &before[s], p);
                }
            }
            next_earned.iter_mut().zip(now.iter().zip(earned)).for_each(|(to, (x, y))| *to = y + x);
        }
    }
}

#[inline(always)]
#[allow(clippy::inline_always)]
fn add_product(sum: &mut Beliefs, beliefs: &Beliefs, factor: f64) {
    sum.iter_mut().zip(beliefs).for_each(|(sum, &b)| *sum += b * factor);
}
