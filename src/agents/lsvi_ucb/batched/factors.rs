//! The matrices W of a finite family, and scores that are computed from them.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use std::ops::Range;

use nalgebra::{DMatrix, DMatrixView, DVectorView};
use pulp::{Simd, WithSimd};

use crate::Real;
use crate::features::FactoredFeatures;
use crate::model::Action;
use crate::sequence::ActionSequence;

/// The most numbers in all matrices W together.
const NUMBERS: usize = 1 << 24;

/// The matrices W of all m candidates, grouped by first action: group by group a candidate has a *place* below m.
#[derive(Debug, Clone)]
pub(super) struct Factors<T: Real> {
    pub(super) d: usize,
    family: Vec<ActionSequence>,
    /// The places of the candidates that start with each action.
    pub(super) groups: Vec<Range<usize>>,
    /// The first action of the candidate at each place.
    pub(super) actions: Vec<Action>,
    /// The index in the family of the candidate at each place.
    indices: Vec<usize>,
    /// Row k of the matrix W of the candidate at place j is column k m + j.
    w: DMatrix<T>,
}

impl<T: Real> Factors<T> {
    /// `None` if the matrices are too many, or one is not finite, as under dynamics that diverge.
    pub(super) fn new<S>(
        features: &dyn FactoredFeatures<T, S>,
        d: usize,
        num_actions: usize,
        family: &[ActionSequence],
    ) -> Option<Self> {
        let (m, numbers) = (family.len(), d.checked_mul(2 * d)?.checked_mul(family.len())?);
        if m == 0 || numbers > NUMBERS {
            return None;
        }
        let (mut groups, mut indices) = (Vec::new(), Vec::with_capacity(m));
        for a in 0..num_actions {
            let start = indices.len();
            indices.extend((0..m).filter(|&i| family[i].first() == a));
            groups.push(start..indices.len());
        }
        let mut w = DMatrix::zeros(2 * d, d * m);
        for (j, &i) in indices.iter().enumerate() {
            let one = features.weights(&family[i]);
            if one.shape() != (d, 2 * d) || one.iter().any(|x| !x.is_finite()) {
                return None;
            }
            for k in 0..d {
                w.column_mut(k * m + j).tr_copy_from(&one.row(k));
            }
        }
        let actions = indices.iter().map(|&i| family[i].first()).collect();
        (indices.len() == m).then(|| Self {
            d,
            family: family.to_vec(),
            groups,
            actions,
            indices,
            w,
        })
    }

    /// m.
    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    /// The vectors c = 1/2 W w, for which <psi(s, a), w> = <phi(s, a_1), c>: entry k of the candidate at place j is
    /// at k m + j.
    pub(super) fn linear(&self, w: &[T]) -> Vec<T> {
        let c = self.w.tr_mul(&DVectorView::from_slice(w, w.len())) * T::of(0.5);
        c.as_slice().to_vec()
    }

    /// The matrices G = 1/4 W Lambda^-1 W^T, for which `||psi(s, a)||_{Lambda^-1}^2` = phi^T G phi: pairs k <= l in
    /// lexicographic order, for each of them one number for each place, `G_kl + G_lk` where k < l.
    pub(super) fn squares(&self, inverse: &[T]) -> Vec<T> {
        let (m, width) = (self.len(), 2 * self.d);
        let product = DMatrixView::from_slice(inverse, width, width) * &self.w;
        let (quarter, mut out) = (T::of(0.25), Vec::with_capacity(pairs(self.d) * m));
        let entry = |k: usize, l: usize, j| {
            let (x, y) = (self.w.column(k * m + j), product.column(l * m + j));
            x.as_slice().iter().zip(y.as_slice()).fold(T::zero(), |sum, (&x, &y)| sum + x * y)
        };
        for k in 0..self.d {
            out.extend((0..m).map(|j| quarter * entry(k, k, j)));
            for l in k + 1..self.d {
                out.extend((0..m).map(|j| quarter * (entry(k, l, j) + entry(l, k, j))));
            }
        }
        out
    }

    /// The first of the candidates with the largest score min {<phi, c> + rho sqrt(phi^T G phi), cap}, and the
    /// score, in a state with these features `phi`, d for each action.
    ///
    /// The score may be not a number; then it is that of the first candidate of which this holds.
    pub(super) fn best(
        &self,
        phi: &[T],
        linear: &[T],
        squares: &[T],
        (rho, cap): (T, T),
    ) -> (&ActionSequence, T) {
        let m = self.len();
        let (mut scores, mut sums) = (vec![T::zero(); m], vec![T::zero(); m]);
        let mut inner = vec![T::zero(); m];
        let (factors, buffers) = (self, [&mut scores[..], &mut sums, &mut inner]);
        pulp::Arch::new().dispatch(Scores { factors, phi, linear, squares, rho, buffers });
        let mut best = (usize::MAX, T::zero());
        for (&i, &score) in self.indices.iter().zip(&scores) {
            let score = if score > cap { cap } else { score };
            let is_better = score > best.1 || score.as_f64().is_nan() && !best.1.as_f64().is_nan();
            #[allow(clippy::float_cmp)] // equal scores: the first of the family
            if best.0 == usize::MAX || is_better || score == best.1 && i < best.0 {
                best = (i, score);
            }
        }
        (&self.family[best.0], best.1)
    }
}

/// The scores of all candidates in one state: in the first of the buffers, which start as zero.
struct Scores<'a, T: Real> {
    factors: &'a Factors<T>,
    phi: &'a [T],
    linear: &'a [T],
    squares: &'a [T],
    rho: T,
    buffers: [&'a mut [T]; 3],
}

impl<T: Real> WithSimd for Scores<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (d, m) = (self.factors.d, self.factors.len());
        let [scores, sums, inner] = self.buffers;
        for (group, phi) in self.factors.groups.iter().zip(self.phi.chunks_exact(d)) {
            let (scores, sums) = (&mut scores[group.clone()], &mut sums[group.clone()]);
            let inner = &mut inner[group.clone()];
            let mut at = 0;
            for k in 0..d {
                inner.fill(T::zero());
                for &x in &phi[k..] {
                    add_products(inner, &self.squares[at * m..][group.clone()], x);
                    at += 1;
                }
                for (sum, &y) in sums.iter_mut().zip(&*inner) {
                    *sum += phi[k] * y;
                }
                add_products(scores, &self.linear[k * m..][group.clone()], phi[k]);
            }
            for (score, &sum) in scores.iter_mut().zip(&*sums) {
                *score += bonus(self.rho, sum);
            }
        }
    }
}

/// The number of pairs k <= l below d.
pub(super) fn pairs(d: usize) -> usize {
    d * (d + 1) / 2
}

/// rho sqrt(square), where rounding may have left the square a little below 0.
#[inline(always)]
pub(super) fn bonus<T: Real>(rho: T, square: T) -> T {
    rho * if square > T::zero() { square } else { T::zero() }.sqrt()
}

/// sums += x * row.
#[inline(always)]
pub(super) fn add_products<T: Real>(sums: &mut [T], row: &[T], x: T) {
    for (sum, &y) in sums.iter_mut().zip(row) {
        *sum += x * y;
    }
}
