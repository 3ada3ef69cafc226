//! The matrices W of a finite family, and what follows from them for one w and one Lambda.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use std::ops::Range;

use nalgebra::DMatrix;
use pulp::{Simd, WithSimd};

use crate::Real;
use crate::features::FactoredFeatures;
use crate::model::Action;
use crate::sequence::ActionSequence;

/// The most numbers in all matrices W together.
const NUMBERS: usize = 1 << 24;

/// Candidates are computed with in bundles of this many.
pub(super) const LANES: usize = 8;

/// One number for each candidate of a bundle.
pub(super) type Lanes<T> = [T; LANES];

/// The matrices W of all candidates, in bundles of candidates with the same first action that act alike for long.
#[derive(Debug, Clone)]
pub(super) struct Factors<T> {
    pub(super) d: usize,
    family: Vec<ActionSequence>,
    /// The bundles of each first action.
    pub(super) groups: Vec<Range<usize>>,
    /// The first action of each bundle.
    pub(super) actions: Vec<Action>,
    /// The indices in the family of a bundle; the last is repeated where candidates are too few.
    indices: Vec<[usize; LANES]>,
    /// How many of a bundle are not repeated.
    counts: Vec<usize>,
    /// Entry (k, l) of W / 2, at (b d + k) 2d + l for bundle b.
    w: Vec<Lanes<T>>,
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
        let is_known = family.iter().all(|seq| seq.first() < num_actions);
        if m == 0 || d == 0 || numbers > NUMBERS || !is_known {
            return None;
        }
        let mut factors = Self {
            d,
            family: family.to_vec(),
            groups: Vec::with_capacity(num_actions),
            actions: Vec::new(),
            indices: Vec::new(),
            counts: Vec::new(),
            w: Vec::new(),
        };
        // Neighbours in lexicographic order are close to each other: the future counts the less the farther it is.
        let words: Vec<Vec<Action>> =
            family.iter().map(|seq| seq.iter().take(64).collect()).collect();
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by(|&i, &j| words[i].cmp(&words[j]));
        for a in 0..num_actions {
            let own: Vec<usize> =
                order.iter().copied().filter(|&i| family[i].first() == a).collect();
            let start = factors.indices.len();
            for bundle in own.chunks(LANES) {
                factors.push(features, a, bundle)?;
            }
            factors.groups.push(start..factors.indices.len());
        }
        Some(factors)
    }

    /// Adds a bundle of the family's members with these indices, which start with `a`.
    fn push<S>(
        &mut self,
        features: &dyn FactoredFeatures<T, S>,
        a: Action,
        bundle: &[usize],
    ) -> Option<()> {
        let (d, start, half) = (self.d, self.w.len(), T::of(0.5));
        let indices: [usize; LANES] =
            std::array::from_fn(|lane| bundle[lane.min(bundle.len() - 1)]);
        self.w.resize(start + 2 * d * d, [T::zero(); LANES]);
        for (lane, &i) in indices.iter().enumerate() {
            let one = features.weights(&self.family[i]);
            if one.shape() != (d, 2 * d) || one.iter().any(|x| !x.is_finite()) {
                return None;
            }
            for (at, lanes) in self.w[start..].iter_mut().enumerate() {
                lanes[lane] = half * one[(at / (2 * d), at % (2 * d))];
            }
        }
        self.actions.push(a);
        self.indices.push(indices);
        self.counts.push(bundle.len());
        Some(())
    }

    /// The number of bundles.
    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    /// How many members of a bundle are not repeated ones.
    pub(super) fn count(&self, bundle: usize) -> usize {
        self.counts[bundle]
    }

    /// The index in the family of a member of a bundle.
    pub(super) fn index(&self, bundle: usize, lane: usize) -> usize {
        self.indices[bundle][lane]
    }

    /// The member of the family with this index.
    pub(super) fn member(&self, index: usize) -> &ActionSequence {
        &self.family[index]
    }

    /// The vectors c = 1/2 W w, for which <psi(s, a), w> = <phi(s, a_1), c>: entry k at b d + k for bundle b.
    pub(super) fn linear(&self, w: &[T]) -> Vec<Lanes<T>> {
        let mut out = vec![[T::zero(); LANES]; self.len() * self.d];
        pulp::Arch::new().dispatch(Linear { factors: self, w, out: &mut out });
        out
    }

    /// The matrices G = 1/4 W Lambda^-1 W^T, for which `||psi(s, a)||_{Lambda^-1}^2` = phi^T G phi: for each bundle the pairs
    /// k <= l in lexicographic order, `G_kl + G_lk` where k < l.
    pub(super) fn squares(&self, inverse: &[T]) -> Vec<Lanes<T>> {
        let mut out = Vec::with_capacity(self.len() * pairs(self.d));
        pulp::Arch::new().dispatch(Squares { factors: self, inverse, out: &mut out });
        out
    }

    /// For every candidate a number N with phi^T G phi >= -N ||phi||^2 for the matrix G as [computed](Self::squares), before the
    /// rounding of this product.
    ///
    /// If Lambda^-1 is positive semidefinite, N is about what was rounded in G; else it is a bound on G.
    pub(super) fn slack(&self, inverse: &[T]) -> Vec<Lanes<T>> {
        let (d, width) = (self.d, 2 * self.d);
        let a = DMatrix::from_fn(width, width, |i, j| {
            0.5 * (inverse[i * width + j].as_f64() + inverse[j * width + i].as_f64())
        });
        let norm = T::at_least(a.norm()) * T::of(1.0 + 1e-6);
        // If this much less of the diagonal has a factor in rounded numbers, the matrix itself has one.
        let shift = 64.0 * (width * width) as f64 * f64::EPSILON * a.trace();
        let is_positive =
            shift.is_finite() && (a - DMatrix::identity(width, width) * shift).cholesky().is_some();
        let factor = if is_positive { T::of(16.0 * d as f64) * T::epsilon() } else { T::one() };
        let squares = self.w.chunks_exact(d * width).map(|w| {
            let mut sums = [T::zero(); LANES];
            for row in w {
                sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += x * x);
            }
            sums.map(|sum| sum * norm * factor)
        });
        squares.collect()
    }
}

struct Linear<'a, T> {
    factors: &'a Factors<T>,
    w: &'a [T],
    out: &'a mut [Lanes<T>],
}

impl<T: Real> WithSimd for Linear<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (c, row) in self.out.iter_mut().zip(self.factors.w.chunks_exact(self.w.len())) {
            *c = product(row, self.w);
        }
    }
}

struct Squares<'a, T> {
    factors: &'a Factors<T>,
    inverse: &'a [T],
    out: &'a mut Vec<Lanes<T>>,
}

impl<T: Real> WithSimd for Squares<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let d = self.factors.d;
        let width = 2 * d;
        let mut turned = vec![[T::zero(); LANES]; d * width];
        for w in self.factors.w.chunks_exact(d * width) {
            // Rows k of 1/2 W Lambda^-1.
            for (out, row) in turned.chunks_exact_mut(width).zip(w.chunks_exact(width)) {
                for (out, column) in out.iter_mut().zip(self.inverse.chunks_exact(width)) {
                    *out = product(row, column);
                }
            }
            let entry = |k: usize, l: usize| {
                let (x, y) = (&turned[k * width..][..width], &w[l * width..][..width]);
                let mut sums = [T::zero(); LANES];
                for (x, y) in x.iter().zip(y) {
                    for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
                        *sum += x * y;
                    }
                }
                sums
            };
            for k in 0..d {
                self.out.push(entry(k, k));
                for l in k + 1..d {
                    let (mut sums, others) = (entry(k, l), entry(l, k));
                    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
                    self.out.push(sums);
                }
            }
        }
    }
}

/// The number of pairs k <= l below d.
#[inline(always)]
pub(super) fn pairs(d: usize) -> usize {
    d * (d + 1) / 2
}

/// The place of the pair k <= l among all.
#[inline(always)]
pub(super) fn pair(d: usize, k: usize, l: usize) -> usize {
    k * (2 * d - k + 1) / 2 + l - k
}

/// The sum of x_l times row l.
#[inline(always)]
fn product<T: Real>(rows: &[Lanes<T>], x: &[T]) -> Lanes<T> {
    let mut sums = [T::zero(); LANES];
    for (row, &x) in rows.iter().zip(x) {
        add_products(&mut sums, row, x);
    }
    sums
}

/// sums += x * row.
#[inline(always)]
pub(super) fn add_products<T: Real, const N: usize>(sums: &mut [T; N], row: &[T; N], x: T) {
    for (sum, &y) in sums.iter_mut().zip(row) {
        *sum += x * y;
    }
}
