//! Algorithm 1 on finite state spaces over all sequences, with a pool of candidates that comes and goes.

mod certificate;
mod clip;
mod learner;
mod members;
mod pool;
mod pricing;
mod state;

pub(super) use clip::Clip;
pub use state::AdaptiveLsviUcbState;

use std::collections::HashMap;

use nalgebra::DMatrix;
use rand_pcg::Pcg64;

use self::pool::Pool;
use self::pricing::{Objective, Pricing};
use super::candidates::turn;
use super::{HistoryEntry, LsviUcbParams, Plan, TabularLsviUcb};
use crate::agents::{Agent, AgentError, Segment, size};
use crate::belief::AugmentedState;
use crate::features::TabularPsi;
use crate::features::search::Blind;
use crate::model::{Action, Tabular, draw};
use crate::oracles::Choice;
use crate::planning::BurstPolicy;
use crate::sequence::ActionSequence;
use crate::{Fault, Real};

/// By how much ln det Lambda must have grown before sequences are searched for again.
const GROWTH: f64 = 0.2;

/// How many other tangents are tried at the first sighting.
const STARTS: u64 = 2;
/// A search by branch and bound comes after this many episodes, and then each time there are twice as many.
const FIRST_BOUND: u64 = 64;

/// ATST-LSVI-UCB (Algorithm 1) on states `0..n` over all action sequences: the maxima over A^N of lines 7 and 12 are
/// taken over a pool of sequences, which is searched for better ones as the agent learns.
///
/// What has been learnt, Lambda and sums of psi by next state, lives in the space of psi, so that candidates may come and
/// go. Each time ln det Lambda has grown by 0.2, and for every state whose value is not clipped, the learner looks for a
/// sequence that is better than the best of the pool: it replaces the bonus rho ||psi||, which is convex, by its tangent
/// at the best sequence, finds the best sequence for that linear function by a beam search over beliefs, each completed
/// by the best tail in the pool, and repeats this from there as long as K grows; then once more from other
/// tangents, which may lead to other local maxima: that of the data alone, of the widest bonus, and some at random. After
/// 64, 128, 256, ... episodes branch and bound looks for what this misses at the start of the episode. What is better by 1e-5 / (1 - gamma) joins the pool. What no plan of
/// the last 300 episodes had leaves it, but for the small family that the pool started with. So values are never below those of that
/// family; how far below the maximum over A^N they may be, [`certify`](Self::certify) tells.
///
/// Where K is clipped, all sequences that reach the clip are maximisers of line 12, and of those in the pool the one with
/// the largest estimate <psi, w> is played; with a [finite family](TabularLsviUcb) it is the first. For that, searches also look for
/// sequences at the clip with larger estimates, at the first sighting, by one beam search under the weights w.
///
/// # Complexity
/// An episode costs what it costs [`TabularLsviUcb`] with as many candidates as the pool has. A search costs about
/// 8 A n m 40 multiplications for each state, sighting and tangent, with m tails and A actions; there are at most
/// d ln (1 + K H / (d lambda)) / 0.2 of them in K episodes.
///
/// # Example
/// ```
/// use sporadic::agents::{AdaptiveLsviUcb, LsviUcbParams};
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Simulation, Streams};
///
/// let balance = gallery::river_balance::<f64>(6, 0.1, 0.9)?;
/// let params = LsviUcbParams::default().with_horizon(20).with_rho(5.0);
/// let mut agent = AdaptiveLsviUcb::for_model(&balance, AdaptiveLsviUcb::<f64>::SIZE, params)?;
/// Simulation::new(&balance, Streams::new(1)).run(0..200, &mut agent, &mut ())?;
/// println!("on seeing the first state play {}", agent.plan().family()[agent.plan().index(1, 0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// After how many episodes branch and bound is next asked for a better sequence.
    bound_at: u64,
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
    /// [`AgentError`] as [`TabularLsviUcb::new`] gives it, and [`AgentError::Ages`] if reveal probabilities depend on
    /// the age: the general learner with the same oracle takes such models.
    pub fn for_model(
        model: &Tabular<T>,
        size: usize,
        params: LsviUcbParams<T>,
    ) -> Result<Self, AgentError> {
        if model.ages() > 1 {
            return Err(AgentError::Ages { ages: model.ages() });
        }
        let (n, d) = (model.num_states(), model.num_states() * model.num_actions());
        size::check_features(d, n, size)?;
        let params = params.with_rewards_of(model);
        params.check()?;
        check_scale(model, &params)?;
        let pool = Pool::new(TabularPsi::new(model.clone()), size, params.continuation());
        let learner = TabularLsviUcb::new(pool.candidates(), params)?;
        let pricing = Pricing::new(&pool);
        let clip = Clip::new(d, n);
        Ok(Self {
            learner,
            pool,
            pricing,
            priced_at: None,
            searches: 0,
            clip,
            bound_at: FIRST_BOUND,
            start: 0,
        })
    }

    /// Goes on in the features of another model of the same states and actions, with Lambda and the sums redone from all segments.
    ///
    /// # Errors
    /// [`AgentError::Inverse`] if Lambda^-1 loses its accuracy.
    pub(super) fn relearn(
        &mut self,
        model: &Tabular<T>,
        entries: &[HistoryEntry<usize, T>],
    ) -> Result<(), AgentError> {
        self.pool.replace_psi(TabularPsi::new(model.clone()));
        self.pricing = Pricing::new(&self.pool);
        self.learner.replace_candidates(self.pool.candidates());
        self.priced_at = None;
        let pool = &self.pool;
        let known = pool.members.iter().map(|member| (&member.sequence, member.psi.clone()));
        let mut features: HashMap<&ActionSequence, Vec<T>> = known.collect();
        // Sequences that have left the pool were played once all the same.
        for entry in entries {
            let fresh = || pool.member(entry.sequence.clone(), 0).psi;
            features.entry(&entry.sequence).or_insert_with(fresh);
        }
        let d = self.learner.candidates().dim();
        self.learner.redo(entries, |entry| &features[&entry.sequence][entry.state * d..][..d])
    }

    pub(super) fn learner_mut(&mut self) -> &mut TabularLsviUcb<T> {
        &mut self.learner
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
        self.searches = self.searches.saturating_add(1);
        let n = self.learner.candidates().num_states();
        let stages = self.learner.plan.stages.len() / n; // H - 1
        let mut rng = Pcg64::new(u128::from(self.searches), 0);
        // Sooner sightings are reached more often.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to H - 2
        let other = (libm::exp(draw::uniform(&mut rng) * libm::log(stages as f64)) as usize)
            .min(stages - 1);
        self.pricing.refresh(&self.pool);
        let mut found = Vec::new();
        let mut stages = vec![0, other];
        stages.dedup();
        for u in stages {
            let Some(k) = self.objective(u) else { continue };
            for s in 0..n {
                let (value, choice) =
                    (self.learner.values[u * n + s], self.learner.plan.stages[u * n + s]);
                if value >= self.learner.cap {
                    // Line 12 is met already; what can be better is the estimate.
                    if u == 0 {
                        let j = choice as usize;
                        found.extend(self.pricing.improve_estimate(&k, &self.pool, s, j));
                    }
                    continue;
                }
                let turn = self.searches;
                let others = if u == 0 { STARTS } else { 0 };
                let better = self.pricing.improve(&k, &self.pool, s, choice as usize, turn, others);
                found.extend(better.map(|better| better.sequence));
            }
        }
        let episode = self.learner.episodes();
        if episode >= self.bound_at {
            self.bound_at = episode.saturating_mul(2);
            let better = self.bound(self.start, Self::PREFIXES).ok();
            let worth =
                better.filter(|found| found.value > self.learner.values[self.start].as_f64());
            found.extend(worth.map(|found| found.sequence));
        }
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

    /// K_u for stage u, counted from 0, as it was planned with; `None` before the first planning
    /// and after a restore.
    fn objective(&self, u: usize) -> Option<Objective> {
        let n = self.learner.candidates().num_states();
        let weights = &self.learner.scratch.weights;
        let mut w = weights.column(0).map(Real::as_f64);
        let cap = self.learner.cap.as_f64();
        for s in 0..n {
            let v = self.learner.values.get((u + 1) * n + s).map_or(cap, |v| v.as_f64());
            w.axpy(v, &weights.column(1 + s).map(Real::as_f64), 1.0);
        }
        let inverse = self.learner.scratch.planned.as_ref()?;
        Some(Objective {
            w,
            inverse: DMatrix::from_fn(inverse.nrows(), inverse.ncols(), |i, j| {
                inverse[(i, j)].as_f64()
            }),
            rho: self.learner.params().rho().as_f64(),
            cap,
        })
    }
}

/// psi at `s A + a` is this, for each a, times the discounted visits of (s, a).
fn scales<T: Real>(model: &Tabular<T>) -> Vec<f64> {
    let half = 0.5 * (1.0 - model.gamma().as_f64());
    turn(model).into_iter().map(|x| half * x.as_f64()).collect()
}

/// Refuses parameters with which the bonus of some sequence can overflow: no sequence has features whose 1-norm is above
/// the largest of one visit times the largest number of discounted visits.
fn check_scale<T: Real>(model: &Tabular<T>, params: &LsviUcbParams<T>) -> Result<(), AgentError> {
    let norm = scales(model).into_iter().fold(0.0, f64::max) / (1.0 - Blind::new(model).slowest);
    let (rho, lambda) = (params.rho().as_f64(), params.lambda().as_f64());
    let bonus = T::of(rho * (norm * (norm / lambda)).sqrt());
    if bonus.is_finite() && T::of(norm * (norm / lambda)).is_finite() {
        return Ok(());
    }
    Err(AgentError::Scale { state: 0, sequence: ActionSequence::constant(0), rho, lambda, norm })
}

impl<T: Real> Agent<usize, T> for AdaptiveLsviUcb<T> {
    fn begin_episode(&mut self, start: &usize) {
        self.start = *start;
        if self.learner.is_due() {
            self.plan_episode();
        }
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
