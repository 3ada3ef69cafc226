//! Reveal probabilities: known, or counted.

use statrs::distribution::{Beta, ContinuousCDF};

use super::{EstimateError, MergeError};
use crate::Real;
use crate::model::Action;

/// How often each action was followed by a data-burst, and the reveal probabilities if known.
///
/// beta-hat(a) is the empirical mean, as in the paper; an action never seen has beta-hat = 0, the
/// paper's neutral estimate: an action of which nothing is known is expected to reveal nothing.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reveals<T> {
    known: Option<Vec<T>>,
    trials: Vec<u64>,
    bursts: Vec<u64>,
}

impl<T: Real> Reveals<T> {
    /// Counts without any trial, of unknown reveal probabilities.
    pub fn new(num_actions: usize) -> Self {
        Self { known: None, trials: vec![0; num_actions], bursts: vec![0; num_actions] }
    }

    /// Counts of reveals where the reveal probabilities are known, one per action.
    ///
    /// # Errors
    /// [`EstimateError`] if they are not probabilities, one per action.
    pub fn with_known(mut self, beta: Vec<T>) -> Result<Self, EstimateError> {
        if beta.len() != self.trials.len() {
            let (expected, found) = (self.trials.len(), beta.len());
            return Err(EstimateError::Length { what: "the list of known betas", expected, found });
        }
        if let Some(&bad) = beta.iter().find(|&&b| !(b >= T::zero() && b <= T::one())) {
            let value = bad.as_f64();
            return Err(EstimateError::Setting { name: "beta", value, needed: "in [0, 1]" });
        }
        self.known = Some(beta);
        Ok(self)
    }

    /// Whether the reveal probabilities are known.
    pub fn is_known(&self) -> bool {
        self.known.is_some()
    }

    /// The number of actions.
    pub fn num_actions(&self) -> usize {
        self.trials.len()
    }

    /// The trials of action `a`, and the bursts among them. (0, 0) if it is not an action.
    pub fn count(&self, a: Action) -> (u64, u64) {
        (self.trials.get(a).copied().unwrap_or(0), self.bursts.get(a).copied().unwrap_or(0))
    }

    /// The number of trials of all actions together.
    pub fn total(&self) -> u64 {
        self.trials.iter().sum()
    }

    /// The share of the action tried least: an estimate of the lemma's `p_min`.
    pub fn least_share(&self) -> f64 {
        let least = self.trials.iter().copied().min().unwrap_or(0);
        least as f64 / self.total().max(1) as f64
    }

    /// Counts a trial; false if `a` is not an action.
    pub fn observe(&mut self, a: Action, burst: bool) -> bool {
        let (Some(trials), Some(bursts)) = (self.trials.get_mut(a), self.bursts.get_mut(a)) else {
            return false;
        };
        *trials += 1;
        *bursts += u64::from(burst);
        true
    }

    /// The known reveal probabilities, or else the empirical means.
    pub fn beta(&self) -> Vec<T> {
        self.known.clone().unwrap_or_else(|| {
            let mean = |(&n, &k): (&u64, &u64)| T::of(k as f64 / n.max(1) as f64);
            self.trials.iter().zip(&self.bursts).map(mean).collect()
        })
    }

    /// The Clopper-Pearson interval of beta(a): it covers with probability at least `confidence`
    /// whatever beta is, if the number of trials does not depend on the bursts. (0, 1) if the
    /// action was never tried or the confidence is not in (0, 1).
    ///
    /// # Example
    /// ```
    /// use sporadic::estimators::Reveals;
    /// let mut reveals = Reveals::<f64>::new(1);
    /// (0..10).for_each(|i| { reveals.observe(0, i < 3); });
    /// let (low, high) = reveals.interval(0, 0.95);
    /// assert!((low - 0.066_739).abs() < 1e-6 && (high - 0.652_453).abs() < 1e-6);
    /// ```
    pub fn interval(&self, a: Action, confidence: f64) -> (f64, f64) {
        let (n, k) = self.count(a);
        if n == 0 || !(confidence > 0.0 && confidence < 1.0) {
            return (0.0, 1.0);
        }
        let (n, k, tail) = (n as f64, k as f64, (1.0 - confidence) / 2.0);
        let quantile = |a: f64, b: f64, p: f64, end: f64| {
            Beta::new(a, b).map_or(end, |beta| beta.inverse_cdf(p).clamp(0.0, 1.0))
        };
        let low = if k > 0.0 { quantile(k, n - k + 1.0, tail, 0.0) } else { 0.0 };
        let high = if k < n { quantile(k + 1.0, n - k, 1.0 - tail, 1.0) } else { 1.0 };
        (low, high)
    }

    /// The largest distance of an empirical mean to an end of its interval, all intervals together
    /// covering with probability at least `confidence`; 0 if the probabilities are known.
    pub fn error_bound(&self, confidence: f64) -> f64 {
        if self.is_known() {
            return 0.0;
        }
        let each = 1.0 - (1.0 - confidence) / self.num_actions().max(1) as f64;
        let beta = self.beta();
        (0..self.num_actions()).fold(0.0, |worst: f64, a| {
            let ((low, high), mean) = (self.interval(a, each), beta[a].as_f64());
            worst.max(mean - low).max(high - mean)
        })
    }

    /// Whether another one may be merged into this one.
    pub(super) fn check(&self, other: &Self) -> Result<(), MergeError> {
        let actions = |r: &Self| r.num_actions() as f64;
        MergeError::check("numbers of actions", actions(self), actions(other))?;
        // Unknown is none of the numbers that may be known.
        let known = |r: &Self, a: usize| r.known.as_ref().map_or(-1.0, |beta| beta[a].as_f64());
        (0..self.num_actions())
            .try_for_each(|a| MergeError::check("known beta", known(self, a), known(other, a)))
    }

    /// Adds the counts of `other`, which has the same actions.
    pub(super) fn add(&mut self, other: &Self) {
        self.trials.iter_mut().zip(&other.trials).for_each(|(n, m)| *n += m);
        self.bursts.iter_mut().zip(&other.bursts).for_each(|(n, m)| *n += m);
    }
}
