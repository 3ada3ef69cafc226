//! Action matrices by ridge regression.

use nalgebra::{Cholesky, DMatrix, Dim, Dyn, OMatrix};

use super::moments::Moments;
use super::observed::{Evidence, check_gamma, check_ridge, lambda_min, settings};
use super::{
    ErrorBounds, EstimateError, Estimator, Exploration, MergeError, Reveals, SufficientStatistics,
    Transition,
};
use crate::Real;
use crate::dim::Dimensional;
use crate::features::{Dynamics, FeatureMap};
use crate::model::{Action, Reveal};

/// Action matrices by ridge regression, reveal probabilities known or by empirical means.
///
/// With rows phi(`s_n`, `a_n`) in X and phi(s'_n, a) in `Y_a`,
///
/// ```text
/// M-hat_a = (X^T X + lambda I)^-1 X^T Y_a          for every action a
/// ```
///
/// All actions share the Gram matrix and its one factorisation. The sums are all that is kept, so
/// memory does not grow with N and estimators of parts [merge](SufficientStatistics::merge) into
/// that of the whole. Without samples and with lambda > 0 the estimate is the neutral M-hat = 0:
/// after the next action nothing is expected of the future.
///
/// | setting | default | paper | range |
/// |---|---|---|---|
/// | [`with_ridge`](Self::with_ridge) | 1 | lambda = 1 | at least 0 |
/// | [`with_known_beta`](Self::with_known_beta) | estimated | both cases | in [0, 1] |
/// | [`with_exploration`](Self::with_exploration) | from the data | `lambda_min`(Sigma), `p_min` | in (0, 1] |
/// | [`with_constant`](Self::with_constant) | 8/3 | C | at least 1 |
///
/// # Complexity
/// |A| + 1 feature vectors and d^2 (|A| + 1) multiplications a sample, done in blocks by matrix
/// multiplication; d^3 (|A| + 1/3) for an estimate.
///
/// # Example
/// ```
/// use nalgebra::Const;
/// use rand_pcg::Pcg64;
/// use sporadic::estimators::{Estimator, Exploratory, RidgeEstimator, matrix_distance};
/// use sporadic::features::{Dynamics, OneHot};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let phi = OneHot::with_dim(6, 2, Const::<12>)?;
/// let mut estimator = RidgeEstimator::new(phi, 2, 0.99)?;
/// let (sampler, mut rng) = (Exploratory::uniform(&swim), Pcg64::new(1, 1));
/// for _ in 0..20_000 {
///     estimator.observe(&sampler.sample(&mut rng));
/// }
/// let error = matrix_distance(&estimator.estimate()?, &Dynamics::one_hot(&swim, phi));
/// assert!(error < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RidgeEstimator<T: Real, F> {
    phi: F,
    gamma: T,
    dim: usize,
    ridge: f64,
    exploration: Option<Exploration>,
    constant: f64,
    moments: Moments<T>,
    reveals: Reveals<T>,
    /// The first action that was not one.
    fault: Option<EstimateError>,
}

impl<T: Real, F> RidgeEstimator<T, F> {
    /// An estimator in features `phi` for this many actions and discount factor.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if there is no action or gamma is not in (0, 1).
    pub fn new(phi: F, num_actions: usize, gamma: T) -> Result<Self, EstimateError>
    where
        F: FeatureMap<T>,
    {
        check_gamma(gamma.as_f64(), num_actions)?;
        let dim = phi.dim().value();
        Ok(Self {
            phi,
            gamma,
            dim,
            ridge: 1.0,
            exploration: None,
            constant: super::Lemmas::CONSTANT,
            moments: Moments::new(dim, num_actions),
            reveals: Reveals::new(num_actions),
            fault: None,
        })
    }

    settings!();

    /// The features phi.
    pub fn phi(&self) -> &F {
        &self.phi
    }

    /// The Gram matrix X^T X, without the ridge.
    ///
    /// # Errors
    /// [`EstimateError`] if a sample could not be used.
    pub fn gram(&self) -> Result<DMatrix<f64>, EstimateError> {
        let (sums, _) = self.moments.settled()?;
        Ok(sums.columns(0, self.dim).into_owned())
    }

    /// The factor of X^T X + lambda I.
    fn factor(&self, sums: &DMatrix<f64>) -> Result<Cholesky<f64, Dyn>, EstimateError> {
        let mut gram = sums.columns(0, self.dim).into_owned();
        for i in 0..self.dim {
            gram[(i, i)] += self.ridge;
        }
        // Below this a pivot is made of rounding errors only.
        let rounding = self.dim as f64 * f64::EPSILON * gram.diagonal().amax();
        if let Some(factor) = Cholesky::new(gram.clone())
            && factor.l_dirty().diagonal().iter().all(|p| p * p > rounding)
        {
            return Ok(factor);
        }
        let (index, pivot) = first_bad_pivot(gram, rounding);
        Err(EstimateError::Singular { index, pivot, ridge: self.ridge })
    }

    fn evidence(&self) -> Evidence<'_, T> {
        let (smallest, samples) = self.moments.settled().map_or((f64::NAN, 0), |(sums, n)| {
            (lambda_min(&sums.columns(0, self.dim).into_owned()), n)
        });
        Evidence {
            dim: self.dim,
            gamma: self.gamma,
            ridge: self.ridge,
            smallest,
            samples,
            reveals: &self.reveals,
            exploration: self.exploration,
            constant: self.constant,
        }
    }
}

impl<T: Real, F: Dimensional> Dimensional for RidgeEstimator<T, F> {
    type Dim = F::Dim;

    fn dim(&self) -> F::Dim {
        self.phi.dim()
    }
}

impl<T: Real, F: FeatureMap<T>> Estimator<T> for RidgeEstimator<T, F> {
    type State = F::State;

    fn observe(&mut self, t: &Transition<F::State>) {
        self.observe_at(t, 1);
    }

    fn observe_at(&mut self, t: &Transition<F::State>, age: usize) {
        self.observe_reveal_at(t.action, age, t.burst);
        if t.action >= self.reveals.num_actions() {
            return;
        }
        let d = self.dim;
        let row = self.moments.next_row();
        row[..d].copy_from_slice(self.phi.phi(&t.state, t.action).as_slice());
        for (b, part) in row[d..].chunks_exact_mut(d).enumerate() {
            part.copy_from_slice(self.phi.phi(&t.next, b).as_slice());
        }
    }

    fn observe_reveal(&mut self, a: Action, burst: bool) {
        self.observe_reveal_at(a, 1, burst);
    }

    fn observe_reveal_at(&mut self, a: Action, age: usize, burst: bool) {
        if !self.reveals.observe_at(a, age, burst) && self.fault.is_none() {
            let (sample, num_actions) = (self.moments.count(), self.reveals.num_actions());
            self.fault = Some(EstimateError::Action { sample, action: a, num_actions });
        }
    }

    fn samples(&self) -> u64 {
        self.moments.count()
    }

    fn estimate(&self) -> Result<Dynamics<T, F::Dim>, EstimateError> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let (sums, _) = self.moments.settled()?;
        let (d, dim) = (self.dim, self.phi.dim());
        let right = sums.columns(d, sums.ncols() - d).into_owned();
        let solved = self.factor(&sums)?.solve(&right);
        let matrices = (0..self.reveals.num_actions())
            .map(|a| OMatrix::from_fn_generic(dim, dim, |i, j| T::of(solved[(i, a * d + j)])))
            .collect();
        Ok(Dynamics::with_reveals(matrices, self.reveals.estimate(), self.gamma)?)
    }

    fn error_bounds(&self, confidence: T) -> ErrorBounds<T> {
        self.evidence().lemma_bounds(confidence)
    }

    fn log_det(&self) -> Option<f64> {
        let (sums, _) = self.moments.settled().ok()?;
        let factor = self.factor(&sums).ok()?;
        Some(2.0 * factor.l_dirty().diagonal().iter().map(|&p| libm::log(p)).sum::<f64>())
    }
}

impl<T: Real, F: FeatureMap<T>> SufficientStatistics<T> for RidgeEstimator<T, F> {
    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        MergeError::check("dimensions", self.dim as f64, other.dim as f64)?;
        MergeError::check("ridges", self.ridge, other.ridge)?;
        MergeError::check("discount factors", self.gamma.as_f64(), other.gamma.as_f64())?;
        self.reveals.check(&other.reveals)?;
        self.reveals.add(&other.reveals);
        self.moments.add(&other.moments);
        if self.fault.is_none() {
            self.fault.clone_from(&other.fault);
        }
        Ok(())
    }

    fn compact(&mut self) {
        self.moments.flush();
    }

    fn observed_bounds(&self, confidence: T) -> ErrorBounds<T> {
        self.evidence().observed_bounds(confidence)
    }
}

/// The first pivot of a Cholesky factorisation that is not above `rounding`, and its place. Only
/// called where there is one; else the last pivot.
fn first_bad_pivot(mut m: DMatrix<f64>, rounding: f64) -> (usize, f64) {
    let n = m.nrows();
    for k in 0..n {
        let pivot = m[(k, k)];
        if pivot <= rounding || pivot.is_nan() || k + 1 == n {
            return (k, pivot);
        }
        for j in k + 1..n {
            let factor = m[(j, k)] / pivot;
            for i in j..n {
                m[(i, j)] -= factor * m[(i, k)];
            }
        }
    }
    (0, 0.0)
}
