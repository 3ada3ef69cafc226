//! Algorithm 1 on finite state spaces over all sequences, with a pool of candidates that comes and goes.

mod beam;
mod blind;
mod certificate;
mod clip;
mod pool;
mod pricing;
mod shorten;
mod state;

pub(super) use clip::Clip;
pub use state::AdaptiveLsviUcbState;

use nalgebra::DMatrix;
use rand_pcg::Pcg64;

use self::pool::Pool;
use self::pricing::{Objective, Pricing};
use super::{LsviUcbParams, Plan, TabularLsviUcb};
use crate::agents::{Agent, AgentError, Segment, size};
use crate::belief::AugmentedState;
use crate::features::TabularPsi;
use crate::model::{Action, Tabular, draw};
use crate::oracles::Choice;
use crate::planning::BurstPolicy;
use crate::{Fault, Real};

/// By how much ln det Lambda must have grown before sequences are searched for again.
const GROWTH: f64 = 0.2;

/// ATST-LSVI-UCB (Algorithm 1) on states `0..n` over all action sequences.
#[derive(Debug, Clone)]
pub struct AdaptiveLsviUcb<T: Real> {
    learner: TabularLsviUcb<T>,
    pool: Pool<T>,
    pricing: Pricing,
    /// ln det Lambda when sequences were last searched for; none before the first search.
    priced_at: Option<T>,
    /// How often they were.
    searches: u64,
    clip: Clip<T>,
    /// Where the last episode began.
    start: usize,
}

impl<T: Real> AdaptiveLsviUcb<T> {
    /// The most sequences that the pool of a learner has unless told otherwise.
    pub const SIZE: usize = 256;
    /// How many prefixes a [certificate](Agent::certificate) is made from.
    pub const PREFIXES: usize = 1_000;

    /// An agent for `model` that has seen nothing yet.
    ///
    /// # Errors
    /// [`AgentError`] as [`TabularLsviUcb::new`] gives it.
    pub fn for_model(
        model: &Tabular<T>,
        size: usize,
        params: LsviUcbParams<T>,
    ) -> Result<Self, AgentError> {
        let (n, d) = (model.num_states(), model.num_states() * model.num_actions());
        size::check_features(d, n, size)?;
        let pool = Pool::new(TabularPsi::new(model.clone()), size);
        let params = params.with_rewards_of(model);
        let learner = TabularLsviUcb::new(pool.candidates(), params)?;
        let pricing = Pricing::new(&pool);
        let clip = Clip::new(d, n);
        Ok(Self { learner, pool, pricing, priced_at: None, searches: 0, clip, start: 0 })
    }

    /// The plan of the episode begun last; its family is the pool.
    pub fn plan(&self) -> &Plan {
        self.learner.plan()
    }

    /// The learner inside, whose candidates are the pool.
    pub fn learner(&self) -> &TabularLsviUcb<T> {
        &self.learner
    }

    /// What went wrong first, if anything did; see [`TabularLsviUcb::error`].
    pub fn error(&self) -> Option<&AgentError> {
        self.learner.error()
    }

    fn plan_episode(&mut self) {
        self.choose();
        let log_det = self.learner.memory.ridge.log_det;
        let grown = self.priced_at.is_none_or(|then| log_det >= then + T::of(GROWTH));
        if grown && self.learner.error().is_none() {
            self.priced_at = Some(log_det);
            self.search();
        }
    }

    /// Looks for sequences that the pool lacks, and plans again if there are any.
    fn search(&mut self) {
        self.searches += 1;
        let n = self.learner.candidates().num_states();
        let stages = self.learner.plan.stages.len() / n; // H - 1
        let mut rng = Pcg64::new(u128::from(self.searches), 0);
        // Sooner sightings are reached more often.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to H - 2
        let other =
            ((draw::uniform(&mut rng) * (stages as f64).ln()).exp() as usize).min(stages - 1);
        self.pricing.refresh(&self.pool);
        let mut found = Vec::new();
        let mut stages = vec![0, other];
        stages.dedup();
        for u in stages {
            let k = self.objective(u);
            for s in 0..n {
                let (value, choice) =
                    (self.learner.values[u * n + s], self.learner.plan.stages[u * n + s]);
                if value >= self.learner.cap() {
                    continue;
                }
                let turn = self.searches;
                let better = self.pricing.improve(&k, &self.pool, s, choice as usize, turn);
                found.extend(better.map(|better| better.sequence));
            }
        }
        let episode = self.learner.episodes();
        if self.pool.renew(found, episode) {
            self.learner.replace_candidates(self.pool.candidates());
            self.choose();
        }
    }

    /// Lines 5 to 8 with the pool as it is.
    fn choose(&mut self) {
        self.learner.plan_episode();
        self.learner.choose_at_clip(&mut self.clip);
        self.pool.note(&self.learner.plan.stages, self.learner.episodes());
    }

    /// K_u for stage u, counted from 0.
    fn objective(&self, u: usize) -> Objective {
        let n = self.learner.candidates().num_states();
        let weights = self.learner.weights();
        let mut w = weights.column(0).map(Real::as_f64);
        let cap = self.learner.cap().as_f64();
        for s in 0..n {
            let v = self.learner.values.get((u + 1) * n + s).map_or(cap, |v| v.as_f64());
            w.axpy(v, &weights.column(1 + s).map(Real::as_f64), 1.0);
        }
        let inverse = &self.learner.memory.ridge.inverse;
        Objective {
            w,
            inverse: DMatrix::from_fn(inverse.nrows(), inverse.ncols(), |i, j| {
                inverse[(i, j)].as_f64()
            }),
            rho: self.learner.params().rho().as_f64(),
            cap,
        }
    }
}

impl<T: Real> Agent<usize, T> for AdaptiveLsviUcb<T> {
    fn begin_episode(&mut self, start: &usize) {
        if self.learner.is_due() {
            self.plan_episode();
        }
        self.start = *start;
        self.learner.execute(*start);
    }

    #[inline]
    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.learner.act(x)
    }

    fn observe(&mut self, segment: &Segment<usize, T>) {
        self.learner.observe(segment);
    }

    fn end_episode(&mut self) {
        self.learner.end_episode();
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        self.learner.policy()
    }

    /// That of the state in which the last episode began, from at most [`PREFIXES`](Self::PREFIXES) prefixes.
    fn certificate(&self) -> Option<Choice<T>> {
        self.certify(self.start, Self::PREFIXES).ok()
    }

    fn fault(&self) -> Option<Fault> {
        self.learner.fault()
    }
}
