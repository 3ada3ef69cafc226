//! The ridge estimator of one-hot features, by counting.

use nalgebra::{Dyn, OMatrix};

use super::observed::{Evidence, check_gamma, check_ridge, settings};
use super::{
    ErrorBounds, EstimateError, Estimator, Exploration, MergeError, Reveals, SufficientStatistics,
    Transition,
};
use crate::Real;
use crate::dim::{Dimension, Dimensional};
use crate::features::{Dynamics, OneHot};
use crate::model::{Action, Reveal};

/// What [`RidgeEstimator`](super::RidgeEstimator) gives on one-hot features, by counting: the Gram
/// matrix is the diagonal of the visits n(s, a), and
///
/// ```text
/// M-hat_a' leads from (s, a) to (s', a') with n(s, a, s') / (n(s, a) + lambda)
/// ```
///
/// A pair never visited has a zero row.
///
/// # Complexity
/// One increment a sample; `|S|^2 |A|` counters.
///
/// # Example
/// ```
/// use sporadic::estimators::{Estimator, TabularEstimator, Transition};
/// let mut estimator = TabularEstimator::new(2, 1, 0.9)?.with_ridge(0.0)?;
/// for next in [0, 1, 1, 1] {
///     estimator.observe(&Transition { state: 0, action: 0, next, burst: next == 0 });
/// }
/// // State 1 was never left: with no ridge its row is unknown.
/// assert!(estimator.estimate().is_err());
/// let estimator = estimator.with_ridge(1.0)?;
/// assert_eq!(estimator.estimate()?.matrix(0)[(0, 1)], 0.6);
/// assert_eq!(estimator.estimate()?.beta(0), 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TabularEstimator<T: Real, D> {
    phi: OneHot<D>,
    gamma: T,
    ridge: f64,
    exploration: Option<Exploration>,
    constant: f64,
    /// n(s, a), at s |A| + a.
    visits: Vec<u64>,
    /// n(s, a, s'), at (s |A| + a) |S| + s'.
    counts: Vec<u64>,
    reveals: Reveals<T>,
    fault: Option<EstimateError>,
}

impl<T: Real> TabularEstimator<T, Dyn> {
    /// An estimator for this many states and actions and this discount factor.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if there is no action or gamma is not in (0, 1).
    pub fn new(num_states: usize, num_actions: usize, gamma: T) -> Result<Self, EstimateError> {
        Self::with_features(OneHot::new(num_states, num_actions), gamma)
    }
}

impl<T: Real, D: Dimension> TabularEstimator<T, D> {
    /// An estimator in these one-hot features, whose dimension may be static.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if there is no action or gamma is not in (0, 1).
    pub fn with_features(phi: OneHot<D>, gamma: T) -> Result<Self, EstimateError> {
        let (n, m) = (phi.num_states(), phi.num_actions());
        check_gamma(gamma.as_f64(), m)?;
        Ok(Self {
            phi,
            gamma,
            ridge: 1.0,
            exploration: None,
            constant: super::Lemmas::CONSTANT,
            visits: vec![0; n * m],
            counts: vec![0; n * m * n],
            reveals: Reveals::new(m),
            fault: None,
        })
    }

    settings!();

    /// How often action `a` was taken in state `s`; 0 if there is no such pair.
    pub fn visits(&self, s: usize, a: Action) -> u64 {
        let inside = s < self.phi.num_states() && a < self.phi.num_actions();
        if inside { self.visits[s * self.phi.num_actions() + a] } else { 0 }
    }

    fn evidence(&self) -> Evidence<'_, T> {
        Evidence {
            dim: self.visits.len(),
            gamma: self.gamma,
            ridge: self.ridge,
            smallest: self.visits.iter().copied().min().unwrap_or(0) as f64,
            samples: self.visits.iter().sum(),
            reveals: &self.reveals,
            exploration: self.exploration,
            constant: self.constant,
        }
    }

    fn blame(&mut self, fault: EstimateError) {
        self.fault.get_or_insert(fault);
    }
}

impl<T: Real, D: Dimension> Dimensional for TabularEstimator<T, D> {
    type Dim = D;

    fn dim(&self) -> D {
        self.phi.dim()
    }
}

impl<T: Real, D: Dimension> Estimator<T> for TabularEstimator<T, D> {
    type State = usize;

    fn observe(&mut self, t: &Transition<usize>) {
        self.observe_at(t, 1);
    }

    fn observe_at(&mut self, t: &Transition<usize>, age: usize) {
        self.observe_reveal_at(t.action, age, t.burst);
        let (n, m) = (self.phi.num_states(), self.phi.num_actions());
        if t.action >= m {
            return;
        }
        if let Some(state) = [t.state, t.next].into_iter().find(|&s| s >= n) {
            let sample = self.samples();
            return self.blame(EstimateError::State { sample, state, num_states: n });
        }
        let pair = t.state * m + t.action;
        self.visits[pair] += 1;
        self.counts[pair * n + t.next] += 1;
    }

    fn observe_reveal(&mut self, a: Action, burst: bool) {
        self.observe_reveal_at(a, 1, burst);
    }

    fn observe_reveal_at(&mut self, a: Action, age: usize, burst: bool) {
        if !self.reveals.observe_at(a, age, burst) {
            let (sample, num_actions) = (self.samples(), self.reveals.num_actions());
            self.blame(EstimateError::Action { sample, action: a, num_actions });
        }
    }

    fn samples(&self) -> u64 {
        self.visits.iter().sum()
    }

    fn estimate(&self) -> Result<Dynamics<T, D>, EstimateError> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let total = |pair: usize| self.visits[pair] as f64 + self.ridge;
        if let Some(index) = (0..self.visits.len()).find(|&pair| total(pair) <= 0.0) {
            return Err(EstimateError::Singular { index, pivot: 0.0, ridge: self.ridge });
        }
        let (n, m) = (self.phi.num_states(), self.phi.num_actions());
        let dim = self.dim();
        let matrices = (0..m)
            .map(|b| {
                OMatrix::from_fn_generic(dim, dim, |i, j| {
                    let count = self.counts[i * n + j / m];
                    T::of(if j % m == b { count as f64 / total(i) } else { 0.0 })
                })
            })
            .collect();
        Ok(Dynamics::with_reveals(matrices, self.reveals.estimate(), self.gamma)?)
    }

    fn error_bounds(&self, confidence: T) -> ErrorBounds<T> {
        self.evidence().lemma_bounds(confidence)
    }

    fn log_det(&self) -> Option<f64> {
        Some(self.visits.iter().map(|&n| libm::log(n as f64 + self.ridge)).sum())
    }
}

impl<T: Real, D: Dimension> SufficientStatistics<T> for TabularEstimator<T, D> {
    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        let states = |e: &Self| e.phi.num_states() as f64;
        MergeError::check("numbers of states", states(self), states(other))?;
        MergeError::check("ridges", self.ridge, other.ridge)?;
        MergeError::check("discount factors", self.gamma.as_f64(), other.gamma.as_f64())?;
        self.reveals.check(&other.reveals)?;
        self.reveals.add(&other.reveals);
        self.visits.iter_mut().zip(&other.visits).for_each(|(n, k)| *n += k);
        self.counts.iter_mut().zip(&other.counts).for_each(|(n, k)| *n += k);
        if self.fault.is_none() {
            self.fault.clone_from(&other.fault);
        }
        Ok(())
    }

    fn observed_bounds(&self, confidence: T) -> ErrorBounds<T> {
        self.evidence().observed_bounds(confidence)
    }
}
