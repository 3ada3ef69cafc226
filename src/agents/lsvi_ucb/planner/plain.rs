//! Lines 5 to 8 of Algorithm 1 as printed: every candidate is scored at every step.

use super::PlanningPhase;
use super::kernels::LANES;
use super::regression::{Block, Regression};
use crate::Real;

/// The planning phase as printed, and the specification of every other way to compute it.
///
/// ```text
/// line 5:   V_H(s) = 1/(1-gamma)
/// for u = H-1, ..., 1 and every state s:
/// line 7:     K_u(s, j) = min {c_0(s, j) + c_1(s, j) V_(u+1)(1) + ... + c_n(s, j) V_(u+1)(n), 1/(1-gamma)}
/// line 8:     V_u(s)    = max over j of K_u(s, j)
/// line 12:    choice    = the first j with K_u(s, j) = V_u(s)
/// ```
///
/// with the coefficients of [`Regression`], which are line 6. Sums are taken from left to right, each
/// product and each sum rounded to `T`.
///
/// A score that is not a number (-inf times 0) counts as -inf. If all scores of a state are -inf or
/// not a number then V_u(s) = -inf and the choice is candidate 0; the learner reports such a V_u(s) as
/// an error.
///
/// # Complexity
/// n m (d (1 + n + d) + (H - 1) n) multiplications, and memory for n m (1 + n) numbers.
#[derive(Debug, Clone)]
pub(super) struct Plain<T> {
    /// c_0, ..., c_n of state s and candidate j from `(s * m + j) * (1 + n)` on.
    coefficients: Vec<T>,
    block: Block<T>,
    /// V_(u+1).
    later: Vec<T>,
}

impl<T: Real> Plain<T> {
    /// A planner for n states, m candidates and features of dimension d.
    pub(super) fn new(d: usize, n: usize, m: usize) -> Self {
        Self {
            coefficients: vec![T::zero(); n * m * (1 + n)],
            block: Block::new(d, n),
            later: vec![T::zero(); n],
        }
    }

    /// Line 6: the coefficients of every state and candidate.
    fn regress(&mut self, k: Regression<'_, T>) {
        let width = 1 + k.num_states();
        for (chunk, out) in self.coefficients.chunks_mut(LANES * width).enumerate() {
            let count = out.len() / width;
            let columns: [usize; LANES] = std::array::from_fn(|lane| chunk * LANES + lane);
            self.block.compute(k, &columns[..count]);
            for (lane, out) in out.chunks_exact_mut(width).enumerate() {
                out.iter_mut().zip(&self.block.coefficients).for_each(|(to, c)| *to = c[lane]);
            }
        }
    }
}

impl<T: Real> PlanningPhase<T> for Plain<T> {
    fn plan(&mut self, k: Regression<'_, T>, choices: &mut [u32], values: &mut [T]) {
        let (n, m) = (k.num_states(), k.num_candidates());
        self.regress(k);
        self.later.fill(k.cap);
        let steps = choices.chunks_exact_mut(n).zip(values.chunks_exact_mut(n));
        for (choices, values) in steps.rev() {
            let states = self.coefficients.chunks_exact(m * (1 + n));
            for ((candidates, choice), value) in states.zip(choices).zip(&mut *values) {
                (*choice, *value) = (0, T::of(f64::NEG_INFINITY));
                for (j, c) in (0..).zip(candidates.chunks_exact(1 + n)) {
                    let score = c[1..].iter().zip(&self.later).fold(c[0], |k, (&c, &v)| k + c * v);
                    let score = if score > k.cap { k.cap } else { score };
                    if score > *value {
                        (*choice, *value) = (j, score);
                    }
                }
            }
            self.later.copy_from_slice(values);
        }
    }

    fn boxed(&self) -> Box<dyn PlanningPhase<T>> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, dmatrix};

    /// One state; Lambda^-1 = I and rho = 0, so the coefficients are the products of psi and weights.
    fn plan(psi: &DMatrix<f64>, weights: &DMatrix<f64>, steps: usize) -> (Vec<u32>, Vec<f64>) {
        let inverse = DMatrix::identity(psi.nrows(), psi.nrows());
        let k = Regression { psi, inverse: &inverse, weights, rho: 0.0, cap: 10.0 };
        let (mut choices, mut values) = (vec![9; steps], vec![9.0; steps]);
        Plain::new(psi.nrows(), 1, psi.ncols()).plan(k, &mut choices, &mut values);
        (choices, values)
    }

    #[test]
    fn lines_5_to_8_by_hand() {
        // Candidate 0 scores 1 + V/2, candidates 1 and 2 score 4. From V = 10: 6; then 4, a tie; then 3 < 4.
        let psi = dmatrix![1.0, 0.0, 0.0; 0.0, 1.0, 1.0];
        let weights = dmatrix![1.0, 0.5; 4.0, 0.0];
        assert_eq!(plan(&psi, &weights, 3), (vec![1, 0, 0], vec![4.0, 4.0, 6.0]));
        // Several at the clip: the first of them.
        let weights = dmatrix![1.0, 0.5; 40.0, 0.0];
        assert_eq!(plan(&psi, &weights, 1), (vec![1], vec![10.0]));
    }

    #[test]
    fn a_score_that_is_not_a_number_is_never_chosen() {
        let psi = dmatrix![1.0, 0.0];
        // V = -1e308 * 1e9 = -inf for candidate 0 and 0 * -inf for candidate 1.
        let weights = dmatrix![-1e308, 1e9];
        let (choices, values) = plan(&psi, &weights, 2);
        assert_eq!((choices[1], values[1]), (1, 0.0));
        let psi = dmatrix![1.0, 1.0];
        let (choices, values) = plan(&psi, &dmatrix![f64::NAN, 0.0], 2);
        assert_eq!((choices, values), (vec![0, 0], vec![f64::NEG_INFINITY; 2]));
    }
}
