//! What objectives check of their parts.

use super::ObjectiveError;
use crate::Real;

/// Refuses what is not finite.
pub(super) fn check_finite<'x, T: Real>(
    what: &'static str,
    values: impl IntoIterator<Item = &'x T>,
) -> Result<(), ObjectiveError> {
    match values.into_iter().find(|x| !x.is_finite()) {
        Some(x) => Err(ObjectiveError::Value { what, value: x.as_f64() }),
        None => Ok(()),
    }
}

/// rho >= 0, and a finite symmetric matrix of this size.
pub(super) fn check_bonus<T: Real>(
    rho: T,
    size: usize,
    (rows, columns): (usize, usize),
    entry: impl Fn(usize, usize) -> T,
) -> Result<(), ObjectiveError> {
    if !(rho.is_finite() && rho >= T::zero()) {
        return Err(ObjectiveError::Value { what: "rho", value: rho.as_f64() });
    }
    if (rows, columns) != (size, size) {
        let (what, expected) = ("the matrix of the bonus", format!("{size} x {size}"));
        return Err(ObjectiveError::Shape { what, rows, columns, expected });
    }
    for i in 0..size {
        for j in 0..=i {
            let (x, y) = (entry(i, j), entry(j, i));
            check_finite("an entry of the matrix of the bonus", [&x, &y])?;
            let scale = entry(i, i).abs() + entry(j, j).abs();
            if (x - y).abs() > T::of(1e4) * T::epsilon() * scale {
                return Err(ObjectiveError::Asymmetric { row: i, column: j });
            }
        }
        if entry(i, i) < T::zero() {
            let what = "a diagonal entry of the matrix of the bonus";
            return Err(ObjectiveError::Value { what, value: entry(i, i).as_f64() });
        }
    }
    Ok(())
}
