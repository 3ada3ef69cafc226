//! States sorted into leaves.

use super::leaf::{LEAF, Leaf};
use crate::Real;

/// Splits `ends` into leaves: across the feature that differs most, at the median, until few are left.
pub(super) fn split<'a, T: Real>(
    ends: &mut [usize],
    d: usize,
    phi: &impl Fn(usize) -> &'a [T],
    leaves: &mut Vec<Leaf<T>>,
) {
    if ends.len() <= LEAF {
        if !ends.is_empty() {
            leaves.push(Leaf::new(ends.to_vec(), d, phi));
        }
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
    // In whole leaves, so that few are half empty.
    let middle = (ends.len().div_ceil(LEAF) / 2) * LEAF;
    let order = |&x: &usize, &y: &usize| phi(x)[k].as_f64().total_cmp(&phi(y)[k].as_f64());
    ends.select_nth_unstable_by(middle, order);
    let (left, right) = ends.split_at_mut(middle);
    split(left, d, phi, leaves);
    split(right, d, phi, leaves);
}
