//! How far apart two dynamics are.

use nalgebra::{DMatrix, OMatrix};

use crate::Real;
use crate::dim::Dimension;
use crate::features::Dynamics;

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

/// A matrix of dynamic size in `f64`, where eigenvalues need no allocator of any other size.
pub(super) fn to_f64<T: Real, D: Dimension>(m: &OMatrix<T, D, D>) -> DMatrix<f64> {
    DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].as_f64())
}

/// The largest singular value.
pub(super) fn operator_norm(m: &DMatrix<f64>) -> f64 {
    let scale = m.amax();
    // Eigenvalue iterations need not end on entries that are not finite, and zero has norm zero.
    if !m.iter().all(|x| x.is_finite()) {
        return f64::NAN;
    }
    if scale <= 0.0 {
        return 0.0;
    }
    let scaled = m / scale;
    (scaled.transpose() * &scaled).symmetric_eigenvalues().max().max(0.0).sqrt() * scale
}
