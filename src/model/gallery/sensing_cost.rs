//! The two-state problem with a price on sensing.

use crate::Real;
use crate::model::{ModelError, Tabular, acno};

/// Kapoor and Nair's two-state problem: at each step one may pay `k` to sense the next state.
///
/// | action | from `s1` | from `s2` | cost in `s1` | cost in `s2` |
/// |---|---|---|---|---|
/// | `R` | 0.7, 0.3 | 0.2, 0.8 | 0.25 | 0.75 |
/// | `B` | 0.3, 0.7 | 0.9, 0.1 | 1 | 0.5 |
///
/// Costs are to be minimised, so rewards are their negatives, and values are negative total costs.
/// [`acno`] adds the sensing variants `R+look` and `B+look`. The source has gamma = 0.5; sensing
/// for nothing, the least discounted costs from `s1` and `s2` are 0.568182 and 0.795455.
///
/// # Errors
/// [`ModelError::Parameter`] if `k` is not finite, [`ModelError::Discount`] if gamma is not in (0, 1).
///
/// # Example
/// ```
/// let model = sporadic::model::gallery::sensing_cost(0.125, 0.5)?;
/// let (r, look) = (model.action("R")?, model.action("R+look")?);
/// assert_eq!((model.reward(0, r), model.reward(0, look)), (-0.25, -0.375));
/// assert_eq!((model.beta(r), model.beta(look)), (0.0, 1.0));
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn sensing_cost<T: Real>(k: T, gamma: T) -> Result<Tabular<T>, ModelError> {
    let t = T::of;
    let base = Tabular::builder(gamma)
        .name("sensing-cost")
        .action("R", T::zero(), [t(-0.25), t(-0.75)], [[t(0.7), t(0.3)], [t(0.2), t(0.8)]])
        .action("B", T::zero(), [t(-1.0), t(-0.5)], [[t(0.3), t(0.7)], [t(0.9), t(0.1)]])
        .build()?;
    acno(&base, k)
}
