//! A few states with nearby features, and which candidates can be the best of one of them.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::factors::{Factors, add_products, bonus};
use super::stage::Stage;
use crate::Real;

/// The most states of a leaf.
pub(super) const LEAF: usize = 32;

/// One number for each state of a leaf.
pub(super) type Row<T> = [T; LEAF];

/// States whose features phi(., a) lie in one box for each action a, and what planning knows of them.
#[derive(Debug, Clone)]
pub(super) struct Leaf<T> {
    /// The numbers of its states among all.
    pub(super) ends: Vec<usize>,
    /// Entry k of phi(., a) is row a d + k; the last state is repeated to the end of a row.
    phi: Vec<Row<T>>,
    /// The mean p of phi(., a) and the largest |phi_k - p_k|, at a d + k.
    center: Vec<T>,
    half: Vec<T>,
    /// For each action the sum of `half`, and the largest difference between the sums of the entries of phi and p.
    reach: Vec<T>,
    mass: Vec<T>,
    near: Near<T>,
}

/// Bonuses near the centre, for one Lambda: see the page of the module.
#[derive(Debug, Clone, Default)]
struct Near<T> {
    bonus: Vec<T>,
    /// Entry k of the candidate at place j is at k m + j.
    slope: Vec<T>,
    above: Vec<T>,
    below: Vec<T>,
    spread: Vec<T>,
    /// The largest of `bonus` plus `spread`.
    largest: T,
    /// One more than where the bonuses of a candidate are, 0 if they have not been computed.
    rows: Vec<u32>,
    bonuses: Vec<Row<T>>,
}

/// Buffers that all leaves share.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch<T> {
    scores: Vec<T>,
    active: Vec<usize>,
    low: Vec<T>,
    high: Vec<T>,
    most: Vec<T>,
    gradient: Vec<T>,
    curvature: Vec<T>,
    size: Vec<T>,
}

/// The candidates, and Lambda as their matrices G.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lambda<'a, T: Real> {
    pub(super) factors: &'a Factors<T>,
    pub(super) squares: &'a [T],
    pub(super) rho: T,
}

/// Tells leaves of a new Lambda.
pub(super) struct Prepare<'a, T: Real> {
    pub(super) lambda: Lambda<'a, T>,
    pub(super) leaves: &'a mut [Leaf<T>],
    pub(super) scratch: &'a mut Scratch<T>,
}

impl<T: Real> WithSimd for Prepare<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for leaf in self.leaves {
            leaf.prepare(self.lambda, self.scratch);
        }
    }
}

/// The largest scores in the states of each leaf.
pub(super) struct Values<'a, T: Real> {
    pub(super) lambda: Lambda<'a, T>,
    pub(super) stage: &'a Stage<T>,
    pub(super) leaves: &'a mut [Leaf<T>],
    pub(super) scratch: &'a mut Scratch<T>,
    pub(super) best: &'a mut [Row<T>],
}

impl<T: Real> WithSimd for Values<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (leaf, best) in self.leaves.iter_mut().zip(self.best) {
            leaf.values(self.lambda, self.stage, self.scratch, best);
        }
    }
}

impl<T: Real> Leaf<T> {
    /// A leaf of these states, `phi(end)` being the features of one, d for each action.
    pub(super) fn new<'a>(ends: Vec<usize>, d: usize, phi: impl Fn(usize) -> &'a [T]) -> Self {
        let width = phi(ends[0]).len();
        let mut rows = vec![[T::zero(); LEAF]; width];
        for s in 0..LEAF {
            let end = ends[s.min(ends.len() - 1)];
            rows.iter_mut().zip(phi(end)).for_each(|(row, &x)| row[s] = x);
        }
        let add = |sum: T, &x: &T| sum + x;
        let mean = |row: &Row<T>| row.iter().fold(T::zero(), add) / T::of(LEAF as f64);
        let center: Vec<T> = rows.iter().map(mean).collect();
        let far = |(row, &c): (&Row<T>, &T)| {
            row.iter().fold(T::zero(), |most, &x| most.max((x - c).abs()))
        };
        let half: Vec<T> = rows.iter().zip(&center).map(far).collect();
        let heavy = |(rows, center): (&[Row<T>], &[T])| {
            let whole = center.iter().fold(T::zero(), add);
            (0..LEAF).fold(T::zero(), |most, s| {
                let sum = rows.iter().fold(T::zero(), |sum, row| sum + row[s]);
                most.max((sum - whole).abs())
            })
        };
        let mass = rows.chunks_exact(d).zip(center.chunks_exact(d)).map(heavy).collect();
        let reach = half.chunks_exact(d).map(|h| h.iter().fold(T::zero(), add)).collect();
        Self { ends, phi: rows, center, half, reach, mass, near: Near::default() }
    }

    /// Takes note of a new Lambda, as the matrices G of all candidates.
    #[inline(always)]
    fn prepare(&mut self, lambda: Lambda<'_, T>, scratch: &mut Scratch<T>) {
        let Lambda { factors, squares, rho } = lambda;
        let (d, m) = (factors.d, factors.len());
        let Self { center, half, mass, near, .. } = self;
        let zero = T::zero();
        near.rows.clear();
        near.rows.resize(m, 0);
        near.bonuses.clear();
        for list in [&mut near.bonus, &mut near.above, &mut near.below, &mut near.spread] {
            list.resize(m, zero);
        }
        near.slope.resize(d * m, zero);
        let Scratch { gradient, curvature, size, .. } = scratch;
        for list in [&mut *curvature, &mut *size] {
            list.clear();
            list.resize(m, zero);
        }
        gradient.clear();
        gradient.resize(d * m, zero);
        for (a, group) in factors.groups.iter().enumerate() {
            let (p, h) = (&center[a * d..][..d], &half[a * d..][..d]);
            let mut at = 0;
            for k in 0..d {
                for l in k..d {
                    let g = &squares[at * m..][group.clone()];
                    let (hh, big) = (h[k] * h[l], (p[k].abs() + h[k]) * (p[l].abs() + h[l]));
                    let (before, after) = gradient.split_at_mut(l * m);
                    let yl = &mut after[group.clone()];
                    let (cs, ss) = (&mut curvature[group.clone()], &mut size[group.clone()]);
                    if k == l {
                        let x = p[k] + p[k];
                        for (((y, c), s), &g) in yl.iter_mut().zip(cs).zip(ss).zip(g) {
                            *y += g * x;
                            *c += g.abs() * hh;
                            *s += g.abs() * big;
                        }
                    } else {
                        let yk = &mut before[k * m..][group.clone()];
                        for ((((y, z), c), s), &g) in yk.iter_mut().zip(yl).zip(cs).zip(ss).zip(g) {
                            *y += g * p[l];
                            *z += g * p[k];
                            *c += g.abs() * hh;
                            *s += g.abs() * big;
                        }
                    }
                    at += 1;
                }
            }
            near.expand(group.clone(), (m, rho), (p, h, mass[a]), (gradient, curvature, size));
        }
        let tops = near.bonus.iter().zip(&near.spread);
        near.largest = tops.fold(zero, |most, (&b, &s)| most.max(b + s));
    }

    /// Sets `best` to V of its states: the largest score of a candidate, not cut off at the clip.
    #[inline(always)]
    fn values(
        &mut self,
        lambda: Lambda<'_, T>,
        stage: &Stage<T>,
        scratch: &mut Scratch<T>,
        best: &mut Row<T>,
    ) {
        let Lambda { factors, squares, rho } = lambda;
        let (d, m) = (factors.d, factors.len());
        self.screen(factors, stage, scratch);
        *best = [T::of(f64::NEG_INFINITY); LEAF];
        for &j in &scratch.active {
            let phi = &self.phi[factors.actions[j] * d..][..d];
            if self.near.rows[j] == 0 {
                self.near.bonuses.push(bonuses(phi, |at| squares[at * m + j], rho));
                self.near.rows[j] = u32::try_from(self.near.bonuses.len()).unwrap_or(0);
            }
            let bonus = &self.near.bonuses[self.near.rows[j] as usize - 1];
            let mut scores = [T::zero(); LEAF];
            for (k, row) in phi.iter().enumerate() {
                let c = stage.linear[k * m + j];
                for (score, &x) in scores.iter_mut().zip(row) {
                    *score += x * c;
                }
            }
            for ((best, &score), &bonus) in best.iter_mut().zip(&scores).zip(bonus) {
                let score = score + bonus;
                *best = if score > *best { score } else { *best };
            }
        }
    }

    /// Leaves in `scratch.active` every candidate that is not proved to be below another one in the whole box.
    #[inline(always)]
    fn screen(&self, factors: &Factors<T>, stage: &Stage<T>, scratch: &mut Scratch<T>) {
        let (d, m, near) = (factors.d, factors.len(), &self.near);
        let Scratch { scores, active, low, high, most, .. } = scratch;
        scores.clear();
        scores.extend_from_slice(&near.bonus);
        let mut scale = T::zero();
        for (a, group) in factors.groups.iter().enumerate() {
            let mut size = T::zero();
            for k in 0..d {
                let (p, h) = (self.center[a * d + k], self.half[a * d + k]);
                size += (p.abs() + h) * stage.largest[a * d + k];
                add_products(&mut scores[group.clone()], &stage.linear[k * m..][group.clone()], p);
            }
            scale = if size > scale { size } else { scale };
        }
        // What rounding costs: see the page of the module.
        let margin = (scale + near.largest) * T::epsilon() * T::of(32.0 * (d as f64 + 8.0));
        let mut i = 0;
        for (j, &score) in scores.iter().enumerate() {
            if score > scores[i] {
                i = j;
            }
        }
        let first = factors.actions[i];
        let alone = self.reach[first] * stage.radius[i] + self.mass[first] * stage.middle[i].abs();
        let slopes = near.spread[i] - near.above[i];
        let floor = scores[i] - near.below[i] - margin;
        most.clear();
        most.resize(m, T::zero());
        for (a, group) in factors.groups.iter().enumerate() {
            let (reach, mass) = (self.reach[a], self.mass[a]);
            let most = &mut most[group.clone()];
            if a == first {
                let half = &self.half[a * d..][..d];
                self.apart(i, (half, mass, m), stage, (group.clone(), low, high), most);
                for (most, &above) in most.iter_mut().zip(&near.above[group.clone()]) {
                    *most += above;
                }
            } else {
                let spread = &near.spread[group.clone()];
                let size = stage.radius[group.clone()].iter().zip(&stage.middle[group.clone()]);
                for ((most, &spread), (&radius, &middle)) in most.iter_mut().zip(spread).zip(size) {
                    *most = spread + reach * radius + mass * middle.abs() + alone + slopes;
                }
            }
        }
        active.clear();
        for (j, (&score, &most)) in scores.iter().zip(&*most).enumerate() {
            // What is not a number rules nothing out.
            let is_ruled_out = score + most < floor;
            if !is_ruled_out {
                active.push(j);
            }
        }
    }

    /// How many candidates have been scored since the last planning phase began, times states.
    #[cfg(test)]
    pub(super) fn scored(&self) -> usize {
        self.near.bonuses.len() * self.ends.len()
    }

    /// By how much the scores of candidate i and those of a group with the same first action can come closer than at
    /// the centre, to first order.
    #[inline(always)]
    fn apart(
        &self,
        i: usize,
        (half, mass, m): (&[T], T, usize),
        stage: &Stage<T>,
        (group, low, high): (Range<usize>, &mut Vec<T>, &mut Vec<T>),
        most: &mut [T],
    ) {
        let infinity = T::of(f64::INFINITY);
        low.clear();
        low.resize(group.len(), infinity);
        high.clear();
        high.resize(group.len(), -infinity);
        let rows = |k: usize| {
            let (c, g) = (&stage.linear[k * m..][..m], &self.near.slope[k * m..][..m]);
            (c[i] + g[i], c[group.clone()].iter().zip(&g[group.clone()]))
        };
        for k in 0..half.len() {
            let (own, rows) = rows(k);
            for ((low, high), (&c, &g)) in low.iter_mut().zip(high.iter_mut()).zip(rows) {
                let x = c + g - own;
                *low = if x < *low { x } else { *low };
                *high = if x > *high { x } else { *high };
            }
        }
        for ((middle, &high), most) in low.iter_mut().zip(&*high).zip(&mut *most) {
            *middle = (*middle + high) * T::of(0.5);
            *most = mass * middle.abs();
        }
        for (k, &h) in half.iter().enumerate() {
            let (own, rows) = rows(k);
            for ((most, &middle), (&c, &g)) in most.iter_mut().zip(&*low).zip(rows) {
                *most += h * (c + g - own - middle).abs();
            }
        }
    }
}

impl<T: Real> Near<T> {
    /// The bonuses of a group of candidates around the centre `p` of a box with half edges `h`, given twice G p, and
    /// the sums of |G| over h and over the largest absolute values in the box.
    #[inline(always)]
    fn expand(
        &mut self,
        group: Range<usize>,
        (m, rho): (usize, T),
        (p, h, mass): (&[T], &[T], T),
        (gradient, curvature, size): (&[T], &[T], &[T]),
    ) {
        let (zero, half, d) = (T::zero(), T::of(0.5), p.len());
        let rounding = T::epsilon() * T::of(2.0 * (d as f64 * d as f64 + 8.0));
        for j in group {
            let (mut square, mut first) = (zero, zero);
            for k in 0..d {
                let y = gradient[k * m + j];
                square += half * p[k] * y;
                first += h[k] * y.abs();
            }
            let (second, error) = (curvature[j], rounding * size[j]);
            let change = first + second + error;
            if square > change && rho > zero {
                let root = square.sqrt();
                let scale = rho / (root + root);
                self.bonus[j] = rho * root;
                for k in 0..d {
                    self.slope[k * m + j] = scale * gradient[k * m + j];
                }
                self.above[j] = scale * (second + error);
                self.below[j] = self.above[j] + scale * change * (change / square);
            } else {
                // Nothing but a bound over the whole box.
                self.bonus[j] = bonus(rho, square + change);
                (0..d).for_each(|k| self.slope[k * m + j] = zero);
                self.above[j] = zero;
                self.below[j] = if rho > zero { T::of(f64::INFINITY) } else { zero };
            }
            self.spread[j] = spread(h, mass, |k| self.slope[k * m + j]) + self.above[j];
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

/// rho sqrt(phi^T G phi) of each state; in the order of `Factors::best`, so that bits agree.
#[inline(always)]
fn bonuses<T: Real>(phi: &[Row<T>], g: impl Fn(usize) -> T, rho: T) -> Row<T> {
    let mut sums = [T::zero(); LEAF];
    let mut at = 0;
    for (k, row) in phi.iter().enumerate() {
        let mut inner = [T::zero(); LEAF];
        for x in &phi[k..] {
            let g = g(at);
            for (inner, &x) in inner.iter_mut().zip(x) {
                *inner += x * g;
            }
            at += 1;
        }
        for ((sum, &x), &y) in sums.iter_mut().zip(row).zip(&inner) {
            *sum += x * y;
        }
    }
    sums.map(|sum| bonus(rho, sum))
}
