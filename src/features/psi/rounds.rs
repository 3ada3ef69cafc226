//! Matrices of periods, kept for the next question.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::model::Action;

/// A matrix for each of the periods asked for first, as many as fit into [`NUMBERS`].
pub(super) struct Rounds<M> {
    kept: Mutex<HashMap<Vec<Action>, M>>,
}

/// The most numbers kept.
const NUMBERS: usize = 1 << 16;

impl<M: Clone> Rounds<M> {
    /// The matrix of a period, which has `size` numbers: kept, or made now.
    ///
    /// Nobody waits: while another thread looks, the matrix is made anew.
    pub(super) fn get(&self, period: &[Action], size: usize, make: impl Fn(&[Action]) -> M) -> M {
        let Ok(mut kept) = self.kept.try_lock() else { return make(period) };
        if let Some(matrix) = kept.get(period) {
            return matrix.clone();
        }
        let matrix = make(period);
        if (kept.len() + 1).saturating_mul(size) <= NUMBERS {
            kept.insert(period.to_vec(), matrix.clone());
        }
        matrix
    }
}

impl<M> Default for Rounds<M> {
    fn default() -> Self {
        Self { kept: Mutex::default() }
    }
}

/// Empty: matrices are made again when they are asked for.
impl<M> Clone for Rounds<M> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<M> std::fmt::Debug for Rounds<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rounds").finish_non_exhaustive()
    }
}
