//! The planning phase of the general learner for a finite family and features that factor: lines 5 to 8 of
//! Algorithm 1 for all states in which segments have ended, at once.
//!
//! The specification is line 7 in `general`, where the oracle is asked state by state. Here the same scores are
//! computed from other products, so V agrees to rounding, and choices agree where scores do not tie to rounding.
//!
//! # 1. Scores
//!
//! With psi(s, a) = 1/2 W^T phi(s, a_1) the score of a candidate in a state with features phi is
//!
//! ```text
//! k(phi) = <phi, c> + rho sqrt(phi^T G phi),     c = 1/2 W w,     G = 1/4 W Lambda^-1 W^T,
//! ```
//!
//! where c changes with u, and G only when Lambda does. V_u(s) is the largest score, cut off at 1/(1-gamma).
//! Sums are taken in the order in which `factors` and `leaf` write them, without fused operations: the score of
//! a candidate is the same number wherever it is computed, and V does not depend on which scores are left
//! out below. So a learner that was restored from a file continues bit for bit.
//!
//! # 2. Scores that need not be computed
//!
//! `tree` sorts states into leaves whose features are close to each other. For each action a the features of the
//! states of a leaf are phi = p + t v + r with their mean p, one vector v, |t| <= 1 and |r_k| <= h_k: a segment with a
//! box around each of its points. Where states are few numbers, features lie near a curve, and h is of the order of
//! |v|^2. Let s be the largest |sum of r_k|. For every vector e and every state of the leaf,
//!
//! ```text
//! |<phi - p, e>|  <=  |<v, e>|  +  sum over k of h_k |e_k - x|  +  s |x|     for every number x,             (1)
//! ```
//!
//! and x is taken halfway between the least and the largest e_k, because features often sum to 1. Let q = p^T G p,
//! y = 2 G p, z = 2 G v, B = |v^T G v| + <h, |z|> + sum of |G_kl| h_k h_l, E a bound on the rounding of phi^T G phi, and
//! X = |<v, y>| + <h, |y|> + B + E. For every state of the leaf phi^T G phi = q + <phi - p, y> + (something of at most B
//! in absolute value), and sqrt(1 + x) <= 1 + x/2 for x >= -1, sqrt(1 + x) >= 1 + x/2 - x^2/2 for x >= -1. So, if q > X,
//!
//! ```text
//! rho sqrt(phi^T G phi)  <=  rho sqrt(q) + <phi - p, g> + A,                                                 (2)
//! rho sqrt(phi^T G phi)  >=  rho sqrt(q) + <phi - p, g> - A - rho X^2 / (2 q^(3/2)),
//! g = rho y / (2 sqrt(q)),     A = rho (B + E) / (2 sqrt(q)),
//! ```
//!
//! positive semidefinite or not. If q <= X, rho sqrt(q + X) is an upper bound and there is no lower one. Let i be
//! the candidate with the largest k(p). A candidate j with the same first action is below i in the whole leaf if
//!
//! ```text
//! k_j(p) - k_i(p)  +  (1) for e = c_j + g_j - c_i - g_i  +  A_j  +  A_i + rho X_i^2 / (2 q_i^(3/2))  <  0;      (3)
//! ```
//!
//! candidates that differ little have an e that is little, so that even small differences decide. If the first
//! actions differ, (1) is used for each of both alone. What is left is scored in every state of the leaf.
//!
//! # 3. Rounding
//!
//! Let eps be the machine epsilon and S the largest sum of |phi_k c_k| in the leaf plus the largest bonus. A score in
//! T has at most d + 2 roundings on the way of each term, so it is off by (d + 2) eps S at most, apart from the error
//! of phi^T G phi itself, which has at most 2d + 4 roundings on the way of each term: less than
//! E = 4 (d^2 + 8) eps (sum of |G_kl| f_k f_l), f_k = |p_k| + |v_k| + h_k, with as much again for the rounding of q and of
//! B each. The two scores, the two values at p, and (1), whose terms are at most 8 S, add up to less than
//! 32 (d + 8) eps S with S = sum of f_k |c_k| plus the largest bonus, which
//! is added to the left side of (3). Where a number overflows, the left side is not a number, which is not below
//! 0, and nothing is ruled out.

mod blocks;
mod factors;
mod index;
mod near;
mod region;
mod scores;
mod screen;
mod stage;
mod sweep;
mod tree;

#[cfg(test)]
mod tests;

use std::cell::RefCell;

use pulp::{Simd, WithSimd};

use self::blocks::Blocks;
use self::factors::{Factors, LANES, Lanes};
use self::index::Index;
use self::near::Near;
use self::region::Regions;
use self::scores::{Best, Lambda};
use self::stage::Stage;
use self::sweep::{Buffers, Sweep};
use self::tree::Tree;
use crate::Real;
use crate::features::FactoredFeatures;
use crate::sequence::ActionSequence;

/// What the general learner keeps if its family is finite and its features factor.
#[derive(Debug, Clone)]
pub(super) struct Batched<T> {
    factors: Factors<T>,
    rho: T,
    cap: T,
    /// phi of each state, d for each action.
    points: Vec<T>,
    index: Index,
    tree: Tree<T>,
    regions: Regions<T>,
    blocks: Blocks<T>,
    near: Near<T>,
    /// The matrices G as of the last planning phase.
    squares: Vec<Lanes<T>>,
    slack: Vec<Lanes<T>>,
    /// The candidates for each u, as far as they have been asked for since then.
    stages: RefCell<Vec<Option<Stage<T>>>>,
    buffers: Buffers<T>,
}

/// For the sightings after these the vectors c are computed whenever a sequence is chosen.
const KEPT: usize = 64;

impl<T: Real> Batched<T> {
    /// `None` if the matrices W would be too large, or one is not finite.
    pub(super) fn new<S>(
        features: &dyn FactoredFeatures<T, S>,
        (d, num_actions): (usize, usize),
        family: &[ActionSequence],
        (rho, cap): (T, T),
    ) -> Option<Self> {
        Some(Self {
            factors: Factors::new(features, d, num_actions, family)?,
            rho,
            cap,
            points: Vec::new(),
            index: Index::default(),
            tree: Tree::default(),
            regions: Regions::default(),
            blocks: Blocks::default(),
            near: Near::default(),
            squares: Vec::new(),
            slack: Vec::new(),
            stages: RefCell::default(),
            buffers: Buffers::default(),
        })
    }

    /// phi of a state, d for each action.
    pub(super) fn phi<S>(&self, features: &dyn FactoredFeatures<T, S>, s: &S) -> Vec<T> {
        let d = self.factors.d;
        let mut phi = vec![T::zero(); self.width()];
        phi.chunks_exact_mut(d).enumerate().for_each(|(a, phi)| features.phi(s, a, phi));
        phi
    }

    fn width(&self) -> usize {
        self.factors.d * self.factors.groups.len()
    }

    fn lambda(&self) -> Lambda<'_, T> {
        let Self { factors, squares, slack, .. } = self;
        Lambda { factors, squares, slack, rho: self.rho }
    }

    /// The number of a state that was met before.
    pub(super) fn find(&self, phi: &[T], is_equal: impl Fn(usize) -> bool) -> Option<usize> {
        self.index.find(phi, is_equal)
    }

    /// Adds a state that was not met before.
    pub(super) fn push(&mut self, phi: &[T]) {
        self.index.insert(phi, self.points.len() / self.width());
        self.points.extend_from_slice(phi);
    }

    /// Forgets all states.
    pub(super) fn clear(&mut self) {
        self.points.clear();
        self.tree.clear();
        self.stages.get_mut().clear();
        self.index = Index::default();
    }

    /// Takes note of Lambda^-1 at the beginning of a planning phase, or of that of the last one.
    pub(super) fn set_inverse(&mut self, inverse: &[T]) {
        self.squares = self.factors.squares(inverse);
        self.slack = self.factors.slack(inverse);
        self.stages.get_mut().clear();
    }

    /// Sorts all states into a tree.
    pub(super) fn begin(&mut self) {
        let (width, d, bundles) = (self.width(), self.factors.d, self.factors.len());
        self.tree.sort(&self.points, width);
        self.blocks.fill(&self.tree.order, &self.points, width, bundles * LANES);
        let nodes = self.tree.nodes.len();
        self.regions.resize(nodes, d, width / d);
        self.near.clear(nodes, bundles, d);
        self.buffers.clear(nodes);
        let Self { tree, blocks, regions, .. } = self;
        pulp::Arch::new().dispatch(Enclose { tree, blocks, regions });
    }

    /// Line 7 for sighting `u` and its weights `w`: sets V of each state. Whether no value has changed.
    pub(super) fn values(&mut self, u: usize, w: &[T], values: &mut [T]) -> bool {
        let mut stage = Stage::new(&self.factors, w);
        let Self { factors, squares, slack, tree, regions, near, blocks, buffers, .. } = self;
        let (lambda, cap) = (Lambda { factors, squares, slack, rho: self.rho }, self.cap);
        let settled = pulp::Arch::new().dispatch(Sweep {
            lambda,
            tree,
            regions,
            near,
            blocks,
            stage: &mut stage,
            cap,
            values,
            buffers,
        });
        if u < KEPT {
            let stages = self.stages.get_mut();
            stages.resize_with(stages.len().max(u + 1), || None);
            stages[u] = Some(stage);
        }
        settled
    }

    /// The first candidate with the largest score in a state with features `phi`, and the score, for the weights
    /// `w` of sighting `u`.
    pub(super) fn choose(&self, u: usize, w: &[T], phi: &[T]) -> (&ActionSequence, T) {
        if u >= KEPT {
            return self.lambda().best(phi, &self.factors.linear(w), self.cap);
        }
        let mut stages = self.stages.borrow_mut();
        if stages.len() <= u {
            stages.resize_with(u + 1, || None);
        }
        // Once V has settled all w are the last one.
        let known = stages[u..].iter().flatten().next().filter(|stage| stage.w == w);
        if let Some(stage) = known {
            let chosen = self.chosen(stage, phi);
            return chosen.unwrap_or_else(|| self.lambda().best(phi, &stage.linear, self.cap));
        }
        let stage = stages[u].insert(Stage::new(&self.factors, w));
        self.lambda().best(phi, &stage.linear, self.cap)
    }

    /// The choice in a state that is among those that were planned for: from the candidates that matter there.
    ///
    /// `None` where they are not known, or at the clip, where others have the same score.
    fn chosen(&self, stage: &Stage<T>, phi: &[T]) -> Option<(&ActionSequence, T)> {
        let (node, list) = stage.terminals.at(self.tree.block_near(phi)?)?;
        if !self.regions.of(node).holds(phi) {
            return None;
        }
        let (d, mut best) = (self.factors.d, Best::default());
        for alive in list {
            let bundle = alive.bundle as usize;
            let phi = &phi[self.factors.actions[bundle] * d..][..d];
            for lane in alive.lanes() {
                let c = &stage.linear[bundle * d..][..d];
                let score = self.lambda().score(phi, c, (bundle, lane));
                best.meet(self.factors.index(bundle, lane), score, self.cap);
            }
        }
        let (index, score) = best.found.filter(|(_, score)| *score < self.cap)?;
        Some((self.factors.member(index), score))
    }

    /// How many pairs of a state and a candidate have been scored since the last planning phase began.
    #[cfg(test)]
    fn scored(&self) -> usize {
        self.blocks.scored()
    }
}

/// Finds the regions of all nodes.
struct Enclose<'a, T> {
    tree: &'a Tree<T>,
    blocks: &'a Blocks<T>,
    regions: &'a mut Regions<T>,
}

impl<T: Real> WithSimd for Enclose<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Children come after their parents.
        for (at, node) in self.tree.nodes.iter().enumerate().rev() {
            match node.right {
                0 => self.regions.enclose(at, self.blocks.rows(node.first)),
                right => self.regions.join(at, [at + 1, right]),
            }
        }
    }
}
