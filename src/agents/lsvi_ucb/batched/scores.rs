//! The score <phi, c> + rho sqrt(phi^T G phi) of a candidate in a state, in three shapes: one candidate in a block of states,
//! a bundle of candidates in one state, one candidate in one state.
//!
//! All take the same products and sums in the same order, without fused operations, so they give the same bits.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use pulp::{Simd, WithSimd};

use super::factors::{Factors, LANES, Lanes, add_products, pairs};
use crate::Real;
use crate::sequence::ActionSequence;

/// The candidates, and Lambda as their matrices G.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lambda<'a, T> {
    pub(super) factors: &'a Factors<T>,
    pub(super) squares: &'a [Lanes<T>],
    /// See `Factors::slack`.
    pub(super) slack: &'a [Lanes<T>],
    pub(super) rho: T,
}

impl<'a, T: Real> Lambda<'a, T> {
    #[inline(always)]
    pub(super) fn slack(&self, bundle: usize) -> &'a Lanes<T> {
        &self.slack[bundle]
    }

    /// The matrices G of a bundle.
    #[inline(always)]
    pub(super) fn of(&self, bundle: usize) -> &'a [Lanes<T>] {
        let pairs = pairs(self.factors.d);
        &self.squares[bundle * pairs..][..pairs]
    }

    /// The score of one candidate in the state with these features for its first action, c being those of its bundle.
    pub(super) fn score(&self, phi: &[T], c: &[Lanes<T>], (bundle, lane): (usize, usize)) -> T {
        let row = |k: usize| [phi[k]];
        let [square] = square(self.factors.d, row, |at| self.of(bundle)[at][lane]);
        let mut sum = T::zero();
        for (&x, c) in phi.iter().zip(c) {
            sum += x * c[lane];
        }
        sum + bonus(self.rho, square)
    }

    /// The first of the candidates with the largest score, cut off at `cap`, and the score, in a state with these
    /// features `phi`, d for each action, given the vectors c of all.
    ///
    /// The score may be not a number; then it is that of a candidate of which this holds.
    pub(super) fn best(&self, phi: &[T], linear: &[Lanes<T>], cap: T) -> (&'a ActionSequence, T) {
        let mut scores = vec![[T::zero(); LANES]; self.factors.len()];
        pulp::Arch::new().dispatch(Scores { lambda: *self, phi, linear, out: &mut scores });
        let mut best = Best::default();
        for (bundle, scores) in scores.iter().enumerate() {
            for (lane, &score) in scores.iter().enumerate() {
                best.meet(self.factors.index(bundle, lane), score, cap);
            }
        }
        best.found.map_or((self.factors.member(0), T::of(f64::NAN)), |(i, score)| {
            (self.factors.member(i), score)
        })
    }
}

/// The best candidate met so far, by its index in the family, and its score; one that is not a number is the best.
#[derive(Debug, Default)]
pub(super) struct Best<T> {
    pub(super) found: Option<(usize, T)>,
}

impl<T: Real> Best<T> {
    pub(super) fn meet(&mut self, index: usize, score: T, cap: T) {
        let score = if score > cap { cap } else { score };
        let is_nan = |x: T| x.as_f64().is_nan();
        #[allow(clippy::float_cmp)] // equal scores: the first of the family
        let is_better = match self.found {
            None => true,
            Some((i, best)) if is_nan(score) => !is_nan(best) || index < i,
            Some((i, best)) => score > best || score == best && index < i,
        };
        if is_better {
            self.found = Some((index, score));
        }
    }
}

/// The scores of all candidates in one state.
struct Scores<'a, T> {
    lambda: Lambda<'a, T>,
    phi: &'a [T],
    linear: &'a [Lanes<T>],
    out: &'a mut [Lanes<T>],
}

impl<T: Real> WithSimd for Scores<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let d = self.lambda.factors.d;
        for (bundle, (scores, c)) in
            self.out.iter_mut().zip(self.linear.chunks_exact(d)).enumerate()
        {
            let phi = &self.phi[self.lambda.factors.actions[bundle] * d..][..d];
            let g = self.lambda.of(bundle);
            let (mut sums, mut at) = ([T::zero(); LANES], 0);
            for k in 0..d {
                let mut inner = [T::zero(); LANES];
                for &x in &phi[k..] {
                    add_products(&mut inner, &g[at], x);
                    at += 1;
                }
                add_products(&mut sums, &inner, phi[k]);
                add_products(scores, &c[k], phi[k]);
            }
            for (score, &sum) in scores.iter_mut().zip(&sums) {
                *score += bonus(self.lambda.rho, sum);
            }
        }
    }
}

/// phi^T G phi of N states, `row(k)` being entry k of their features and `g` the entries of G as in `Factors::squares`.
#[inline(always)]
pub(super) fn square<T: Real, const N: usize>(
    d: usize,
    row: impl Fn(usize) -> [T; N],
    g: impl Fn(usize) -> T,
) -> [T; N] {
    let (mut sums, mut at) = ([T::zero(); N], 0);
    for k in 0..d {
        let mut inner = [T::zero(); N];
        for l in k..d {
            add_products(&mut inner, &row(l), g(at));
            at += 1;
        }
        for ((sum, x), &y) in sums.iter_mut().zip(row(k)).zip(&inner) {
            *sum += x * y;
        }
    }
    sums
}

/// rho sqrt(square), where rounding may have left the square a little below 0.
#[inline(always)]
pub(super) fn bonus<T: Real>(rho: T, square: T) -> T {
    rho * if square > T::zero() { square } else { T::zero() }.sqrt()
}
