//! Algorithm 1 on finite state spaces when psi is not known.

mod learner;
mod state;

pub use state::OnlineTabularLsviUcbState;

use std::collections::HashMap;
use std::sync::Arc;

use self::learner::Learner;
use super::history::{History, HistoryEntry};
use super::memory::check_scale;
use super::random_play::is_random;
use super::{
    AdaptiveLsviUcb, Candidates, Continuation, LsviUcbParams, ParamsError, TabularLsviUcb,
};
use crate::agents::{Agent, AgentError, Segment};
use crate::belief::AugmentedState;
use crate::estimators::{EmEstimator, EstimatedMap, Estimator as _};
use crate::features::{Dynamics, OneHot, TabularPsi};
use crate::model::{Action, Tabular};
use crate::oracles::Choice;
use crate::planning::BurstPolicy;
use crate::sequence::ActionSequence;
use crate::{Fault, Real};

/// ATST-LSVI-UCB on states `0..n` with a finite family of sequences, for a world of which nothing is known but its numbers of states and
/// actions, gamma and the range of its rewards.
///
/// Reveal probabilities that depend on the age of the last sighting are learnt too, if the estimator is told from which age on they
/// do not change ([`EmEstimator::with_ages`]).
///
/// Algorithm 1 is given psi, which follows from the transition probabilities P and the reveal probabilities beta. Here an
/// [`EmEstimator`] learns both from the segments that the agent has played. When their number has grown by a factor, 1.2 unless
/// [set](Self::with_growth), the estimate is fitted anew before the next episode, psi is computed from it as if it were the truth,
/// and Lambda and the sums of the regression are computed again, from all segments, in the new features. Between
/// two such moments it is [`TabularLsviUcb`].
///
/// # Random play
/// In the episodes 0, 1, 2, 4, 8, 16, ... it plays random members of the family, or of the pool, one at each sighting: a wrong
/// estimate can explain every segment and look certain, and then nothing that the agent plays would ever correct it. Where an action never
/// reveals the state, one run in twenty was lost so, and others lost thousands of episodes (`docs/online.md`).
/// [`without_random_play`](Self::without_random_play) turns it off. The sequences are the same in every run.
///
/// # What is proved
/// Of the regret nothing: that a method of this kind keeps the guarantee of the theorem is named as open in the paper. The estimate has no
/// proved error bound, so the bonus rho ||psi|| need not cover its error, and by default nothing is added for it. With
/// [`with_error_bonus`](Self::with_error_bonus) something is, in a form that would be right if transitions had been
/// counted. Measured, nothing is lost without it: on the paper's rivers the regret is that of exact psi
/// (`examples/estimation_figures.rs`).
///
/// # Complexity
/// That of [`TabularLsviUcb`]; and for each of the O(log K) fits, a table of psi, one update of Lambda^-1 for every pair
/// of a state and a sequence that has been played, and at most 50 passes over the segments.
///
/// # Example
/// ```
/// use sporadic::agents::{LsviUcbParams, OnlineTabularLsviUcb};
/// use sporadic::estimators::EmEstimator;
/// use sporadic::model::gallery;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Simulation, Streams};
/// // Three states, two actions, gamma: that is all.
/// let nothing = EmEstimator::new(3, 2, 0.9)?;
/// let params = LsviUcbParams::default().with_rho(5.0);
/// let mut agent = OnlineTabularLsviUcb::new(nothing, runs(2, 2, 3), params)?;
/// let swim = gallery::river_swim::<f64>(3, 0.2, 0.9)?;
/// Simulation::new(&swim, Streams::new(1)).run(0..300, &mut agent, &mut ())?;
/// assert!((agent.estimator().probability(1, 1, 2) - swim.probability(1, 1, 2)).abs() < 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct OnlineTabularLsviUcb<T: Real> {
    learner: Learner<T>,
    estimator: EmEstimator<T>,
    history: History<usize, T>,
    /// The number of each sequence in the family.
    numbers: HashMap<ActionSequence, usize>,
    map: EstimatedMap<T>,
    error_bonus: T,
    growth: f64,
    explores: bool,
    /// The number of segments when psi was last rebuilt; none before the first time.
    built_at: Option<u64>,
}

impl<T: Real> OnlineTabularLsviUcb<T> {
    /// An agent that knows what `estimator` knows, which has usually seen nothing, and the range of rewards that `params` declare.
    ///
    /// # Errors
    /// [`AgentError`] if the family is empty or takes an action that there is not, a parameter is out of range, or a
    /// table would be too large.
    pub fn new(
        estimator: EmEstimator<T>,
        family: impl IntoIterator<Item = ActionSequence>,
        params: LsviUcbParams<T>,
    ) -> Result<Self, AgentError> {
        let family: Arc<[ActionSequence]> = family.into_iter().collect();
        let made = (EstimatedMap::PlugIn, T::zero());
        let candidates = estimated(&estimator, made, &family, &params)?;
        // Of several equal members the first is played.
        let numbers = family.iter().cloned().enumerate().rev().map(|(j, seq)| (seq, j)).collect();
        let learner = Learner::Family(Box::new(TabularLsviUcb::new(candidates, params)?));
        Ok(Self::with_learner(learner, estimator, numbers))
    }

    /// With the settings that are not told otherwise.
    fn with_learner(
        learner: Learner<T>,
        estimator: EmEstimator<T>,
        numbers: HashMap<ActionSequence, usize>,
    ) -> Self {
        Self {
            learner,
            estimator,
            history: History::new(),
            numbers,
            map: EstimatedMap::PlugIn,
            error_bonus: T::zero(),
            growth: 1.2,
            explores: true,
            built_at: None,
        }
    }

    /// An agent that is told of `model` its numbers of states and actions, gamma, the range of its rewards and the age from which
    /// on reveal probabilities do not change, and nothing else.
    ///
    /// # Errors
    /// [`AgentError`] as [`new`](Self::new) gives it.
    pub fn for_model(
        model: &Tabular<T>,
        family: impl IntoIterator<Item = ActionSequence>,
        params: LsviUcbParams<T>,
    ) -> Result<Self, AgentError> {
        let estimator = EmEstimator::knowing_nothing_of(model)?;
        Self::new(estimator, family, params.with_rewards_of(model))
    }

    /// An agent over all sequences, as [`AdaptiveLsviUcb`] with a pool of at most `size` of them.
    ///
    /// # Errors
    /// [`AgentError`] as [`AdaptiveLsviUcb::for_model`] gives it, and [`AgentError::Ages`] if the estimator counts reveals by age.
    pub fn with_pool(
        estimator: EmEstimator<T>,
        size: usize,
        params: LsviUcbParams<T>,
    ) -> Result<Self, AgentError> {
        // An estimate that has seen nothing does not show it.
        let ages = estimator.reveals().ages();
        if ages > 1 {
            return Err(AgentError::Ages { ages });
        }
        let model = estimator.model().map_err(AgentError::estimate)?;
        // What is not declared is (0, 1), and not what the estimate, which has no rewards, would say.
        let (low, high) = params.reward_range();
        let params = params.with_reward_range(low, high);
        let learner = Learner::Pool(Box::new(AdaptiveLsviUcb::for_model(&model, size, params)?));
        Ok(Self::with_learner(learner, estimator, HashMap::new()))
    }

    /// An agent over all sequences that is told of `model` what [`for_model`](Self::for_model) tells, and nothing else.
    ///
    /// # Errors
    /// [`AgentError`] as [`with_pool`](Self::with_pool) gives it.
    pub fn for_model_with_pool(
        model: &Tabular<T>,
        size: usize,
        params: LsviUcbParams<T>,
    ) -> Result<Self, AgentError> {
        let estimator = EmEstimator::knowing_nothing_of(model)?;
        Self::with_pool(estimator, size, params.with_rewards_of(model))
    }

    /// Sets which map is made of the estimates; the plug-in map unless set. A pool has always that.
    ///
    /// # Errors
    /// [`AgentError`] if the map cannot be made of the first estimate.
    pub fn with_map(mut self, map: EstimatedMap<T>) -> Result<Self, AgentError> {
        self.map = map;
        self.remake()
    }

    /// The learner as made first, after a setting has changed.
    fn remake(mut self) -> Result<Self, AgentError> {
        if let Learner::Family(learner) = &self.learner {
            let learner = TabularLsviUcb::new(self.estimated()?, learner.params)?;
            self.learner = Learner::Family(Box::new(learner));
        }
        Ok(self)
    }

    /// Adds to the value of a sequence c / sqrt(1 + n(s, a)) for every visit to (s, a), in the mean and discounted, where n(s, a) is the
    /// number of visits in the segments as the estimator expects it. 0 unless set, and with a pool.
    ///
    /// An error of e in total variation of P(.|s, a) changes a value by at most e / (1 - gamma) per visit, and after n
    /// transitions counted e is of the order sqrt(|S| / n): c = sqrt(|S|) / (1 - gamma), times a constant, would cover it. For EM no such
    /// rate is proved.
    ///
    /// # Errors
    /// [`AgentError`] if c is negative or not finite.
    pub fn with_error_bonus(mut self, c: T) -> Result<Self, AgentError> {
        if !(c >= T::zero() && c.is_finite()) {
            let (name, value) = ("the bonus for the error of estimates", c.as_f64());
            return Err(
                ParamsError::Value { name, value, needed: "finite and not negative" }.into()
            );
        }
        self.error_bonus = c;
        self.remake()
    }

    /// Sets the factor by which the number of segments must have grown for psi to be rebuilt. A factor not above 1 rebuilds it
    /// before every episode.
    pub fn with_growth(mut self, growth: f64) -> Self {
        self.growth = growth;
        self
    }

    /// Plays by its estimates in every episode, and never at random.
    pub fn without_random_play(mut self) -> Self {
        self.explores = false;
        self
    }

    /// The estimator.
    pub fn estimator(&self) -> &EmEstimator<T> {
        &self.estimator
    }

    /// Algorithm 1 in the features built last.
    pub fn learner(&self) -> &TabularLsviUcb<T> {
        self.learner.inner()
    }

    /// Fits the estimate anew and redoes all that depends on psi, if enough has been seen since the last time.
    fn rebuild_if_due(&mut self) -> Result<(), AgentError> {
        let now = self.estimator.samples();
        if self.built_at.is_some_and(|then| now <= then || (now as f64) < self.growth * then as f64)
        {
            return Ok(());
        }
        self.built_at = Some(now);
        self.estimator.fit();
        let history = std::mem::replace(&mut self.history, History::new());
        let result = self.rebuild(history.entries());
        self.history = history;
        result
    }

    fn estimated(&self) -> Result<Candidates<T>, AgentError> {
        let learner = self.learner.inner();
        let (family, made) = (learner.candidates.shared_family(), (self.map, self.error_bonus));
        estimated(&self.estimator, made, &family, &learner.params)
    }

    /// Line 4 and the sums of line 6, redone in the features of the last fit.
    fn rebuild(&mut self, entries: &[HistoryEntry<usize, T>]) -> Result<(), AgentError> {
        let candidates = match &mut self.learner {
            Learner::Pool(learner) => {
                let model = self.estimator.model().map_err(AgentError::estimate)?;
                return learner.relearn(&model, entries);
            }
            Learner::Family(_) => self.estimated()?,
        };
        let learner = self.learner.inner_mut();
        check_scale(&candidates, &learner.params)?;
        let (n, steps) = (candidates.num_states(), learner.params.horizon() - 1);
        learner.scratch.planner =
            learner.params.planner().build(&candidates.psi, n, steps, learner.cap);
        let (psi, m) = (candidates.psi.clone(), candidates.family().len());
        learner.candidates = candidates;
        let d = psi.nrows();
        // Every sequence played is a member of the family.
        let number = |entry: &HistoryEntry<usize, T>| {
            self.numbers.get(&entry.sequence).copied().unwrap_or(0)
        };
        let columns = psi.as_slice();
        learner.redo(entries, |entry| &columns[(entry.state * m + number(entry)) * d..][..d])
    }
}

/// The features of the estimate.
fn estimated<T: Real>(
    estimator: &EmEstimator<T>,
    (map, error_bonus): (EstimatedMap<T>, T),
    family: &Arc<[ActionSequence]>,
    params: &LsviUcbParams<T>,
) -> Result<Candidates<T>, AgentError> {
    let model = estimator.model().map_err(AgentError::estimate)?;
    let members = family.iter().cloned();
    let candidates = if map == EstimatedMap::PlugIn && estimator.reveals().ages() == 1 {
        Candidates::one_hot(&TabularPsi::new(model.clone()), members)?
    } else if map == EstimatedMap::PlugIn {
        // All 2d dimensions, also of an estimate that happens not to depend on the age: the dimension must not change.
        Candidates::new(&TabularPsi::new(model.clone()), model.num_states(), members)?
    } else {
        let phi = OneHot::of(&model);
        let psi = map.build(phi, Dynamics::one_hot(&model, phi)).map_err(AgentError::estimate)?;
        Candidates::new(&psi, model.num_states(), members)?
    };
    let candidates = match params.continuation() {
        Continuation::Regression => candidates,
        Continuation::Model => candidates.with_model(&model)?,
    };
    if error_bonus == T::zero() {
        return Ok(candidates);
    }
    let bonus = |s, a| error_bonus / T::of((1.0 + estimator.visits(s, a)).sqrt());
    candidates.with_visit_bonus((model.gamma(), model.betas()), bonus)
}

impl<T: Real> Agent<usize, T> for OnlineTabularLsviUcb<T> {
    /// Panics if `start` is not a state.
    fn begin_episode(&mut self, start: &usize) {
        if let Err(error) = self.rebuild_if_due() {
            self.learner.inner_mut().error.get_or_insert(error);
        }
        self.learner.agent().begin_episode(start);
        let learner = self.learner.inner_mut();
        if self.explores && is_random(learner.episodes()) {
            learner.play_at_random(*start);
        }
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.learner.inner_mut().act(x)
    }

    fn observe(&mut self, segment: &Segment<usize, T>) {
        self.estimator.observe_segment(segment.start(), segment.actions(), segment.next());
        let learner = self.learner.inner();
        if learner.sighting() <= learner.params.horizon() {
            let sequence = &learner.plan.family()[learner.playing];
            // A reward out of range is reported by the learner.
            if let Ok(target) = learner.params.target(segment, sequence, Some(*segment.start())) {
                self.history.add(segment, sequence, target);
            }
        }
        self.learner.agent().observe(segment);
    }

    fn end_episode(&mut self) {
        self.learner.agent().end_episode();
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        self.learner.inner().policy()
    }

    fn certificate(&self) -> Option<Choice<T>> {
        match &self.learner {
            Learner::Family(learner) => learner.certificate(),
            Learner::Pool(learner) => learner.certificate(),
        }
    }

    fn fault(&self) -> Option<Fault> {
        self.learner.inner().fault()
    }
}
