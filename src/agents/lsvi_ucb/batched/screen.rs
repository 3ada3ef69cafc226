//! Which candidates can be the best of a state of a leaf.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use std::ops::Range;

use super::factors::{Factors, add_products};
use super::near::Near;
use super::region::Region;
use super::stage::Stage;
use crate::Real;

/// Room for the bounds of all candidates, which all leaves share.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers<T> {
    /// Scores at the centre, and <v, c>.
    scores: Vec<T>,
    along: Vec<T>,
    low: Vec<T>,
    high: Vec<T>,
    most: Vec<T>,
    /// The candidates that have to be scored.
    pub(super) active: Vec<usize>,
}

/// Leaves in `active` every candidate that is not proved to be below another one in the whole region: (3) on the page of
/// the module.
#[inline(always)]
pub(super) fn screen<T: Real>(
    (region, near): (&Region<T>, &Near<T>),
    factors: &Factors<T>,
    stage: &Stage<T>,
    buffers: &mut Buffers<T>,
) {
    let (d, m) = (factors.d, factors.len());
    let Buffers { scores, along, low, high, most, active } = buffers;
    along.clear();
    along.resize(m, T::zero());
    scores.clear();
    scores.extend_from_slice(&near.bonus);
    let mut scale = T::zero();
    for (a, group) in factors.groups.iter().enumerate() {
        let mut size = T::zero();
        for k in 0..d {
            let at = a * d + k;
            let (p, v, h) = (region.center[at], region.axis[at], region.half[at]);
            let c = &stage.linear[k * m..][group.clone()];
            size += (p.abs() + v.abs() + h) * stage.largest[at];
            add_products(&mut scores[group.clone()], c, p);
            add_products(&mut along[group.clone()], c, v);
        }
        scale = if size > scale { size } else { scale };
    }
    // What rounding costs: see the page of the module.
    let margin = (scale + near.largest) * T::epsilon() * T::of(rounding(d));
    let mut i = 0;
    for (j, &score) in scores.iter().enumerate() {
        if score > scores[i] {
            i = j;
        }
    }
    let first = factors.actions[i];
    let alone = along[i].abs()
        + region.reach[first] * stage.radius[i]
        + region.mass[first] * stage.middle[i].abs();
    let slopes = near.spread[i] - near.above[i];
    let floor = scores[i] - near.below[i] - margin;
    most.clear();
    most.resize(m, T::zero());
    for (a, group) in factors.groups.iter().enumerate() {
        let (reach, mass) = (region.reach[a], region.mass[a]);
        let most = &mut most[group.clone()];
        if a == first {
            let half = &region.half[a * d..][..d];
            apart(i, near, (half, mass, m), stage, (group.clone(), low, high), most);
            let own = along[i] + near.along[i];
            let lines = along[group.clone()].iter().zip(&near.along[group.clone()]);
            let above = &near.above[group.clone()];
            for ((most, &above), (&c, &g)) in most.iter_mut().zip(above).zip(lines) {
                *most += (c + g - own).abs() + above;
            }
        } else {
            let spread = &near.spread[group.clone()];
            let size = stage.radius[group.clone()].iter().zip(&stage.middle[group.clone()]);
            let lines = spread.iter().zip(&along[group.clone()]);
            for ((most, (&spread, &line)), (&radius, &middle)) in
                most.iter_mut().zip(lines).zip(size)
            {
                let linear = line.abs() + reach * radius + mass * middle.abs();
                *most = spread + linear + alone + slopes;
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

/// What rounding costs, in units of the machine epsilon times the scale: see section 3 of the page of the module.
fn rounding(d: usize) -> f64 {
    32.0 * (d as f64 + 8.0)
}

/// By how much the scores of candidate i and those of a group with the same first action can come closer than at
/// the centre, to first order.
#[inline(always)]
fn apart<T: Real>(
    i: usize,
    near: &Near<T>,
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
        let (c, g) = (&stage.linear[k * m..][..m], &near.slope[k * m..][..m]);
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
