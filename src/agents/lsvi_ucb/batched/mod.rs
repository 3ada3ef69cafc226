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
//! Sums are taken in the order in which `factors` and `scores` write them, without fused operations: the score of
//! a candidate is the same number wherever it is computed, and V does not depend on which scores are left
//! out below. So a learner that was restored from a file continues bit for bit.
//!
//! # 2. Scores that need not be computed
//!
//! `tree` sorts states into blocks whose features are close to each other, and blocks into a binary tree. The states
//! of a node have features phi(s, a) = p + t v + r with p and v that depend on a, one number |t| <= 1 for all actions, and
//! |r_k| <= h_k: a segment with a box around each of its points. Where states are few numbers, features lie near a curve, and
//! h is of the order of |v|^2. Let m be the largest |sum of r_k|. For every vector e and every state of the node,
//!
//! ```text
//! |<phi - p - t v, e>|  <=  sum over k of h_k |e_k - x|  +  m |x|     for every number x,                     (1)
//! ```
//!
//! and x is taken halfway between the least and the largest e_k, or near that, because features often sum to 1. Let q = p^T G p,
//! y = 2 G p, z = 2 G v, B = max {v^T G v, 0} + <h, |z|> + sum of |G_kl| h_k h_l, and E a bound on the rounding of
//! phi^T G phi. For every state of the node phi^T G phi <= q + <phi - p, y> + B. Since sqrt(x) <= (x + M) / (2 sqrt(M)) for all
//! M > 0 and x >= -M,
//!
//! ```text
//! rho sqrt(phi^T G phi)  <=  b + <phi - p, g> + A,                                                           (2)
//! b = rho (M + q) / (2 sqrt(M)),     g = rho y / (2 sqrt(M)),     A = rho (B + E) / (2 sqrt(M)),
//! ```
//!
//! a tangent if M = q. Where phi^T G phi < 0 the bonus is 0, and the right side is at least that as long as phi^T G phi >= -M.
//! So M = q where q is more than rounding can take G below 0 by: `Factors::slack` bounds this, if Lambda^-1 is shown to be
//! positive semidefinite. Else M is at least what (1) leaves below 0.
//!
//! Let i be the candidate with the largest b + <p, c>. Its bonuses in all states of the node are computed, so that the
//! largest D_i by which b + <phi - p, g> is above one of them is known. A candidate j is below i in the whole node if
//!
//! ```text
//! b_j + <p, c_j> - b_i - <p, c_i>  +  |<v, c_j + g_j> - <v, c_i + g_i>|  +  (1)  +  A_j  +  D_i  <  0             (3)
//! ```
//!
//! with (1) for e = c_j + g_j - c_i - g_i if the first actions are the same: candidates that differ little have an e that
//! is little. Else (1) is used for each of both alone. `sweep` goes from the root down: what is left out in a node is left out in
//! all nodes below. What is left in a block, or so little that leaving out more would cost more, is scored in every state.
//!
//! What was left at each u is kept. A sequence is chosen from it, if the state is proved to be in the region of the node (`Region::holds`)
//! and the largest score is below the clip; else from all candidates.
//!
//! # 3. Rounding
//!
//! Let eps be the machine epsilon, f_k = |p_k| + |v_k| + h_k, and S the sum of f_k |c_k| plus the largest of b + |<phi - p, g>| + A.
//! A score in T has at most d + 2 roundings on the way of each term, so it is off by (d + 2) eps S at most, apart from the error
//! of phi^T G phi itself, which has at most 2d + 4 roundings on the way of each term: less than
//! E = 4 (d^2 + 8) eps (sum of |G_kl| f_k f_l), with as much again for the rounding of q, y, z and B. The two scores, the two
//! values at p, D_i and (1), whose terms are at most 8 S, add up to less than 32 (d + 8) eps S, which is added to the left side of (3).
//! What underflows is off by less than a tiny number, which is added for every product. Where a number overflows, the left
//! side is not a number, or infinite, which is not below 0, and nothing is ruled out.

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

use self::blocks::Blocks;
use self::factors::{Factors, LANES, Lanes};
use self::index::Index;
use self::near::Near;
use self::region::{Enclose, Regions};
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
            let bundle = alive.bundle;
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
