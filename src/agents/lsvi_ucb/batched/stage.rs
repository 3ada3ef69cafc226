//! What all leaves share while V_u is computed.

use super::factors::Factors;
use crate::Real;

/// The vectors c of all candidates for one u, and how large they are.
#[derive(Debug, Clone)]
pub(super) struct Stage<T> {
    /// Entry k of the candidate at place j is at k m + j.
    pub(super) linear: Vec<T>,
    /// Half of the sum and half of the difference of the largest and the smallest entry of each candidate.
    pub(super) middle: Vec<T>,
    pub(super) radius: Vec<T>,
    /// The largest absolute value of entry k among the candidates that start with action a, at a d + k.
    pub(super) largest: Vec<T>,
}

impl<T: Real> Stage<T> {
    pub(super) fn new(factors: &Factors<T>, w: &[T]) -> Self {
        let (d, m, half) = (factors.d, factors.len(), T::of(0.5));
        let linear = factors.linear(w);
        let (mut low, mut high) = (linear[..m].to_vec(), linear[..m].to_vec());
        for row in linear.chunks_exact(m) {
            for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(row) {
                *low = low.min(x);
                *high = high.max(x);
            }
        }
        let middle: Vec<T> =
            low.iter().zip(&high).map(|(&low, &high)| half * (low + high)).collect();
        // Not below either distance, whatever was rounded.
        let far = |j: usize| (high[j] - middle[j]).max(middle[j] - low[j]);
        let radius = (0..m).map(far).collect();
        let mut largest = Vec::with_capacity(factors.groups.len() * d);
        for group in &factors.groups {
            for row in linear.chunks_exact(m) {
                largest
                    .push(row[group.clone()].iter().fold(T::zero(), |most, x| most.max(x.abs())));
            }
        }
        Self { linear, middle, radius, largest }
    }
}
