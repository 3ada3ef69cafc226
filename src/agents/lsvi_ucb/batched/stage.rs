//! The candidates for one u.

use super::factors::{Factors, LANES, Lanes};
use super::sweep::Terminals;
use crate::Real;

/// The vectors c of all candidates for one u, how large they are, and which of them matter where.
#[derive(Debug, Clone)]
pub(super) struct Stage<T> {
    /// The weights w that c follows from.
    pub(super) w: Vec<T>,
    /// Entry k of bundle b is at b d + k.
    pub(super) linear: Vec<Lanes<T>>,
    /// Half of the sum and half of the difference of the largest and the smallest entry of each candidate.
    pub(super) middle: Vec<Lanes<T>>,
    pub(super) radius: Vec<Lanes<T>>,
    /// The largest absolute value of entry k among the candidates that start with action a, at a d + k.
    pub(super) largest: Vec<T>,
    /// Filled by planning.
    pub(super) terminals: Terminals,
}

impl<T: Real> Stage<T> {
    pub(super) fn new(factors: &Factors<T>, w: &[T]) -> Self {
        let (d, half) = (factors.d, T::of(0.5));
        let linear = factors.linear(w);
        let (mut middle, mut radius) = (Vec::new(), Vec::new());
        for c in linear.chunks_exact(d) {
            let (mut low, mut high) = (c[0], c[0]);
            for row in c {
                for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(row) {
                    *low = if x < *low { x } else { *low };
                    *high = if x > *high { x } else { *high };
                }
            }
            let middles: Lanes<T> = std::array::from_fn(|l| half * (low[l] + high[l]));
            // Not below either distance, whatever was rounded.
            radius.push(std::array::from_fn(|l: usize| {
                let (above, below) = (high[l] - middles[l], middles[l] - low[l]);
                if above > below { above } else { below }
            }));
            middle.push(middles);
        }
        let mut largest = Vec::with_capacity(factors.groups.len() * d);
        for group in &factors.groups {
            for k in 0..d {
                let mut most = [T::zero(); LANES];
                for b in group.clone() {
                    for (most, x) in most.iter_mut().zip(&linear[b * d + k]) {
                        let x = x.abs();
                        *most = if x > *most { x } else { *most };
                    }
                }
                largest.push(most.into_iter().fold(T::zero(), T::max));
            }
        }
        let w = w.to_vec();
        Self { w, linear, middle, radius, largest, terminals: Terminals::default() }
    }
}
