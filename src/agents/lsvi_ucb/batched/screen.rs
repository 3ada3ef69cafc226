//! Which candidates can be the best of a state of a node.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use super::factors::{Factors, LANES, Lanes, add_products};
use super::near::{Expansion, Near};
use super::region::{Region, tiny};
use super::stage::Stage;
use crate::Real;

/// Some candidates of a bundle: bit l stands for lane l.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alive {
    pub(super) bundle: usize,
    pub(super) lanes: u8,
}

impl Alive {
    /// The lanes that are left.
    pub(super) fn lanes(self) -> impl Iterator<Item = usize> {
        (0..LANES).filter(move |lane| self.lanes >> lane & 1 == 1)
    }
}

/// Room for the scores at a centre, and for <v, c + g>, which all nodes share.
#[derive(Debug, Clone, Default)]
pub(super) struct Room<T> {
    scores: Vec<Lanes<T>>,
    lines: Vec<Lanes<T>>,
}

/// The candidate with the largest score at the centre of a region.
struct Leader<T> {
    a: usize,
    line: T,
    middle: T,
    radius: T,
    /// What is added to the score by a box alone, at the most.
    own: T,
    /// The score at the centre less all that does not depend on the other candidate.
    floor: T,
}

/// A node, the bundles with expansions there, and the candidates for one u.
pub(super) struct Screen<'a, T> {
    pub(super) node: usize,
    pub(super) region: Region<'a, T>,
    pub(super) near: &'a Near<T>,
    pub(super) factors: &'a Factors<T>,
    pub(super) stage: &'a Stage<T>,
}

impl<T: Real> Screen<'_, T> {
    /// Adds to `list` those of its candidates `from..to` that are not proved to be below another one in the whole region: (3)
    /// on the page of the module, given which is the largest at the centre, and how far below its expansion it is at the most.
    /// How many these are; `None` if one is proved to be above `cap` in the whole region.
    #[inline(always)]
    pub(super) fn run(
        &self,
        list: &mut Vec<Alive>,
        (from, to): (usize, usize),
        ((first, lane), below): ((usize, usize), T),
        (cap, room): (T, &Room<T>),
    ) -> Option<usize> {
        let d = self.factors.d;
        let bundle = list[from + first].bundle;
        let (i, c) = (self.near.of(self.node, bundle), &self.stage.linear[bundle * d..][..d]);
        let own = |k: usize| c[k][lane] + i.slope[k][lane];
        let a = self.factors.actions[bundle];
        let (half, mass) = (&self.region.half[a * d..][..d], self.region.mass[a]);
        let middle = self.stage.middle[bundle][lane] + i.middle[lane];
        let alone =
            (0..d).fold(mass * middle.abs(), |sum, k| sum + half[k] * (own(k) - middle).abs());
        let leader = Leader {
            a,
            line: room.lines[first][lane],
            middle,
            radius: self.stage.radius[bundle][lane] + i.radius[lane],
            own: alone,
            floor: room.scores[first][lane] - below - self.margin(),
        };
        if leader.floor - leader.line.abs() - leader.own > cap {
            return None;
        }
        let mut count = 0;
        for (at, place) in (from..to).enumerate() {
            let Alive { bundle, mut lanes } = list[place];
            let (scores, lines) = (&room.scores[at], &room.lines[at]);
            let near = self.near.of(self.node, bundle);
            let coarse = self.coarse(bundle, near, &leader);
            lanes &= left(scores, lines, near, &coarse, &leader);
            if lanes != 0 {
                let fine = self.fine(bundle, near, &leader, own);
                lanes &= left(scores, lines, near, &fine, &leader);
            }
            if lanes != 0 {
                list.push(Alive { bundle, lanes });
                count += lanes.count_ones() as usize;
            }
        }
        Some(count)
    }

    /// Scores of these candidates at the centre of the region, and <v, c + g>; where the largest is.
    #[inline(always)]
    pub(super) fn centre(&self, list: &[Alive], room: &mut Room<T>) -> (usize, usize) {
        let (d, zero) = (self.factors.d, T::zero());
        room.scores.clear();
        room.lines.clear();
        let (mut tops, mut places) = ([-T::of(f64::INFINITY); LANES], [zero; LANES]);
        for (at, alive) in list.iter().enumerate() {
            let bundle = alive.bundle;
            let near = self.near.of(self.node, bundle);
            let (mut scores, mut lines) = (*near.bonus, *near.along);
            let own = self.factors.actions[bundle] * d;
            let (center, axis) = (&self.region.center[own..][..d], &self.region.axis[own..][..d]);
            for ((c, &p), &v) in self.stage.linear[bundle * d..][..d].iter().zip(center).zip(axis) {
                add_products(&mut scores, c, p);
                add_products(&mut lines, c, v);
            }
            let at = T::of(at as f64);
            for ((top, place), &score) in tops.iter_mut().zip(&mut places).zip(&scores) {
                let is_larger = score > *top;
                *place = if is_larger { at } else { *place };
                *top = if is_larger { score } else { *top };
            }
            room.scores.push(scores);
            room.lines.push(lines);
        }
        let lane = (0..LANES).fold(0, |i, j| if tops[j] > tops[i] { j } else { i });
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the place in the list
        (places[lane].as_f64() as usize, lane)
    }

    /// More than rounding costs: see section 3 of the page of the module.
    #[inline(always)]
    fn margin(&self) -> T {
        let (d, Region { center, axis, half, .. }) = (self.factors.d, self.region);
        let (mut scale, mut reach) = (T::zero(), T::one());
        for own in (0..center.len()).step_by(d) {
            let mut size = T::zero();
            for k in own..own + d {
                let most = center[k].abs() + axis[k].abs() + half[k];
                size += most * self.stage.largest[k];
                reach += most;
            }
            scale = if size <= scale { scale } else { size };
        }
        let rounding = T::epsilon() * T::of(32.0 * (d as f64 + 8.0));
        (scale + self.near.top(self.node)) * rounding + reach * tiny()
    }

    /// By how much boxes can bring the candidates of a bundle closer to the leader, from the largest entries alone.
    #[inline(always)]
    fn coarse(&self, bundle: usize, near: Expansion<'_, T>, leader: &Leader<T>) -> Lanes<T> {
        let a = self.factors.actions[bundle];
        let (reach, mass) = (self.region.reach[a], self.region.mass[a]);
        let (middle, radius) = (&self.stage.middle[bundle], &self.stage.radius[bundle]);
        let is_same = a == leader.a;
        let (shift, radius_too) =
            if is_same { (leader.middle, leader.radius) } else { (T::zero(), T::zero()) };
        let start = if is_same { T::zero() } else { leader.own };
        std::array::from_fn(|l| {
            let x = middle[l] + near.middle[l] - shift;
            start + reach * (radius[l] + near.radius[l] + radius_too) + mass * x.abs()
        })
    }

    /// By how much boxes can bring the candidates of a bundle closer to the leader: (1).
    #[inline(always)]
    fn fine(
        &self,
        bundle: usize,
        near: Expansion<'_, T>,
        leader: &Leader<T>,
        own: impl Fn(usize) -> T,
    ) -> Lanes<T> {
        let (a, d) = (self.factors.actions[bundle], self.factors.d);
        let (half, mass) = (&self.region.half[a * d..][..d], self.region.mass[a]);
        let (is_same, zero) = (a == leader.a, T::zero());
        let shift = if is_same { leader.middle } else { zero };
        let start = if is_same { zero } else { leader.own };
        let middle: Lanes<T> =
            std::array::from_fn(|l| self.stage.middle[bundle][l] + near.middle[l] - shift);
        let mut sums: Lanes<T> = std::array::from_fn(|l| start + mass * middle[l].abs());
        for (k, c) in self.stage.linear[bundle * d..][..d].iter().enumerate() {
            let own = if is_same { own(k) } else { zero };
            for l in 0..LANES {
                sums[l] += half[k] * (c[l] + near.slope[k][l] - own - middle[l]).abs();
            }
        }
        sums
    }
}

/// The candidates of a bundle that are not below the leader, boxes bringing them closer by `boxes`.
#[inline(always)]
fn left<T: Real>(
    scores: &Lanes<T>,
    lines: &Lanes<T>,
    near: Expansion<'_, T>,
    boxes: &Lanes<T>,
    leader: &Leader<T>,
) -> u8 {
    let mut lanes = 0;
    for l in 0..LANES {
        let most = scores[l] + (lines[l] - leader.line).abs() + near.above[l] + boxes[l];
        // What is not a number rules nothing out.
        let is_ruled_out = most < leader.floor;
        lanes |= u8::from(!is_ruled_out) << l;
    }
    lanes
}
