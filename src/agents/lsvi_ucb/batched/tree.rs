//! States sorted into a tree of neighbours.

use super::blocks::BLOCK;
use crate::Real;

/// A part of the states: some blocks that follow each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<T> {
    pub(super) first: usize,
    pub(super) blocks: usize,
    /// The second child, the first being the next node; 0 if there are none.
    pub(super) right: usize,
    /// States whose feature `k` is below `at` belong to the first child.
    k: usize,
    at: T,
}

/// All nodes, children after their parents.
#[derive(Debug, Clone)]
pub(super) struct Tree<T> {
    pub(super) nodes: Vec<Node<T>>,
    /// The numbers of the states, block by block.
    pub(super) order: Vec<usize>,
    keys: Vec<(T, usize)>,
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Self { nodes: Vec::new(), order: Vec::new(), keys: Vec::new() }
    }
}

/// How many states of a part are looked at to find the feature that differs most.
const SAMPLE: usize = 32;

impl<T: Real> Tree<T> {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.order.clear();
    }

    /// Sorts all states anew, `points` being their features, `width` for each state.
    pub(super) fn sort(&mut self, points: &[T], width: usize) {
        let count = points.len() / width;
        // The old order is a good start.
        self.order.extend(self.order.len()..count);
        self.nodes.clear();
        if count > 0 {
            self.split((0, self.order.len()), points, width);
        }
    }

    /// Adds the node of the states at these places of the order, and all nodes below: halves across the feature that differs
    /// most, in whole blocks, so that no block but the last is half empty.
    fn split(&mut self, (start, end): (usize, usize), points: &[T], width: usize) {
        let (node, blocks) = (self.nodes.len(), (end - start).div_ceil(BLOCK));
        let first = start / BLOCK;
        self.nodes.push(Node { first, blocks, right: 0, k: 0, at: T::zero() });
        if blocks == 1 {
            return;
        }
        let k = widest(&self.order[start..end], points, width);
        self.keys.clear();
        let key = |&state: &usize| (points[state * width + k], state);
        self.keys.extend(self.order[start..end].iter().map(key));
        let middle = blocks / 2 * BLOCK;
        let order = |x: &(T, usize), y: &(T, usize)| x.0.as_f64().total_cmp(&y.0.as_f64());
        let (_, &mut (at, _), _) = self.keys.select_nth_unstable_by(middle, order);
        let sorted = self.order[start..end].iter_mut().zip(&self.keys);
        sorted.for_each(|(state, key)| *state = key.1);
        self.split((start, start + middle), points, width);
        let right = self.nodes.len();
        self.nodes[node] = Node { right, k, at, ..self.nodes[node] };
        self.split((start + middle, end), points, width);
    }

    /// A block of states near the one with these features.
    pub(super) fn block_near(&self, phi: &[T]) -> Option<usize> {
        let (mut at, mut node) = (0, self.nodes.first()?);
        while node.right > 0 {
            at = if phi[node.k] < node.at { at + 1 } else { node.right };
            node = &self.nodes[at];
        }
        Some(node.first)
    }
}

/// The feature that differs most between some of these states.
fn widest<T: Real>(states: &[usize], points: &[T], width: usize) -> usize {
    let phi = |state: usize| &points[state * width..][..width];
    let (mut low, mut high) = (phi(states[0]).to_vec(), phi(states[0]).to_vec());
    for &state in states.iter().step_by(states.len().div_ceil(SAMPLE)) {
        for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(phi(state)) {
            *low = if x < *low { x } else { *low };
            *high = if x > *high { x } else { *high };
        }
    }
    let wider = |best: usize, k: usize| {
        if high[k] - low[k] > high[best] - low[best] { k } else { best }
    };
    (0..width).fold(0, wider)
}
