//! Estimate the model, then plan as if it were true.

use super::error::{check_counts, check_family, check_finite, check_reward};
use super::{Agent, AgentError, Resume, Segment, size};
use crate::belief::AugmentedState;
use crate::model::{Action, MAX_AGES, Tabular};
use crate::planning::solve::{SolveOptions, solve};
use crate::planning::{BurstPolicy, Stationary, class_optimum};
use crate::sequence::ActionSequence;
use crate::{Discount, Fault, Real};

/// Certainty equivalence on a finite model: P, r and beta as estimated so far, then the
/// [`class_optimum`] of that model.
///
/// beta(a) is the share of the rounds with action a, the last of an episode aside, that were seen; where reveal
/// probabilities depend on the age, [`with_ages`](Self::with_ages), that share is taken per age.
/// P(.|s, a) and r(s, a) come from the segments of a single action, which show both. A pair never
/// seen so is assumed to pay the largest reward forever, so that it gets tried.
///
/// Plans anew when the number of such segments, or of rounds, has grown by a tenth.
///
/// # Complexity
/// One [`class_optimum`] per planning phase, log of the number of rounds many.
///
/// # Example
/// ```
/// use sporadic::agents::CertaintyEquivalence;
/// use sporadic::model::gallery;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Simulation, Streams};
/// let swim = gallery::river_swim::<f64>(3, 0.5, 0.9)?;
/// let mut agent = CertaintyEquivalence::for_model(&swim, runs(2, 1, 2))?;
/// Simulation::new(&swim, Streams::new(1)).run(0..300, &mut agent, &mut ())?;
/// assert!((agent.beta(1) - 0.5).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CertaintyEquivalence<T> {
    num_states: usize,
    num_actions: usize,
    gamma: T,
    reward_range: (T, T),
    planner: CertaintyPlanner,
    memory: CertaintyEquivalenceState<T>,
    playing: ActionSequence,
    error: Option<AgentError>,
}

/// What a [`CertaintyEquivalence`] has learnt, between two episodes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CertaintyEquivalenceState<T> {
    /// Bursts and rounds of each action at each age, at (n - 1) |A| + a.
    bursts: Vec<u64>,
    rounds: Vec<u64>,
    /// Next states of (s, a), counted; and r(s, a) once seen.
    counts: Vec<Vec<u64>>,
    rewards: Vec<Option<T>>,
    news: u64,
    planned_at: Option<u64>,
    policy: Stationary,
}

/// How an estimated model is planned on.
#[derive(Debug, Clone, PartialEq)]
pub enum CertaintyPlanner {
    /// The best policy within a family, by [`class_optimum`].
    Family(Vec<ActionSequence>),
    /// The best policy there is, by [`solve`], to within a thousandth of the largest difference of values. Without a limit on
    /// time, because what an agent does must not depend on the machine.
    Solve,
}

impl CertaintyPlanner {
    /// What is played before anything is known.
    pub(super) fn first(&self, num_actions: usize) -> Result<ActionSequence, AgentError> {
        match self {
            Self::Family(family) => {
                check_family(family, num_actions)?;
                Ok(family[0].clone())
            }
            Self::Solve => Ok(ActionSequence::constant(0)),
        }
    }

    /// The policy for a model, if there is one.
    pub(super) fn plan<T: Real>(&self, model: &Tabular<T>) -> Option<Stationary> {
        match self {
            Self::Family(family) => Some(class_optimum(model, family).ok()?.policy),
            Self::Solve => {
                let (low, high) = model.reward_range();
                let width = (high - low).as_f64() / (1.0 - model.gamma().as_f64());
                let gap = if width > 0.0 { 1e-3 * width } else { 1.0 };
                let options = SolveOptions::default().with_gap(gap).with_time_limit(None);
                Some(solve(model, &options).ok()?.policy)
            }
        }
    }
}

impl<T: Real> CertaintyEquivalence<T> {
    /// An agent that has seen nothing yet, on this many states and actions.
    ///
    /// # Errors
    /// [`AgentError`] if there are no states, actions or sequences, a sequence takes an action that
    /// there is not, or the counts would be more than [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS).
    pub fn new(
        num_states: usize,
        num_actions: usize,
        gamma: T,
        reward_range: (T, T),
        family: impl IntoIterator<Item = ActionSequence>,
    ) -> Result<Self, AgentError> {
        let planner = CertaintyPlanner::Family(family.into_iter().collect());
        let first = planner.first(num_actions)?;
        if num_states == 0 {
            return Err(AgentError::Empty);
        }
        Discount::new(gamma)?;
        size::check_counts(num_states, num_actions)?;
        let pairs = num_states * num_actions;
        Ok(Self {
            num_states,
            num_actions,
            gamma,
            reward_range,
            planner,
            memory: CertaintyEquivalenceState {
                bursts: vec![0; num_actions],
                rounds: vec![0; num_actions],
                counts: vec![vec![0; num_states]; pairs],
                rewards: vec![None; pairs],
                news: 0,
                planned_at: None,
                policy: Stationary::new(vec![first.clone(); num_states]),
            },
            playing: first,
            error: None,
        })
    }

    /// An agent for `model` that has seen nothing yet: it is told the numbers of states and actions, gamma and the
    /// range of rewards, and learns the rest.
    ///
    /// # Errors
    /// [`AgentError`] as [`new`](Self::new) gives it.
    pub fn for_model(
        model: &Tabular<T>,
        family: impl IntoIterator<Item = ActionSequence>,
    ) -> Result<Self, AgentError> {
        let (states, actions) = (model.num_states(), model.num_actions());
        let agent = Self::new(states, actions, model.gamma(), model.reward_range(), family)?;
        Ok(agent.with_ages(model.ages()))
    }

    /// Sets how the estimate is planned on.
    ///
    /// # Errors
    /// [`AgentError`] if the planner has no sequences or one that takes an action that there is not.
    pub fn with_planner(mut self, planner: CertaintyPlanner) -> Result<Self, AgentError> {
        let first = planner.first(self.num_actions)?;
        self.memory.policy = Stationary::new(vec![first; self.num_states]);
        self.planner = planner;
        Ok(self)
    }

    /// Estimates reveal probabilities per age, which do not change from the age `ages` on; at least 1 and at most
    /// [`MAX_AGES`] is used. To be set before anything is observed.
    pub fn with_ages(self, ages: usize) -> Self {
        let zeros = vec![0; self.num_actions * ages.clamp(1, MAX_AGES)];
        let memory =
            CertaintyEquivalenceState { bursts: zeros.clone(), rounds: zeros, ..self.memory };
        Self { memory, ..self }
    }

    fn ages(&self) -> usize {
        self.memory.rounds.len() / self.num_actions
    }

    /// Where the counts of action `a` are if it is the one of this age.
    fn place(&self, a: Action, age: usize) -> usize {
        (age.clamp(1, self.ages()) - 1) * self.num_actions + a
    }

    /// The estimate of beta(a), of all ages from the last one on; 1/2 before the action was tried.
    ///
    /// # Panics
    /// If `a` is not an action.
    pub fn beta(&self, a: Action) -> T {
        self.beta_at(a, self.ages())
    }

    /// The estimate of beta_n(a); 1/2 before the action was tried at this age.
    ///
    /// # Panics
    /// If `a` is not an action.
    pub fn beta_at(&self, a: Action, age: usize) -> T {
        let i = self.place(a, age);
        match (self.memory.bursts[i], self.memory.rounds[i]) {
            (_, 0) => T::of(0.5),
            (bursts, rounds) => T::of(bursts as f64 / rounds as f64),
        }
    }

    /// The model as estimated so far; `None` if the numbers make none.
    pub fn estimate(&self) -> Option<Tabular<T>> {
        let mut builder = Tabular::builder(self.gamma);
        for a in 0..self.num_actions {
            let mut rewards = Vec::with_capacity(self.num_states);
            let mut rows = Vec::with_capacity(self.num_states);
            for s in 0..self.num_states {
                let i = s * self.num_actions + a;
                let total: u64 = self.memory.counts[i].iter().sum();
                if let (Some(reward), 1..) = (self.memory.rewards[i], total) {
                    let share = |c: u64| T::of(c as f64 / total as f64);
                    let seen = self.memory.counts[i].iter().enumerate().filter(|(_, c)| **c > 0);
                    rows.push(seen.map(|(t, &c)| (t, share(c))).collect::<Vec<_>>());
                    rewards.push(reward);
                } else {
                    rows.push(vec![(s, T::one())]);
                    rewards.push(self.reward_range.1);
                }
            }
            let beta: Vec<T> = (1..=self.ages()).map(|age| self.beta_at(a, age)).collect();
            builder = builder.sparse_action(a.to_string(), beta, rewards, rows);
        }
        builder.build().ok()
    }
}

impl<T: Real> Resume for CertaintyEquivalence<T> {
    type State = CertaintyEquivalenceState<T>;

    fn state(&self) -> CertaintyEquivalenceState<T> {
        self.memory.clone()
    }

    /// Makes the agent one that has learnt `state`.
    ///
    /// # Errors
    /// [`AgentError`] if it comes from an agent with other states or actions, or its numbers
    /// contradict each other; the agent is then as it was.
    fn restore(&mut self, state: CertaintyEquivalenceState<T>) -> Result<(), Fault> {
        check_counts([
            ("actions and ages", self.memory.bursts.len(), state.bursts.len()),
            ("actions and ages", self.memory.rounds.len(), state.rounds.len()),
            ("pairs of state and action", self.memory.counts.len(), state.counts.len()),
            ("rewards", self.memory.rewards.len(), state.rewards.len()),
            ("states", self.num_states, state.policy.sequences().len()),
        ])?;
        check_counts(state.counts.iter().map(|row| ("next states", self.num_states, row.len())))?;
        check_finite("a reward", state.rewards.iter().flatten())?;
        check_family(state.policy.sequences(), self.num_actions)?;
        state.check_totals()?;
        self.memory = state;
        self.error = None;
        Ok(())
    }
}

impl<T> CertaintyEquivalenceState<T> {
    /// Every count is part of a larger one, and the largest leaves room to count on.
    fn check_totals(&self) -> Result<(), AgentError> {
        let within = |what, part: Option<u64>, whole: u64, needed| match part {
            Some(part) if part <= whole => Ok(()),
            part => {
                let value = part.unwrap_or(u64::MAX) as f64;
                Err(AgentError::Saved { what, value, needed })
            }
        };
        let total = |row: &[u64]| row.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count));
        within("a number of rounds of", Some(self.news), u64::MAX / 16, "one that can be counted")?;
        within("actions numbering", total(&self.rounds), self.news, "the rounds at most")?;
        for (&bursts, &rounds) in self.bursts.iter().zip(&self.rounds) {
            within("bursts numbering", Some(bursts), rounds, "those of their action at most")?;
        }
        for row in &self.counts {
            within("next states numbering", total(row), self.news, "the rounds at most")?;
        }
        let planned_at = self.planned_at.unwrap_or(0);
        within("its last plan after round", Some(planned_at), self.news + 1, "behind it")
    }
}

impl<T: Real> Agent<usize, T> for CertaintyEquivalence<T> {
    fn begin_episode(&mut self, start: &usize) {
        if self.memory.planned_at.is_none_or(|then| 10 * self.memory.news >= 11 * then) {
            // A model that cannot be built, or planned on, leaves the last plan in force.
            let best = self.estimate().and_then(|model| self.planner.plan(&model));
            if let Some(policy) = best {
                self.memory.policy = policy;
            }
            self.memory.planned_at = Some(self.memory.news + 1);
        }
        self.playing = self.memory.policy.sequences()[*start].clone();
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.playing.action(x.actions().len())
    }

    fn observe(&mut self, segment: &Segment<usize, T>) {
        let actions = segment.actions();
        let Some((&last, unseen)) = actions.split_last() else { return };
        let reward =
            check_reward(segment, self.reward_range, &self.playing, Some(*segment.start()));
        let is_single = actions.len() == 1 && reward.is_ok();
        if let Err(error) = reward {
            self.error.get_or_insert(error);
        }
        for (&a, age) in unseen.iter().zip(1..) {
            let i = self.place(a, age);
            self.memory.rounds[i] += 1;
        }
        self.memory.news += actions.len() as u64;
        if is_single {
            self.memory.rewards[segment.start() * self.num_actions + last] = Some(segment.reward());
        }
        if let Some(&next) = segment.next() {
            let i = self.place(last, actions.len());
            self.memory.rounds[i] += 1;
            self.memory.bursts[i] += 1;
            if is_single {
                self.memory.counts[segment.start() * self.num_actions + last][next] += 1;
            }
            self.playing = self.memory.policy.sequences()[next].clone();
        }
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        Some(&self.memory.policy)
    }

    fn fault(&self) -> Option<Fault> {
        self.error.clone().map(Fault::from)
    }
}
