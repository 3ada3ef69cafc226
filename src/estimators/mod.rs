//! Estimation: action matrices and reveal probabilities from data, psi from them, and guarantees.
//!
//! psi depends on the model only through [`Dynamics`]: the action matrices `M_a` and the reveal
//! probabilities beta(a). Section 4.2 of the paper estimates both from transitions (s, a, s', b)
//! and puts the estimates in place of the truth.
//!
//! | object | paper | here |
//! |---|---|---|
//! | (s, a, s', b) with (s, a) ~ D | Section 4.2 | [`Transition`], [`Exploratory`], [`ExploratoryFn`] |
//! | the same from episodes | beyond the paper | [`harvest`], [`simulation::Collector`](crate::simulation::Collector) |
//! | M-hat, beta-hat | ridge regression, empirical means | [`RidgeEstimator`], [`TabularEstimator`] |
//! | the same from segments of all lengths | beyond the paper | [`EmEstimator`] on finite models, [`MomentEstimator`] in features phi |
//! | epsilon(N), `epsilon_beta`(N), N(epsilon) | lemmas and corollary of Section 4.2 | [`Lemmas`] |
//! | error of psi-hat and `psi_c` | Lemma "newfmap-estimation-general", Theorem 4.2 | [`ErrorBounds`] |
//! | psi-hat, psi-tilde, `psi_c` | the same | [`plug_in`], [`normalized`], [`norm_corrected`] |
//! | which of the three, by name | | [`EstimatedMap`] |
//! | error seen in the data | beyond the paper | [`SufficientStatistics::observed_bounds`], [`BlockBootstrap`] |
//! | estimation while learning | named as open | [`PsiEstimator`] |
//!
//! # Which bound to use
//! The lemmas' bound is for planning an experiment: it needs no data, and it is large. At d = 12 and
//! gamma = .9, uniformly explored, a .5-admissible psi-tilde takes some 7e13 samples by the
//! corollary. [`observed_bounds`](SufficientStatistics::observed_bounds) is proved too, uses the
//! Gram matrix and the counts that were in fact seen, and is about 25 times smaller there. The
//! bootstrap is some 8 times smaller again, close to the actual error, but only approximate.
//! Every [`ErrorBounds`] carries its [`BoundKind`], so that one is never mistaken for another.
//! `examples/estimate_psi.rs` prints them side by side.

mod bootstrap;
mod bounds;
mod distance;
mod em;
mod error;
mod exploratory;
mod harvest;
mod lemmas;
mod map;
mod moment_estimator;
mod moment_regression;
mod moments;
mod observed;
mod plug_in;
mod psi_estimator;
mod reveals;
mod ridge;
mod stability;
mod tabular;

pub use bootstrap::BlockBootstrap;
pub use bounds::{BoundKind, ErrorBounds};
pub use distance::{beta_distance, matrix_distance};
pub use em::{EmEstimator, EmFit};
pub use error::{EstimateError, MergeError, PlugInError};
pub use exploratory::{Exploration, Exploratory, ExploratoryFn};
pub use harvest::harvest;
pub use lemmas::Lemmas;
pub use map::EstimatedMap;
pub use moment_estimator::{MomentEstimator, MomentEstimatorState};
pub use plug_in::{Normalized, norm_corrected, normalized, plug_in};
pub use psi_estimator::PsiEstimator;
pub use reveals::Reveals;
pub use ridge::RidgeEstimator;
pub use stability::{Stability, stability};
pub use tabular::TabularEstimator;

use rand::Rng;

use crate::Real;
use crate::dim::{Dimension, Dimensional};
use crate::features::Dynamics;
use crate::model::Action;

/// One sample (s, a, s', b): in state s action a was taken, s' followed, and b tells whether it
/// was revealed.
///
/// Whoever collects data by experiment knows s' whatever b is; an agent in an episode knows it only
/// if b is true. See [`harvest`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transition<S> {
    /// The state s.
    pub state: S,
    /// The action a.
    pub action: Action,
    /// The state s' that followed.
    pub next: S,
    /// Whether there was a data-burst.
    pub burst: bool,
}

/// An estimator of [`Dynamics`], the action matrices and reveal probabilities, from transitions.
///
/// [`check::estimator`](crate::check::estimator) tests an implementation.
///
/// # Example
/// An estimator that knows the matrices and counts bursts.
/// ```
/// use nalgebra::Dyn;
/// use sporadic::dim::Dimensional;
/// use sporadic::estimators::{BoundKind, ErrorBounds, EstimateError, Estimator, Transition};
/// use sporadic::features::{Dynamics, OneHot};
/// use sporadic::model::{Action, gallery};
///
/// struct BurstCounter { exact: Dynamics<f64, Dyn>, seen: Vec<u64>, bursts: Vec<u64> }
///
/// impl Dimensional for BurstCounter {
///     type Dim = Dyn;
///     fn dim(&self) -> Dyn { self.exact.dim() }
/// }
///
/// impl Estimator<f64> for BurstCounter {
///     type State = usize;
///     fn observe(&mut self, t: &Transition<usize>) {
///         self.observe_reveal(t.action, t.burst);
///     }
///     fn observe_reveal(&mut self, a: Action, burst: bool) {
///         self.seen[a] += 1;
///         self.bursts[a] += u64::from(burst);
///     }
///     fn samples(&self) -> u64 { self.seen.iter().sum() }
///     fn estimate(&self) -> Result<Dynamics<f64, Dyn>, EstimateError> {
///         let matrices = (0..2).map(|a| self.exact.matrix(a).clone()).collect();
///         let beta = (0..2).map(|a| self.bursts[a] as f64 / self.seen[a].max(1) as f64).collect();
///         Ok(Dynamics::new(matrices, beta, self.exact.gamma())?)
///     }
///     fn error_bounds(&self, _confidence: f64) -> ErrorBounds<f64> {
///         ErrorBounds::new(BoundKind::Given, 12, self.exact.gamma(), 0.0, 1.0)
///     }
/// }
///
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let exact = Dynamics::one_hot(&swim, OneHot::of(&swim));
/// let mut counter = BurstCounter { exact, seen: vec![0; 2], bursts: vec![0; 2] };
/// counter.observe(&Transition { state: 0, action: 1, next: 1, burst: true });
/// assert_eq!(counter.estimate()?.betas(), [0.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Estimator<T: Real>: Dimensional<Dim: Dimension> {
    /// The state of transitions.
    type State;

    /// Learns from one transition, its burst included.
    ///
    /// Data that cannot be used (features that are not finite, an action out of range) are left out
    /// and make [`estimate`](Self::estimate) fail, so that nothing is lost in silence.
    fn observe(&mut self, t: &Transition<Self::State>);

    /// Learns that action `a` was or was not followed by a data-burst, where no transition is known.
    fn observe_reveal(&mut self, a: Action, burst: bool);

    /// Learns from a segment: from the sighting of `start` through `actions` to the sighting of `next`, or to the end of the
    /// episode if that is `None`. Unless overridden it [harvests](harvest) transitions and reveals.
    fn observe_segment(
        &mut self,
        start: &Self::State,
        actions: &[Action],
        next: Option<&Self::State>,
    ) where
        Self::State: Clone,
    {
        harvest(self, start, actions, next);
    }

    /// Learns that action `a`, as the one of this age since the last sighting, was or was not followed by a
    /// data-burst. Unless overridden the age is ignored.
    fn observe_reveal_at(&mut self, a: Action, age: usize, burst: bool) {
        let _ = age;
        self.observe_reveal(a, burst);
    }

    /// Learns from one transition whose action was the one of this age since the last sighting, its burst included. Unless
    /// overridden the age is ignored.
    fn observe_at(&mut self, t: &Transition<Self::State>, age: usize) {
        let _ = age;
        self.observe(t);
    }

    /// The number N of transitions learnt from.
    fn samples(&self) -> u64;

    /// The estimated dynamics.
    ///
    /// # Errors
    /// [`EstimateError`] that names what cannot be used.
    fn estimate(&self) -> Result<Dynamics<T, Self::Dim>, EstimateError>;

    /// What the theory says of the error, with probability at least `confidence` = 1 - p.
    ///
    /// A confidence outside (0, 1) gives infinite bounds, and so do no samples.
    fn error_bounds(&self, confidence: T) -> ErrorBounds<T>;

    /// All bounds on the error that this estimator has, each at `confidence`: that of the theory, and those from
    /// the data if there are any, for which `rng` may be drawn from.
    fn all_bounds(&mut self, confidence: T, rng: &mut dyn Rng) -> Vec<ErrorBounds<T>> {
        let _ = rng;
        vec![self.error_bounds(confidence)]
    }

    /// ln det(X^T X + lambda I), the information collected; `None` if this estimator has no such
    /// matrix.
    fn log_det(&self) -> Option<f64> {
        None
    }
}

/// An estimator whose memory is a sum over samples: two of them merge into one that saw both.
pub trait SufficientStatistics<T: Real>: Estimator<T> {
    /// Adds what `other` has seen. Both must have been made alike; the features are taken to be.
    ///
    /// # Errors
    /// [`MergeError`] that names the setting in which they differ; nothing is then added.
    fn merge(&mut self, other: &Self) -> Result<(), MergeError>;

    /// Does pending work, so that later calls are cheap. Changes no result.
    fn compact(&mut self) {}

    /// An error bound from what was in fact observed, with probability at least `confidence`.
    ///
    /// For the matrices, with t the matrix Bernstein quantile of `||X^T Z_a||` (variance N, terms
    /// of norm at most 2, union over actions),
    ///
    /// ```text
    /// ||M-hat_a - M_a|| <= (t + lambda sqrt(d)) / (lambda_min(X^T X) + lambda)
    /// ```
    ///
    /// which is the paper's proof before the random Gram matrix is replaced by its mean. For the
    /// reveal probabilities, Clopper-Pearson intervals. It assumes a linear MDP with `||phi|| <= 1`
    /// and a number of samples fixed in advance; (s, a) may depend on past samples, because
    /// the terms are then still martingale differences (matrix Freedman). The interval for beta
    /// wants the number of trials of each action fixed in advance, or independent of the bursts.
    fn observed_bounds(&self, confidence: T) -> ErrorBounds<T>;
}
