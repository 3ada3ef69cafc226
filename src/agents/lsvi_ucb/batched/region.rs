//! Small sets that hold the features of the states of a node.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use pulp::{Simd, WithSimd};

use super::blocks::{Blocks, Row};
use super::tree::Tree;
use crate::Real;

/// For every action a, a segment with a box around each of its points: every state of a node has a number |t| <= 1 with
/// phi(s, a) = p + t v + r and |r_k| <= h_k for all actions.
///
/// Where states are few numbers, features lie close to a curve or a surface, and h is much smaller than v.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region<'a, T> {
    /// p, v and h, at a d + k.
    pub(super) center: &'a [T],
    pub(super) axis: &'a [T],
    pub(super) half: &'a [T],
    /// For each action the sum of h, and the largest |sum of r_k|.
    pub(super) reach: &'a [T],
    pub(super) mass: &'a [T],
}

impl<T: Real> Region<'_, T> {
    /// Whether these features are proved to be in the region.
    pub(super) fn holds(&self, phi: &[T]) -> bool {
        let (mut product, mut size) = (T::zero(), T::zero());
        for ((&x, &p), &v) in phi.iter().zip(self.center).zip(self.axis) {
            product += (x - p) * v;
            size += v * v;
        }
        let t = if size > T::zero() { product / size } else { T::zero() };
        let is_along = t.abs() <= T::one();
        if !is_along {
            return false;
        }
        let d = phi.len() / self.mass.len();
        self.mass.iter().enumerate().all(|(a, &mass)| {
            let (mut sum, mut slack, mut is_inside) = (T::zero(), T::zero(), true);
            for k in a * d..a * d + d {
                let (p, v, h) = (self.center[k], self.axis[k], self.half[k]);
                let rest = phi[k] - p - t * v;
                let rounding = rounding(p, v, h) * T::of(0.5);
                is_inside &= rest.abs() + rounding <= h;
                sum += rest;
                slack += rounding * T::of(d as f64);
            }
            is_inside && sum.abs() + slack <= mass
        })
    }
}

/// More than rounding can change x - p - t v by, where that is at most h.
#[inline(always)]
fn rounding<T: Real>(p: T, v: T, h: T) -> T {
    T::of(8.0) * T::epsilon() * (p.abs() + v.abs() + h) + tiny()
}

/// A number that is small beside all others, and large beside what underflow can do to one of them.
#[inline(always)]
pub(super) fn tiny<T: Real>() -> T {
    T::of(4.0) / T::max_value().unwrap_or(T::one())
}

/// The regions of all nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Regions<T> {
    d: usize,
    num_actions: usize,
    numbers: Vec<T>,
    /// The ends of the segments of two children, and their boxes.
    ends: Vec<[T; 4]>,
    more: Vec<T>,
}

impl<T: Real> Regions<T> {
    /// Makes room for so many regions.
    pub(super) fn resize(&mut self, count: usize, d: usize, num_actions: usize) {
        (self.d, self.num_actions) = (d, num_actions);
        self.numbers.resize(count * self.stride(), T::zero());
    }

    fn stride(&self) -> usize {
        (3 * self.d + 2) * self.num_actions
    }

    #[inline(always)]
    pub(super) fn of(&self, node: usize) -> Region<'_, T> {
        let numbers = &self.numbers[node * self.stride()..][..self.stride()];
        let width = self.d * self.num_actions;
        let (center, numbers) = numbers.split_at(width);
        let (axis, numbers) = numbers.split_at(width);
        let (half, numbers) = numbers.split_at(width);
        let (reach, mass) = numbers.split_at(self.num_actions);
        Region { center, axis, half, reach, mass }
    }

    /// Sets the region of a node to one that holds the states of a block.
    #[inline(always)]
    pub(super) fn enclose(&mut self, node: usize, rows: &[Row<T>]) {
        let stride = self.stride();
        segment(rows, &[], self.d, &mut self.numbers[node * stride..][..stride]);
    }

    /// Sets the region of a node to one that holds those of its two children.
    ///
    /// A segment is all that is between its ends: a region that holds both ends holds the segment, and with boxes
    /// that are larger by those of the child it holds the child.
    #[inline(always)]
    pub(super) fn join(&mut self, node: usize, children: [usize; 2]) {
        let (d, stride) = (self.d, self.stride());
        let (mut ends, mut more) = (std::mem::take(&mut self.ends), std::mem::take(&mut self.more));
        let [left, right] = children.map(|child| self.of(child));
        ends.clear();
        for k in 0..left.center.len() {
            let (p, q, v, w) = (left.center[k], right.center[k], left.axis[k], right.axis[k]);
            ends.push([p - v, p + v, q - w, q + w]);
        }
        more.clear();
        let larger = |(&x, &y): (&T, &T)| if x > y { x } else { y };
        more.extend(left.half.iter().zip(right.half).map(larger));
        more.extend(left.mass.iter().zip(right.mass).map(larger));
        segment(&ends, &more, d, &mut self.numbers[node * stride..][..stride]);
        (self.ends, self.more) = (ends, more);
    }
}

/// Finds the regions of all nodes.
pub(super) struct Enclose<'a, T> {
    pub(super) tree: &'a Tree<T>,
    pub(super) blocks: &'a Blocks<T>,
    pub(super) regions: &'a mut Regions<T>,
}

impl<T: Real> WithSimd for Enclose<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Children come after their parents.
        for (at, node) in self.tree.nodes.iter().enumerate().rev() {
            match node.right {
                0 => self.regions.enclose(at, self.blocks.rows(node.first)),
                right => self.regions.join(at, [at + 1, right]),
            }
        }
    }
}

/// Writes the numbers of a region that holds N points: entry k of each in row k. Boxes and masses are larger by `more`, if that
/// is not empty.
#[inline(always)]
fn segment<T: Real, const N: usize>(rows: &[[T; N]], more: &[T], d: usize, out: &mut [T]) {
    let (zero, width) = (T::zero(), rows.len());
    let (center, out) = out.split_at_mut(width);
    let (axis, out) = out.split_at_mut(width);
    let (half, out) = out.split_at_mut(width);
    let (reach, mass) = out.split_at_mut(width / d);
    // The segment points to the state that is farthest from the mean, and is as long as all need.
    let (count, mut squares) = (T::of(N as f64), [zero; N]);
    for (mean, row) in center.iter_mut().zip(rows) {
        *mean = row.iter().fold(zero, |sum, &x| sum + x) / count;
        for (square, &x) in squares.iter_mut().zip(row) {
            *square += (x - *mean) * (x - *mean);
        }
    }
    let farthest = (0..N).fold(0, |i, j| if squares[j] > squares[i] { j } else { i });
    let size = squares[farthest];
    let mut along = [zero; N];
    for ((axis, &mean), row) in axis.iter_mut().zip(&*center).zip(rows) {
        *axis = row[farthest] - mean;
        for (t, &x) in along.iter_mut().zip(row) {
            *t += (x - mean) * *axis;
        }
    }
    let (mut low, mut high) = (zero, zero);
    for t in &mut along {
        *t /= size;
        low = if *t < low { *t } else { low };
        high = if *t > high { *t } else { high };
    }
    let (middle, longest) = ((low + high) * T::of(0.5), (high - low) * T::of(0.5));
    // If squares under- or overflow there is no segment.
    let is_point = !(size > zero && size.is_finite() && longest > zero && longest.is_finite());
    for t in &mut along {
        let x = (*t - middle) / longest;
        *t = if is_point { zero } else { x.max(-T::one()).min(T::one()) };
    }
    for ((center, axis), row) in center.iter_mut().zip(&mut *axis).zip(rows) {
        if is_point {
            *axis = zero;
        } else {
            *center += middle * *axis;
            *axis *= longest;
        }
        // The box is around the middle of what is left.
        let (mut low, mut high) = (T::max_value().unwrap_or(zero), -T::max_value().unwrap_or(zero));
        for (&x, &t) in row.iter().zip(&along) {
            let rest = x - *center - t * *axis;
            low = if rest < low { rest } else { low };
            high = if rest > high { rest } else { high };
        }
        *center += (low + high) * T::of(0.5);
    }
    let mut check = zero;
    for a in 0..width / d {
        let mut sums = [zero; N];
        (reach[a], mass[a]) = (zero, zero);
        for k in a * d..a * d + d {
            let (p, v, mut h) = (center[k], axis[k], zero);
            for ((sum, &x), &t) in sums.iter_mut().zip(&rows[k]).zip(&along) {
                let rest = x - p - t * v;
                h = if rest.abs() > h { rest.abs() } else { h };
                *sum += rest;
            }
            h += more.get(k).copied().unwrap_or(zero);
            // What rounding can have left out of the box, and of the sum.
            let rounding = rounding(p, v, h);
            half[k] = h + rounding;
            reach[a] += half[k];
            mass[a] += rounding * T::of(d as f64);
        }
        let largest =
            sums.iter().fold(zero, |most, sum| if sum.abs() > most { sum.abs() } else { most });
        mass[a] += largest + more.get(width + a).copied().unwrap_or(zero);
        check += sums.iter().fold(reach[a] + mass[a], |sum, &x| sum + x);
    }
    if !check.is_finite() {
        // A region of everything.
        [half, reach, mass].into_iter().for_each(|list| list.fill(T::of(f64::INFINITY)));
    }
}
