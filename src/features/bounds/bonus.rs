//! The bonus rho ||x|| in the norm of a positive semidefinite matrix, in double precision.
//!
//! Values of K need rho sqrt(x^T G x), and bounds on K need a bound on it. The square root turns an error of delta in
//! G into one of sqrt(delta) in the bonus, so the errors of G's factor are counted, not dropped:
//!
//! # What is computed and how far off it is
//! Let `s_i` be scales with `|G_ij| <= s_i s_j`, and such that `G_ij` was formed by sums of terms of at most
//! that size. Cholesky's factorisation with diagonal pivots of the scaled matrix
//! `B_ij = G_ij / (s_i s_j)` stops where no pivot is above 4 d eps. It leaves B = L L^T + S + E, where S is
//! the part that was not eliminated, which is stored, and E the rounding, for which
//!
//! ```text
//! |E_ij| <= 2 (d + 8) eps (1 + the largest squared norm of a row of L)
//! ```
//!
//! (N. Higham, Accuracy and Stability of Numerical Algorithms, Theorem 10.3, plus the rounding of
//! B itself.) With `t_i = s_i sqrt(max_j |S_ij| + that bound)` every |x_i x_j (S + E)_ij| is at most
//! `|x_i| t_i |x_j| t_j`, so, since sqrt(a + b) <= sqrt(a) + sqrt(b),
//!
//! ```text
//! sqrt(x^T G x) <= ||L^T x|| + sum over i of t_i |x_i|,        L with its rows scaled by s
//! ```
//!
//! for every symmetric G, positive semidefinite or not. The last sum is linear in an occupancy
//! x >= 0, so bounds simply add rho t to the linear weights.

use nalgebra::DMatrix;

use crate::product::product;

/// The bonus rho sqrt(x^T G x) as a function of x, with a factor of G once it has been prepared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bonus {
    pub(crate) rho: f64,
    g: DMatrix<f64>,
    scales: Vec<f64>,
    factor: Option<Factor>,
}

/// G = L L^T + S up to rounding.
#[derive(Debug, Clone, PartialEq)]
struct Factor {
    /// L: one row per coordinate.
    lower: DMatrix<f64>,
    /// S, if anything is left.
    rest: Option<DMatrix<f64>>,
    /// `t_i`: what S and rounding add to the norm for each coordinate.
    slack: Vec<f64>,
}

impl Bonus {
    /// The bonus of the matrix `g`, whose entries are sums of terms of at most `terms[i] terms[j]`.
    pub(crate) fn new(rho: f64, g: DMatrix<f64>, terms: &[f64]) -> Self {
        let scales = terms
            .iter()
            .enumerate()
            .map(|(i, &s)| g.column(i).iter().fold(s, |s, x| s.max(x.abs().sqrt())))
            .collect();
        Self { rho, g, scales, factor: None }
    }

    /// The dimension.
    pub(crate) fn dim(&self) -> usize {
        self.scales.len()
    }

    /// Factors G, if that has not been done: d^3 / 3 multiplications.
    pub(crate) fn prepare(&mut self) {
        if self.factor.is_none() {
            self.factor = Some(Factor::new(&self.g, &self.scales));
        }
    }

    /// The norms of the columns of `x`: from the factor if there is one, else from G itself.
    pub(crate) fn norms(&self, x: &DMatrix<f64>) -> Vec<f64> {
        let quadratic = |matrix: &DMatrix<f64>| {
            let product = product(matrix, x);
            (0..x.ncols()).map(|j| product.column(j).dot(&x.column(j))).collect::<Vec<_>>()
        };
        let Some(factor) = &self.factor else {
            return quadratic(&self.g).into_iter().map(|square| square.max(0.0).sqrt()).collect();
        };
        let product = factor.lower.tr_mul(x);
        let rest = factor.rest.as_ref().map(quadratic);
        product
            .column_iter()
            .enumerate()
            .map(|(j, column)| {
                let square = column.norm_squared() + rest.as_ref().map_or(0.0, |rest| rest[j]);
                square.max(0.0).sqrt()
            })
            .collect()
    }

    /// `t_i`, what has to be added to the norm for each unit of coordinate i.
    pub(super) fn slack(&self, i: usize) -> f64 {
        match &self.factor {
            Some(factor) => factor.slack[i],
            None => self.scales[i] * rounding(self.dim(), 1.0).sqrt(),
        }
    }

    /// The norm of the i-th unit vector.
    pub(super) fn unit(&self, i: usize) -> f64 {
        self.g[(i, i)].max(0.0).sqrt()
    }

    /// F = L V, column by column, with the columns of V the right singular vectors of L: so F F^T is L L^T
    /// to rounding, whatever V is, and the columns of F are the principal axes of G.
    pub(super) fn axes(&mut self) -> Vec<f64> {
        self.prepare();
        let Some(Factor { lower, .. }) = &self.factor else { return Vec::new() };
        let largest = lower.amax();
        if lower.ncols() == 0 || largest <= 0.0 {
            return Vec::new();
        }
        let scaled = lower / largest;
        let eigen = scaled.tr_mul(&scaled).symmetric_eigen();
        product(lower, &eigen.eigenvectors).as_slice().to_vec()
    }
}

/// The bound on the rounding E, relative to the scales.
fn rounding(dim: usize, largest_row: f64) -> f64 {
    2.0 * (dim as f64 + 8.0) * f64::EPSILON * (1.0 + largest_row)
}

impl Factor {
    fn new(g: &DMatrix<f64>, scales: &[f64]) -> Self {
        let d = scales.len();
        let inverse: Vec<f64> =
            scales.iter().map(|&s| if s > 0.0 { 1.0 / s } else { 0.0 }).collect();
        let mut rest = DMatrix::from_fn(d, d, |i, j| g[(i, j)] * inverse[i] * inverse[j]);
        let floor = 4.0 * d as f64 * f64::EPSILON;
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(d);
        for _ in 0..d {
            // Eliminated rows are zero, so they are not chosen again.
            let pivot =
                (0..d).fold(0, |best, i| if rest[(i, i)] > rest[(best, best)] { i } else { best });
            if rest[(pivot, pivot)] <= floor {
                break;
            }
            let root = rest[(pivot, pivot)].sqrt();
            let column: Vec<f64> = rest.column(pivot).iter().map(|x| x / root).collect();
            for (j, &y) in column.iter().enumerate() {
                if y != 0.0 {
                    for (x, &c) in rest.column_mut(j).iter_mut().zip(&column) {
                        *x -= c * y;
                    }
                }
            }
            rest.row_mut(pivot).fill(0.0);
            rest.column_mut(pivot).fill(0.0);
            columns.push(column);
        }
        let mut lower = DMatrix::from_fn(d, columns.len(), |i, j| columns[j][i]);
        let largest_row = lower.row_iter().map(|row| row.norm_squared()).fold(0.0, f64::max);
        let slack = (0..d)
            .map(|i| scales[i] * (rest.column(i).amax() + rounding(d, largest_row)).sqrt())
            .collect();
        let left = rest.amax() > 0.0;
        for (i, &s) in scales.iter().enumerate() {
            lower.row_mut(i).scale_mut(s);
            rest.row_mut(i).scale_mut(s);
            rest.column_mut(i).scale_mut(s);
        }
        Self { lower, rest: left.then_some(rest), slack }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bonus(g: DMatrix<f64>) -> Bonus {
        let terms: Vec<_> = (0..g.nrows()).map(|i| g[(i, i)].max(0.0).sqrt()).collect();
        let mut bonus = Bonus::new(1.0, g, &terms);
        bonus.prepare();
        bonus
    }

    #[test]
    fn small_directions_are_kept() {
        let mut made = bonus(DMatrix::from_diagonal(&nalgebra::dvector![100.0, 2e-6, 1e-20]));
        let norms = made.norms(&DMatrix::identity(3, 3));
        for (norm, exact) in norms.into_iter().zip([10.0, 2e-6_f64.sqrt(), 1e-10]) {
            assert!((norm - exact).abs() < 1e-14 * exact);
        }
        // The axes keep them too.
        let axes = DMatrix::from_vec(3, 3, made.axes());
        assert!((axes.row(2).norm() - 1e-10).abs() < 1e-24);
    }

    #[test]
    fn indefinite_matrices_are_evaluated_as_they_are_and_bounded() {
        let g = nalgebra::dmatrix![1.0, 2.0, 0.0; 2.0, 1.0, 0.0; 0.0, 0.0, 0.0];
        let mut made = bonus(g);
        let x = DMatrix::from_column_slice(3, 2, &[1.0, 1.0, 5.0, 1.0, -1.0, 0.0]);
        let norms = made.norms(&x);
        assert!((norms[0] - 6.0_f64.sqrt()).abs() < 1e-14 && norms[1].abs() < 1e-14);
        let axes = made.axes();
        let along = axes.chunks(3).map(|f| (f[0] + f[1] + 5.0 * f[2]).powi(2)).sum::<f64>().sqrt();
        let slack = made.slack(0) + made.slack(1) + 5.0 * made.slack(2);
        assert!(along + slack >= 6.0_f64.sqrt());
    }
}
