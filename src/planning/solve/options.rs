//! Options of the solver, and its errors.

use std::time::Duration;

use thiserror::Error;

use crate::planning::PlanningError;

/// The gap that [`solve`](super::solve) aims at, and its limits on time and memory.
///
/// | option | default | meaning | range |
/// |---|---|---|---|
/// | gap | 0.001 | stop when upper - lower is at most this at every state | positive, finite |
/// | time limit | 60 s | return what is there after this long | any, or none |
/// | memory limit | 256 MiB | stop growing at about this many bytes | any |
///
/// The gap is in the units of the value: multiply by 1 - gamma to compare with rewards.
///
/// # Example
/// ```
/// use std::time::Duration;
/// use sporadic::planning::solve::SolveOptions;
///
/// let quick = SolveOptions::default().with_gap(0.1).with_time_limit(Duration::from_secs(2));
/// let patient = SolveOptions::default().with_time_limit(None).with_memory_limit(4 << 30);
/// assert_eq!(quick.gap(), 0.1);
/// assert_eq!(patient.time_limit(), None);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct SolveOptions {
    gap: f64,
    time_limit: Option<Duration>,
    memory_limit: usize,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self { gap: 1e-3, time_limit: Some(Duration::from_secs(60)), memory_limit: 256 << 20 }
    }
}

impl SolveOptions {
    /// Asks for upper - lower <= `gap` at every state.
    pub fn with_gap(mut self, gap: f64) -> Self {
        self.gap = gap;
        self
    }

    /// Sets or, with `None`, lifts the time limit.
    ///
    /// All phases look at the clock, so the limit is overrun by little: by a step of a tree, or by one
    /// n x n matrix, which is chosen to take at most a tenth of the limit. Reading the model and handing
    /// over the answer come on top.
    pub fn with_time_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.time_limit = limit.into();
        self
    }

    /// Sets the memory limit, in bytes.
    ///
    /// It bounds what grows: sequences, beliefs and matrices. Not bounded are a copy of the transitions,
    /// some vectors of a number per state and action, and the n x n matrices of models with n <= 64
    /// states.
    pub fn with_memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// The gap asked for.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// The time limit.
    pub fn time_limit(&self) -> Option<Duration> {
        self.time_limit
    }

    /// The memory limit, in bytes.
    pub fn memory_limit(&self) -> usize {
        self.memory_limit
    }

    pub(super) fn check(&self) -> Result<(), SolveError> {
        if self.gap > 0.0 && self.gap.is_finite() {
            Ok(())
        } else {
            Err(SolveError::Gap { gap: self.gap })
        }
    }
}

/// Why [`solve`](super::solve) did not start.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The gap must be positive and finite.
    #[error("the gap asked for is {}, not a positive finite number", crate::Number(*.gap))]
    Gap {
        /// The value given.
        gap: f64,
    },
    /// The model's values may be too large for its scalar: [`PlanningError::Overflow`].
    #[error(transparent)]
    Planning(#[from] PlanningError),
}
