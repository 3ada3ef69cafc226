//! How far apart two dynamics are.

use crate::Real;
use crate::dim::Dimension;
use crate::features::Dynamics;
use crate::norms::{operator_norm, to_f64};

/// sup `||M_a - M'_a||` in operator norm over the actions that both have: the error that epsilon
/// bounds.
///
/// Not a number where an entry is not.
pub fn matrix_distance<T: Real, D: Dimension>(x: &Dynamics<T, D>, y: &Dynamics<T, D>) -> T {
    let actions = x.num_actions().min(y.num_actions());
    let worst = (0..actions)
        .map(|a| operator_norm(&(to_f64(x.matrix(a)) - to_f64(y.matrix(a)))))
        .fold(0.0, |worst: f64, e| if e.is_nan() { e } else { worst.max(e) });
    T::of(worst)
}

/// sup |beta(a) - beta'(a)| over the actions that both have: the error that `epsilon_beta` bounds.
pub fn beta_distance<T: Real, D: Dimension>(x: &Dynamics<T, D>, y: &Dynamics<T, D>) -> T {
    let actions = x.num_actions().min(y.num_actions());
    let ages = 1..=x.ages().max(y.ages());
    let pairs = ages.flat_map(|age| (0..actions).map(move |a| (a, age)));
    let apart = pairs.map(|(a, age)| (x.beta_at(a, age) - y.beta_at(a, age)).abs());
    apart.fold(T::zero(), T::max)
}
