//! Estimates that grow with the data, rebuilt now and then.

use super::{ErrorBounds, EstimateError, Estimator, Transition};
use crate::Real;
use crate::dim::Dimensional;
use crate::features::Dynamics;
use crate::model::Action;

/// When to rebuild the estimate, and with it psi and every feature cached from it.
///
/// Rebuilding changes all features at once, so regressions on old features must start again or be
/// redone; geometric schedules do it O(log N) times.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Schedule {
    /// When the number of samples has grown by this factor since the last time; 2 doubles it. A factor
    /// not above 1 rebuilds whenever there is something new.
    Samples {
        /// The factor.
        factor: f64,
    },
    /// When det(X^T X + lambda I) has grown by this factor: when the data tell something about
    /// directions that were not known, rather than when there are more of them. By the number of
    /// samples where an estimator has no determinant.
    Determinant {
        /// The factor.
        factor: f64,
    },
}

/// An estimator that says when its estimate should be rebuilt, and counts the versions.
///
/// Whoever caches features compares [`version`](Self::version) with the one they were built from.
///
/// # Example
/// ```
/// use rand_pcg::Pcg64;
/// use sporadic::estimators::{Estimator, Exploratory, OnlineEstimator, Schedule, TabularEstimator};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
/// let doubling = Schedule::Samples { factor: 2.0 };
/// let mut online = OnlineEstimator::new(TabularEstimator::new(6, 2, 0.9)?, doubling);
/// let (sampler, mut rng) = (Exploratory::uniform(&swim), Pcg64::new(1, 1));
/// let mut rebuilt = Vec::new();
/// for _ in 0..1000 {
///     online.observe(&sampler.sample(&mut rng));
///     if online.refresh()? {
///         rebuilt.push(online.samples()); // build psi from online.current() here
///     }
/// }
/// assert_eq!(rebuilt, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
/// assert_eq!(online.version(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct OnlineEstimator<T: Real, E: Estimator<T>> {
    inner: E,
    schedule: Schedule,
    current: Option<Dynamics<T, E::Dim>>,
    version: u64,
    /// Samples and ln det when the current estimate was made.
    at: (u64, Option<f64>),
}

impl<T: Real, E: Estimator<T>> OnlineEstimator<T, E> {
    /// Wraps an estimator. There is no current estimate before the first
    /// [`refresh`](Self::refresh).
    pub fn new(inner: E, schedule: Schedule) -> Self {
        Self { inner, schedule, current: None, version: 0, at: (0, None) }
    }

    /// The estimator.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// The estimate of the current version.
    pub fn current(&self) -> Option<&Dynamics<T, E::Dim>> {
        self.current.as_ref()
    }

    /// How many estimates there have been; 0 before the first.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether the schedule asks for a new estimate: always if there is none yet.
    ///
    /// # Complexity
    /// d^3 / 3 for the determinant of a ridge regression, so ask once an episode, not once a step.
    pub fn is_due(&self) -> bool {
        let (before, log_det) = self.at;
        let now = self.inner.samples();
        if self.current.is_none() {
            return true;
        }
        let by_samples = |factor: f64| now > before && now as f64 >= factor * before as f64;
        match self.schedule {
            Schedule::Samples { factor } => by_samples(factor),
            Schedule::Determinant { factor } => match (log_det, self.inner.log_det()) {
                (Some(before), Some(now)) => now > before && now - before >= libm::log(factor),
                _ => by_samples(factor),
            },
        }
    }

    /// Makes a new estimate if one [is due](Self::is_due); tells whether it did.
    ///
    /// # Errors
    /// [`EstimateError`] of the estimator; the current version then stays.
    pub fn refresh(&mut self) -> Result<bool, EstimateError> {
        if !self.is_due() {
            return Ok(false);
        }
        self.current = Some(self.inner.estimate()?);
        self.at = (self.inner.samples(), self.inner.log_det());
        self.version += 1;
        Ok(true)
    }
}

impl<T: Real, E: Estimator<T>> Dimensional for OnlineEstimator<T, E> {
    type Dim = E::Dim;

    fn dim(&self) -> E::Dim {
        self.inner.dim()
    }
}

impl<T: Real, E: Estimator<T>> Estimator<T> for OnlineEstimator<T, E> {
    type State = E::State;

    fn observe(&mut self, t: &Transition<E::State>) {
        self.inner.observe(t);
    }

    fn observe_at(&mut self, t: &Transition<E::State>, age: usize) {
        self.inner.observe_at(t, age);
    }

    fn observe_reveal(&mut self, a: Action, burst: bool) {
        self.inner.observe_reveal(a, burst);
    }

    fn observe_segment(&mut self, start: &E::State, actions: &[Action], next: Option<&E::State>)
    where
        E::State: Clone,
    {
        self.inner.observe_segment(start, actions, next);
    }

    fn observe_reveal_at(&mut self, a: Action, age: usize, burst: bool) {
        self.inner.observe_reveal_at(a, age, burst);
    }

    fn samples(&self) -> u64 {
        self.inner.samples()
    }

    /// A fresh estimate from all samples; [`current`](OnlineEstimator::current) is the scheduled one.
    fn estimate(&self) -> Result<Dynamics<T, E::Dim>, EstimateError> {
        self.inner.estimate()
    }

    fn error_bounds(&self, confidence: T) -> ErrorBounds<T> {
        self.inner.error_bounds(confidence)
    }

    fn log_det(&self) -> Option<f64> {
        self.inner.log_det()
    }
}
