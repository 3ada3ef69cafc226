//! Segments, counted in a tree of actions.

use super::passes::Transitions;
use crate::model::Action;

/// No node, no end.
const NONE: u32 = u32::MAX;

/// How often the actions `a_1 .. a_n` led from state s to the sighting of s', for all that was seen.
///
/// Below the root of each start state s there is one node for every sequence of actions that some segment from s began
/// with. So segments that share their first actions share the work of a forward and a backward pass. Roots
/// are the nodes `0..n`; every other node has a larger index than its parent.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "PlainTree", into = "PlainTree"))]
pub(super) struct Tree {
    roots: usize,
    nodes: Vec<Node>,
    ends: Vec<End>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    parent: u32,
    action: u32,
    /// The first child, the next child of the same parent, and the first of the ends here.
    child: u32,
    sibling: u32,
    end: u32,
}

/// Segments that ended at a node in the sighting of a state.
#[derive(Debug, Clone, Copy, PartialEq)]
struct End {
    node: u32,
    state: u32,
    count: u64,
    /// The next end of the same node.
    other: u32,
}

impl Tree {
    pub(super) fn new(roots: usize) -> Self {
        let root = Node { parent: NONE, action: 0, child: NONE, sibling: NONE, end: NONE };
        Self { roots, nodes: vec![root; roots], ends: Vec::new() }
    }

    /// Counts a segment; false if that would take more than `limit` nodes.
    pub(super) fn add(&mut self, s: usize, actions: &[Action], next: usize, limit: usize) -> bool {
        let mut at = small(s);
        for &a in actions {
            at = match self.child(at, a) {
                Some(child) => child,
                None if self.nodes.len() >= limit.min(NONE as usize) => return false,
                None => self.grow(at, small(a)),
            };
        }
        match self.find_end(at, small(next)) {
            Some(end) => self.ends[end].count += 1,
            None => self.end(at, small(next), 1),
        }
        true
    }

    fn find_end(&self, node: u32, state: u32) -> Option<usize> {
        let mut end = self.nodes[node as usize].end;
        while end != NONE && self.ends[end as usize].state != state {
            end = self.ends[end as usize].other;
        }
        (end != NONE).then_some(end as usize)
    }

    fn child(&self, node: u32, a: Action) -> Option<u32> {
        let mut child = self.nodes[node as usize].child;
        while child != NONE && self.nodes[child as usize].action as usize != a {
            child = self.nodes[child as usize].sibling;
        }
        (child != NONE).then_some(child)
    }

    fn grow(&mut self, parent: u32, action: u32) -> u32 {
        let (node, sibling) = (small(self.nodes.len()), self.nodes[parent as usize].child);
        self.nodes[parent as usize].child = node;
        self.nodes.push(Node { parent, action, child: NONE, sibling, end: NONE });
        node
    }

    fn end(&mut self, node: u32, state: u32, count: u64) {
        let (end, other) = (small(self.ends.len()), self.nodes[node as usize].end);
        self.nodes[node as usize].end = end;
        self.ends.push(End { node, state, count, other });
    }

    /// The number of nodes, roots included.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn roots(&self) -> usize {
        self.roots
    }

    /// Every node that is no root with its parent and the action between them; parents come before their children.
    pub(super) fn edges(&self) -> impl DoubleEndedIterator<Item = (usize, usize, Action)> + '_ {
        let nodes = self.nodes.iter().enumerate().skip(self.roots);
        nodes.map(|(i, node)| (i, node.parent as usize, node.action as usize))
    }

    /// (node, state, count) of every end.
    pub(super) fn ends(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        self.ends.iter().map(|end| (end.node as usize, end.state as usize, end.count))
    }

    /// The start and the actions of a node.
    pub(super) fn path(&self, mut node: usize) -> (usize, Vec<Action>) {
        let mut actions = Vec::new();
        while node >= self.roots {
            actions.push(self.nodes[node].action as usize);
            node = self.nodes[node].parent as usize;
        }
        actions.reverse();
        (node, actions)
    }

    /// A guess of the transitions from where segments ended: from s to y by a, in proportion to the number of segments from s to y
    /// times the share of a among their actions over their length; uniform where there are none.
    pub(super) fn arrivals(&self, num_actions: usize) -> Transitions {
        let n = self.roots;
        let mut guess = Transitions::uniform(n, num_actions);
        guess.p.fill(0.0);
        for (node, next, count) in self.ends() {
            let (start, actions) = self.path(node);
            let length = actions.len() as f64;
            let weight = count as f64 / (length * length);
            for a in actions {
                guess.p[(a * n + start) * n + next] += weight;
            }
        }
        for row in guess.p.chunks_exact_mut(n) {
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p = if total > 0.0 { *p / total } else { 1.0 / n as f64 });
        }
        guess
    }

    /// The largest action and the largest state that occur.
    #[cfg(feature = "serde")]
    pub(super) fn largest(&self) -> (usize, usize) {
        let action = self.edges().map(|(_, _, a)| a).max().unwrap_or(0);
        (action, self.ends().map(|(_, s, _)| s).max().unwrap_or(0))
    }
}

/// States, actions and nodes are fewer than 2^32: the tree is refused more.
#[allow(clippy::cast_possible_truncation)]
fn small(index: usize) -> u32 {
    index as u32
}

/// A [`Tree`] as it is written to a file: what follows from the rest is left out.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainTree {
    roots: usize,
    /// Parent and action of every node that is no root.
    nodes: Vec<(u32, u32)>,
    /// Node, state and count.
    ends: Vec<(u32, u32, u64)>,
}

#[cfg(feature = "serde")]
impl From<Tree> for PlainTree {
    fn from(tree: Tree) -> Self {
        let nodes = tree.nodes[tree.roots..].iter().map(|node| (node.parent, node.action));
        let ends = tree.ends.iter().map(|end| (end.node, end.state, end.count));
        Self { roots: tree.roots, nodes: nodes.collect(), ends: ends.collect() }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<PlainTree> for Tree {
    type Error = String;

    fn try_from(plain: PlainTree) -> Result<Self, String> {
        if plain.roots > NONE as usize || plain.nodes.len() + plain.roots > NONE as usize {
            return Err(format!("{} roots, {} nodes: too many", plain.roots, plain.nodes.len()));
        }
        let mut tree = Self::new(plain.roots);
        for (parent, action) in plain.nodes {
            if parent as usize >= tree.len() || tree.child(parent, action as usize).is_some() {
                return Err(format!("node {} below {parent} by {action}", tree.len()));
            }
            tree.grow(parent, action);
        }
        let mut total = 0_u64;
        for (node, state, count) in plain.ends {
            total = total.checked_add(count).filter(|&n| n < u64::MAX / 2).unwrap_or(0);
            let odd = node as usize >= tree.len() || (node as usize) < tree.roots;
            let odd = odd || state as usize >= tree.roots || count == 0 || total == 0;
            if odd || tree.find_end(node, state).is_some() {
                return Err(format!("{count} segments to state {state} at node {node}"));
            }
            tree.end(node, state, count);
        }
        Ok(tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_that_begin_alike_share_nodes() {
        let mut tree = Tree::new(2);
        for (actions, next) in [(&[0, 1][..], 1), (&[0, 1, 1], 0), (&[0, 1], 1), (&[0, 1], 0)] {
            assert!(tree.add(1, actions, next, 100));
        }
        assert_eq!(tree.len(), 2 + 3);
        let ends: Vec<_> = tree.ends().map(|(node, s, c)| (tree.path(node), s, c)).collect();
        let (short, long) = ((1, vec![0, 1]), (1, vec![0, 1, 1]));
        assert_eq!(ends, [(short.clone(), 1, 2), (long, 0, 1), (short, 0, 1)]);
        assert!(!tree.add(0, &[0], 0, 5) && tree.add(1, &[0, 1], 0, 5));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn files_round_trip_and_are_checked() {
        let mut tree = Tree::new(2);
        tree.add(1, &[0, 1], 1, 100);
        tree.add(1, &[1], 0, 100);
        let text = serde_json::to_string(&tree).unwrap();
        assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), tree);
        assert_eq!(text, r#"{"roots":2,"nodes":[[1,0],[2,1],[1,1]],"ends":[[3,1,1],[4,0,1]]}"#);
        for (from, to) in [("[2,1]", "[7,1]"), ("[3,1,1]", "[3,2,1]"), ("[4,0,1]", "[3,1,9]")] {
            assert!(serde_json::from_str::<Tree>(&text.replace(from, to)).is_err(), "{to}");
        }
        assert_eq!(tree.largest(), (1, 1));
    }
}
