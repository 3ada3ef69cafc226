//! The error of the estimates, by resampling blocks of the data.

use std::marker::PhantomData;

use nalgebra::Dim;
use rand::Rng;

use super::{
    BoundKind, ErrorBounds, EstimateError, Estimator, SufficientStatistics, Transition,
    beta_distance, matrix_distance,
};
use crate::Real;
use crate::dim::Dimensional;
use crate::features::Dynamics;
use crate::model::{Action, draw};

/// As many replicates as make their quantiles steady.
const REPLICATES: usize = 200;

/// Block bootstrap of an estimator: transitions go in turn to K estimators, whose sums are then resampled.
///
/// A replicate merges K blocks drawn with replacement and estimates anew; the spread of replicates
/// around the estimate is that of the estimate around the truth, as far as the blocks
/// are independent and alike. So any functional of the dynamics gets an error: the operator norm in
/// [`bounds`](Self::bounds), or psi, a value or a policy through [`replicates`](Self::replicates).
///
/// This is empirical: coverage is right in the limit of many samples per block and many blocks, it
/// is not proved at any N, and the bias of the ridge (of order lambda / N) is not in it. K = 32 is a
/// good start. Memory is K times that of one estimator and does not grow with N.
///
/// # Example
/// ```
/// use rand_pcg::Pcg64;
/// use sporadic::estimators::{BlockBootstrap, BoundKind, Estimator, Exploratory, TabularEstimator};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
/// let mut bootstrap = BlockBootstrap::new(TabularEstimator::new(6, 2, 0.9)?, 32)?;
/// let (sampler, mut rng) = (Exploratory::uniform(&swim), Pcg64::new(1, 1));
/// for _ in 0..20_000 {
///     bootstrap.observe(&sampler.sample(&mut rng));
/// }
/// let bounds = bootstrap.bounds(100, 0.9, &mut rng)?;
/// assert!(bounds.kind == BoundKind::Bootstrap && bounds.matrices < 0.06);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct BlockBootstrap<T, E> {
    /// An estimator that has seen nothing.
    empty: E,
    blocks: Vec<E>,
    turn: usize,
    of: PhantomData<fn() -> T>,
}

impl<T: Real, E: SufficientStatistics<T> + Clone> BlockBootstrap<T, E> {
    /// Blocks made like `empty`, an estimator that has seen nothing yet.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if there are fewer than two blocks or `empty` is not.
    pub fn new(empty: E, blocks: usize) -> Result<Self, EstimateError> {
        if blocks < 2 {
            let (name, value) = ("the number of blocks", blocks as f64);
            return Err(EstimateError::Setting { name, value, needed: "at least 2" });
        }
        if empty.samples() > 0 {
            let (name, value) =
                ("the number of samples in the model block", empty.samples() as f64);
            return Err(EstimateError::Setting { name, value, needed: "0" });
        }
        Ok(Self { blocks: vec![empty.clone(); blocks], empty, turn: 0, of: PhantomData })
    }

    /// All blocks merged: the estimator that has seen every transition.
    ///
    /// # Errors
    /// [`EstimateError::Merge`] never happens here, as all blocks are made alike.
    pub fn total(&self) -> Result<E, EstimateError> {
        self.merged(0..self.blocks.len())
    }

    fn next_block(&mut self) -> &mut E {
        let turn = self.turn;
        self.turn = (turn + 1) % self.blocks.len();
        &mut self.blocks[turn]
    }

    fn merged(&self, blocks: impl Iterator<Item = usize>) -> Result<E, EstimateError> {
        let mut sum = self.empty.clone();
        for k in blocks {
            sum.merge(&self.blocks[k])?;
        }
        Ok(sum)
    }

    /// Estimates from resampled blocks. Each takes K words of `rng`.
    ///
    /// Their spread is too small by sqrt(1 - 1/K), which [`bounds`](Self::bounds) makes good.
    ///
    /// # Errors
    /// [`EstimateError`] if a resampled estimate fails; with a positive ridge only spoilt samples
    /// do that.
    pub fn replicates<R: Rng + ?Sized>(
        &mut self,
        count: usize,
        rng: &mut R,
    ) -> Result<Vec<Dynamics<T, E::Dim>>, EstimateError> {
        self.blocks.iter_mut().for_each(E::compact);
        let k = self.blocks.len();
        let cdf: Vec<f64> = (1..=k).map(|i| i as f64 / k as f64).collect();
        let replicate = |_| {
            let drawn: Vec<usize> = (0..k).map(|_| draw::categorical(&cdf, rng)).collect();
            self.merged(drawn.into_iter())?.estimate()
        };
        (0..count).map(replicate).collect()
    }

    /// The errors that `count` replicates stay within, with frequency 1 - p/2 each (1 - p for the
    /// matrices if beta is known): an approximate bound at this confidence.
    ///
    /// The error of beta is at least the Clopper-Pearson one, which does not vanish where all
    /// bursts agree. A confidence outside (0, 1) gives infinite bounds.
    ///
    /// # Errors
    /// [`EstimateError`] if there is no estimate.
    pub fn bounds<R: Rng + ?Sized>(
        &mut self,
        count: usize,
        confidence: T,
        rng: &mut R,
    ) -> Result<ErrorBounds<T>, EstimateError> {
        let total = self.total()?;
        let center = total.estimate()?;
        let observed = total.observed_bounds(confidence);
        let known = observed.beta <= T::zero();
        let p = 1.0 - confidence.as_f64();
        let level = if known { 1.0 - p } else { 1.0 - p / 2.0 };
        let replicates = self.replicates(count, rng)?;
        let k = self.blocks.len() as f64;
        let widen = T::of((k / (k - 1.0)).sqrt());
        let spread = |distance: fn(&Dynamics<T, E::Dim>, &Dynamics<T, E::Dim>) -> T| {
            let distances = replicates.iter().map(|r| distance(r, &center));
            quantile(distances.collect(), level) * widen
        };
        let beta = if known { T::zero() } else { spread(beta_distance).max(observed.beta) };
        let (dim, gamma) = (center.dim().value(), center.gamma());
        Ok(ErrorBounds::new(BoundKind::Bootstrap, dim, gamma, spread(matrix_distance), beta))
    }
}

impl<T, E: Dimensional> Dimensional for BlockBootstrap<T, E> {
    type Dim = E::Dim;

    fn dim(&self) -> E::Dim {
        self.empty.dim()
    }
}

/// A transition or a reveal goes to the block whose turn it is; all else is told by the
/// [`total`](BlockBootstrap::total).
impl<T: Real, E: SufficientStatistics<T> + Clone> Estimator<T> for BlockBootstrap<T, E> {
    type State = E::State;

    fn observe(&mut self, t: &Transition<E::State>) {
        self.next_block().observe(t);
    }

    fn observe_at(&mut self, t: &Transition<E::State>, age: usize) {
        self.next_block().observe_at(t, age);
    }

    fn observe_reveal(&mut self, a: Action, burst: bool) {
        self.next_block().observe_reveal(a, burst);
    }

    fn observe_reveal_at(&mut self, a: Action, age: usize, burst: bool) {
        self.next_block().observe_reveal_at(a, age, burst);
    }

    fn samples(&self) -> u64 {
        self.blocks.iter().map(E::samples).sum()
    }

    fn estimate(&self) -> Result<Dynamics<T, E::Dim>, EstimateError> {
        self.total()?.estimate()
    }

    fn error_bounds(&self, confidence: T) -> ErrorBounds<T> {
        // Blocks made alike merge; without a total, the bounds are those of no samples.
        self.total().as_ref().unwrap_or(&self.empty).error_bounds(confidence)
    }

    /// The theory's, the observed one, and that of 200 replicates if there are samples to resample.
    fn all_bounds(&mut self, confidence: T, rng: &mut dyn Rng) -> Vec<ErrorBounds<T>> {
        let Ok(total) = self.total() else { return Vec::new() };
        let mut all = vec![total.error_bounds(confidence), total.observed_bounds(confidence)];
        all.extend(self.bounds(REPLICATES, confidence, rng));
        all
    }

    fn log_det(&self) -> Option<f64> {
        self.total().ok()?.log_det()
    }
}

/// The smallest value that a share `level` of the list, and one more, does not exceed; infinite if
/// the list is too short to tell.
fn quantile<T: Real>(mut list: Vec<T>, level: f64) -> T {
    list.sort_by(|x, y| x.as_f64().total_cmp(&y.as_f64()));
    let rank = (level * (list.len() as f64 + 1.0)).ceil();
    if !(rank >= 1.0 && level < 1.0) {
        return T::of(f64::INFINITY);
    }
    // In range: at least 1, and where it is beyond the list there is no such entry.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    list.get(rank as usize - 1).copied().unwrap_or_else(|| T::of(f64::INFINITY))
}
