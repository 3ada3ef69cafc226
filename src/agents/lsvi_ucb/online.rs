//! Algorithm 1 for any oracle and any states when psi is not known.

use nalgebra::{OVector, U1};

use super::end::End;
use super::general_batched::batched;
use super::history::{History, HistoryEntry};
use super::random_play::{RandomPlay, is_random};
use super::ridge::Ridge;
use super::{Continuation, LsviUcb, LsviUcbParams, LsviUcbState};
use crate::agents::{Agent, AgentError, Resume, Segment};
use crate::belief::AugmentedState;
use crate::dim::{Double as _, Doubled};
use crate::estimators::{EmEstimator, PsiEstimator};
use crate::features::{SequenceFeatures, TabularPsi};
use crate::model::{Action, Tabular};
use crate::oracles::SequenceOracle;
use crate::planning::BurstPolicy;
use crate::{Fault, Real};

/// ATST-LSVI-UCB with an oracle for the maxima over A^N, for a world whose psi is not known: an estimator learns it from the
/// agent's own segments.
///
/// When the number of segments has grown by a factor, 1.2 unless [set](Self::with_growth), the estimate is made anew before the next
/// episode, and Lambda and the sums of the regression are computed again, from all segments, in the new features. Between
/// two such moments it is [`LsviUcb`]. In the episodes 0, 1, 2, 4, 8, 16, ... it plays at random, for the reason given
/// [there](super::OnlineTabularLsviUcb#random-play): members of the oracle's family, or random actions if it has none. On states `0..n` with a finite family
/// [`OnlineTabularLsviUcb`](super::OnlineTabularLsviUcb) does the same at a cost that does not grow. Of what is
/// proved see there: nothing of the regret.
///
/// # Example
/// A linear world on the unit interval: phi and gamma are known, the action matrices and reveal probabilities are not.
/// ```
/// use nalgebra::Const;
/// use rand_pcg::Pcg64;
/// use sporadic::agents::{LsviUcbParams, OnlineLsviUcb};
/// use sporadic::estimators::MomentEstimator;
/// use sporadic::features::RandomLinear;
/// use sporadic::oracles::Exhaustive;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Simulation, Streams};
/// let world = RandomLinear::<f64, _>::new(Const::<3>, vec![0.2, 0.6], 0.8, &mut Pcg64::new(1, 1))?;
/// let nothing = MomentEstimator::new(&world, 2, 0.8)?;
/// let params = LsviUcbParams::default().with_horizon(5).with_rho(1.0);
/// let mut agent = OnlineLsviUcb::new(nothing, Exhaustive::new(runs(2, 1, 1)), params)?;
/// Simulation::new(&world, Streams::new(1)).run(0..40, &mut agent, &mut ())?;
/// assert!(agent.learner().error().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OnlineLsviUcb<T: Real, P: SequenceFeatures<T>, E, O> {
    learner: LsviUcb<T, P, O>,
    estimator: E,
    history: History<P::State, T>,
    growth: f64,
    explores: bool,
    episodes: u64,
    /// What is played in this episode, if it is one of random play.
    random: Option<RandomPlay>,
    /// The number of segments when psi was last rebuilt; none before the first time.
    built_at: Option<u64>,
}

/// What an [`OnlineLsviUcb`] on states `S` has learnt, between two episodes; its estimator has learnt `M`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OnlineLsviUcbState<T, S, M> {
    learner: LsviUcbState<T, S>,
    estimator: M,
    history: Vec<HistoryEntry<S, T>>,
    episodes: u64,
    built_at: Option<u64>,
}

impl<T: Real, O: SequenceOracle<T>> OnlineLsviUcb<T, TabularPsi<T>, EmEstimator<T>, O> {
    /// An agent that is told of `model` its numbers of states and actions, gamma, the range of its rewards and the age from which
    /// on reveal probabilities do not change, and nothing else.
    ///
    /// # Errors
    /// [`AgentError`] as [`new`](Self::new) gives it.
    pub fn for_model(
        model: &Tabular<T>,
        oracle: O,
        params: LsviUcbParams<T>,
    ) -> Result<Self, AgentError> {
        let estimator = EmEstimator::knowing_nothing_of(model)?;
        Self::new(estimator, oracle, params.with_rewards_of(model))
    }
}

impl<T, P, E, O> OnlineLsviUcb<T, P, E, O>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone + PartialEq>,
    E: PsiEstimator<T, State = P::State, Psi = P>,
    O: SequenceOracle<T>,
{
    /// An agent that knows what `estimator` knows, which has usually seen nothing, and the range of rewards that `params` declare.
    ///
    /// # Errors
    /// [`AgentError`] if there is no psi to begin with, or a parameter is out of range.
    pub fn new(estimator: E, oracle: O, params: LsviUcbParams<T>) -> Result<Self, AgentError> {
        let psi = estimator.psi().map_err(AgentError::estimate)?;
        let ends = match params.continuation() {
            Continuation::Regression => Vec::new(),
            Continuation::Model => estimator.continuation(),
        };
        let learner = LsviUcb::with_ends(psi, oracle, params, ends)?;
        Ok(Self {
            learner,
            estimator,
            history: History::new(),
            growth: 1.2,
            explores: true,
            episodes: 0,
            random: None,
            built_at: None,
        })
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
    pub fn estimator(&self) -> &E {
        &self.estimator
    }

    /// Algorithm 1 in the features built last.
    pub fn learner(&self) -> &LsviUcb<T, P, O> {
        &self.learner
    }

    /// Estimates anew and redoes all that depends on psi, if enough has been seen since the last time.
    fn rebuild_if_due(&mut self) -> Result<(), AgentError> {
        let now = self.estimator.segments();
        if self.built_at.is_some_and(|then| now <= then || (now as f64) < self.growth * then as f64)
        {
            return Ok(());
        }
        self.built_at = Some(now);
        self.estimator.refit().map_err(AgentError::estimate)?;
        let psi = self.estimator.psi().map_err(AgentError::estimate)?;
        let ends = match self.learner.params.continuation() {
            Continuation::Regression => Vec::new(),
            Continuation::Model => self.estimator.continuation(),
        };
        self.learner.relearn(psi, self.history.entries(), ends)
    }

    /// Plays at random until the next sighting, if this episode is one of random play.
    fn commit(&mut self) {
        if let Some(play) = &self.random {
            self.learner.playing = play.at(self.learner.sighting).clone();
        }
    }
}

impl<T, P, O> LsviUcb<T, P, O>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone + PartialEq>,
    O: SequenceOracle<T>,
{
    /// Line 4 and the sums of line 6, redone in the features `psi`; with the weights of values `ends` if the continuation
    /// is the model's.
    fn relearn(
        &mut self,
        psi: P,
        entries: &[HistoryEntry<P::State, T>],
        ends: Vec<(P::State, Vec<T>)>,
    ) -> Result<(), AgentError> {
        self.set_psi(psi);
        self.set_ends(ends);
        let mut ridge = Ridge::new(self.psi.dim().double(), self.params.lambda());
        self.planned = None;
        self.rewards.fill(T::zero());
        let mut z = ridge.zeros();
        for entry in entries {
            let x = self.psi.psi(&entry.state, &entry.sequence);
            self.rewards.axpy(entry.reward, &x, T::one());
            if self.params.continuation() == Continuation::Regression {
                for (next, count) in &entry.ends {
                    let phi = self.phi(next);
                    self.add_end((next, phi.as_deref()), &x, T::of(*count as f64));
                }
            }
            ridge.add(&x, T::of(entry.count as f64), &mut z)?;
        }
        self.ridge = ridge;
        Ok(())
    }

    /// Goes on with other features; all that was learnt in the old ones is to be replaced.
    fn set_psi(&mut self, psi: P) {
        self.batched = batched(&psi, &*self.oracle.borrow(), &self.params, self.cap);
        self.psi = psi;
        self.ends.clear();
    }

    /// Forgets the states in which segments have ended and takes these.
    pub(super) fn set_ends(&mut self, ends: Vec<(P::State, Vec<T>)>) {
        self.ends.clear();
        if let Some(batched) = &mut self.batched {
            batched.clear();
        }
        for (state, sum) in ends {
            let sum = OVector::from_column_slice_generic(self.psi.dim().double(), U1, &sum);
            let phi = self.phi(&state);
            self.push_end(End::new(state, sum), phi.as_deref());
        }
    }

    /// Adds `count` segments with features `psi` to those that ended in `next`, given its [phi](Self::phi).
    pub(super) fn add_end(
        &mut self,
        (next, phi): (&P::State, Option<&[T]>),
        psi: &OVector<T, Doubled<P::Dim>>,
        count: T,
    ) {
        match self.known(next, phi) {
            Some(i) => self.ends[i].sum.axpy(count, psi, T::one()),
            None => self.push_end(End::new(next.clone(), psi * count), phi),
        }
    }
}

impl<T, P, E, O> Agent<P::State, T> for OnlineLsviUcb<T, P, E, O>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone + PartialEq>,
    E: PsiEstimator<T, State = P::State, Psi = P>,
    O: SequenceOracle<T>,
{
    fn begin_episode(&mut self, start: &P::State) {
        if let Err(error) = self.rebuild_if_due() {
            self.learner.error.get_or_insert(error);
        }
        self.learner.begin_episode(start);
        self.random = None;
        if self.explores && is_random(self.episodes) {
            let LsviUcb { oracle, psi, params, .. } = &self.learner;
            let play = RandomPlay::new(self.episodes, &*oracle.borrow(), psi.num_actions(), params);
            self.random = Some(play);
        }
        self.commit();
    }

    fn act(&mut self, x: &AugmentedState<P::State>) -> Action {
        self.learner.act(x)
    }

    fn observe(&mut self, segment: &Segment<P::State, T>) {
        self.estimator.learn(segment.start(), segment.actions(), segment.next());
        let learner = &mut self.learner;
        // A reward out of range is reported by the learner.
        if learner.sighting <= learner.params.horizon()
            && let Ok(target) = learner.params.target(segment, &learner.playing, None)
        {
            self.history.add(segment, &learner.playing, target);
        }
        learner.observe(segment);
        self.commit();
    }

    fn end_episode(&mut self) {
        self.learner.end_episode();
        self.episodes += 1;
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<P::State>> {
        match &self.random {
            Some(play) => Some(play),
            None => Some(&self.learner),
        }
    }

    fn fault(&self) -> Option<Fault> {
        self.learner.fault()
    }
}

impl<T, P, E, O> Resume for OnlineLsviUcb<T, P, E, O>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone + PartialEq>,
    E: PsiEstimator<T, State = P::State, Psi = P>,
    O: SequenceOracle<T>,
{
    type State = OnlineLsviUcbState<T, P::State, E::Saved>;

    fn state(&self) -> Self::State {
        OnlineLsviUcbState {
            learner: self.learner.state(),
            estimator: self.estimator.saved(),
            history: self.history.entries().to_vec(),
            episodes: self.episodes,
            built_at: self.built_at,
        }
    }

    /// Makes the agent one that has learnt `state`, between two episodes.
    ///
    /// # Errors
    /// If it comes from an agent with another estimator or other settings, or its numbers contradict each other. The agent is
    /// then not to be used.
    fn restore(&mut self, state: Self::State) -> Result<(), Fault> {
        self.estimator.restore(state.estimator)?;
        let psi = self.estimator.psi()?;
        for entry in &state.history {
            for s in entry.ends.iter().map(|(s, _)| s).chain([&entry.state]) {
                let known = psi.check_state(s);
                known.map_err(|fault| AgentError::state("a state in the saved history", fault))?;
            }
            let (sequence, num_actions) = (entry.sequence.clone(), psi.num_actions());
            let action = sequence.max_action();
            if action >= num_actions {
                return Err(AgentError::Action { sequence, action, num_actions }.into());
            }
        }
        self.history = History::from_entries(state.history)?;
        (self.episodes, self.built_at) = (state.episodes, state.built_at);
        self.random = None;
        // The features of the last estimate; what was learnt in them since comes with the learner's own state.
        self.learner.set_psi(psi);
        self.learner.restore(state.learner)
    }
}
