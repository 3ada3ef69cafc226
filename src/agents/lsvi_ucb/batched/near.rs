//! Bonuses in the region of a node, to first order around its centre.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use nalgebra::ComplexField;

use super::factors::{LANES, Lanes, add_products, pair};
use super::region::{Region, tiny};
use super::scores::Lambda;
use crate::Real;

/// The bonuses of a bundle of candidates at the centre of a region, their slopes there, and how far from linear they
/// are, for one Lambda: see (2) on the page of the module.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expansion<'a, T> {
    pub(super) slope: &'a [Lanes<T>],
    pub(super) bonus: &'a Lanes<T>,
    /// <v, slope>.
    pub(super) along: &'a Lanes<T>,
    /// How far above all this a bonus can be.
    pub(super) above: &'a Lanes<T>,
    /// Half of the sum and half of the difference of the largest and the smallest entry of the slope.
    pub(super) middle: &'a Lanes<T>,
    pub(super) radius: &'a Lanes<T>,
}

/// The numbers of an expansion besides the slope.
const OTHERS: usize = 6;

/// The expansions that have been asked for since Lambda changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Near<T> {
    d: usize,
    bundles: usize,
    /// One more than the place of the expansion of a bundle at a node, 0 if there is none.
    places: Vec<u32>,
    numbers: Vec<Lanes<T>>,
    /// More than every bonus of a bundle expanded at a node, in all of its region.
    tops: Vec<T>,
    /// Room for 2 G p and 2 G v.
    gradient: Vec<Lanes<T>>,
    turn: Vec<Lanes<T>>,
    sizes: Sizes<T>,
}

/// How large the features in a region are for one action: the same for all bundles that start with it.
#[derive(Debug, Clone, Default)]
struct Sizes<T> {
    /// The node and the action, once there is one.
    of: Option<(usize, usize)>,
    /// For all pairs k <= l, h_k h_l and the product of the largest absolute values of entries k and l.
    pairs: Vec<[T; 2]>,
    /// The largest ||phi||^2.
    length: T,
    /// More than underflow can take away.
    underflow: T,
}

impl<T: Real> Sizes<T> {
    /// Makes these the sizes of the region of a node with this p, v and h, unless they are.
    #[inline(always)]
    fn set(&mut self, of: (usize, usize), [p, v, h]: [&[T]; 3]) {
        if self.of == Some(of) {
            return;
        }
        self.of = Some(of);
        self.pairs.clear();
        (self.length, self.underflow) = (T::zero(), T::one());
        let most = |k: usize| p[k].abs() + v[k].abs() + h[k];
        for k in 0..p.len() {
            self.pairs.extend((k..p.len()).map(|l| [h[k] * h[l], most(k) * most(l)]));
            self.length += most(k) * most(k);
            self.underflow += most(k);
        }
        self.underflow *= tiny();
    }
}

impl<T: Real> Near<T> {
    /// Forgets all, and is about so many nodes.
    pub(super) fn clear(&mut self, nodes: usize, bundles: usize, d: usize) {
        (self.d, self.bundles) = (d, bundles);
        self.places.clear();
        self.places.resize(nodes * bundles, 0);
        self.tops.clear();
        self.tops.resize(nodes, T::zero());
        self.numbers.clear();
        self.sizes.of = None;
    }

    #[inline(always)]
    pub(super) fn top(&self, node: usize) -> T {
        self.tops[node]
    }

    /// The expansion of a bundle at a node, which must have been [made](Self::expand).
    #[inline(always)]
    pub(super) fn of(&self, node: usize, bundle: usize) -> Expansion<'_, T> {
        let (d, stride) = (self.d, self.d + OTHERS);
        let place = self.places[node * self.bundles + bundle] as usize - 1;
        let numbers = &self.numbers[place * stride..][..stride];
        let (slope, others) = numbers.split_at(d);
        let [bonus, along, above, middle, radius, _] = others else { unreachable!() };
        Expansion { slope, bonus, along, above, middle, radius }
    }

    /// How far below its expansion the bonus of a candidate is in a state of a node, at the most: not a number until it is set.
    #[inline(always)]
    pub(super) fn below(&mut self, node: usize, (bundle, lane): (usize, usize)) -> &mut T {
        let place = self.places[node * self.bundles + bundle] as usize;
        &mut self.numbers[place * (self.d + OTHERS) - 1][lane]
    }

    /// Makes the expansion of a bundle at a node, unless it has been made.
    #[inline(always)]
    pub(super) fn expand(
        &mut self,
        (node, region): (usize, Region<'_, T>),
        bundle: usize,
        lambda: Lambda<'_, T>,
    ) {
        let place = &mut self.places[node * self.bundles + bundle];
        if *place > 0 {
            return;
        }
        let (d, zero, half) = (self.d, T::zero(), T::of(0.5));
        *place = u32::try_from(self.numbers.len() / (d + OTHERS) + 1).unwrap_or(0);
        let (a, rho, g) = (lambda.factors.actions[bundle], lambda.rho, lambda.of(bundle));
        let own = a * d..a * d + d;
        let (p, v, h) = (&region.center[own.clone()], &region.axis[own.clone()], &region.half[own]);
        self.sizes.set((node, a), [p, v, h]);
        self.gradient.clear();
        self.turn.clear();
        // Sums of |G| over h and over the largest absolute values in the region.
        let (mut curvature, mut size) = ([zero; LANES], [zero; LANES]);
        for (g, &[boxes, most]) in g.iter().zip(&self.sizes.pairs) {
            let absolute = g.map(ComplexField::abs);
            add_products(&mut curvature, &absolute, boxes);
            add_products(&mut size, &absolute, most);
        }
        for k in 0..d {
            let (mut y, mut z) = ([zero; LANES], [zero; LANES]);
            for l in 0..k {
                let g = &g[pair(d, l, k)];
                add_products(&mut y, g, p[l]);
                add_products(&mut z, g, v[l]);
            }
            let rest = &g[pair(d, k, k)..];
            // Pairs k < l stand for two entries of G.
            add_products(&mut y, &rest[0], p[k] + p[k]);
            add_products(&mut z, &rest[0], v[k] + v[k]);
            for ((g, &p), &v) in rest[1..].iter().zip(&p[k + 1..]).zip(&v[k + 1..]) {
                add_products(&mut y, g, p);
                add_products(&mut z, g, v);
            }
            self.gradient.push(y);
            self.turn.push(z);
        }
        let [mut square, mut first, mut along, mut twice] = [[zero; LANES]; 4];
        let (mut low, mut high) = (self.gradient[0], self.gradient[0]);
        for k in 0..d {
            let (y, z) = (&self.gradient[k], &self.turn[k]);
            add_products(&mut square, y, half * p[k]);
            add_products(&mut first, &y.map(ComplexField::abs), h[k]);
            add_products(&mut along, y, v[k]);
            add_products(&mut curvature, &z.map(ComplexField::abs), h[k]);
            add_products(&mut twice, z, v[k]);
            for ((low, high), &y) in low.iter_mut().zip(&mut high).zip(y) {
                *low = if y < *low { y } else { *low };
                *high = if y > *high { y } else { *high };
            }
        }
        let rounding = T::epsilon() * T::of(4.0 * (d as f64 * d as f64 + 8.0));
        let Sizes { length, underflow, .. } = self.sizes;
        let [mut bonuses, mut lines, mut above] = [[zero; LANES]; 3];
        let [mut middle, mut radius, mut scales] = [[zero; LANES]; 3];
        let (slack, mut top) = (lambda.slack(bundle), self.tops[node]);
        for l in 0..LANES {
            let (q, bow) = (square[l], half * twice[l]);
            let error = rounding * size[l] + underflow;
            let rest = curvature[l] + error;
            let lowest = q - (along[l].abs() + first[l] + bow.abs() + rest);
            let is_safe = q > slack[l] * length + error || q >= -lowest;
            let square = if is_safe { q } else { -lowest };
            let root = square.sqrt();
            let scale = rho / (root + root);
            let bonus = scale * (square + q);
            let is_known = bonus.is_finite();
            scales[l] = if is_known { scale } else { zero };
            bonuses[l] = if is_known { bonus } else { T::of(f64::INFINITY) };
            lines[l] = scales[l] * along[l];
            above[l] = scales[l] * (if bow > zero { bow } else { zero } + rest);
            middle[l] = scales[l] * (half * (low[l] + high[l]));
            let (x, y) = (scales[l] * high[l] - middle[l], middle[l] - scales[l] * low[l]);
            radius[l] = if x > y { x } else { y };
            let spread =
                lines[l].abs() + region.reach[a] * radius[l] + region.mass[a] * middle[l].abs();
            let sum = bonuses[l] + spread + above[l];
            // What is not a number is as large as can be.
            top = if sum <= top { top } else { sum };
            top = if top.is_finite() { top } else { T::of(f64::INFINITY) };
        }
        self.tops[node] = top;
        for y in &self.gradient {
            self.numbers.push(std::array::from_fn(|l| scales[l] * y[l]));
        }
        self.numbers.extend([bonuses, lines, above, middle, radius, [T::of(f64::NAN); LANES]]);
    }
}
