//! Upper bounds in single precision.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use pulp::{Simd, WithSimd};

/// Candidates side by side where they are bounded in single precision.
pub(crate) const SINGLE_LANES: usize = 16;
pub(crate) type SingleLanes = [f32; SINGLE_LANES];
/// Columns of weights side by side.
pub(crate) const COLUMNS: usize = 4;

/// The coefficients c_0, ..., c_n of all candidates, with upper bounds for the norms in c_0, and the
/// slack of each candidate.
pub(crate) struct SingleCoefficients<'a> {
    /// d features for each block.
    pub(crate) psi: &'a [SingleLanes],
    /// Upper bounds on ||psi||_{Lambda^-1}.
    pub(crate) norms: &'a [SingleLanes],
    /// Lambda^-1 (q, b_1, ..., b_n) and the weights of the slack, [`COLUMNS`] columns side by side,
    /// the last filled up.
    pub(crate) weights: &'a [[f32; COLUMNS]],
    pub(crate) d: usize,
    pub(crate) rho: f32,
    pub(crate) unit: f32,
    /// c_0, ..., c_n and the slack for each block.
    pub(crate) table: &'a mut [SingleLanes],
}

impl WithSimd for SingleCoefficients<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (d, parts) = (self.d, SINGLE_LANES / S::F32_LANES);
        let width = self.table.len() / self.norms.len();
        let psi = S::as_simd_f32s(self.psi.as_flattened()).0.chunks_exact(d * parts);
        let norms = S::as_simd_f32s(self.norms.as_flattened()).0.chunks_exact(parts);
        let rows = S::as_mut_simd_f32s(self.table.as_flattened_mut()).0;
        let (rho, unit) = (simd.splat_f32s(self.rho), simd.splat_f32s(self.unit));
        for ((psi, norms), row) in psi.zip(norms).zip(rows.chunks_exact_mut(width * parts)) {
            let columns = row.chunks_mut(COLUMNS * parts);
            for (row, weights) in columns.zip(self.weights.chunks_exact(d)) {
                for part in 0..parts {
                    let mut sums = [simd.splat_f32s(0.0); COLUMNS];
                    for (psi, weights) in psi.chunks_exact(parts).zip(weights) {
                        for (sum, &w) in sums.iter_mut().zip(weights) {
                            *sum = simd.mul_add_e_f32s(psi[part], simd.splat_f32s(w), *sum);
                        }
                    }
                    for (c, sum) in row[part..].iter_mut().step_by(parts).zip(sums) {
                        *c = sum;
                    }
                }
            }
            for (part, &norm) in norms.iter().enumerate() {
                let bonus = simd.mul_f32s(rho, norm);
                let slack = (width - 1) * parts + part;
                row[part] = simd.add_f32s(row[part], bonus);
                row[slack] = simd.mul_add_e_f32s(unit, bonus, row[slack]);
            }
        }
    }
}

/// A control point of the quadratic curve, and the value of the minorant there.
#[derive(Debug, Clone, Default)]
pub(crate) struct SinglePoint {
    pub(crate) v: Vec<f32>,
    pub(crate) minorant: f32,
}

/// Some candidates of a block: those whose bit is set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subset {
    pub(crate) block: u32,
    pub(crate) lanes: u16,
}

/// Bounds the excess of candidates over a minorant within `radius` of the convex hull of three points,
/// and appends to `stack` the candidates whose bound is not below 0.
pub(crate) struct BoundExcess<'a> {
    /// c_0, ..., c_n and the slack for each block.
    pub(crate) table: &'a [SingleLanes],
    pub(crate) points: &'a [SinglePoint; 3],
    /// The coefficients c_1, ..., c_n of the minorant.
    pub(crate) slopes: &'a [f32],
    pub(crate) radius: f32,
    /// The factor of the candidates' slacks, and the slack of the minorant.
    pub(crate) scale: f32,
    pub(crate) slack: f32,
    /// The candidates in question are `stack[from..]`.
    pub(crate) stack: &'a mut Vec<Subset>,
    pub(crate) from: usize,
}

impl WithSimd for BoundExcess<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (n, parts) = (self.slopes.len(), SINGLE_LANES / S::F32_LANES);
        let rows = S::as_simd_f32s(self.table.as_flattened()).0;
        let [radius, scale, slack] =
            [self.radius, self.scale, self.slack].map(|x| simd.splat_f32s(x));
        let [first, middle, last] = self.points.each_ref().map(|point| &point.v[..n]);
        let minorant = self.points.each_ref().map(|point| simd.splat_f32s(point.minorant));
        for at in self.from..self.stack.len() {
            let Subset { block, lanes } = self.stack[at];
            let row = &rows[block as usize * (2 + n) * parts..][..(2 + n) * parts];
            let mut bounds = [0.0; SINGLE_LANES];
            for (part, out) in S::as_mut_simd_f32s(&mut bounds).0.iter_mut().enumerate() {
                let constant = row[part];
                let (mut a, mut b, mut c) = (constant, constant, constant);
                let mut distance = simd.splat_f32s(0.0);
                for i in 0..n {
                    let x = row[(1 + i) * parts + part];
                    a = simd.mul_add_e_f32s(x, simd.splat_f32s(first[i]), a);
                    b = simd.mul_add_e_f32s(x, simd.splat_f32s(middle[i]), b);
                    c = simd.mul_add_e_f32s(x, simd.splat_f32s(last[i]), c);
                    let apart = simd.sub_f32s(x, simd.splat_f32s(self.slopes[i]));
                    distance = simd.add_f32s(distance, simd.abs_f32s(apart));
                }
                let [a, b, c] =
                    [(a, 0), (b, 1), (c, 2)].map(|(k, i)| simd.sub_f32s(k, minorant[i]));
                let most = simd.max_f32s(simd.max_f32s(a, b), c);
                let most = simd.mul_add_e_f32s(row[(1 + n) * parts + part], scale, most);
                *out = simd.add_f32s(simd.mul_add_e_f32s(distance, radius, most), slack);
            }
            // A bound that is not a number rules no candidate out.
            if bounds.iter().fold(true, |all, &bound| all & (bound < 0.0)) {
                continue;
            }
            let ruled_out =
                (0..SINGLE_LANES).fold(0, |set, i| set | u16::from(bounds[i] < 0.0) << i);
            if lanes & !ruled_out != 0 {
                self.stack.push(Subset { block, lanes: lanes & !ruled_out });
            }
        }
    }
}
