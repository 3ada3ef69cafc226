//! Error bounds from sufficient statistics.

use nalgebra::DMatrix;

use super::{BoundKind, ErrorBounds, EstimateError, Exploration, Lemmas, Reveals};
use crate::{Discount, Real};

/// The sufficient statistics and the settings that error bounds are computed from.
pub(super) struct Evidence<'a, T> {
    pub(super) dim: usize,
    pub(super) gamma: T,
    pub(super) ridge: f64,
    /// The smallest eigenvalue of X^T X; not a number if a sample was spoilt.
    pub(super) smallest: f64,
    pub(super) samples: u64,
    pub(super) reveals: &'a Reveals<T>,
    pub(super) exploration: Option<Exploration>,
    pub(super) constant: f64,
}

impl<T: Real> Evidence<'_, T> {
    /// Half of p for each of the two estimates, all of it for the matrices if beta is known.
    fn share(&self, confidence: T) -> Option<f64> {
        let p = 1.0 - confidence.as_f64();
        (p > 0.0 && p < 1.0).then(|| if self.reveals.is_known() { p } else { p / 2.0 })
    }

    fn bounds(&self, kind: BoundKind, matrices: f64, beta: f64) -> ErrorBounds<T> {
        let matrices = if matrices.is_finite() { matrices } else { f64::INFINITY };
        let beta = if self.reveals.is_known() { 0.0 } else { beta };
        ErrorBounds::new(kind, self.dim, self.gamma, T::of(matrices), T::of(beta))
    }

    fn vacuous(&self, kind: BoundKind) -> ErrorBounds<T> {
        self.bounds(kind, f64::INFINITY, 1.0).with_large_enough(false)
    }

    /// The paper's lemmas.
    pub(super) fn lemma_bounds(&self, confidence: T) -> ErrorBounds<T> {
        let (kind, exploration) = if self.exploration.is_some() {
            (BoundKind::Lemma, self.exploration)
        } else {
            let share = self.smallest / self.samples.max(1) as f64;
            // Known betas need no p_min.
            let known = self.reveals.is_known();
            let least = if known { 1.0 } else { self.reveals.least_share() };
            (BoundKind::LemmaPlugIn, Exploration::new(share.min(1.0), least).ok())
        };
        // To the lemma an action at an age is an action.
        let actions = self.reveals.num_pairs();
        let lemmas = exploration
            .and_then(|e| Lemmas::new(self.dim, actions, self.gamma.as_f64(), e).ok())
            .map(|l| l.with_constant(self.constant));
        let (Some(lemmas), Some(p)) = (lemmas, self.share(confidence)) else {
            return self.vacuous(kind);
        };
        // The proof needs lambda sqrt(d) <= C sqrt(N d L), which lambda <= 1 grants.
        let enough = lemmas.is_large_enough(self.samples, p) && self.ridge <= 1.0;
        let beta = lemmas.beta_error(self.reveals.total(), p);
        self.bounds(kind, lemmas.matrix_error(self.samples, p), beta).with_large_enough(enough)
    }

    /// See [`SufficientStatistics::observed_bounds`](super::SufficientStatistics::observed_bounds).
    pub(super) fn observed_bounds(&self, confidence: T) -> ErrorBounds<T> {
        let Some(p) = self.share(confidence).filter(|_| !self.smallest.is_nan()) else {
            return self.vacuous(BoundKind::Observed);
        };
        let (d, n) = (self.dim as f64, self.samples as f64);
        // 2 d exp(-t^2 / 2 / (N + 2 t / 3)) = p / |A|, solved for t.
        let log = libm::log(2.0 * d * self.reveals.num_actions() as f64 / p);
        let t = 2.0 * log / 3.0 + (4.0 * log * log / 9.0 + 2.0 * n * log).sqrt();
        let matrices = (t + self.ridge * d.sqrt()) / (self.smallest.max(0.0) + self.ridge);
        self.bounds(BoundKind::Observed, matrices, self.reveals.error_bound(1.0 - p))
    }
}

/// The smallest eigenvalue of a symmetric matrix; not a number if an entry is not finite.
pub(super) fn lambda_min(m: &DMatrix<f64>) -> f64 {
    // The iteration need not end on entries that are not finite.
    if m.is_empty() || !m.iter().all(|x| x.is_finite()) {
        return f64::NAN;
    }
    m.symmetric_eigenvalues().min()
}

/// gamma must be in (0, 1), and there must be an action.
pub(super) fn check_gamma(gamma: f64, num_actions: usize) -> Result<(), EstimateError> {
    Discount::new(gamma)?;
    if num_actions == 0 {
        let needed = "at least 1";
        return Err(EstimateError::Setting { name: "the number of actions", value: 0.0, needed });
    }
    Ok(())
}

/// The ridge lambda must be finite and at least 0.
pub(super) fn check_ridge(ridge: f64) -> Result<f64, EstimateError> {
    if ridge >= 0.0 && ridge.is_finite() {
        Ok(ridge)
    } else {
        Err(EstimateError::Setting { name: "ridge", value: ridge, needed: "finite and at least 0" })
    }
}

/// The settings that both ridge estimators have, and the counts of reveals.
macro_rules! settings {
    () => {
        /// Sets the ridge lambda, which is 1 otherwise. At 0 the estimate is least squares, and an error as long as the
        /// data leave a feature direction unexplored.
        ///
        /// # Errors
        /// [`EstimateError::Setting`] if it is negative or not finite.
        pub fn with_ridge(mut self, lambda: T) -> Result<Self, EstimateError> {
            self.ridge = check_ridge(lambda.as_f64())?;
            Ok(self)
        }

        /// Estimates reveal probabilities per age, which do not change from the age `ages` on; see
        /// [`Reveals::with_ages`]. To be set before anything is observed.
        pub fn with_ages(mut self, ages: usize) -> Self {
            self.reveals = self.reveals.with_ages(ages);
            self
        }

        /// Declares the reveal probabilities of all actions at all ages known: they are not estimated.
        ///
        /// # Errors
        /// [`EstimateError`] if they are not probabilities, one [`Reveal`] per action.
        pub fn with_known_reveals(mut self, reveals: &[Reveal<T>]) -> Result<Self, EstimateError> {
            self.reveals = self.reveals.with_known_reveals(reveals)?;
            Ok(self)
        }

        /// Declares the reveal probabilities known: they are not estimated.
        ///
        /// # Errors
        /// [`EstimateError`] if they are not probabilities, one per action.
        pub fn with_known_beta(mut self, beta: Vec<T>) -> Result<Self, EstimateError> {
            self.reveals = self.reveals.with_known(beta)?;
            Ok(self)
        }

        /// Sets the exploratory distribution's `lambda_min`(Sigma) and `p_min`, which the lemmas ask for.
        /// If they are not given, the empirical ones take their place, and the bounds say so.
        pub fn with_exploration(mut self, exploration: Exploration) -> Self {
            self.exploration = Some(exploration);
            self
        }

        /// Sets the absolute constant C of the lemmas; see [`Lemmas`](super::Lemmas).
        pub fn with_constant(mut self, constant: f64) -> Self {
            self.constant = constant;
            self
        }

        /// The counts of trials and bursts.
        pub fn reveals(&self) -> &Reveals<T> {
            &self.reveals
        }
    };
}

pub(super) use settings;
