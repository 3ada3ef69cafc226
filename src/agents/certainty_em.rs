//! Certainty equivalence with estimates from segments of all lengths.

use std::collections::HashMap;

use nalgebra::{Cholesky, DMatrix, DVector};

use super::certainty::CertaintyPlanner;
use super::error::{check_counts, check_family, check_reward};
use super::{Agent, AgentError, Resume, Segment};
use crate::belief::AugmentedState;
use crate::estimators::{EmEstimator, Estimator as _};
use crate::model::{Action, Tabular};
use crate::planning::{BurstPolicy, Stationary};
use crate::sequence::ActionSequence;
use crate::{Fault, Real};

/// The weight of the assumption that a pair pays the largest reward: as much as a tenth of one visit.
const DOUBT: f64 = 0.1;

/// Certainty equivalence on a finite model whose transitions, reveal probabilities and rewards are estimated from segments of all
/// lengths; see [`CertaintyEquivalence`](super::CertaintyEquivalence) for the same from segments of one action.
///
/// Transitions and reveal probabilities come from an [`EmEstimator`]. Rewards are found by least squares: given the state s and the actions
/// `a_1` .. `a_n` of a segment, its reward has the mean sum over h of the belief `b_h` times r(., `a_h`), because neither bursts nor
/// terminations depend on states. The ridge pulls towards the largest reward, so that pairs of which little is known are
/// tried.
///
/// Plans anew when the number of segments has grown by a fifth.
///
/// # Example
/// ```
/// use sporadic::agents::{CertaintyPlanner, EmCertaintyEquivalence};
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Simulation, Streams};
/// let swim = gallery::river_swim::<f64>(3, 0.3, 0.9)?;
/// let mut agent = EmCertaintyEquivalence::for_model(&swim, CertaintyPlanner::Solve)?;
/// Simulation::new(&swim, Streams::new(1)).run(0..100, &mut agent, &mut ())?;
/// assert!(agent.estimate()?.reward(2, 1) > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EmCertaintyEquivalence<T> {
    em: EmEstimator<T>,
    reward_range: (T, T),
    planner: CertaintyPlanner,
    paid: Vec<Paid>,
    /// Where a start and its actions are among those paid.
    places: HashMap<(usize, Vec<Action>), usize>,
    planned_at: Option<u64>,
    policy: Stationary,
    playing: ActionSequence,
    error: Option<AgentError>,
}

/// The segments from one state through the same actions, and what they paid together.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Paid {
    start: usize,
    actions: Vec<Action>,
    count: u64,
    reward: f64,
}

/// What an [`EmCertaintyEquivalence`] has learnt, between two episodes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "T: Real + serde::Deserialize<'de>")))]
pub struct EmCertaintyEquivalenceState<T> {
    em: EmEstimator<T>,
    paid: Vec<Paid>,
    planned_at: Option<u64>,
    policy: Vec<ActionSequence>,
}

impl<T: Real> EmEstimator<T> {
    /// An estimator that is told of `model` its numbers of states and actions, gamma and the age from which on reveal
    /// probabilities do not change, and nothing else.
    ///
    /// # Errors
    /// [`AgentError`] as [`new`](Self::new) gives it.
    pub(super) fn knowing_nothing_of(model: &Tabular<T>) -> Result<Self, AgentError> {
        let (n, m) = (model.num_states(), model.num_actions());
        let em = Self::new(n, m, model.gamma()).map_err(AgentError::estimate)?;
        Ok(em.with_ages(model.ages()))
    }
}

impl<T: Real> EmCertaintyEquivalence<T> {
    /// An agent that has seen nothing but what `em` has, whose rewards are in the range given.
    ///
    /// # Errors
    /// [`AgentError`] if the planner has no sequences or one that takes an action that there is not.
    pub fn new(
        em: EmEstimator<T>,
        reward_range: (T, T),
        planner: CertaintyPlanner,
    ) -> Result<Self, AgentError> {
        let first = planner.first(em.num_actions())?;
        let policy = Stationary::new(vec![first.clone(); em.num_states()]);
        let (paid, places) = (Vec::new(), HashMap::new());
        let (planned_at, playing, error) = (None, first, None);
        Ok(Self { em, reward_range, planner, paid, places, planned_at, policy, playing, error })
    }

    /// An agent that is told of `model` its numbers of states and actions, gamma, the range of its rewards and the age from which
    /// on reveal probabilities do not change, and learns the rest.
    ///
    /// # Errors
    /// [`AgentError`] as [`new`](Self::new) gives it.
    pub fn for_model(model: &Tabular<T>, planner: CertaintyPlanner) -> Result<Self, AgentError> {
        let em = EmEstimator::knowing_nothing_of(model)?;
        Self::new(em, model.reward_range(), planner)
    }

    /// The model as estimated last, with rewards from all segments so far.
    ///
    /// # Errors
    /// [`AgentError`] if the numbers make none.
    pub fn estimate(&self) -> Result<Tabular<T>, AgentError> {
        let model = self.em.model().map_err(AgentError::estimate)?;
        let (n, m) = (model.num_states(), model.num_actions());
        let rewards = self.rewards(&model)?;
        let mut builder = Tabular::builder(model.gamma());
        for a in 0..m {
            let rewards: Vec<T> = (0..n).map(|s| rewards[s * m + a]).collect();
            let rows = (0..n).map(|s| model.row(s, a).collect());
            let reveal = model.schedule().reveal(a);
            builder = builder.sparse_action(a.to_string(), reveal, rewards, rows);
        }
        builder.build().map_err(AgentError::estimate)
    }

    /// r(s, a) at `s m + a`, by least squares on the mean numbers of visits.
    fn rewards(&self, model: &Tabular<T>) -> Result<Vec<T>, AgentError> {
        let (n, m) = (model.num_states(), model.num_actions());
        let (low, high) = (self.reward_range.0.as_f64(), self.reward_range.1.as_f64());
        let mut gram = DMatrix::from_diagonal_element(n * m, n * m, DOUBT);
        let mut sums = DVector::from_element(n * m, DOUBT * high);
        let (mut belief, mut next) = (vec![T::zero(); n], vec![T::zero(); n]);
        for paid in &self.paid {
            let mut visits = DVector::zeros(n * m);
            belief.fill(T::zero());
            belief[paid.start] = T::one();
            for &a in &paid.actions {
                (0..n).for_each(|s| visits[s * m + a] += belief[s].as_f64());
                model.push_forward(&belief, a, &mut next);
                std::mem::swap(&mut belief, &mut next);
            }
            gram.ger(paid.count as f64, &visits, &visits, 1.0);
            sums.axpy(paid.reward, &visits, 1.0);
        }
        let fault = "the rewards have no least-squares solution";
        let factor = Cholesky::new(gram).ok_or_else(|| AgentError::estimate(fault))?;
        Ok(factor.solve(&sums).iter().map(|r| T::of(r.clamp(low, high))).collect())
    }

    fn plan(&mut self) -> Result<(), AgentError> {
        self.em.fit();
        let model = self.estimate()?;
        // A model that cannot be planned on leaves the last plan in force.
        if let Some(policy) = self.planner.plan(&model) {
            self.policy = policy;
        }
        Ok(())
    }
}

impl<T: Real> Agent<usize, T> for EmCertaintyEquivalence<T> {
    fn begin_episode(&mut self, start: &usize) {
        let now = self.em.samples();
        if self.planned_at.is_none_or(|then| now > then && 10 * now >= 12 * then) {
            self.planned_at = Some(now);
            if let Err(error) = self.plan() {
                self.error.get_or_insert(error);
            }
        }
        self.playing = self.policy.sequences()[*start].clone();
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.playing.action(x.actions().len())
    }

    fn observe(&mut self, segment: &Segment<usize, T>) {
        self.em.observe_segment(segment.start(), segment.actions(), segment.next());
        let start = *segment.start();
        match check_reward(segment, self.reward_range, &self.playing, Some(start)) {
            Err(error) => {
                self.error.get_or_insert(error);
            }
            Ok(()) => {
                let (reward, actions) = (segment.reward().as_f64(), segment.actions().to_vec());
                let fresh = self.paid.len();
                let place = *self.places.entry((start, actions)).or_insert(fresh);
                if place == fresh {
                    let actions = segment.actions().to_vec();
                    self.paid.push(Paid { start, actions, count: 0, reward: 0.0 });
                }
                self.paid[place].count += 1;
                self.paid[place].reward += reward;
            }
        }
        if let Some(&next) = segment.next() {
            self.playing = self.policy.sequences()[next].clone();
        }
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        Some(&self.policy)
    }

    fn fault(&self) -> Option<Fault> {
        self.error.clone().map(Fault::from)
    }
}

impl<T: Real> Resume for EmCertaintyEquivalence<T> {
    type State = EmCertaintyEquivalenceState<T>;

    fn state(&self) -> Self::State {
        EmCertaintyEquivalenceState {
            em: self.em.clone(),
            paid: self.paid.clone(),
            planned_at: self.planned_at,
            policy: self.policy.sequences().to_vec(),
        }
    }

    /// Makes the agent one that has learnt `state`.
    ///
    /// # Errors
    /// If it comes from an agent with other states, actions or settings, or its numbers make no sense; the agent is
    /// then as it was.
    fn restore(&mut self, state: Self::State) -> Result<(), Fault> {
        self.em.check_like(&state.em)?;
        let (n, m) = (self.em.num_states(), self.em.num_actions());
        check_counts([("states", n, state.policy.len())])?;
        check_family(&state.policy, m)?;
        let odd = |paid: &&Paid| {
            let outside = paid.start >= n || paid.actions.iter().any(|&a| a >= m);
            outside || !paid.reward.is_finite() || !(1..u64::MAX / 16).contains(&paid.count)
        };
        if let Some(paid) = state.paid.iter().find(odd) {
            let (what, value) = ("segments that paid", paid.reward);
            let needed = "finite, and of states and actions that there are";
            return Err(AgentError::Saved { what, value, needed }.into());
        }
        let place = |(i, paid): (usize, &Paid)| ((paid.start, paid.actions.clone()), i);
        self.places = state.paid.iter().enumerate().map(place).collect();
        (self.em, self.paid, self.planned_at) = (state.em, state.paid, state.planned_at);
        self.policy = Stationary::new(state.policy);
        self.error = None;
        Ok(())
    }
}
