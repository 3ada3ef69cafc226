//! The lemmas of Section 4.2: error from sample size, and sample size from error.

use super::{EstimateError, Exploration};

/// The paper's lemmas on the estimators, and their inverses.
///
/// They assume N independent samples with (s, a) ~ D, a linear MDP with `||phi|| <= 1`, and ridge
/// lambda <= 1. With L = ln(2 |A| d / p):
///
/// ```text
/// matrices:  sup_a ||M-hat_a - M_a|| <= 4 C sqrt(d L / N) / lambda_min(Sigma)   if N >= 4 C^2 d L / lambda_min(Sigma)^2
/// bursts:    sup_a |beta-hat_a - beta_a| <= sqrt(12 ln(3 |A| / p) / (N p_min))
/// ```
///
/// each with probability at least 1 - p (Lemma "action-matrix-estimator", Lemma
/// "data-burst-prob-estimator").
///
/// # The constant
/// The paper leaves the absolute constant C open. [`CONSTANT`](Self::CONSTANT) = 8/3 is enough. In
/// its proof of concentration, take matrix Bernstein for both events. For `X^T Z_a` the variance is
/// at most N, since E ||z||^2 <= E ||y||^2 <= 1 (the paper uses 4 N), and terms have norm at most 2;
/// at t = C sqrt(N L) <= N the exponent is at least 3 C^2 L / 10 >= 2 L >= ln(4 |A| d / p). For X^T X the
/// variance is at most N and terms at most 1; at t = C sqrt(N d ln(2/p)) <= N the exponent is at
/// least 3 C^2 d ln(2/p) / 8 >= ln(2 d / p). The rest of the proof stands as it is.
///
/// # Example
/// ```
/// use sporadic::estimators::{Exploration, Lemmas};
/// // RiverSwim with 6 states and 2 actions, explored uniformly.
/// let lemmas = Lemmas::new(12, 2, 0.9, Exploration::new(1.0 / 12.0, 0.5)?)?;
/// let n = lemmas.samples_needed(0.5, 0.05, true)?;
/// assert!(lemmas.matrix_error(n, 0.05) <= 0.5 * 0.1 / (32.0 * 12.0));
/// assert!(n < lemmas.samples_needed(0.5, 0.05, false)?); // unknown beta costs more
/// # Ok::<(), sporadic::estimators::EstimateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lemmas {
    dim: f64,
    num_actions: f64,
    gamma: f64,
    exploration: Exploration,
    constant: f64,
}

impl Lemmas {
    /// An absolute constant C for which the lemma on matrices holds.
    pub const CONSTANT: f64 = 8.0 / 3.0;

    /// The lemmas for features of this dimension, this many actions and this discount factor.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if a number is 0 or gamma is not in (0, 1).
    pub fn new(
        dim: usize,
        num_actions: usize,
        gamma: f64,
        exploration: Exploration,
    ) -> Result<Self, EstimateError> {
        super::observed::check_gamma(gamma, num_actions)?;
        if dim == 0 {
            return Err(EstimateError::Setting { name: "dim", value: 0.0, needed: "at least 1" });
        }
        let (dim, num_actions) = (dim as f64, num_actions as f64);
        Ok(Self { dim, num_actions, gamma, exploration, constant: Self::CONSTANT })
    }

    /// Sets the absolute constant C. Below 1 the lemma says nothing; nor does a C that nobody
    /// has proved.
    pub fn with_constant(mut self, constant: f64) -> Self {
        self.constant = constant;
        self
    }

    /// ln(2 |A| d / p).
    fn log_term(&self, p: f64) -> f64 {
        libm::log(2.0 * self.num_actions * self.dim / p)
    }

    /// epsilon: with probability at least 1 - p every matrix is this close in operator norm, if N is
    /// [large enough](Self::is_large_enough). Infinite for no samples or p outside (0, 1).
    pub fn matrix_error(&self, samples: u64, p: f64) -> f64 {
        self.rate_of_matrices(p) / (samples as f64).sqrt()
    }

    /// Whether N is large enough for [`matrix_error`](Self::matrix_error) to hold.
    pub fn is_large_enough(&self, samples: u64, p: f64) -> bool {
        samples as f64 >= self.least_samples(p)
    }

    /// `epsilon_beta`: with probability at least 1 - p every empirical mean is this close. At most
    /// 1, as both are probabilities.
    pub fn beta_error(&self, samples: u64, p: f64) -> f64 {
        (self.rate_of_beta(p) / (samples as f64).sqrt()).min(1.0)
    }

    /// How many samples make psi-tilde an `epsilon`-admissible approximation with probability at
    /// least 1 - p: the corollary "dataset-size" with its constant worked out.
    ///
    /// psi-tilde is admissible with 32 d (e + e' / sqrt(d)) / (1 - gamma), where e and e' are the
    /// errors of matrices and bursts. Both fall as 1 / sqrt(N), so N is the square of the sum of
    /// their rates over the target. Known beta spends all of p on the matrices; unknown beta spends
    /// half on each. For epsilon < 1 the theorem's condition on e holds by itself.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if `epsilon` or `p` is not in (0, 1).
    pub fn samples_needed(
        &self,
        epsilon: f64,
        p: f64,
        beta_known: bool,
    ) -> Result<u64, EstimateError> {
        for (name, value) in [("epsilon", epsilon), ("p", p)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(EstimateError::Setting { name, value, needed: "in (0, 1)" });
            }
        }
        let each = if beta_known { p } else { p / 2.0 };
        let beta = if beta_known { 0.0 } else { self.rate_of_beta(each) / self.dim.sqrt() };
        let rate = 32.0 * self.dim / (1.0 - self.gamma) * (self.rate_of_matrices(each) + beta);
        let rate = rate / epsilon;
        let samples = (rate * rate).max(self.least_samples(each)).ceil();
        // A cast of a float saturates, which is right for a number nobody can sample.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Ok(samples as u64)
    }

    fn least_samples(&self, p: f64) -> f64 {
        let (constant, least) = (self.constant, self.exploration.lambda_min());
        4.0 * (constant * constant) * self.dim * self.log_term(p) / (least * least)
    }

    /// epsilon times sqrt(N).
    fn rate_of_matrices(&self, p: f64) -> f64 {
        if p > 0.0 && p < 1.0 {
            4.0 * self.constant * (self.dim * self.log_term(p)).sqrt()
                / self.exploration.lambda_min()
        } else {
            f64::INFINITY
        }
    }

    /// `epsilon_beta` times sqrt(N).
    fn rate_of_beta(&self, p: f64) -> f64 {
        if p > 0.0 && p < 1.0 {
            (12.0 * libm::log(3.0 * self.num_actions / p) / self.exploration.p_min()).sqrt()
        } else {
            f64::INFINITY
        }
    }
}
