//! States sorted into leaves.

use super::leaf::{BLOCK, Leaf};
use crate::Real;

/// The most blocks of a leaf.
const BLOCKS: usize = 8;
/// Leaves of several blocks differ by at most this part of the difference between all states in every feature.
const NARROW: f64 = 1.0 / 16.0;

/// Splits `ends` into leaves: across the feature that differs most, at the median, until few are left or all are close
/// to each other, where `whole` is the largest difference of a feature between all states.
pub(super) fn split<'a, T: Real>(
    ends: &mut [usize],
    d: usize,
    whole: Option<T>,
    phi: &impl Fn(usize) -> &'a [T],
    leaves: &mut Vec<Leaf<T>>,
) {
    if ends.is_empty() {
        return;
    }
    let (mut low, mut high) = (phi(ends[0]).to_vec(), phi(ends[0]).to_vec());
    for &end in &*ends {
        for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(phi(end)) {
            *low = low.min(x);
            *high = high.max(x);
        }
    }
    let wider = |best: usize, k: usize| {
        if high[k] - low[k] > high[best] - low[best] { k } else { best }
    };
    let k = (0..low.len()).fold(0, wider);
    let edge = high[k] - low[k];
    let whole = whole.unwrap_or(edge);
    let is_narrow = ends.len() <= BLOCKS * BLOCK && edge <= whole * T::of(NARROW);
    if ends.len() <= BLOCK || is_narrow {
        leaves.push(Leaf::new(ends.to_vec(), d, phi));
        return;
    }
    // In whole blocks, so that few are half empty.
    let middle = (ends.len().div_ceil(BLOCK) / 2) * BLOCK;
    let order = |&x: &usize, &y: &usize| phi(x)[k].as_f64().total_cmp(&phi(y)[k].as_f64());
    ends.select_nth_unstable_by(middle, order);
    let (left, right) = ends.split_at_mut(middle);
    split(left, d, Some(whole), phi, leaves);
    split(right, d, Some(whole), phi, leaves);
}
