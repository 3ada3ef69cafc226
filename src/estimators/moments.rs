//! Sums of products of feature vectors, gathered in blocks.

use nalgebra::{DMatrix, DMatrixView};

use super::EstimateError;
use crate::Real;
use crate::product::product_to;

/// Rows gathered before they are multiplied out: the depth at which matrix products reach their
/// full speed, while a block of rows still fits a cache.
const ROWS: usize = 256;

/// The moments [X^T X | `X^T Y_0` | `X^T Y_1` | ...] of a stream of rows (x, `y_0`, `y_1`, ...).
///
/// A rank-one update per row is bound by memory; a block of rows is one matrix product. Blocks are summed in `f64` whatever `T` is, so that a long stream of `f32`
/// features does not drown in rounding.
#[derive(Debug, Clone)]
pub(super) struct Moments<T> {
    dim: usize,
    /// d (1 + |A|), the length of a row.
    width: usize,
    sums: DMatrix<f64>,
    /// One block's product.
    product: DMatrix<T>,
    /// Rows not multiplied out yet, one after the other.
    rows: Vec<T>,
    pending: usize,
    /// Rows in `sums`.
    settled: u64,
    fault: Option<EstimateError>,
}

impl<T: Real> Moments<T> {
    pub(super) fn new(dim: usize, num_actions: usize) -> Self {
        let width = dim * (1 + num_actions);
        Self {
            dim,
            width,
            sums: DMatrix::zeros(dim, width),
            product: DMatrix::zeros(dim, width),
            rows: vec![T::zero(); ROWS * width],
            pending: 0,
            settled: 0,
            fault: None,
        }
    }

    /// The number of rows.
    pub(super) fn count(&self) -> u64 {
        self.settled + self.pending as u64
    }

    /// The place of the next row, to be filled at once. Counts it.
    #[inline]
    pub(super) fn next_row(&mut self) -> &mut [T] {
        if self.pending == ROWS {
            self.flush();
        }
        let start = self.pending * self.width;
        self.pending += 1;
        &mut self.rows[start..start + self.width]
    }

    /// Multiplies out the pending rows.
    pub(super) fn flush(&mut self) {
        if self.pending == 0 {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        // What is not finite anywhere in a row is not finite in the product, so that looking at the
        // product looks at every row; row by row only if something is wrong.
        if self.multiply(0, pending) {
            self.settled += pending as u64;
            return;
        }
        for row in 0..pending {
            if self.multiply(row, 1) {
                self.settled += 1;
            } else if self.fault.is_none() {
                self.fault = Some(self.blame(row));
            }
        }
    }

    /// Adds the product of these rows, unless it is not finite.
    fn multiply(&mut self, first: usize, count: usize) -> bool {
        let rows = &self.rows[first * self.width..(first + count) * self.width];
        let x = DMatrixView::from_slice_with_strides(rows, self.dim, count, 1, self.width);
        let all = DMatrixView::from_slice_with_strides(rows, count, self.width, self.width, 1);
        product_to(&x, &all, self.product.as_mut_slice());
        let finite = self.product.iter().all(T::is_finite);
        if finite {
            for (sum, p) in self.sums.iter_mut().zip(self.product.iter()) {
                *sum += p.as_f64();
            }
        }
        finite
    }

    /// The entry that spoils a row: the first that is not finite, else the largest.
    fn blame(&self, row: usize) -> EstimateError {
        let entries = &self.rows[row * self.width..(row + 1) * self.width];
        let size = |i: usize| entries[i].as_f64().abs();
        let worst = (0..self.width)
            .find(|&i| !entries[i].is_finite())
            .or_else(|| (0..self.width).max_by(|&i, &j| size(i).total_cmp(&size(j))))
            .unwrap_or(0);
        EstimateError::Feature {
            sample: self.settled,
            features: match worst / self.dim {
                0 => "phi(s, a)".into(),
                block => format!("phi(s', {})", block - 1),
            },
            coordinate: worst % self.dim,
            value: entries[worst].as_f64(),
        }
    }

    /// The moments with nothing pending: (sums, count).
    ///
    /// # Errors
    /// The first row that could not be used.
    pub(super) fn settled(&self) -> Result<(DMatrix<f64>, u64), EstimateError> {
        let mut all = self.clone();
        all.flush();
        match all.fault {
            Some(fault) => Err(fault),
            None => Ok((all.sums, all.settled)),
        }
    }

    /// Adds the rows of `other`, which has the same shape.
    pub(super) fn add(&mut self, other: &Self) {
        self.sums += &other.sums;
        self.settled += other.settled;
        if self.fault.is_none() {
            self.fault.clone_from(&other.fault);
        }
        for row in other.rows.chunks_exact(other.width.max(1)).take(other.pending) {
            self.next_row().copy_from_slice(row);
        }
    }
}
