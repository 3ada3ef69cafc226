//! Products of matrices with the same bits on every processor.
//!
//! nalgebra hands a product of matrices of dynamic size to `matrixmultiply`, which takes a fused
//! multiply-add where the processor has one. Every product of this crate whose right side has more
//! than one column is made here instead. Matrices times vectors, `tr_mul` and the decompositions of
//! nalgebra sum in a fixed order without fused operations.
// A function that is not inlined is compiled for the oldest processor.
#![allow(clippy::inline_always)]

use nalgebra::allocator::Allocator;
use nalgebra::{DMatrix, DefaultAllocator, Dim, Matrix, OMatrix, RawStorage};
use pulp::{Arch, Simd, WithSimd};

use crate::Real;

/// Rows and columns of a tile, the entries of which are summed side by side.
const ROWS: usize = 8;
const COLUMNS: usize = 4;

/// The product `a b`: each entry is the sum over k of `a[(i, k)] * b[(k, j)]` in the order of k.
///
/// # Panics
/// If `a` has another number of columns than `b` has rows.
pub(crate) fn product<T: Real, R: Dim, K: Dim, L: Dim, C: Dim>(
    a: &Matrix<T, R, K, impl RawStorage<T, R, K>>,
    b: &Matrix<T, L, C, impl RawStorage<T, L, C>>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    let mut out = OMatrix::zeros_generic(a.shape_generic().0, b.shape_generic().1);
    product_to(a, b, out.as_mut_slice());
    out
}

/// [`product`] where a generic dimension is in scope, which the compiler would try first.
pub(crate) fn dynamic_product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    product(a, b)
}

/// Writes [`product`] to `out`, column by column.
///
/// # Panics
/// If the dimensions do not match.
pub(crate) fn product_to<T: Real, R: Dim, K: Dim, L: Dim, C: Dim>(
    a: &Matrix<T, R, K, impl RawStorage<T, R, K>>,
    b: &Matrix<T, L, C, impl RawStorage<T, L, C>>,
    out: &mut [T],
) {
    let ((rows, inner), columns) = (a.shape(), b.ncols());
    assert!(inner == b.nrows() && out.len() == rows * columns, "dimensions of a product");
    let mut left = vec![[T::zero(); ROWS]; rows.div_ceil(ROWS) * inner];
    for (k, column) in a.column_iter().enumerate() {
        let mut column = column.iter();
        for tile in left.chunks_exact_mut(inner) {
            tile[k].iter_mut().zip(&mut column).for_each(|(to, &x)| *to = x);
        }
    }
    let mut right = vec![[T::zero(); COLUMNS]; columns.div_ceil(COLUMNS) * inner];
    for (j, column) in b.column_iter().enumerate() {
        let tile = &mut right[j / COLUMNS * inner..][..inner];
        tile.iter_mut().zip(column.iter()).for_each(|(to, &x)| to[j % COLUMNS] = x);
    }
    Arch::new().dispatch(Tiles { left: &left, right: &right, shape: (rows, inner), out });
}

/// The product of two packed matrices.
struct Tiles<'a, T> {
    /// For each k the entries of [`ROWS`] rows, then the next rows.
    left: &'a [[T; ROWS]],
    /// For each k the entries of [`COLUMNS`] columns, then the next columns.
    right: &'a [[T; COLUMNS]],
    /// The rows of the product, and the number of terms of each sum.
    shape: (usize, usize),
    out: &'a mut [T],
}

impl<T: Real> WithSimd for Tiles<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (rows, inner) = self.shape;
        if rows == 0 || inner == 0 {
            return self.out.fill(T::zero());
        }
        let right = self.right.chunks_exact(inner);
        for (right, out) in right.zip(self.out.chunks_mut(rows * COLUMNS)) {
            for (tile, left) in self.left.chunks_exact(inner).enumerate() {
                let mut sums = [[T::zero(); ROWS]; COLUMNS];
                for (left, right) in left.iter().zip(right) {
                    for (sums, &y) in sums.iter_mut().zip(right) {
                        for (sum, &x) in sums.iter_mut().zip(left) {
                            *sum += x * y;
                        }
                    }
                }
                for (out, sums) in out.chunks_exact_mut(rows).zip(&sums) {
                    let out = &mut out[tile * ROWS..];
                    out.iter_mut().zip(sums).for_each(|(out, &sum)| *out = sum);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_are_sums_in_order(
            (m, k, n) in (0..20_usize, 0..20_usize, 0..11_usize),
            seed: u64,
        ) {
            use rand::{RngExt, SeedableRng};
            let mut rng = rand_pcg::Pcg64::seed_from_u64(seed);
            let a = DMatrix::<f64>::from_fn(m, k, |_, _| rng.random_range(-1.0..1.0));
            let b = DMatrix::<f64>::from_fn(k, n, |_, _| rng.random_range(-1.0..1.0));
            let sum = |i, j| (0..k).fold(0.0, |sum, k| sum + a[(i, k)] * b[(k, j)]);
            prop_assert_eq!(product(&a, &b), DMatrix::from_fn(m, n, sum));
        }
    }
}
