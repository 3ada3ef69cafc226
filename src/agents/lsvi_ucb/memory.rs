//! What the tabular learner remembers of the history, and the weights of line 6.
//!
//! q and b_s' are the sums over the history that [`TabularLsviUcb`](super::TabularLsviUcb) defines. They are all that is kept of it,
//! however long it is, because line 6 is linear in V_(u+1) once segments are sorted by the state they ended in.

use nalgebra::{DMatrix, Dyn};

use super::ridge::Ridge;
use super::{Candidates, Continuation, LsviUcbParams};
use crate::Real;
use crate::agents::AgentError;
use crate::product::product_to;

/// In more dimensions than this a matrix product is worth the memory it packs its factors into.
const PACKED: usize = 64;

/// What is remembered of the history.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Memory<T: Real> {
    /// Lambda^-1.
    pub(super) ridge: Ridge<T, Dyn>,
    /// q, then b_s' for each state.
    pub(super) sums: DMatrix<T>,
    /// log det Lambda at the last planning; none before the first.
    pub(super) planned_at: Option<T>,
    pub(super) episodes: u64,
}

impl<T: Real> Memory<T> {
    /// Line 6 for every value: Lambda^-1 (q, b_1, ..., b_n), or, if the continuation is the model's, Lambda^-1 q and the weights that the
    /// model gives to the values.
    pub(super) fn weights(
        &self,
        candidates: &Candidates<T>,
        continuation: Continuation,
        weights: &mut DMatrix<T>,
    ) {
        let Self { ridge, sums, .. } = self;
        if continuation == Continuation::Model
            && let Some(continuation) = &candidates.continuation
        {
            weights.columns_mut(1, continuation.ncols()).copy_from(continuation);
            weights.column_mut(0).gemv(T::one(), &ridge.inverse, &sums.column(0), T::zero());
        } else if sums.nrows() > PACKED {
            product_to(&ridge.inverse, sums, weights.as_mut_slice());
        } else {
            for (mut w, sum) in weights.column_iter_mut().zip(sums.column_iter()) {
                w.gemv(T::one(), &ridge.inverse, &sum, T::zero());
            }
        }
        if let Some(bonus) = &candidates.visit_bonus {
            weights.column_mut(0).axpy(T::one(), bonus, T::one());
        }
    }
}

/// Refuses features whose bonus can overflow: ||psi||_{Lambda^-1}^2 is at most ||psi||_1^2 / lambda.
pub(super) fn check_scale<T: Real>(
    candidates: &Candidates<T>,
    params: &LsviUcbParams<T>,
) -> Result<(), AgentError> {
    let m = candidates.family().len();
    for (column, psi) in candidates.psi.column_iter().enumerate() {
        let norm = psi.iter().fold(T::zero(), |sum, x| sum + x.abs());
        let square = norm * (norm / params.lambda());
        if !(params.rho() * square.sqrt()).is_finite() {
            return Err(AgentError::Scale {
                state: column / m,
                sequence: candidates.family()[column % m].clone(),
                rho: params.rho().as_f64(),
                lambda: params.lambda().as_f64(),
                norm: norm.as_f64(),
            });
        }
    }
    Ok(())
}
