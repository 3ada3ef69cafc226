//! Best-first search over prefixes.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::choice::{Best, Suggested, or_infinite};
use super::climb::{climb, score_first};
use super::{Choice, OracleError, SequenceObjective, SequenceOracle};
use crate::Real;
use crate::model::Action;

/// Best-first search over prefixes: opens the prefix with the largest upper bound, until that is
/// within `gap` of the best value found or `nodes` prefixes were bounded.
///
/// Anytime and certified: whatever stops it, the value is that of a sequence found on the way,
/// and the upper bound is the largest bound among all prefixes left open or cut off, so it holds
/// for all of A^N. Sequences that hold one action and the objective's [hints](SequenceObjective::hints) come first, and the best of
/// them [improved](SequenceObjective::improve): the better the best value found, the fewer prefixes are opened. Prefixes are bounded
/// whether the question is [familiar](SequenceObjective::is_familiar) or not. It needs an objective with finite bounds: with a closure
/// that has none it spends its nodes in breadth and proves nothing.
///
/// # Complexity
/// At most `nodes` bounds, and one suggestion scored for every 16 of them (the first 32 nodes opened
/// are all tried), unless an earlier suggestion starts with the prefix. Memory goes with `nodes`.
///
/// # Example
/// ```
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::oracles::{BranchAndBound, FeatureObjective, SequenceOracle};
/// let psi = TabularPsi::new(gallery::river_balance::<f64>(6, 0.5, 0.99)?);
/// let mut objective = FeatureObjective::planning(&psi, 0, &[80.0, 81.0, 82.0, 82.0, 81.0, 80.0])?;
/// let choice = BranchAndBound::new(0.01).maximize(&mut objective)?;
/// assert!(choice.gap() <= 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BranchAndBound<T> {
    /// The search may stop this far from the optimum.
    pub gap: T,
    /// It stops after this many prefixes in any case.
    pub nodes: usize,
}

impl<T: Real> BranchAndBound<T> {
    /// A search down to this gap, of at most 100,000 prefixes.
    pub fn new(gap: T) -> Self {
        Self { gap, nodes: 100_000 }
    }

    /// Sets the most prefixes that are bounded.
    pub fn with_nodes(self, nodes: usize) -> Self {
        Self { nodes, ..self }
    }
}

/// A prefix, as its last action and where the rest of it is.
#[derive(Debug)]
struct Node {
    parent: usize,
    action: Action,
}

const ROOT: usize = usize::MAX;

fn prefix_of(nodes: &[Node], mut at: usize, prefix: &mut Vec<Action>) {
    prefix.clear();
    while at != ROOT {
        prefix.push(nodes[at].action);
        at = nodes[at].parent;
    }
    prefix.reverse();
}

/// Ordered by bound; of equal bounds the older prefix comes first.
#[derive(Debug)]
struct Open<T> {
    bound: T,
    at: usize,
    order: usize,
}

impl<T: Real> Ord for Open<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = self.bound.partial_cmp(&other.bound).unwrap_or(Ordering::Equal);
        by_bound.then(other.order.cmp(&self.order))
    }
}

impl<T: Real> PartialOrd for Open<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Real> PartialEq for Open<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Real> Eq for Open<T> {}

/// The width and depth of the search that the objective is asked for first.
const CLIMBED: (usize, usize) = (8, 20);
/// Opened prefixes that are all tried for a suggestion; later every sixteenth.
const TRIED: usize = 32;

impl<T: Real> SequenceOracle<T> for BranchAndBound<T> {
    /// # Errors
    /// [`OracleError::Parameter`] if the gap is negative or not a number.
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        let num_actions = objective.num_actions();
        if num_actions == 0 {
            return Err(OracleError::NoActions);
        }
        if self.gap < T::zero() || self.gap.as_f64().is_nan() {
            let (name, value) = ("gap", self.gap.as_f64());
            return Err(OracleError::Parameter { name, value, expected: "at least 0" });
        }
        let mut best = Best::new();
        score_first(objective, &mut best)?;
        let root = or_infinite(objective.upper_bound(&[]));
        climb(objective, &mut best, root - self.gap, CLIMBED)?;
        let mut nodes: Vec<Node> = Vec::new();
        let mut bounded = 1;
        let mut open = BinaryHeap::from([Open { bound: root, at: ROOT, order: 0 }]);
        let (mut cut, mut opened) = (T::of(f64::NEG_INFINITY), 0_usize);
        let (mut prefix, mut suggested) = (Vec::new(), Suggested::default());
        while let Some(top) = open.pop() {
            prefix_of(&nodes, top.at, &mut prefix);
            if (opened < TRIED || opened.is_multiple_of(16)) && !suggested.covers(&prefix) {
                let seq = objective.suggest(&prefix);
                let value = objective.value(&seq);
                best.offer(&seq, value)?;
                suggested.push(seq);
            }
            opened += 1;
            // The first node has a suggestion, so there is a value.
            let value = best.value().unwrap_or_else(|| T::of(f64::NEG_INFINITY));
            let threshold = value + self.gap;
            if top.bound <= threshold || bounded + num_actions > self.nodes {
                cut = cut.max(top.bound);
                break;
            }
            for action in 0..num_actions {
                prefix.push(action);
                // What holds for a prefix holds for its continuations.
                let bound = or_infinite(objective.upper_bound(&prefix)).min(top.bound);
                prefix.pop();
                bounded += 1;
                if bound <= threshold {
                    cut = cut.max(bound);
                } else {
                    open.push(Open { bound, at: nodes.len(), order: nodes.len() + 1 });
                    nodes.push(Node { parent: top.at, action });
                }
            }
        }
        best.evaluated += bounded;
        // The heap's largest is at most the one popped last, which `cut` has.
        best.into_choice(cut)
    }
}
