//! The inner loops of planning, compiled for the vector unit that the processor has.
//!
//! Each is a struct because that is what [`pulp::Arch::dispatch`] takes. Those that decide use no
//! fused multiply-add and no other order of summation than written, so that all processors agree to
//! the last bit (as long as Lambda^-1 (q, b_1, ..., b_n) does not go through a packed product, see
//! `tabular`). The rough ones only bound, and may.
#![allow(clippy::inline_always)] // what is not inlined is compiled for the oldest processor

use pulp::{Simd, WithSimd};

use super::regression::Regression;
use crate::Real;

/// Candidates side by side: in double precision where they are scored, in single where bounded.
pub(super) const EXACT: usize = 8;
pub(super) const ROUGH: usize = 16;
/// Columns of weights side by side.
pub(super) const ABREAST: usize = 4;
/// Points of V are filled up with zeros to a multiple of this.
pub(super) const STRIDE: usize = 4;
pub(super) type Exact<T> = [T; EXACT];
pub(super) type Rough = [f32; ROUGH];

/// sum += x * w for each candidate.
#[inline(always)]
fn add_product<T: Real>(sum: &mut Exact<T>, x: &Exact<T>, w: T) {
    for (sum, &x) in sum.iter_mut().zip(x) {
        *sum += x * w;
    }
}

/// c_0 + <c, v> for each candidate.
#[inline(always)]
fn score<T: Real>(coefficients: &[Exact<T>], v: &[T]) -> Exact<T> {
    let mut k = coefficients[0];
    for (c, &v) in coefficients[1..].iter().zip(v) {
        add_product(&mut k, c, v);
    }
    k
}

#[inline(always)]
fn larger<T: Real>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The coefficients and norms of some candidates, exactly.
pub(super) struct Coefficients<'a, T: Real> {
    pub(super) regression: Regression<'a, T>,
    /// Feature by feature.
    pub(super) psi: &'a [Exact<T>],
    /// c_0, ..., c_n.
    pub(super) out: &'a mut [Exact<T>],
    pub(super) norms: &'a mut Exact<T>,
}

impl<T: Real> WithSimd for Coefficients<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Regression { inverse, weights, rho, .. } = self.regression;
        let d = self.psi.len();
        let mut squares = [T::zero(); EXACT];
        for (x, column) in self.psi.iter().zip(inverse.as_slice().chunks_exact(d)) {
            let mut inner = [T::zero(); EXACT];
            for (y, &a) in self.psi.iter().zip(column) {
                add_product(&mut inner, y, a);
            }
            for ((square, &x), &y) in squares.iter_mut().zip(x).zip(&inner) {
                *square += x * y;
            }
        }
        for (norm, &square) in self.norms.iter_mut().zip(&squares) {
            // Rounding may leave a square a little below 0.
            *norm = larger(square, T::zero()).sqrt();
        }
        for (c, w) in self.out.iter_mut().zip(weights.as_slice().chunks_exact(d)) {
            let mut sum = [T::zero(); EXACT];
            for (x, &w) in self.psi.iter().zip(w) {
                add_product(&mut sum, x, w);
            }
            *c = sum;
        }
        add_product(&mut self.out[0], self.norms, rho);
    }
}

/// The scores of a state's contenders; returns the largest.
pub(super) struct Scores<'a, T> {
    pub(super) coefficients: &'a [Exact<T>],
    /// 1 + n.
    pub(super) width: usize,
    pub(super) v: &'a [T],
    pub(super) out: &'a mut [Exact<T>],
}

impl<T: Real> WithSimd for Scores<'_, T> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T {
        let mut top = [T::of(f64::NEG_INFINITY); EXACT];
        let blocks = self.coefficients.chunks_exact(self.width);
        for (block, out) in blocks.zip(self.out) {
            *out = score(block, self.v);
            for (top, &k) in top.iter_mut().zip(&*out) {
                *top = larger(*top, k);
            }
        }
        top.into_iter().fold(top[0], larger)
    }
}

/// The largest leads of some candidates of state `s` over those who were chosen, on a way of points
/// V_(u+1), V_u, ...
pub(super) struct Closest<'a, T> {
    pub(super) coefficients: &'a [Exact<T>],
    pub(super) way: &'a [T],
    pub(super) stride: usize,
    pub(super) s: usize,
}

impl<T: Real> WithSimd for Closest<'_, T> {
    type Output = Exact<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Exact<T> {
        let points = self.way.chunks_exact(self.stride);
        let mut closest = [T::of(f64::NEG_INFINITY); EXACT];
        for (v, next) in points.clone().zip(points.skip(1)) {
            let scores = score(self.coefficients, v);
            for (closest, &k) in closest.iter_mut().zip(&scores) {
                *closest = larger(*closest, k - next[self.s]);
            }
        }
        closest
    }
}

/// Lays a parabola through a way of points, `stride` numbers each; returns how far, in any
/// coordinate, the way is from it.
///
/// With ends a and b and a middle p its points are the means (1-x)^2 a + 2x(1-x) p + x^2 b.
pub(super) struct Parabola<'a, T> {
    pub(super) way: &'a [T],
    pub(super) stride: usize,
    /// Gets p.
    pub(super) middle: &'a mut [T],
    /// Scratch: x and 2x(1-x) of each point.
    pub(super) shares: &'a mut Vec<(T, T)>,
}

impl<T: Real> WithSimd for Parabola<'_, T> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T {
        let Self { way, stride, middle, shares } = self;
        let (a, b) = (&way[..stride], &way[way.len() - stride..]);
        // x is measured where the ends are furthest apart.
        let apart = |i: usize| (b[i] - a[i]).abs();
        let widest = (1..stride).fold(0, |w, i| if apart(i) > apart(w) { i } else { w });
        let range = b[widest] - a[widest];
        let scale = if range == T::zero() { T::zero() } else { T::one() / range };
        shares.clear();
        let mut weight = T::zero();
        for point in way.chunks_exact(stride) {
            let x = larger((point[widest] - a[widest]) * scale, T::zero());
            let x = if x < T::one() { x } else { T::one() };
            let q = (x + x) * (T::one() - x);
            weight += q * q;
            shares.push((x, q));
        }
        // Without points well between the ends there is no bend to speak of.
        let scale = if weight > T::epsilon() { T::one() / weight } else { T::zero() };
        let mut off = [T::zero(); STRIDE];
        let lanes = way.as_chunks::<STRIDE>().0;
        let chunks = stride / STRIDE;
        for (c, middle) in middle.as_chunks_mut::<STRIDE>().0.iter_mut().enumerate() {
            let (a, b) = (&lanes[c], &lanes[lanes.len() - chunks + c]);
            let along: [T; STRIDE] = std::array::from_fn(|i| b[i] - a[i]);
            // How far p is from the mean of the ends, by least squares.
            let mut p = [T::zero(); STRIDE];
            for (point, &(x, q)) in lanes[c..].iter().step_by(chunks).zip(&*shares) {
                for i in 0..STRIDE {
                    p[i] += q * (point[i] - a[i] - x * along[i]);
                }
            }
            p.iter_mut().for_each(|p| *p *= scale);
            for (point, &(x, q)) in lanes[c..].iter().step_by(chunks).zip(&*shares) {
                for i in 0..STRIDE {
                    let e = point[i] - a[i] - x * along[i] - q * p[i];
                    off[i] = larger(off[i], e.abs());
                }
            }
            *middle = std::array::from_fn(|i| p[i] + (a[i] + b[i]) * T::of(0.5));
        }
        off.into_iter().fold(T::zero(), larger)
    }
}

/// Rough coefficients of everyone.
pub(super) struct RoughCoefficients<'a> {
    /// d features for each block.
    pub(super) psi: &'a [Rough],
    pub(super) norms: &'a [Rough],
    /// Lambda^-1 (q, b_1, ..., b_n) and the weights of the slack, [`ABREAST`] columns side by side,
    /// the last filled up.
    pub(super) weights: &'a [[f32; ABREAST]],
    pub(super) d: usize,
    pub(super) rho: f32,
    pub(super) unit: f32,
    /// c_0, ..., c_n and the slack for each block.
    pub(super) table: &'a mut [Rough],
}

impl WithSimd for RoughCoefficients<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (d, halves) = (self.d, ROUGH / S::F32_LANES);
        let width = self.table.len() / self.norms.len();
        let psi = S::as_simd_f32s(self.psi.as_flattened()).0.chunks_exact(d * halves);
        let norms = S::as_simd_f32s(self.norms.as_flattened()).0.chunks_exact(halves);
        let rows = S::as_mut_simd_f32s(self.table.as_flattened_mut()).0;
        let (rho, unit) = (simd.splat_f32s(self.rho), simd.splat_f32s(self.unit));
        for ((psi, norms), row) in psi.zip(norms).zip(rows.chunks_exact_mut(width * halves)) {
            let columns = row.chunks_mut(ABREAST * halves);
            for (row, weights) in columns.zip(self.weights.chunks_exact(d)) {
                for half in 0..halves {
                    let mut sums = [simd.splat_f32s(0.0); ABREAST];
                    for (psi, weights) in psi.chunks_exact(halves).zip(weights) {
                        for (sum, &w) in sums.iter_mut().zip(weights) {
                            *sum = simd.mul_add_e_f32s(psi[half], simd.splat_f32s(w), *sum);
                        }
                    }
                    for (c, sum) in row[half..].iter_mut().step_by(halves).zip(sums) {
                        *c = sum;
                    }
                }
            }
            for (half, &norm) in norms.iter().enumerate() {
                let bonus = simd.mul_f32s(rho, norm);
                let slack = (width - 1) * halves + half;
                row[half] = simd.add_f32s(row[half], bonus);
                row[slack] = simd.mul_add_e_f32s(unit, bonus, row[slack]);
            }
        }
    }
}

/// A point of V_(u+1), and a rival's K there.
#[derive(Debug, Clone, Default)]
pub(super) struct RoughPoint {
    pub(super) v: Vec<f32>,
    pub(super) rival: f32,
}

/// A block of candidates, and which of them are meant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subset {
    pub(super) block: u32,
    pub(super) lanes: u16,
}

/// Who can be ahead of a rival at one of three points, or within `radius` of a mean of the three.
pub(super) struct RoughReach<'a> {
    /// c_0, ..., c_n and the slack for each block.
    pub(super) table: &'a [Rough],
    pub(super) points: &'a [RoughPoint; 3],
    /// The rival's c_1, ..., c_n.
    pub(super) rival: &'a [f32],
    pub(super) radius: f32,
    /// By how much slacks are larger here, and what is to be added.
    pub(super) larger: f32,
    pub(super) slack: f32,
    /// Who is in question, from here on; the answer is appended.
    pub(super) stack: &'a mut Vec<Subset>,
    pub(super) from: usize,
}

impl WithSimd for RoughReach<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (n, halves) = (self.rival.len(), ROUGH / S::F32_LANES);
        let rows = S::as_simd_f32s(self.table.as_flattened()).0;
        let [radius, larger_by, slack] =
            [self.radius, self.larger, self.slack].map(|x| simd.splat_f32s(x));
        let [first, middle, last] = self.points.each_ref().map(|point| &point.v[..n]);
        let rivals = self.points.each_ref().map(|point| simd.splat_f32s(point.rival));
        for at in self.from..self.stack.len() {
            let Subset { block, lanes } = self.stack[at];
            let row = &rows[block as usize * (2 + n) * halves..][..(2 + n) * halves];
            let mut bounds = [0.0; ROUGH];
            let mut top = f32::NEG_INFINITY;
            for (half, out) in S::as_mut_simd_f32s(&mut bounds).0.iter_mut().enumerate() {
                let constant = row[half];
                let (mut a, mut b, mut c) = (constant, constant, constant);
                let mut distance = simd.splat_f32s(0.0);
                for i in 0..n {
                    let x = row[(1 + i) * halves + half];
                    a = simd.mul_add_e_f32s(x, simd.splat_f32s(first[i]), a);
                    b = simd.mul_add_e_f32s(x, simd.splat_f32s(middle[i]), b);
                    c = simd.mul_add_e_f32s(x, simd.splat_f32s(last[i]), c);
                    let apart = simd.sub_f32s(x, simd.splat_f32s(self.rival[i]));
                    distance = simd.add_f32s(distance, simd.abs_f32s(apart));
                }
                let [a, b, c] = [(a, 0), (b, 1), (c, 2)].map(|(k, i)| simd.sub_f32s(k, rivals[i]));
                let most = simd.max_f32s(simd.max_f32s(a, b), c);
                let most = simd.mul_add_e_f32s(row[(1 + n) * halves + half], larger_by, most);
                *out = simd.add_f32s(simd.mul_add_e_f32s(distance, radius, most), slack);
                top = larger(top, simd.reduce_max_f32s(*out));
            }
            if top >= 0.0 {
                let ahead = (0..ROUGH).fold(0, |set, i| set | u16::from(bounds[i] >= 0.0) << i);
                if ahead & lanes != 0 {
                    self.stack.push(Subset { block, lanes: ahead & lanes });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::draw;
    use nalgebra::DMatrix;
    use pulp::{Arch, Scalar};
    use rand_pcg::Pcg64;

    fn run<K: WithSimd>(kernel: K, plain: bool) -> K::Output {
        if plain { kernel.with_simd(Scalar::new()) } else { Arch::new().dispatch(kernel) }
    }

    /// What decides is the same to the last bit whatever the processor has.
    #[test]
    fn without_a_vector_unit_too() {
        let mut rng = Pcg64::new(3, 4);
        let (d, n) = (13, 5);
        let mut numbers =
            |rows, columns| DMatrix::from_fn(rows, columns, |_, _| draw::uniform(&mut rng) - 0.3);
        let (half, weights, points) = (numbers(d, d), numbers(d, 1 + n), numbers(8, 20));
        let (inverse, columns) = (&half * half.transpose(), numbers(EXACT, d));
        let psi: Vec<Exact<f64>> =
            columns.column_iter().map(|c| std::array::from_fn(|lane| c[lane])).collect();
        let (none, cap, rho) = (DMatrix::zeros(d, 0), 1.0, 0.7);
        let regression = Regression { psi: &none, inverse: &inverse, weights: &weights, rho, cap };
        let results = [false, true].map(|plain| {
            let mut coefficients = vec![[0.0; EXACT]; 1 + n];
            let (mut norms, mut out) = ([0.0; EXACT], vec![[0.0; EXACT]; 1]);
            let kernel =
                Coefficients { regression, psi: &psi, out: &mut coefficients, norms: &mut norms };
            run(kernel, plain);
            let (coefficients, v) = (&coefficients[..], &points.as_slice()[..n]);
            let scores = Scores { coefficients, width: 1 + n, v, out: &mut out };
            let top = run(scores, plain);
            let closest = Closest { coefficients, way: points.as_slice(), stride: 8, s: 2 };
            let closest = run(closest, plain);
            (coefficients.to_vec(), norms, out, top, closest)
        });
        assert_eq!(results[0], results[1]);
    }
}
