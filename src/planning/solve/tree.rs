//! Trees of blind beliefs below each state, grown best first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::active::Active;
use super::arrays::dot;
use super::pool::Pool;
use crate::model::Action;

/// One belief. Children lie behind their parents, those of one parent side by side.
#[derive(Debug)]
struct Node {
    parent: usize,
    action: Action,
    /// The child under action 0.
    children: Option<usize>,
    /// L at the belief.
    level: f64,
}

/// A leaf that may still be expanded.
#[derive(Debug)]
struct Open {
    /// How far the best sequence through the leaf may rise above V at its corner.
    promise: f64,
    node: usize,
    corner: usize,
    /// What is earned on the way, with V where the state is seen.
    earned: f64,
    /// The weight of still not having seen the state.
    weight: f64,
}

impl Ord for Open {
    /// The largest promise first, then the oldest node.
    fn cmp(&self, other: &Self) -> Ordering {
        self.promise.total_cmp(&other.promise).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}

/// Assumptions about V* that guide the growth of a tree. Nothing is proved with them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guess {
    /// V* <= V + `rise` at every state.
    pub(super) rise: f64,
    /// The value of a belief is at most L + `delta`.
    pub(super) delta: f64,
    /// Leaves that promise no more than this need not be expanded.
    pub(super) stop: f64,
}

/// The tree: nodes 0..n are the corners.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The belief of node i at `i * n..(i + 1) * n`.
    beliefs: Vec<f64>,
    /// For each corner the largest rise over V found among lower bounds, and the leaf it is from.
    better: Vec<(f64, Option<usize>)>,
}

impl Tree {
    /// Expands the leaf that promises most until none promises more than `guess.stop`, or about
    /// `most` beliefs are stored, or the time is up. The corners are expanded in any case: that is
    /// what makes a [`pass`](Self::pass) a contraction.
    pub(super) fn grow(pool: &Pool, active: &Active, guess: Guess, most: usize) -> Self {
        let arrays = pool.arrays;
        let n = arrays.n;
        let mut scratch = Vec::new();
        let mut tree = Self {
            nodes: Vec::with_capacity(n),
            beliefs: Vec::with_capacity(n * n),
            better: vec![(0.0, None); n],
        };
        let mut queue = BinaryHeap::new();
        for corner in 0..n {
            tree.beliefs.extend(arrays.corner(corner));
            let level = f64::NEG_INFINITY;
            tree.nodes.push(Node { parent: corner, action: 0, children: None, level });
            let promise = f64::INFINITY;
            queue.push(Open { promise, node: corner, corner, earned: 0.0, weight: 1.0 });
        }
        let mut next = vec![0.0; n];
        while let Some(open) = queue.pop() {
            let full = tree.len() + arrays.actions.len() > most || pool.limits.late();
            if open.promise <= guess.stop || (full && open.promise < f64::INFINITY) {
                break;
            }
            tree.nodes[open.node].children = Some(tree.len());
            let here = open.node * n..(open.node + 1) * n;
            let reference = pool.v[open.corner];
            for (a, action) in arrays.actions.iter().enumerate() {
                let belief = &tree.beliefs[here.clone()];
                action.push(belief, &mut next);
                let level = active.columns.best(&next, &mut scratch).1;
                let earned = open.earned + open.weight * dot(belief, &pool.base[a]);
                let weight = open.weight * action.blind;
                let bound = (level + guess.delta).min(dot(&next, &pool.v) + guess.rise);
                let node = tree.len();
                let rise = earned + weight * level - reference;
                if rise > tree.better[open.corner].0 {
                    tree.better[open.corner] = (rise, Some(node));
                }
                if weight > 0.0 {
                    let promise = earned + weight * bound - reference;
                    queue.push(Open { promise, node, corner: open.corner, earned, weight });
                }
                tree.beliefs.extend_from_slice(&next);
                tree.nodes.push(Node { parent: open.node, action: a, children: None, level });
            }
        }
        tree
    }

    /// The number of beliefs.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds the sequences that beat V by more than `tolerance` to the pool.
    pub(super) fn harvest(&self, pool: &mut Pool, tolerance: f64) {
        let n = pool.arrays.n;
        for &(rise, leaf) in &self.better {
            let Some(mut node) = leaf.filter(|_| rise > tolerance && !pool.is_full()) else {
                continue;
            };
            let mut id = pool.best(&self.beliefs[node * n..(node + 1) * n]).0;
            while node >= n {
                id = pool.add(self.nodes[node].action, id);
                node = self.nodes[node].parent;
            }
        }
    }

    /// One Bellman sweep over the tree, with V + `rise` where the state is seen and with the bound
    /// min(L + `delta`, b . (V + `rise`)) at the leaves. Returns the new rise over V at the
    /// corners, at least 0.
    ///
    /// `slack` is added at every node for rounding.
    pub(super) fn pass(&self, pool: &Pool, rise: &[f64], delta: f64, slack: f64) -> Vec<f64> {
        let arrays = pool.arrays;
        let n = arrays.n;
        let raised: Vec<f64> = pool.v.iter().zip(rise).map(|(v, d)| v + d).collect();
        let base: Vec<Vec<f64>> = (arrays.actions.iter().zip(&pool.base))
            .map(|(action, base)| {
                let seen = |s| action.seen * action.pull(s, rise);
                base.iter().enumerate().map(|(s, x)| x + seen(s)).collect()
            })
            .collect();
        let mut value = vec![0.0; self.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            let belief = &self.beliefs[i * n..(i + 1) * n];
            let bound = match node.children {
                None => (node.level + delta).min(dot(belief, &raised)),
                Some(first) => (arrays.actions.iter().zip(&base).zip(&value[first..]))
                    .map(|((action, base), value)| dot(belief, base) + action.blind * value)
                    .fold(f64::NEG_INFINITY, f64::max),
            };
            value[i] = bound + slack;
        }
        value.iter().zip(&pool.v).map(|(u, v)| (u - v).max(0.0)).collect()
    }
}
