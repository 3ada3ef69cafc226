//! The inventory problem with a price on sensing the stock.

use crate::Real;
use crate::model::{ModelError, Tabular, acno};

/// What action a, producing a units, costs at stock 0, 1, 2, 3.
const COSTS: [[f64; 4]; 4] = [
    [0.0, -2.0, -2.75, -2.25],
    [-1.0, -1.75, -1.25, -0.75],
    [-0.75, -0.25, 0.25, 0.75],
    [0.75, 1.25, 1.75, 2.25],
];

/// Kapoor and Nair's inventory problem: at each step one may pay `k` to sense the stock.
///
/// The stock s is from 0 to 3. Action `a` produces a = 0 to 3 units; then 1 or 2 units are demanded, each
/// with probability 1/2, and the stock becomes s + a - demand, but at least 0 and at most 3. Costs, by
/// stock:
///
/// | action | 0 | 1 | 2 | 3 |
/// |---|---|---|---|---|
/// | `0` | 0 | -2 | -2.75 | -2.25 |
/// | `1` | -1 | -1.75 | -1.25 | -0.75 |
/// | `2` | -0.75 | -0.25 | 0.25 | 0.75 |
/// | `3` | 0.75 | 1.25 | 1.75 | 2.25 |
///
/// Costs are to be minimised, so rewards are their negatives: where the source has the value -5.75, this
/// model has 5.75. [`acno`] adds the sensing variants `0+look`, ..., `3+look`, which cost `k` more. The
/// source has gamma = 0.8; sensing for nothing, the values are 5.75, 6.75, 7.75 and 8.05. With k = 0.2, the
/// value at stock 0 is 4.75 if every step senses, and 5.1389, 5.2172 and 5.2771 if at most 1, 2 and 3
/// steps in a row do not.
///
/// # Errors
/// [`ModelError::Parameter`] if `k` is not finite, [`ModelError::Discount`] if gamma is not in (0, 1).
///
/// # Example
/// ```
/// let model = sporadic::model::gallery::inventory(0.2, 0.8)?;
/// let (two, look) = (model.action("2")?, model.action("2+look")?);
/// assert_eq!((model.reward(0, two), model.reward(0, look)), (0.75, 0.55));
/// assert_eq!(model.row(0, two).collect::<Vec<_>>(), [(0, 0.5), (1, 0.5)]);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn inventory<T: Real>(k: T, gamma: T) -> Result<Tabular<T>, ModelError> {
    let mut builder =
        Tabular::builder(gamma).name("inventory").states(["stock0", "stock1", "stock2", "stock3"]);
    for (produced, costs) in COSTS.iter().enumerate() {
        let after = |s: usize, demand: usize| (s + produced).saturating_sub(demand).min(3);
        let rows = (0..4).map(|s| [1, 2].map(|demand| (after(s, demand), T::of(0.5))).to_vec());
        let rewards = costs.map(|cost| T::of(-cost));
        builder = builder.sparse_action(produced.to_string(), T::zero(), rewards, rows);
    }
    acno(&builder.build()?, k)
}
