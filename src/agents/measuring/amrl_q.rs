//! AMRL-Q: Q-learning over controls with and without a measurement.

use rand_pcg::Pcg64;

use super::{Controls, Transitions};
use crate::Fault;
use crate::agents::error::{check_counts, check_finite};
use crate::agents::generator::{Generator, GeneratorState};
use crate::agents::{Agent, AgentError, Feedback, Resume, Segment, size};
use crate::belief::AugmentedState;
use crate::model::{Action, Tabular};

/// The parameters of [`AmrlQ`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmrlQParams {
    /// The weight of a new target against the old value.
    pub learning_rate: f64,
    /// The probability of an action at random.
    pub epsilon: f64,
    /// What the values of looking actions start with; those of the others start with 0.
    pub bias: f64,
    /// The factor of the next state's value; 1 where gamma ends episodes.
    pub discount: f64,
    /// The first episode without actions at random.
    pub greedy_from: u64,
}

impl Default for AmrlQParams {
    /// Those of the comparison by Krale et al.
    fn default() -> Self {
        Self { learning_rate: 0.3, epsilon: 0.1, bias: 0.1, discount: 0.95, greedy_from: u64::MAX }
    }
}

/// AMRL-Q (Bellinger et al. 2021, as Krale et al. 2023 compare with it): Q-learning over pairs of a control and
/// whether to measure, whose price is part of the reward.
///
/// It takes the state to be s: the one seen or, without a measurement, the one that followed most often
/// before (the first state if none did). After a round with control c, reward r without the price, and next
/// state s', also taken so, for both m:
///
/// ```text
/// Q(s, c, m) <- (1 - alpha) Q(s, c, m) + alpha (r - m price + discount max Q(s', ., .))
/// ```
///
/// with 0 for the maximum at the end of an episode. It acts greedily, ties to the first action, but at
/// random with probability epsilon. Where looks [cannot be chosen](Controls), a pair is an action.
///
/// It needs [`Feedback::EveryRound`].
///
/// # Example
/// ```
/// use sporadic::agents::{AmrlQ, AmrlQParams};
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Ending, Feedback, Simulation, Streams};
/// let model = gallery::measuring_value(0.1, 0.95)?;
/// let mut agent = AmrlQ::for_model(&model, AmrlQParams::default(), Streams::new(1).agent())?;
/// Simulation::new(&model, Streams::new(1))
///     .with_feedback(Feedback::EveryRound)
///     .with_ending(Ending::Absorbing { step_limit: 1_000 })
///     .run(0..500, &mut agent, &mut ())?;
/// assert!(agent.q(0, 0) > agent.q(0, 1)); // looking does not pay for an agent that forgets uncertainty
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AmrlQ {
    controls: Controls,
    params: AmrlQParams,
    num_states: usize,
    /// Q of state s and action a at `s * |A| + a`.
    q: Vec<f64>,
    seen: Transitions,
    episode: u64,
    generator: Generator,
    /// The state as it is taken to be, the action taken there, and its reward once known.
    state: usize,
    action: Action,
    reward: Option<f64>,
}

/// What an [`AmrlQ`] has learnt, between two episodes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AmrlQState {
    q: Vec<f64>,
    seen: Transitions,
    episode: u64,
    generator: GeneratorState,
}

impl AmrlQ {
    /// An agent that has seen nothing yet: it is told the numbers of states and actions, and the price.
    ///
    /// # Errors
    /// [`AgentError`] if its tables would have more than [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS).
    pub fn for_model(
        model: &Tabular<f64>,
        params: AmrlQParams,
        rng: Pcg64,
    ) -> Result<Self, AgentError> {
        let (controls, num_states) = (Controls::of(model), model.num_states());
        size::check_counts(num_states, controls.num_actions())?;
        let starts = |a: Action| if controls.is_paired() && a % 2 == 1 { params.bias } else { 0.0 };
        let row = (0..controls.num_actions()).map(starts);
        Ok(Self {
            q: (0..num_states).flat_map(|_| row.clone()).collect(),
            seen: Transitions::new(num_states * controls.len()),
            controls,
            params,
            num_states,
            episode: 0,
            generator: Generator::new(rng),
            state: 0,
            action: 0,
            reward: None,
        })
    }

    /// Q(s, a).
    ///
    /// # Panics
    /// If there is no such state or action.
    pub fn q(&self, s: usize, a: Action) -> f64 {
        self.row(s)[a]
    }

    fn row(&self, s: usize) -> &[f64] {
        let m = self.controls.num_actions();
        &self.q[s * m..(s + 1) * m]
    }

    fn best(&self, s: usize) -> (Action, f64) {
        let row = self.row(s).iter().copied().enumerate();
        row.fold((0, f64::NEG_INFINITY), |best, at| if at.1 > best.1 { at } else { best })
    }

    /// Learns from the round just played, which led to `next`, or to the end.
    fn learn(&mut self, next: Option<usize>) {
        let Some(reward) = self.reward.take() else { return };
        let ahead = next.map_or(0.0, |t| self.params.discount * self.best(t).1);
        let target = reward + self.controls.price_of(self.action) + ahead;
        let (alpha, first) = (self.params.learning_rate, self.state * self.controls.num_actions());
        for a in self.controls.variants(self.controls.control(self.action)) {
            let q = &mut self.q[first + a];
            *q = (1.0 - alpha) * *q + alpha * (target - self.controls.price_of(a));
        }
        self.state = next.unwrap_or(self.state);
    }

    fn pair(&self) -> usize {
        self.state * self.controls.len() + self.controls.control(self.action)
    }
}

impl Agent<usize, f64> for AmrlQ {
    fn begin_episode(&mut self, start: &usize) {
        (self.state, self.reward) = (*start, None);
    }

    fn act(&mut self, _: &AugmentedState<usize>) -> Action {
        if self.reward.is_some() {
            // The round before was not seen.
            self.learn(Some(self.seen.most_frequent(self.pair())));
        }
        let random = self.generator.bernoulli(self.params.epsilon);
        let drawn = self.generator.below(self.controls.num_actions());
        let is_random = random && self.episode < self.params.greedy_from;
        self.action = if is_random { drawn } else { self.best(self.state).0 };
        self.action
    }

    fn observe_reward(&mut self, reward: &f64) {
        self.reward = Some(*reward);
    }

    fn observe(&mut self, segment: &Segment<usize, f64>) {
        if let Some(&next) = segment.next() {
            self.seen.add(self.pair(), next, 1.0);
        }
        self.learn(segment.next().copied());
    }

    fn end_episode(&mut self) {
        self.episode += 1;
    }

    fn feedback(&self) -> Feedback {
        Feedback::EveryRound
    }
}

impl Resume for AmrlQ {
    type State = AmrlQState;

    fn state(&self) -> AmrlQState {
        let (q, seen, episode) = (self.q.clone(), self.seen.clone(), self.episode);
        AmrlQState { q, seen, episode, generator: self.generator.state() }
    }

    /// # Errors
    /// [`AgentError`] if `state` comes from an agent with other states, actions or another seed; the agent is
    /// then as it was.
    fn restore(&mut self, state: AmrlQState) -> Result<(), Fault> {
        check_counts([("values", self.q.len(), state.q.len())])?;
        check_finite("a value", &state.q)?;
        state.seen.check(self.num_states * self.controls.len(), self.num_states)?;
        self.generator = self.generator.moved_to(state.generator)?;
        (self.q, self.seen, self.episode) = (state.q, state.seen, state.episode);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::gallery;

    /// A round in which `agent` takes `action` for `reward`, as the protocol tells of it.
    fn play(agent: &mut AmrlQ, start: usize, action: Action, reward: f64, next: Option<usize>) {
        agent.action = action;
        agent.observe_reward(&reward);
        agent.observe(&Segment::new(start, [action], reward, next));
    }

    #[test]
    fn three_steps_by_hand() {
        let model = gallery::measuring_value(0.1, 0.95).unwrap();
        let params = AmrlQParams { learning_rate: 0.5, epsilon: 0.0, ..AmrlQParams::default() };
        let mut agent = AmrlQ::for_model(&model, params, Pcg64::new(1, 1)).unwrap();
        assert_eq!(agent.row(0), [0.0, 0.1, 0.0, 0.1]);
        agent.begin_episode(&0);
        // a0+look from s0, seen in s+: the reward is the price alone, the best there is still .1.
        play(&mut agent, 0, 1, -0.1, Some(1));
        let ahead = 0.95 * 0.1;
        assert_eq!(agent.row(0), [0.5 * ahead, 0.5 * 0.1 + 0.5 * (ahead - 0.1), 0.0, 0.1]);
        // a0 from s+ ends with 1: both variants learn, the looking one less the price.
        play(&mut agent, 1, 0, 1.0, None);
        assert_eq!(agent.row(1), [0.5, 0.5 * 0.1 + 0.5 * 0.9, 0.0, 0.1]);
        agent.end_episode();
        // a0 from s0 unseen: s+ followed most often before, whose best is now .5, of both variants.
        agent.begin_episode(&0);
        agent.action = 0;
        agent.observe_reward(&0.0);
        let before = agent.q(0, 0);
        assert_eq!(agent.act(&AugmentedState::new(0).with_actions([0])), 0);
        assert_eq!(agent.state, 1);
        assert!((agent.q(0, 0) - (0.5 * before + 0.5 * 0.95 * 0.5)).abs() < 1e-15);
    }
}
