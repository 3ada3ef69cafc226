//! LSVI-UCB as if every state were seen.

use std::borrow::Cow;

use super::error::{check_counts, check_finite};
use super::{Agent, AgentError, LsviUcbParams, Resume, Segment, size};
use crate::belief::AugmentedState;
use crate::model::{Action, Tabular};
use crate::planning::BurstPolicy;
use crate::sequence::ActionSequence;
use crate::{Discount, Fault, Real};

/// Plain LSVI-UCB (Jin et al.) in one-hot features, one action at a time: the algorithm for fully
/// observed worlds, and what Algorithm 1 is where beta = 1.
///
/// With N(s, a) visits the regression has its closed form,
///
/// ```text
/// Q_u(s, a) = min { sum of (r + V_(u+1)(s')) / (N + lambda) + rho / sqrt(N + lambda), 1/(1-gamma) }
/// ```
///
/// Where states are not always seen it holds its action until one is, and learns as if that had
/// been one step: the price of ignoring what is unseen.
///
/// # Complexity
/// |S|^2 |A| per sighting u < H and episode.
///
/// # Example
/// ```
/// use sporadic::agents::{LsviUcbParams, OneStepLsviUcb};
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Simulation, Streams};
/// let swim = gallery::river_swim::<f64>(6, 1.0, 0.9)?;
/// let mut agent = OneStepLsviUcb::for_model(&swim, LsviUcbParams::default().with_rho(1.0))?;
/// Simulation::new(&swim, Streams::new(1)).run(0..500, &mut agent, &mut ())?;
/// assert!(agent.values()[5] > agent.values()[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct OneStepLsviUcb<T> {
    num_states: usize,
    actions: Vec<ActionSequence>,
    params: LsviUcbParams<T>,
    discount: Discount<T>,
    memory: OneStepLsviUcbState<T>,
    sighting: usize,
    playing: Action,
    error: Option<AgentError>,
}

/// What a [`OneStepLsviUcb`] has learnt, between two episodes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OneStepLsviUcbState<T> {
    /// Rewards, visits and next states of (s, a) at `s * |A| + a`; next states at `(s, a) * |S|`.
    rewards: Vec<T>,
    visits: Vec<T>,
    next: Vec<T>,
    /// The action at sighting u of state s, at `(u - 1) * |S| + s`.
    plan: Vec<Action>,
    values: Vec<T>,
}

impl<T: Real> OneStepLsviUcb<T> {
    /// An agent that has seen nothing yet. Only H, lambda, rho and the reward range of `params`
    /// are used; from the H-th sighting on it plays as at the first.
    ///
    /// # Errors
    /// [`AgentError`] if there are no states or actions, gamma or a parameter is out of range, or a
    /// table would have more than [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS).
    pub fn new(
        num_states: usize,
        num_actions: usize,
        gamma: T,
        params: LsviUcbParams<T>,
    ) -> Result<Self, AgentError> {
        params.check()?;
        if num_states == 0 || num_actions == 0 {
            return Err(AgentError::Empty);
        }
        let discount = Discount::new(gamma)?;
        size::check_counts(num_states, num_actions)?;
        size::check_plan(params.horizon(), num_states)?;
        let pairs = num_states * num_actions;
        let zeros = |length| vec![T::zero(); length];
        Ok(Self {
            num_states,
            actions: (0..num_actions).map(ActionSequence::constant).collect(),
            discount,
            memory: OneStepLsviUcbState {
                rewards: zeros(pairs),
                visits: zeros(pairs),
                next: zeros(pairs * num_states),
                plan: vec![0; (params.horizon() - 1) * num_states],
                values: zeros(num_states),
            },
            sighting: 1,
            playing: 0,
            params,
            error: None,
        })
    }

    /// An agent for `model` that has seen nothing yet, with the model's range of rewards.
    ///
    /// # Errors
    /// [`AgentError`] as [`new`](Self::new) gives it.
    pub fn for_model(model: &Tabular<T>, params: LsviUcbParams<T>) -> Result<Self, AgentError> {
        let (states, actions) = (model.num_states(), model.num_actions());
        Self::new(states, actions, model.gamma(), params.with_rewards_of(model))
    }

    /// V_1(s) in the episode begun last, in the units of the rewards declared.
    pub fn values(&self) -> Vec<T> {
        self.memory.values.iter().map(|&v| self.params.unscale(v, self.discount.get())).collect()
    }

    fn plan_episode(&mut self) {
        let (n, m, cap) = (self.num_states, self.actions.len(), self.discount.mean_rounds());
        let mut later = vec![cap; n];
        let OneStepLsviUcbState { rewards, visits, next, plan, values } = &mut self.memory;
        for row in plan.chunks_exact_mut(n).rev() {
            for (s, (choice, value)) in row.iter_mut().zip(&mut *values).enumerate() {
                let q = |a: Action| {
                    let i = s * m + a;
                    let ends = next[i * n..(i + 1) * n].iter().zip(&later);
                    let sum = ends.fold(rewards[i], |sum, (&c, &v)| sum + c * v);
                    let weight = visits[i] + self.params.lambda();
                    (sum / weight + self.params.rho() / weight.sqrt()).min(cap)
                };
                (*choice, *value) =
                    (1..m).fold((0, q(0)), |best, a| if q(a) > best.1 { (a, q(a)) } else { best });
            }
            later.copy_from_slice(values);
        }
    }

    fn action_at(&self, u: usize, s: usize) -> Action {
        let row = if u < self.params.horizon() { u - 1 } else { 0 };
        self.memory.plan[row * self.num_states + s]
    }
}

impl<T: Real> Resume for OneStepLsviUcb<T> {
    type State = OneStepLsviUcbState<T>;

    fn state(&self) -> OneStepLsviUcbState<T> {
        self.memory.clone()
    }

    /// Makes the agent one that has learnt `state`.
    ///
    /// # Errors
    /// [`AgentError`] if it comes from an agent with other states, actions or another horizon,
    /// or a number in it is out of range; the agent is then as it was.
    fn restore(&mut self, state: OneStepLsviUcbState<T>) -> Result<(), Fault> {
        check_counts([
            ("rewards", self.memory.rewards.len(), state.rewards.len()),
            ("visits", self.memory.visits.len(), state.visits.len()),
            ("next states", self.memory.next.len(), state.next.len()),
            ("choices", self.memory.plan.len(), state.plan.len()),
            ("values", self.memory.values.len(), state.values.len()),
        ])?;
        check_finite("a reward", &state.rewards)?;
        check_finite("a value", &state.values)?;
        let counts = state.visits.iter().chain(&state.next);
        check_finite("a count", counts.clone())?;
        if let Some(count) = counts.into_iter().find(|&&count| count < T::zero()) {
            let (what, value, needed) = ("a count", count.as_f64(), "0 or more");
            return Err(AgentError::Saved { what, value, needed }.into());
        }
        if let Some(&a) = state.plan.iter().find(|&&a| a >= self.actions.len()) {
            let (what, value, needed) = ("the action", a as f64, "an action of this agent");
            return Err(AgentError::Saved { what, value, needed }.into());
        }
        self.memory = state;
        self.error = None;
        Ok(())
    }
}

impl<T: Real> Agent<usize, T> for OneStepLsviUcb<T> {
    fn begin_episode(&mut self, start: &usize) {
        self.plan_episode();
        self.sighting = 1;
        self.playing = self.action_at(1, *start);
    }

    fn act(&mut self, _: &AugmentedState<usize>) -> Action {
        self.playing
    }

    fn observe(&mut self, segment: &Segment<usize, T>) {
        if self.sighting <= self.params.horizon() {
            let i = segment.start() * self.actions.len() + self.playing;
            let sequence = &self.actions[self.playing];
            match self.params.target(segment, sequence, Some(*segment.start())) {
                Ok(target) => {
                    self.memory.visits[i] += T::one();
                    self.memory.rewards[i] += target;
                    if let Some(&next) = segment.next() {
                        self.memory.next[i * self.num_states + next] += T::one();
                    }
                }
                Err(error) => {
                    self.error.get_or_insert(error);
                }
            }
        }
        self.sighting += 1;
        if let Some(&next) = segment.next() {
            self.playing = self.action_at(self.sighting, next);
        }
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        Some(self)
    }

    fn fault(&self) -> Option<Fault> {
        self.error.clone().map(Fault::from)
    }
}

impl<T: Real> BurstPolicy<usize> for OneStepLsviUcb<T> {
    fn horizon(&self) -> usize {
        self.params.horizon()
    }

    fn sequence(&self, u: usize, s: &usize) -> Cow<'_, ActionSequence> {
        Cow::Borrowed(&self.actions[self.action_at(u, *s)])
    }
}
