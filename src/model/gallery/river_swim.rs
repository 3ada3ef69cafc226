//! `RiverSwim`: rewards at both ends of a river.

use super::check_chain;
use crate::Real;
use crate::model::{ModelError, Tabular};

/// `RiverSwim`, the left diagram of the paper's Figure 3, with states `s1`, ..., `sn`.
///
/// Action `0` swims left, with the current: one state down, surely; in `s1` it stays there and
/// earns 0.005. Action `1` swims right, against it:
///
/// | from | left | stay | right | reward |
/// |---|---|---|---|---|
/// | `s1` | | 0.4 | 0.6 | 0 |
/// | in between | 0.05 | 0.6 | 0.35 | 0 |
/// | `sn` | 0.4 | 0.6 | | 1 |
///
/// Episodes start in `s1`; both actions reveal the state with probability `beta`. The paper has
/// n = 6 and gamma = 0.99.
///
/// # Errors
/// [`ModelError::Parameter`] if `n < 2`, [`ModelError::TooLarge`] if `n` is above
/// [`MAX_STATES`](super::MAX_STATES), [`ModelError::Beta`] and [`ModelError::Discount`] if they are out
/// of range.
///
/// # Example
/// ```
/// let swim = sporadic::model::gallery::river_swim(6, 0.1, 0.99)?;
/// assert_eq!(swim.row(2, 1).collect::<Vec<_>>(), [(1, 0.05), (2, 0.6), (3, 0.35)]);
/// assert_eq!(swim.reward_range(), (0.0, 1.0));
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn river_swim<T: Real>(n: usize, beta: T, gamma: T) -> Result<Tabular<T>, ModelError> {
    check_chain(n)?;
    let t = T::of;
    let last = n - 1;
    let mut left = vec![T::zero(); n];
    left[0] = t(0.005);
    let mut right = vec![T::zero(); n];
    right[last] = T::one();
    let downstream = (0..n).map(|s| vec![(s.saturating_sub(1), T::one())]);
    let upstream = (0..n).map(|s| match s {
        0 => vec![(0, t(0.4)), (1, t(0.6))],
        s if s == last => vec![(s - 1, t(0.4)), (s, t(0.6))],
        s => vec![(s - 1, t(0.05)), (s, t(0.6)), (s + 1, t(0.35))],
    });
    Tabular::builder(gamma)
        .name("river-swim")
        .sparse_action("0", beta, left, downstream)
        .sparse_action("1", beta, right, upstream)
        .build()
}
