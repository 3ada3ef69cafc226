//! Models ready to use.

use super::{ModelError, Tabular};
use crate::Real;

/// `RiverSwim` with `n` states (to be extended).
///
/// # Errors
/// [`ModelError`] if a parameter is out of range.
pub fn river_swim<T: Real>(n: usize, beta: T, gamma: T) -> Result<Tabular<T>, ModelError> {
    let t = T::of;
    let last = n - 1;
    let mut left = vec![T::zero(); n];
    left[0] = t(0.005);
    let mut right = vec![T::zero(); n];
    right[last] = T::one();
    Tabular::builder(gamma)
        .name("river-swim")
        .sparse_action("0", beta, left, (0..n).map(|s| vec![(s.saturating_sub(1), T::one())]))
        .sparse_action(
            "1",
            beta,
            right,
            (0..n).map(|s| match s {
                0 => vec![(0, t(0.4)), (1, t(0.6))],
                s if s == last => vec![(s - 1, t(0.4)), (s, t(0.6))],
                s => vec![(s - 1, t(0.05)), (s, t(0.6)), (s + 1, t(0.35))],
            }),
        )
        .build()
}
