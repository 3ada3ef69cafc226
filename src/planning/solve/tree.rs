//! Trees of blind beliefs below each state, grown best first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::active::Active;
use super::arrays::{Arrays, dot};
use super::clusters::Clusters;
use super::pool::Pool;
use crate::model::Action;

/// One belief. Children lie behind their parents, those of one parent side by side. Beliefs are not
/// stored: the few steps from the corner are made again where one is needed.
#[derive(Debug)]
struct Node {
    parent: u32,
    action: u32,
    /// The child under action 0, or 0 for a leaf.
    children: u32,
    /// L at the belief.
    level: f64,
    /// b . V: the value if the state were revealed.
    revealed: f64,
    /// What the step to this belief earns, with V where the state is seen.
    reward: f64,
}

/// A leaf that may still be expanded.
#[derive(Debug)]
struct Open {
    /// How far the best sequence through the leaf may rise above V at its corner.
    promise: f64,
    node: u32,
    corner: u32,
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
    /// For each corner the largest rise over V found among lower bounds, and the leaf it is from.
    better: Vec<(f64, Option<usize>)>,
    /// The most steps from a corner.
    depth: usize,
    /// The most memory in use while it grew.
    pub(super) bytes: usize,
}

/// What a node takes, with its place in the queue.
pub(super) const NODE_BYTES: usize = size_of::<Node>() + size_of::<Open>() + 8;

impl Tree {
    /// Expands the leaf that promises most until none promises more than `guess.stop`, or about
    /// `most` beliefs are known, or the time is up. The corners are expanded in any case: that is
    /// what makes a [`pass`](Self::pass) a contraction.
    pub(super) fn grow(pool: &Pool, active: &Active, guess: Guess, most: usize) -> Self {
        let arrays = pool.arrays;
        // The rest is for finding out what the tree proves.
        let limits = pool.limits.share(0.9);
        let n = arrays.n;
        let mut clusters = Clusters::new(&active.columns);
        let mut tree =
            Self { nodes: Vec::with_capacity(n), better: vec![(0.0, None); n], depth: 0, bytes: 0 };
        let mut queue = BinaryHeap::new();
        for corner in 0..n {
            let (level, revealed) = (f64::NEG_INFINITY, pool.v[corner]);
            let parent = narrow(corner);
            tree.nodes.push(Node { parent, action: 0, children: 0, level, revealed, reward: 0.0 });
            let promise = f64::INFINITY;
            queue.push(Open { promise, node: parent, corner: parent, earned: 0.0, weight: 1.0 });
        }
        let mut path = Vec::new();
        let (mut belief, mut next) = (vec![0.0; n], vec![0.0; n]);
        while let Some(open) = queue.pop() {
            let full = tree.len() + arrays.actions.len() > most || limits.late();
            if full && open.promise < f64::INFINITY {
                break;
            }
            tree.belief(arrays, open.node as usize, &mut path, &mut belief, &mut next);
            tree.depth = tree.depth.max(path.len() + 1);
            tree.nodes[open.node as usize].children = narrow(tree.len());
            let known = pool.v[open.corner as usize];
            for (a, action) in arrays.actions.iter().enumerate() {
                action.push(&belief, &mut next);
                let level = clusters.best(&next).1;
                let reward = dot(&belief, &pool.base[a]);
                let revealed = dot(&next, &pool.v);
                let earned = open.earned + open.weight * reward;
                let weight = open.weight * action.blind;
                let bound = (level + guess.delta).min(revealed + guess.rise);
                let node = tree.len();
                let rise = earned + weight * level - known;
                let better = &mut tree.better[open.corner as usize];
                if rise > better.0 {
                    *better = (rise, Some(node));
                }
                let promise = earned + weight * bound - known;
                if weight > 0.0 && promise > guess.stop {
                    let (node, corner) = (narrow(node), open.corner);
                    queue.push(Open { promise, node, corner, earned, weight });
                }
                tree.nodes.push(Node {
                    parent: open.node,
                    action: narrow(a),
                    children: 0,
                    level,
                    revealed,
                    reward,
                });
            }
        }
        tree.bytes = tree.len() * NODE_BYTES;
        tree
    }

    /// The number of beliefs.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Makes the steps from the corner above `node` again. `path` gets the actions, the last one first.
    fn belief(
        &self,
        arrays: &Arrays,
        mut node: usize,
        path: &mut Vec<Action>,
        belief: &mut Vec<f64>,
        scratch: &mut Vec<f64>,
    ) {
        path.clear();
        while node >= arrays.n {
            path.push(self.nodes[node].action as usize);
            node = self.nodes[node].parent as usize;
        }
        belief.fill(0.0);
        belief[node] = 1.0;
        for &a in path.iter().rev() {
            arrays.actions[a].push(belief, scratch);
            std::mem::swap(belief, scratch);
        }
    }

    /// Adds the sequences that beat V by more than `tolerance` to the pool.
    pub(super) fn harvest(&self, pool: &mut Pool, tolerance: f64) {
        let n = pool.arrays.n;
        let (mut path, mut belief, mut scratch) = (Vec::new(), vec![0.0; n], vec![0.0; n]);
        for &(rise, leaf) in &self.better {
            let Some(node) = leaf.filter(|_| rise > tolerance && !pool.is_full()) else {
                continue;
            };
            self.belief(pool.arrays, node, &mut path, &mut belief, &mut scratch);
            let mut id = pool.best(&belief).0;
            for &a in &path {
                id = pool.add(a, id);
            }
        }
    }

    /// One Bellman sweep over the tree, with V + `rise` where the state is seen and with the bound
    /// min(L + `delta`, b . V + `rise`) at the leaves. Returns the new rise over V at the corners, at
    /// least 0. `value` is scratch memory.
    ///
    /// `slack` is added at every node for rounding.
    pub(super) fn pass(
        &self,
        pool: &Pool,
        rise: f64,
        delta: f64,
        slack: f64,
        value: &mut Vec<f64>,
    ) -> Vec<f64> {
        let actions = &pool.arrays.actions;
        // No belief of the tree sums to more than this.
        let most = 1.0 + 2.0 * (self.depth + 1) as f64 * pool.arrays.step_error();
        let (rise, delta) = (rise * most, delta * most);
        value.clear();
        value.resize(self.len(), 0.0);
        for (i, node) in self.nodes.iter().enumerate().rev() {
            let bound = if node.children == 0 {
                (node.level + delta).min(node.revealed + rise)
            } else {
                let first = node.children as usize;
                let children = self.nodes[first..].iter().zip(&value[first..]);
                (actions.iter().zip(children))
                    .map(|(x, (child, value))| child.reward + x.seen * rise + x.blind * value)
                    .fold(f64::NEG_INFINITY, f64::max)
            };
            value[i] = bound + slack;
        }
        value.iter().zip(&pool.v).map(|(u, v)| (u - v).max(0.0)).collect()
    }
}

/// Indices of a tree fit in 32 bits: [`Limits`](super::limits::Limits) sees to it.
#[allow(clippy::cast_possible_truncation)]
fn narrow(i: usize) -> u32 {
    i as u32
}
