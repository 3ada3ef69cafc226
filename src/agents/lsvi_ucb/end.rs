//! States in which segments have ended.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use nalgebra::OVector;
use pulp::{Simd, WithSimd};

use super::answers::Answers;
use super::objective::Cache;
use crate::Real;
use crate::dim::{Doubled, FeatureDim};

/// A state in which segments have ended.
#[derive(Debug)]
pub(super) struct End<T: Real, D: FeatureDim, S> {
    pub(super) state: S,
    /// The sum of their psi; the weights of its value if the continuation is the model's.
    pub(super) sum: OVector<T, Doubled<D>>,
    /// There once the oracle has been asked about it.
    pub(super) asked: Option<Box<Asked<T, D>>>,
}

/// What is known of a state about which the oracle is asked.
#[derive(Debug)]
pub(super) struct Asked<T: Real, D: FeatureDim> {
    pub(super) cache: Cache<T, D>,
    /// What the oracle answered in the last planning phase, as far as that is kept.
    pub(super) answers: Answers<T>,
}

impl<T: Real, D: FeatureDim> Default for Asked<T, D> {
    fn default() -> Self {
        Self { cache: Cache::default(), answers: Answers::new(Vec::new()) }
    }
}

impl<T: Real, D: FeatureDim, S> End<T, D, S> {
    pub(super) fn new(state: S, sum: OVector<T, Doubled<D>>) -> Self {
        Self { state, sum, asked: None }
    }

    /// What the oracle answered in the last planning phase, as far as that is kept.
    pub(super) fn answers(&self) -> Option<&Answers<T>> {
        self.asked.as_ref().map(|asked| &asked.answers)
    }

    /// Begins a planning phase, with another Lambda.
    pub(super) fn begin(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.cache.forget_bonus();
            asked.answers.begin();
        }
    }

    /// Forgets what the oracle answered.
    pub(super) fn forget(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.answers.clear();
        }
    }
}

/// Adds to `w` the sums of psi of all states times their values: the part of line 6 that is about V_(u+1), the history
/// summed by next state; bottom has value 0.
pub(super) fn add_values<T: Real, D: FeatureDim, S>(
    w: &mut OVector<T, Doubled<D>>,
    ends: &[End<T, D, S>],
    values: &[T],
) {
    pulp::Arch::new().dispatch(AddValues { w: w.as_mut_slice(), ends, values });
}

struct AddValues<'a, T: Real, D: FeatureDim, S> {
    w: &'a mut [T],
    ends: &'a [End<T, D, S>],
    values: &'a [T],
}

/// So many entries of w are summed at a time: they stay in registers.
const ENTRIES: usize = 16;

impl<T: Real, D: FeatureDim, S> WithSimd for AddValues<'_, T, D, S> {
    type Output = ();

    /// State by state for every entry, whatever the processor.
    #[inline(always)]
    fn with_simd<I: Simd>(self, _: I) {
        let mut start = 0;
        let (blocks, rest) = self.w.as_chunks_mut::<ENTRIES>();
        for block in blocks {
            let mut sums = *block;
            for (end, &value) in self.ends.iter().zip(self.values) {
                if let Some(psi) = end.sum.as_slice()[start..].first_chunk::<ENTRIES>() {
                    for (sum, &x) in sums.iter_mut().zip(psi) {
                        *sum += value * x;
                    }
                }
            }
            *block = sums;
            start += ENTRIES;
        }
        for (end, &value) in self.ends.iter().zip(self.values) {
            for (sum, &x) in rest.iter_mut().zip(&end.sum.as_slice()[start..]) {
                *sum += value * x;
            }
        }
    }
}
