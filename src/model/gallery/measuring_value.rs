//! Measuring-Value, a problem with a price per measurement.

use crate::Real;
use crate::model::{ModelError, Tabular, acno};

/// Measuring-Value (Krale et al.), with a price per measurement.
///
/// From `s0`, action `a0` leads to `s+` with probability 0.8 and to `s-` with 0.2, for no reward.
/// From `s+`, `a0` ends with reward 1, from `s-` it ends with 0. Action `a1` goes back to `s0` from
/// each of the three. The end is an absorbing state `end` without reward. [`acno`] gives every
/// action a looking variant, `a0+look` and `a1+look`, that costs `cost`.
///
/// The source does not discount: there the optimum from `s0` is max(0.8, 1 - 1.25 cost), the first
/// without looking and the second with a look after every `a0` from `s0`. With discount gamma they
/// become 0.8 gamma and (0.8 gamma - cost) / (1 - 0.2 gamma^2), so take gamma near 1.
///
/// # Errors
/// [`ModelError::Parameter`] if `cost` is not finite, [`ModelError::Discount`] if gamma is not in
/// (0, 1).
///
/// # Example
/// ```
/// let model = sporadic::model::gallery::measuring_value(0.1, 0.9999)?;
/// assert_eq!(model.action_names(), ["a0", "a0+look", "a1", "a1+look"]);
/// assert_eq!(model.reward(model.state("s+")?, model.action("a0+look")?), 0.9);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn measuring_value<T: Real>(cost: T, gamma: T) -> Result<Tabular<T>, ModelError> {
    let (zero, one) = (T::zero(), T::one());
    let row = |entries: &[(usize, f64)]| entries.iter().map(|&(s, p)| (s, T::of(p))).collect();
    let go = [row(&[(1, 0.8), (2, 0.2)]), row(&[(3, 1.0)]), row(&[(3, 1.0)]), row(&[(3, 1.0)])];
    let back = [row(&[(0, 1.0)]), row(&[(0, 1.0)]), row(&[(0, 1.0)]), row(&[(3, 1.0)])];
    let base = Tabular::builder(gamma)
        .name("measuring-value")
        .states(["s0", "s+", "s-", "end"])
        .sparse_action("a0", zero, [zero, one, zero, zero], go)
        .sparse_action("a1", zero, [zero; 4], back)
        .build()?;
    acno(&base, cost)
}
