//! The planning phase of the tabular learner: lines 5 to 8 of Algorithm 1.
//!
//! `plain` is the specification: read it first. `screened` computes the same choices and the same values,
//! to the last bit, from far fewer scores. This page says why.
//!
//! # 1. The theorem
//!
//! Let there be n states and m candidates. Step t = 0, ..., H - 2 computes V_u from V_(u+1) with
//! u = H - 1 - t. Write x_t for V_(u+1), so that x_0 = (cap, ..., cap) with cap = 1/(1-gamma), and the
//! *trajectory* is x_0, x_1, ..., x_(H-1). The *score* of candidate j in state s at v is
//!
//! ```text
//! k_j(v) = c_0 + c_1 v_1 + ... + c_n v_n,     computed in T from left to right, with the coefficients of (s, j),
//! ```
//!
//! and plain scoring sets x_(t+1)(s) = min {max over j of k_j(x_t), cap} and chooses the first j with
//! k_j(x_t) >= x_(t+1)(s).
//!
//! Let A(s) be a nonempty set of candidates for each state, the *active set*, and let y_t be the trajectory
//! and choices that plain scoring computes with A(s) in place of all candidates. The *excess* of candidate j
//! at step t is k_j(y_t) - y_(t+1)(s).
//!
//! **Theorem.** If for every step t, every state s and every candidate j outside of A(s), either the excess is
//! negative, or y_(t+1)(s) = cap and j comes after the choice at step t, then y_t = x_t for all t and the
//! choices are those of plain scoring, to the last bit.
//!
//! *Proof.* By induction over t: y_0 = x_0. Let y_t = x_t, so that the scores k_j at step t are the same numbers.
//! Case 1, y_(t+1)(s) < cap. Every score outside of A(s) is below y_(t+1)(s), the largest score of A(s). So this
//! is the largest of all, and the first candidate that reaches it is in A(s). Case 2, y_(t+1)(s) = cap. Then
//! x_(t+1)(s) = cap. The choice c is the first of A(s) whose score is at least cap. A candidate
//! before c that is not in A(s) has a score below cap; so c is also the first of all. QED
//!
//! Only signs of excesses matter, not how they are found, and nothing is assumed of A(s). So choices and values
//! do not depend on the active sets: not on the history of the learner, nor on whether it was
//! restored from a file.
//!
//! The converse gives the algorithm. `screened` computes y_t, and `verify` looks for candidates with a nonnegative
//! excess. If there are none, the theorem applies. If there are, at least one joins its A(s), and the steps from
//! the first such step on are computed again. As the active sets grow with every repetition and have n m
//! elements at most, this ends; and it is ended earlier, by plain scoring, once it has cost twice as much.
//!
//! # 2. An upper bound for an interval of steps
//!
//! Let [a, b] be an *interval* of steps on which y_(t+1)(s) is cap throughout, or nowhere. Let l be an affine
//! function of v with l(y_t) <= y_(t+1)(s) for all t in [a, b], the *minorant*: the constant cap in the first case,
//! and in the second the score of a member of A(s), because y_(t+1)(s) is the largest of those.
//!
//! Let p be any point, x_t in [0, 1], and r >= 0 such that for each t in [a, b], in every coordinate,
//!
//! ```text
//! |y_t - ((1-x)^2 y_a + 2x(1-x) p + x^2 y_b)| <= r,     x = x_t.
//! ```
//!
//! Then for each j and t in [a, b], as k_j - l is affine and a quadratic curve consists of convex combinations of
//! its three control points,
//!
//! ```text
//! k_j(y_t) - l(y_t) <= max over v in {y_a, p, y_b} of (k_j(v) - l(v))  +  r * (sum over i of |c_i - l_i|).
//! ```
//!
//! If the right side is negative then j has a negative excess on the whole interval: it is *ruled out*. The
//! trajectory is smooth in t, so that a quadratic curve fitted by least squares has a small r on long intervals.
//! Intervals are bisected until few candidates are left, and those are scored exactly.
//!
//! Rounding of r: let M be the largest of cap, |y_a|, |p|, |y_b|. The distance of a point from the curve is
//! computed by seven operations in T on numbers that are at most 5 M, from x, from fl(2x(1-x)), from b - a and
//! from p - (a+b)/2, each with an error of at most 5 u_T M, where u_T is half the machine epsilon of T. Added up,
//! with the rounding of p itself, the error is below 24 u_T M, so r' = r + 32 u_T M is used for r, and M + r'
//! bounds all |y_t|.
//!
//! # 3. Rounding of the upper bound
//!
//! The bound is evaluated in single precision, with unit roundoff u = 2^-24, from rounded features, weights
//! Lambda^-1 (q, b_1, ..., b_n), points and minorants. Let
//!
//! ```text
//! N_j = sum over f of |psi_f| (|W_f0| + cap * sum over i of |W_fi|)  +  rho * (the bound on the norm of psi),
//! S   = M + |l_0| + (M + r') * sum over i of |l_i|.
//! ```
//!
//! All terms of k_j at points of size M add up to at most (M / cap) N_j in absolute value. As usual
//! (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1), a sum of products with k roundings on the
//! way of each term has an error of at most k u / (1 - k u) times the sum of the sizes of its terms. The score
//! that plain scoring computes has d + n + 4 roundings in T on the way of each term. The single-precision score has at
//! most d + 4 in its coefficients (features, weights, products, sums, bonus), and n + 6 in its evaluation and in the
//! sums that follow. The distance sum |c_i - l_i| has n + 3. The minorant has n + 1 in T at the control points, n + 1 in T in
//! y_(t+1)(s), and at most 6 in single precision. So the true excess is below the computed right side plus
//!
//! ```text
//! (d + n + 10) (u + u_T) ((M + 2 r') / cap) N_j  +  2 (n + 8) (u + u_T) S,      times 1 / (1 - (d + n + 10) u).
//! ```
//!
//! What is added is (d + n + 8) (2u + 2u_T) ((M + 2 r') / cap) N_j + (n + 16) (2u + 2u_T) S, which is larger than that, and
//! larger by enough for the rounding of the slack itself, as long as d + n + 8 <= 2^20. Where features have signs,
//! |psi_f| in N_j is replaced by the largest of the state.
//!
//! # 4. Norms of the past
//!
//! c_0 contains rho ||psi||_{Lambda^-1}. Computing all norms costs n m d^2, so old ones are kept as upper bounds. Let P be
//! Lambda^-1 as stored. A segment replaces it by P' = P - z z^T + E for the vector z that was computed, however accurate
//! that is, where E is the rounding of d^2 products and differences: |E_ab| <= u_T (|P_ab| + 2 |P'_ab|) (1 + 2 u_T). As
//! z z^T is positive semidefinite, for every psi
//!
//! ```text
//! psi^T P' psi  <=  psi^T P psi + ||psi||_1^2 * (largest |E_ab|)  <=  psi^T P psi + 4 u_T ||psi||_1^2 * (largest entry),
//! ```
//!
//! and the evaluation of psi^T P psi in T has an error of at most (2d + 2) u_T ||psi||_1^2 (largest entry). `norms` adds these up,
//! together with 8 (number of segments + d) d (1 + ||psi||_1^2) times the smallest normal number for underflow, and
//! computes all norms again before the sum exceeds what was added to their squares.
//! The largest entry is measured in every planning phase and grows by at most the largest z_a^2 per segment.
//!
//! # 5. Overflow and underflow
//!
//! V is at most cap but has no lower bound: for a bad active set, or a tiny lambda, a trajectory can grow
//! exponentially towards -inf. Sections 2 to 4 need that no number overflows and that underflow is
//! negligible. They are used only if
//!
//! ```text
//! d + n + 8 <= 2^20,   |psi_f| <= 2^10,   sum over f of (|W_f0| + cap * sum over i of |W_fi|) <= 2^40,
//! rho <= 2^40,   cap <= 2^40,   norms <= 2^40,   y_t >= -2^60,   |p| <= 2^100,   S + ((M + 2 r') / cap) N_j <= 2^100,
//! ```
//!
//! all of it checked by comparisons that are false if a number is not a number. If one fails, the whole planning
//! phase is done by plain scoring. Under these conditions every intermediate result is below 2^127 in absolute value, so none
//! overflows. An operation that underflows has an error of at most 2^-150, and the factors and sums that follow
//! multiply it by at most 2^53 (M + 2 r'), which makes less than 2^-90 M; but S contains M, and the slack contains at least
//! 17 u M = 17 * 2^-24 M that sections 2 to 4 do not use.
//!
//! Plain scoring itself may overflow. What it then does is defined in `plain`, and the learner reports it.

mod active;
mod kernels;
mod norms;
mod plain;
mod regression;
mod screened;
mod upper_bounds;
mod verify;

#[cfg(test)]
mod tests;

use std::fmt::Debug;

use nalgebra::DMatrix;

use crate::Real;
pub(super) use kernels::{LANES, Lanes};
use plain::Plain;
pub(super) use regression::{Block, Regression};
use screened::Screened;

/// How the planning phase of [`TabularLsviUcb`](super::TabularLsviUcb) is computed. Both planners give the
/// same choices and the same values, to the last bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Planner {
    /// Lines 5 to 8 as printed: every candidate is scored at every step.
    Plain,
    /// A few candidates are scored at every step, the others are proved to score less.
    #[default]
    Screened,
}

/// A way to compute lines 5 to 8 of Algorithm 1.
pub(super) trait PlanningPhase<T: Real>: Debug + Send + Sync {
    /// Computes the choice and V_u(s) of each step u < H and state s, at `(u - 1) * n + s`.
    fn plan(&mut self, k: Regression<'_, T>, choices: &mut [u32], values: &mut [T]);

    /// Tells that Lambda^-1 has become Lambda^-1 - z z^T since the last planning phase.
    fn lambda_grew(&mut self, _z: &[T]) {}

    /// Tells that Lambda^-1 has been replaced since the last planning phase.
    fn forget(&mut self) {}

    /// A copy.
    fn boxed(&self) -> Box<dyn PlanningPhase<T>>;
}

impl<T: Real> Clone for Box<dyn PlanningPhase<T>> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl Planner {
    /// A planner for n states and the features psi that plans `steps` = H - 1 steps.
    pub(super) fn build<T: Real>(
        self,
        psi: &DMatrix<T>,
        n: usize,
        steps: usize,
        cap: T,
    ) -> Box<dyn PlanningPhase<T>> {
        match self {
            Self::Plain => Box::new(Plain::new(psi.nrows(), n, psi.ncols() / n)),
            Self::Screened => Box::new(Screened::new(psi, n, steps, cap)),
        }
    }
}
