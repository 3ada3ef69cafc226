//! Norms of real matrices, in double precision.

use nalgebra::{DMatrix, OMatrix};

use crate::Real;
use crate::dim::Dimension;

/// A matrix of dynamic size in `f64`, where eigenvalues need no allocator of any other size.
pub(crate) fn to_f64<T: Real, D: Dimension>(m: &OMatrix<T, D, D>) -> DMatrix<f64> {
    DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].as_f64())
}

/// The largest sum of absolute values of a row.
pub(crate) fn row_norm(m: &DMatrix<f64>) -> f64 {
    m.row_iter().map(|row| row.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max)
}

/// The largest sum of absolute values of a column.
pub(crate) fn column_norm(m: &DMatrix<f64>) -> f64 {
    m.column_iter().map(|column| column.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max)
}

/// The largest singular value; not a number if an entry is not finite.
pub(crate) fn operator_norm(m: &DMatrix<f64>) -> f64 {
    let scale = m.amax();
    // Eigenvalue iterations need not end on entries that are not finite, and zero has norm zero.
    if !m.iter().all(|x| x.is_finite()) {
        return f64::NAN;
    }
    if scale <= 0.0 {
        return 0.0;
    }
    let scaled = m / scale;
    scaled.tr_mul(&scaled).symmetric_eigenvalues().max().max(0.0).sqrt() * scale
}
