//! The best sequence for a linear function of psi: a beam of beliefs, completed by tails that are known.

use pulp::{Arch, Simd, WithSimd};

use super::blind::Blind;
use crate::model::Action;

/// Tails side by side.
pub(crate) const LANES: usize = 8;

/// The values of known tails at every state, for one linear function of psi.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tails {
    n: usize,
    len: usize,
    /// The value of tail t at state s in lane `t % LANES` of `t / LANES * n + s`.
    blocks: Vec<[f64; LANES]>,
}

impl Tails {
    /// No tails yet, for n states.
    pub(crate) fn clear(&mut self, n: usize) {
        (self.n, self.len) = (n, 0);
        self.blocks.clear();
    }

    /// Adds the tail with these values.
    pub(crate) fn push(&mut self, values: impl Iterator<Item = f64>) {
        let (block, lane) = (self.len / LANES, self.len % LANES);
        if lane == 0 {
            // A lane without a tail never wins; it is not -inf, which makes NaN of a belief that is 0 in places.
            self.blocks.resize(self.blocks.len() + self.n, [f64::MIN; LANES]);
        }
        for (row, value) in self.blocks[block * self.n..].iter_mut().zip(values) {
            row[lane] = value;
        }
        self.len += 1;
    }

    fn value(&self, t: usize, belief: &[f64]) -> f64 {
        let rows = &self.blocks[t / LANES * self.n..];
        belief.iter().zip(rows).fold(0.0, |sum, (&b, row)| sum + b * row[t % LANES])
    }

    /// The first tail with the largest value at `belief`.
    fn best(&self, belief: &[f64]) -> (usize, f64) {
        (0..self.len)
            .map(|t| (t, self.value(t, belief)))
            .fold((0, f64::MIN), |best, next| if next.1 > best.1 { next } else { best })
    }
}

/// The largest value of a tail at each of some beliefs.
struct Complete<'a> {
    tails: &'a Tails,
    beliefs: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Complete<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor
    fn with_simd<S: Simd>(self, _: S) {
        let Tails { n, blocks, .. } = self.tails;
        for (c, out) in self.out.iter_mut().enumerate() {
            let belief = &self.beliefs[c * n..(c + 1) * n];
            let mut top = [f64::MIN; LANES];
            let mut block = 0;
            while block < blocks.len() {
                let mut sum = [0.0; LANES];
                for s in 0..*n {
                    let (b, row) = (belief[s], &blocks[block + s]);
                    for lane in 0..LANES {
                        sum[lane] += b * row[lane];
                    }
                }
                for lane in 0..LANES {
                    top[lane] = if sum[lane] > top[lane] { sum[lane] } else { top[lane] };
                }
                block += n;
            }
            *out = top[0];
            for lane in 1..LANES {
                *out = if top[lane] > *out { top[lane] } else { *out };
            }
        }
    }
}

/// A prefix, as its last action and where the rest of it is.
#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    action: u32,
}

const ROOT: u32 = u32::MAX;

/// A belief kept.
#[derive(Debug, Clone, Copy)]
struct Kept {
    node: u32,
    /// Where the belief is, in the level's list.
    at: usize,
    /// What the prefix has earned, and that with the best tail.
    earned: f64,
    total: f64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) prefix: Vec<Action>,
    pub(crate) tail: usize,
    pub(crate) value: f64,
}

/// Memory reused by every search.
#[derive(Debug, Clone)]
pub(crate) struct Beam {
    nodes: Vec<Node>,
    kept: Vec<Kept>,
    children: Vec<Kept>,
    beliefs: Vec<f64>,
    next: Vec<f64>,
    completions: Vec<f64>,
    arch: Arch,
}

impl Beam {
    pub(crate) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            kept: Vec::new(),
            children: Vec::new(),
            beliefs: Vec::new(),
            next: Vec::new(),
            completions: Vec::new(),
            arch: Arch::new(),
        }
    }

    /// The best sequence found from state s under `rewards` of (s, a): a prefix and one of `tails`, of which there
    /// must be one. Of equals the first in the order of prefixes and tails. `width` prefixes of each length up to `depth`
    /// are kept.
    pub(crate) fn search(
        &mut self,
        blind: &Blind,
        rewards: &[f64],
        tails: &Tails,
        s: usize,
        (width, depth): (usize, usize),
        negligible: f64,
    ) -> Found {
        let n = blind.num_states;
        self.nodes.clear();
        self.beliefs.clear();
        self.beliefs.resize(n, 0.0);
        self.beliefs[s] = 1.0;
        let (tail, value) = tails.best(&self.beliefs);
        let mut best = (ROOT, tail, value);
        self.kept.clear();
        self.kept.push(Kept { node: ROOT, at: 0, earned: 0.0, total: value });
        let mut weight = 1.0;
        for _ in 0..depth {
            self.expand(blind, rewards);
            self.completions.resize(self.children.len(), 0.0);
            let Self { next, completions, .. } = self;
            self.arch.dispatch(Complete { tails, beliefs: next, out: completions });
            for (child, completion) in self.children.iter_mut().zip(&self.completions) {
                child.total = child.earned + completion;
            }
            // Stable: of equals the first.
            self.children.sort_by(|x, y| y.total.total_cmp(&x.total));
            self.kept.clear();
            for &child in &self.children {
                if self.kept.len() == width {
                    break;
                }
                let belief = &self.next[child.at * n..][..n];
                // Another order of the same actions often leads to the same belief.
                let twice = |kept: &Kept| {
                    let close = 1e-12 * child.total.abs();
                    (kept.total - child.total).abs() <= close
                        && (kept.earned - child.earned).abs() <= close
                        && self.next[kept.at * n..][..n]
                            .iter()
                            .zip(belief)
                            .all(|(x, y)| (x - y).abs() < 1e-12)
                };
                if !self.kept.iter().any(twice) {
                    self.kept.push(child);
                }
            }
            let Some(top) = self.kept.first() else { break };
            if top.total > best.2 + negligible {
                let belief = &self.next[top.at * n..][..n];
                best = (top.node, tails.best(belief).0, top.total);
            }
            std::mem::swap(&mut self.beliefs, &mut self.next);
            weight *= blind.slowest;
            if weight < 1e-6 {
                break;
            }
        }
        let (mut at, tail, value) = best;
        let mut prefix = Vec::new();
        while at != ROOT {
            let node = self.nodes[at as usize];
            prefix.push(node.action as usize);
            at = node.parent;
        }
        prefix.reverse();
        Found { prefix, tail, value }
    }

    /// The children of all kept beliefs.
    #[allow(clippy::cast_possible_truncation)] // nodes that fit in memory, and actions below their number
    fn expand(&mut self, blind: &Blind, rewards: &[f64]) {
        let (n, m) = (blind.num_states, blind.num_actions);
        self.children.clear();
        self.next.clear();
        self.next.resize(self.kept.len() * m * n, 0.0);
        for kept in &self.kept {
            let belief = &self.beliefs[kept.at * n..][..n];
            for a in 0..m {
                let at = self.children.len();
                blind.push(belief, a, &mut self.next[at * n..][..n]);
                let earned = kept.earned + blind.reward(rewards, belief, a);
                let node = self.nodes.len() as u32;
                self.nodes.push(Node { parent: kept.node, action: a as u32 });
                self.children.push(Kept { node, at, earned, total: f64::MIN });
            }
        }
    }
}
