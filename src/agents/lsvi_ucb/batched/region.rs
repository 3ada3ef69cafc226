//! A small set that holds the features of some states.

use crate::Real;

/// For each action a, a segment with a box around each of its points that together hold phi(s, a) of every state s of a
/// leaf: phi = p + t v + r with |t| <= 1 and |r_k| <= h_k.
///
/// Where states are few numbers, features lie close to a curve or a surface, and h is much smaller than v.
#[derive(Debug, Clone)]
pub(super) struct Region<T> {
    /// The mean p of phi(., a), half the segment v, and h, at a d + k.
    pub(super) center: Vec<T>,
    pub(super) axis: Vec<T>,
    pub(super) half: Vec<T>,
    /// For each action the sum of h, and the largest |sum of r_k|.
    pub(super) reach: Vec<T>,
    pub(super) mass: Vec<T>,
}

impl<T: Real> Region<T> {
    /// The region of these states, `phi(end)` being the features of one, d for each action.
    pub(super) fn new<'a>(ends: &[usize], d: usize, phi: &impl Fn(usize) -> &'a [T]) -> Self {
        let width = phi(ends[0]).len();
        let mut region = Self {
            center: Vec::with_capacity(width),
            axis: Vec::with_capacity(width),
            half: Vec::with_capacity(width),
            reach: Vec::with_capacity(width / d),
            mass: Vec::with_capacity(width / d),
        };
        for a in 0..width / d {
            region.push(ends, d, &|end| &phi(end)[a * d..][..d]);
        }
        region
    }

    /// Adds an action, `phi(end)` being the features of a state for it.
    fn push<'a>(&mut self, ends: &[usize], d: usize, phi: &impl Fn(usize) -> &'a [T]) {
        let zero = T::zero();
        let add = |sum: T, x: T| sum + x;
        let mut center = vec![zero; d];
        for &end in ends {
            center.iter_mut().zip(phi(end)).for_each(|(sum, &x)| *sum += x);
        }
        let count = T::of(ends.len() as f64);
        center.iter_mut().for_each(|x| *x /= count);
        let apart = |end: usize, out: &mut Vec<T>| {
            out.clear();
            out.extend(phi(end).iter().zip(&center).map(|(&x, &c)| x - c));
        };
        let dot = |x: &[T], y: &[T]| x.iter().zip(y).fold(zero, |sum, (&x, &y)| sum + x * y);
        let (mut difference, mut far, mut size) = (Vec::new(), vec![zero; d], zero);
        // The segment points to the state that is farthest from the mean, and is as long as all need.
        for &end in ends {
            apart(end, &mut difference);
            let square = dot(&difference, &difference);
            if square > size {
                size = square;
                far.copy_from_slice(&difference);
            }
        }
        let mut along = Vec::with_capacity(ends.len());
        for &end in ends {
            apart(end, &mut difference);
            along.push(if size > zero { dot(&difference, &far) / size } else { zero });
        }
        let longest = along.iter().fold(zero, |most, t| most.max(t.abs()));
        // A little longer, so that rounding leaves no |t| above 1; if squares under- or overflow there is no segment.
        let longest = longest * (T::one() + T::of(8.0) * T::epsilon());
        let is_point = !(size.is_finite() && longest > zero && longest.is_finite());
        let axis: Vec<T> = far.iter().map(|&x| if is_point { zero } else { longest * x }).collect();
        let (mut half, mut mass) = (vec![zero; d], zero);
        for (&end, &t) in ends.iter().zip(&along) {
            apart(end, &mut difference);
            let t = if is_point { zero } else { t / longest };
            let mut sum = zero;
            for ((half, &v), &x) in half.iter_mut().zip(&axis).zip(&difference) {
                let rest = x - t * v;
                *half = half.max(rest.abs());
                sum += rest;
            }
            mass = mass.max(sum.abs());
        }
        // What rounding can have left out of the box, and of the sum.
        let rounding = T::of(8.0) * T::epsilon();
        for (half, (c, v)) in half.iter_mut().zip(center.iter().zip(&axis)) {
            *half += rounding * (c.abs() + v.abs() + *half);
            mass += rounding * (c.abs() + v.abs() + *half) * T::of(d as f64);
        }
        self.reach.push(half.iter().copied().fold(zero, add));
        self.mass.push(mass);
        self.center.extend(center);
        self.axis.extend(axis);
        self.half.extend(half);
    }
}
