//! The inner loops that decide, in the scalar T of the learner.
//!
//! They use no fused multiply-add and sum in the order written, so that all processors compute the
//! same bits.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use pulp::{Simd, WithSimd};

use super::super::regression::Regression;
use super::{LANES, Lanes, STRIDE, larger};
use crate::Real;

/// sum += x * w for each candidate.
#[inline(always)]
fn add_product<T: Real>(sum: &mut Lanes<T>, x: &Lanes<T>, w: T) {
    for (sum, &x) in sum.iter_mut().zip(x) {
        *sum += x * w;
    }
}

/// c_0 + <c, v> for each candidate.
#[inline(always)]
fn score<T: Real>(coefficients: &[Lanes<T>], v: &[T]) -> Lanes<T> {
    let mut k = coefficients[0];
    for (c, &v) in coefficients[1..].iter().zip(v) {
        add_product(&mut k, c, v);
    }
    k
}

/// The coefficients c_0, ..., c_n and the norms ||psi||_{Lambda^-1} of some candidates.
pub(crate) struct Coefficients<'a, T: Real> {
    pub(crate) regression: Regression<'a, T>,
    /// Feature by feature.
    pub(crate) psi: &'a [Lanes<T>],
    /// c_0, ..., c_n.
    pub(crate) out: &'a mut [Lanes<T>],
    pub(crate) norms: &'a mut Lanes<T>,
}

impl<T: Real> WithSimd for Coefficients<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Regression { inverse, weights, rho, .. } = self.regression;
        let d = self.psi.len();
        let mut squares = [T::zero(); LANES];
        for (x, column) in self.psi.iter().zip(inverse.as_slice().chunks_exact(d)) {
            let mut inner = [T::zero(); LANES];
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
            let mut sum = [T::zero(); LANES];
            for (x, &w) in self.psi.iter().zip(w) {
                add_product(&mut sum, x, w);
            }
            *c = sum;
        }
        add_product(&mut self.out[0], self.norms, rho);
    }
}

/// The scores of some candidates of a state at V_(u+1) = v; returns the largest, -inf if no score is a
/// number.
pub(crate) struct Scores<'a, T> {
    pub(crate) coefficients: &'a [Lanes<T>],
    /// 1 + n.
    pub(crate) width: usize,
    pub(crate) v: &'a [T],
    pub(crate) out: &'a mut [Lanes<T>],
}

impl<T: Real> WithSimd for Scores<'_, T> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T {
        let mut top = [T::of(f64::NEG_INFINITY); LANES];
        let blocks = self.coefficients.chunks_exact(self.width);
        for (block, out) in blocks.zip(self.out) {
            *out = score(block, self.v);
            for (top, &k) in top.iter_mut().zip(&*out) {
                *top = larger(k, *top);
            }
        }
        top.into_iter().fold(top[0], |top, k| larger(k, top))
    }
}

/// The largest excess, score minus V_u(s), of each of some candidates of state `s` over the steps from
/// one point V_(u+1), V_u, ... of `trajectory` to the next; -inf if no excess is a number.
pub(crate) struct LargestExcess<'a, T> {
    pub(crate) coefficients: &'a [Lanes<T>],
    pub(crate) trajectory: &'a [T],
    pub(crate) stride: usize,
    pub(crate) s: usize,
}

impl<T: Real> WithSimd for LargestExcess<'_, T> {
    type Output = Lanes<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Lanes<T> {
        let points = self.trajectory.chunks_exact(self.stride);
        let mut largest = [T::of(f64::NEG_INFINITY); LANES];
        for (v, next) in points.clone().zip(points.skip(1)) {
            let scores = score(self.coefficients, v);
            for (largest, &k) in largest.iter_mut().zip(&scores) {
                *largest = larger(k - next[self.s], *largest);
            }
        }
        largest
    }
}

/// Fits a quadratic curve to the points of a trajectory, `stride` numbers each; returns the largest
/// distance, over points and coordinates, between the points and the curve.
///
/// The curve with ends a and b and control point p is x -> (1-x)^2 a + 2x(1-x) p + x^2 b for x in [0, 1].
pub(crate) struct FitQuadratic<'a, T> {
    pub(crate) trajectory: &'a [T],
    pub(crate) stride: usize,
    /// Receives p.
    pub(crate) control: &'a mut [T],
    /// Receives x and 2x(1-x) of each point.
    pub(crate) parameters: &'a mut Vec<(T, T)>,
}

impl<T: Real> WithSimd for FitQuadratic<'_, T> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T {
        let Self { trajectory, stride, control, parameters } = self;
        let (a, b) = (&trajectory[..stride], &trajectory[trajectory.len() - stride..]);
        // x is measured in the coordinate in which the ends are furthest apart.
        let apart = |i: usize| (b[i] - a[i]).abs();
        let widest = (1..stride).fold(0, |w, i| if apart(i) > apart(w) { i } else { w });
        let range = b[widest] - a[widest];
        let scale = if range == T::zero() { T::zero() } else { T::one() / range };
        parameters.clear();
        let mut weight = T::zero();
        for point in trajectory.chunks_exact(stride) {
            let x = larger((point[widest] - a[widest]) * scale, T::zero());
            let x = if x < T::one() { x } else { T::one() };
            let q = (x + x) * (T::one() - x);
            weight += q * q;
            parameters.push((x, q));
        }
        // If all points are close to the ends, p = (a + b) / 2: a straight line.
        let scale = if weight > T::epsilon() { T::one() / weight } else { T::zero() };
        let mut distance = [T::zero(); STRIDE];
        let lanes = trajectory.as_chunks::<STRIDE>().0;
        let chunks = stride / STRIDE;
        for (c, control) in control.as_chunks_mut::<STRIDE>().0.iter_mut().enumerate() {
            let (a, b) = (&lanes[c], &lanes[lanes.len() - chunks + c]);
            let along: [T; STRIDE] = std::array::from_fn(|i| b[i] - a[i]);
            // p - (a + b) / 2, by least squares.
            let mut p = [T::zero(); STRIDE];
            for (point, &(x, q)) in lanes[c..].iter().step_by(chunks).zip(&*parameters) {
                for i in 0..STRIDE {
                    p[i] += q * (point[i] - a[i] - x * along[i]);
                }
            }
            p.iter_mut().for_each(|p| *p *= scale);
            for (point, &(x, q)) in lanes[c..].iter().step_by(chunks).zip(&*parameters) {
                for i in 0..STRIDE {
                    let e = point[i] - a[i] - x * along[i] - q * p[i];
                    distance[i] = larger(distance[i], e.abs());
                }
            }
            *control = std::array::from_fn(|i| p[i] + (a[i] + b[i]) * T::of(0.5));
        }
        distance.into_iter().fold(T::zero(), larger)
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

    /// The kernels that decide compute the same bits with and without a vector unit.
    #[test]
    fn without_a_vector_unit_too() {
        let mut rng = Pcg64::new(3, 4);
        let (d, n) = (13, 5);
        let mut numbers =
            |rows, columns| DMatrix::from_fn(rows, columns, |_, _| draw::uniform(&mut rng) - 0.3);
        let (half, weights, points) = (numbers(d, d), numbers(d, 1 + n), numbers(8, 20));
        let (inverse, columns) = (&half * half.transpose(), numbers(LANES, d));
        let psi: Vec<Lanes<f64>> =
            columns.column_iter().map(|c| std::array::from_fn(|lane| c[lane])).collect();
        let (none, cap, rho) = (DMatrix::zeros(d, 0), 1.0, 0.7);
        let regression = Regression { psi: &none, inverse: &inverse, weights: &weights, rho, cap };
        let results = [false, true].map(|plain| {
            let mut coefficients = vec![[0.0; LANES]; 1 + n];
            let (mut norms, mut out) = ([0.0; LANES], vec![[0.0; LANES]; 1]);
            let kernel =
                Coefficients { regression, psi: &psi, out: &mut coefficients, norms: &mut norms };
            run(kernel, plain);
            let (coefficients, v) = (&coefficients[..], &points.as_slice()[..n]);
            let scores = Scores { coefficients, width: 1 + n, v, out: &mut out };
            let top = run(scores, plain);
            let excess =
                LargestExcess { coefficients, trajectory: points.as_slice(), stride: 8, s: 2 };
            let excess = run(excess, plain);
            (coefficients.to_vec(), norms, out, top, excess)
        });
        assert_eq!(results[0], results[1]);
    }
}
