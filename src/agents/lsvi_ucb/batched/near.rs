//! Bonuses in a box of features, to first order around its centre.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use std::ops::Range;

use super::factors::{add_products, bonus};
use super::leaf::Lambda;
use super::region::Region;
use crate::Real;

/// The bonus of each candidate at the centre of a region, its slope there, and how far from linear it is, for one
/// Lambda: see (2) on the page of the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Near<T> {
    pub(super) bonus: Vec<T>,
    /// Entry k of the candidate at place j is at k m + j.
    pub(super) slope: Vec<T>,
    /// <v, slope>.
    pub(super) along: Vec<T>,
    pub(super) above: Vec<T>,
    pub(super) below: Vec<T>,
    pub(super) spread: Vec<T>,
    /// The largest of `bonus` plus `spread`.
    pub(super) largest: T,
}

/// Room for 2 G p, 2 G v and sums of |G| of all candidates, which all leaves share.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers<T> {
    gradient: Vec<T>,
    turn: Vec<T>,
    curvature: Vec<T>,
    size: Vec<T>,
}

impl<T: Real> Near<T> {
    /// Takes note of a new Lambda, as the matrices G of all candidates, around the centre of `region`.
    #[inline(always)]
    pub(super) fn prepare(
        &mut self,
        lambda: Lambda<'_, T>,
        region: &Region<T>,
        buffers: &mut Buffers<T>,
    ) {
        let Lambda { factors, squares, rho } = lambda;
        let (d, m) = (factors.d, factors.len());
        let zero = T::zero();
        let Self { bonus, along, above, below, spread, .. } = self;
        for list in [bonus, along, above, below, spread] {
            list.resize(m, zero);
        }
        self.slope.resize(d * m, zero);
        let Buffers { gradient, turn, curvature, size } = buffers;
        for list in [&mut *curvature, &mut *size] {
            list.clear();
            list.resize(m, zero);
        }
        for list in [&mut *gradient, &mut *turn] {
            list.clear();
            list.resize(d * m, zero);
        }
        for (a, group) in factors.groups.iter().enumerate() {
            let (p, h) = (&region.center[a * d..][..d], &region.half[a * d..][..d]);
            let v = &region.axis[a * d..][..d];
            let most = |k: usize| p[k].abs() + v[k].abs() + h[k];
            let mut at = 0;
            for k in 0..d {
                for l in k..d {
                    let g = &squares[at * m..][group.clone()];
                    let (hh, big) = (h[k] * h[l], most(k) * most(l));
                    // 2 G p and 2 G v, of which row l gets what entry k of p and v gives, and the other way round.
                    for (sums, x) in [(&mut *gradient, p), (&mut *turn, v)] {
                        add_products(&mut sums[l * m..][group.clone()], g, x[k]);
                        add_products(&mut sums[k * m..][group.clone()], g, x[l]);
                    }
                    let (cs, ss) = (&mut curvature[group.clone()], &mut size[group.clone()]);
                    for ((c, s), &g) in cs.iter_mut().zip(ss).zip(g) {
                        *c += g.abs() * hh;
                        *s += g.abs() * big;
                    }
                    at += 1;
                }
            }
            let mass = region.mass[a];
            let sums = [&gradient[..], turn, curvature, size];
            self.expand(group.clone(), (m, rho), [p, v, h], mass, sums);
        }
        let tops = self.bonus.iter().zip(&self.spread);
        self.largest = tops.fold(zero, |most, (&b, &s)| most.max(b + s));
    }

    /// The bonuses of a group of candidates around the centre `p` of a region with segment `v` and boxes `h`, given
    /// 2 G p, 2 G v, and the sums of |G| over h and over the largest absolute values in the region.
    #[inline(always)]
    fn expand(
        &mut self,
        group: Range<usize>,
        (m, rho): (usize, T),
        [p, v, h]: [&[T]; 3],
        mass: T,
        [gradient, turn, curvature, size]: [&[T]; 4],
    ) {
        let (zero, half, d) = (T::zero(), T::of(0.5), p.len());
        let rounding = T::epsilon() * T::of(4.0 * (d as f64 * d as f64 + 8.0));
        for j in group {
            let (mut square, mut first, mut along) = (zero, zero, zero);
            let (mut second, mut twice) = (curvature[j], zero);
            for k in 0..d {
                let (y, z) = (gradient[k * m + j], turn[k * m + j]);
                square += half * p[k] * y;
                first += h[k] * y.abs();
                along += v[k] * y;
                second += h[k] * z.abs();
                twice += v[k] * z;
            }
            second += half * twice.abs();
            let error = rounding * size[j];
            let change = along.abs() + first + second + error;
            if square > change && rho > zero {
                let root = square.sqrt();
                let scale = rho / (root + root);
                self.bonus[j] = rho * root;
                self.along[j] = scale * along;
                for k in 0..d {
                    self.slope[k * m + j] = scale * gradient[k * m + j];
                }
                self.above[j] = scale * (second + error);
                self.below[j] = self.above[j] + scale * change * (change / square);
            } else {
                // Nothing but a bound over the whole box.
                self.bonus[j] = bonus(rho, square + change);
                self.along[j] = zero;
                (0..d).for_each(|k| self.slope[k * m + j] = zero);
                self.above[j] = zero;
                self.below[j] = if rho > zero { T::of(f64::INFINITY) } else { zero };
            }
            let rest = spread(h, mass, |k| self.slope[k * m + j]);
            self.spread[j] = self.along[j].abs() + rest + self.above[j];
        }
    }
}

/// A bound on |<x, slope>| for all |x_k| <= h_k whose sum is at most `mass` in absolute value.
#[inline(always)]
fn spread<T: Real>(h: &[T], mass: T, slope: impl Fn(usize) -> T) -> T {
    let (mut low, mut high) = (slope(0), slope(0));
    for k in 1..h.len() {
        let x = slope(k);
        low = if x < low { x } else { low };
        high = if x > high { x } else { high };
    }
    let middle = (low + high) * T::of(0.5);
    let start = mass * middle.abs();
    h.iter().enumerate().fold(start, |sum, (k, &h)| sum + h * (slope(k) - middle).abs())
}
