//! `RiverBalance`: rewards at the centre of a river that flows to both ends.

use super::check_chain;
use crate::Real;
use crate::model::{ModelError, Tabular};

/// `RiverBalance`, the right diagram of the paper's Figure 3, with states `s1`, ..., `sn`.
///
/// Action `0` moves left, action `1` right, and the current flows away from the centre. A move away
/// from the centre always succeeds (at an end it stays there); a move towards it succeeds with
/// probability 0.85 and otherwise stays. The two moves across the centre, `1` in the last state of
/// the left half and `0` in the first state of the right half, earn 1 whether they succeed or not;
/// everything else earns 0.
///
/// For odd `n` the centre is the middle state, which belongs to both halves: its action `1` is that
/// of the left half's last state and its action `0` that of the right half's first, so both leave
/// it with probability 0.85 and both earn 1.
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
/// let balance = sporadic::model::gallery::river_balance(6, 0.1, 0.99)?;
/// let (s3, s4) = (balance.state("s3")?, balance.state("s4")?);
/// assert_eq!(balance.row(s3, 1).collect::<Vec<_>>(), [(s3, 0.15), (s4, 0.85)]);
/// assert_eq!((balance.reward(s3, 1), balance.reward(s3, 0)), (1.0, 0.0));
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn river_balance<T: Real>(n: usize, beta: T, gamma: T) -> Result<Tabular<T>, ModelError> {
    check_chain(n)?;
    let (stay, cross) = (T::of(0.15), T::of(0.85));
    let last = n - 1;
    // One and the same state if n is odd.
    let (left_centre, right_centre) = (last / 2, n / 2);
    let mut left = vec![T::zero(); n];
    left[right_centre] = T::one();
    let mut right = vec![T::zero(); n];
    right[left_centre] = T::one();
    let leftwards = (0..n).map(|s| {
        if s >= right_centre {
            vec![(s - 1, cross), (s, stay)]
        } else {
            vec![(s.saturating_sub(1), T::one())]
        }
    });
    let rightwards = (0..n).map(|s| {
        if s <= left_centre {
            vec![(s, stay), (s + 1, cross)]
        } else {
            vec![((s + 1).min(last), T::one())]
        }
    });
    Tabular::builder(gamma)
        .name("river-balance")
        .sparse_action("0", beta, left, leftwards)
        .sparse_action("1", beta, right, rightwards)
        .build()
}
