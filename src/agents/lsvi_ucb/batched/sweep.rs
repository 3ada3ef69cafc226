//! V of all states for one u: from the root of the tree down, candidates that are the best of no state of a node are left out for
//! all nodes below.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use pulp::{Simd, WithSimd};

use super::blocks::{BLOCK, Blocks};
use super::factors::LANES;
use super::near::Near;
use super::region::Regions;
use super::scores::Lambda;
use super::screen::{Alive, Room, Screen};
use super::stage::Stage;
use super::tree::Tree;
use crate::Real;

/// A node and the candidates `start..end` of a list, which are `count`.
#[derive(Debug, Clone, Copy)]
struct Task {
    node: usize,
    start: usize,
    end: usize,
    count: usize,
}

/// Where states were scored, and for which candidates.
#[derive(Debug, Clone, Default)]
pub(super) struct Terminals {
    list: Vec<Alive>,
    /// Nodes in the order of their blocks.
    parts: Vec<Part>,
}

/// A node in whose states these candidates of the list were scored; none if all are above the clip.
#[derive(Debug, Clone, Copy)]
struct Part {
    first: usize,
    node: usize,
    start: usize,
    end: usize,
}

impl Terminals {
    /// The node above a block in which states were scored, and the candidates that matter there: none if not known.
    pub(super) fn at(&self, block: usize) -> Option<(usize, &[Alive])> {
        let next = self.parts.partition_point(|part| part.first <= block);
        let part = self.parts.get(next.checked_sub(1)?)?;
        Some((part.node, &self.list[part.start..part.end]))
    }
}

/// Room that all u share.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers<T> {
    tasks: Vec<Task>,
    /// For how many u each node need not be screened, because it was in vain before.
    rests: Vec<u8>,
    screen: Room<T>,
}

/// A node is screened where that is expected to cost less than to score what is left: where the scores of blocks are more than
/// this many for each bundle.
const SCREENED: usize = 3;

/// A node in which less than a quarter of the bundles were left out is passed over for this many u.
const REST: u8 = 5;

impl<T> Buffers<T> {
    /// Begins a planning phase with so many nodes.
    pub(super) fn clear(&mut self, nodes: usize) {
        self.rests.clear();
        self.rests.resize(nodes, 0);
    }
}

/// Computes V.
pub(super) struct Sweep<'a, T> {
    pub(super) lambda: Lambda<'a, T>,
    pub(super) tree: &'a Tree<T>,
    pub(super) regions: &'a Regions<T>,
    pub(super) near: &'a mut Near<T>,
    pub(super) blocks: &'a mut Blocks<T>,
    pub(super) stage: &'a mut Stage<T>,
    pub(super) cap: T,
    /// V of each state.
    pub(super) values: &'a mut [T],
    pub(super) buffers: &'a mut Buffers<T>,
}

impl<T: Real> WithSimd for Sweep<'_, T> {
    /// Whether no value has changed.
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> bool {
        let mut terminals = std::mem::take(&mut self.stage.terminals);
        let mut tasks = std::mem::take(&mut self.buffers.tasks);
        let mut settled = true;
        tasks.clear();
        if !self.tree.nodes.is_empty() {
            tasks.push(everyone(&mut terminals.list, self.lambda));
        }
        while let Some(mut task) = tasks.pop() {
            let node = self.tree.nodes[task.node];
            let (mut is_clipped, bundles) = (false, task.end - task.start);
            if task.count * node.blocks > SCREENED * bundles {
                let rest = self.buffers.rests[task.node];
                if rest > 0 && node.right > 0 {
                    self.buffers.rests[task.node] = rest - 1;
                } else {
                    is_clipped = self.screen(&mut task, &mut terminals.list);
                    let is_vain = 4 * (task.end - task.start) > 3 * bundles && !is_clipped;
                    self.buffers.rests[task.node] = if is_vain { REST } else { 0 };
                }
                if !is_clipped && node.right > 0 {
                    tasks.push(Task { node: node.right, ..task });
                    tasks.push(Task { node: task.node + 1, ..task });
                    continue;
                }
            }
            let (first, start) = (node.first, task.start);
            let end = if is_clipped { start } else { task.end };
            terminals.parts.push(Part { first, node: task.node, start, end });
            let list = &terminals.list[start..end];
            for block in first..first + node.blocks {
                settled &= self.score(block, list, is_clipped);
            }
        }
        self.buffers.tasks = tasks;
        self.stage.terminals = terminals;
        settled
    }
}

/// The root, for all candidates.
fn everyone<T: Real>(list: &mut Vec<Alive>, lambda: Lambda<'_, T>) -> Task {
    let mut count = 0;
    for bundle in 0..lambda.factors.len() {
        let members = lambda.factors.count(bundle);
        count += members;
        list.push(Alive { bundle, lanes: u8::MAX >> (LANES - members) });
    }
    Task { node: 0, start: 0, end: list.len(), count }
}

impl<T: Real> Sweep<'_, T> {
    /// Leaves in the task the candidates that can be the best of a state of its node. Whether all states are above
    /// the clip.
    #[inline(always)]
    fn screen(&mut self, task: &mut Task, list: &mut Vec<Alive>) -> bool {
        let Task { node, start, end, .. } = *task;
        let region = self.regions.of(node);
        for alive in &list[start..end] {
            self.near.expand((node, region), alive.bundle, self.lambda);
        }
        let (near, factors, before) = (&*self.near, self.lambda.factors, list.len());
        let screen = Screen { node, region, near, factors, stage: self.stage };
        let (first, lane) = screen.centre(&list[start..end], &mut self.buffers.screen);
        let below = self.below(node, (list[start + first].bundle, lane));
        let screen = Screen { node, region, near: self.near, factors, stage: self.stage };
        let (leader, rest) = (((first, lane), below), (self.cap, &self.buffers.screen));
        let count = screen.run(list, (start, end), leader, rest);
        if let Some(count) = count {
            *task = Task { node, start: before, end: list.len(), count };
        }
        count.is_none()
    }

    /// How far below its expansion the bonus of a candidate is in the states of a node, at the most.
    #[inline(always)]
    fn below(&mut self, node: usize, candidate: (usize, usize)) -> T {
        let known = *self.near.below(node, candidate);
        if known.is_finite() {
            return known;
        }
        let (d, (bundle, lane)) = (self.lambda.factors.d, candidate);
        let own = self.lambda.factors.actions[bundle] * d;
        let center = &self.regions.of(node).center[own..][..d];
        let near = self.near.of(node, bundle);
        let part = self.tree.nodes[node];
        let mut most = [-T::of(f64::INFINITY); BLOCK];
        for block in part.first..part.first + part.blocks {
            let (rows, bonus) = self.blocks.bonuses(block, self.lambda, candidate);
            let mut sums = [near.bonus[lane]; BLOCK];
            for (k, (row, &p)) in rows.iter().zip(center).enumerate() {
                let slope = near.slope[k][lane];
                for (sum, &x) in sums.iter_mut().zip(row) {
                    *sum += (x - p) * slope;
                }
            }
            for ((most, &sum), &bonus) in most.iter_mut().zip(&sums).zip(bonus) {
                // What is not a number stays.
                let below = sum - bonus;
                *most = if below <= *most { *most } else { below };
                *most = if most.is_finite() { *most } else { T::of(f64::INFINITY) };
            }
        }
        let below = most.into_iter().fold(most[0], |most, x| if x > most { x } else { most });
        *self.near.below(node, candidate) = below;
        below
    }

    /// Sets V of the states of a block, given the candidates that matter there. Whether it was this before.
    #[inline(always)]
    fn score(&mut self, block: usize, list: &[Alive], is_clipped: bool) -> bool {
        let d = self.lambda.factors.d;
        let start = T::of(if is_clipped { f64::INFINITY } else { f64::NEG_INFINITY });
        let mut best = [start; BLOCK];
        for alive in list {
            let bundle = alive.bundle;
            let c = &self.stage.linear[bundle * d..][..d];
            for lane in alive.lanes() {
                let candidate = (self.lambda, (bundle, lane));
                self.blocks.raise(&mut best, block, candidate, |k| c[k][lane]);
            }
        }
        let (order, mut settled) = (&self.tree.order[block * BLOCK..], true);
        for (&state, &value) in order.iter().zip(&best) {
            let (value, old) =
                (if value > self.cap { self.cap } else { value }, &mut self.values[state]);
            #[allow(clippy::float_cmp)] // settled to the last bit
            let is_same = *old == value;
            settled &= is_same;
            *old = value;
        }
        settled
    }
}
