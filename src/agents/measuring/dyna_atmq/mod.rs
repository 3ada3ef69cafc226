//! Dyna-ATMQ: act as if the state were seen afterwards, and measure when that is worth its price.

mod tables;
#[cfg(test)]
mod tests;

use rand_pcg::Pcg64;

use super::Controls;
use crate::Fault;
use crate::agents::generator::{Generator, GeneratorState};
use crate::agents::{Agent, AgentError, Feedback, Resume, Segment, size};
use crate::belief::AugmentedState;
use crate::model::{Action, Tabular};
use tables::{Belief, Tables};

/// The parameters of [`DynaAtmq`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DynaAtmqParams {
    /// The weight of a new target against the old value.
    pub learning_rate: f64,
    /// How many particles a belief has.
    pub particles: usize,
    /// How many measurements of a pair end its optimism.
    pub optimistic_tries: u64,
    /// How many updates from the learnt model follow each round.
    pub updates: usize,
    /// The largest value there may be, with which optimism starts.
    pub optimism: f64,
    /// The factor of the next state's value; 1 where gamma ends episodes.
    pub discount: f64,
}

impl Default for DynaAtmqParams {
    /// Those of Krale et al., whose returns are at most 1.
    fn default() -> Self {
        Self {
            learning_rate: 0.1,
            particles: 100,
            optimistic_tries: 50,
            updates: 0,
            optimism: 1.0,
            discount: 0.95,
        }
    }
}

/// Dyna-ATMQ (Krale et al. 2023): Q-learning on particle beliefs with the act-then-measure heuristic.
///
/// In belief b it takes the control c that maximises the mean of Q(s, c) over b, ties at random. It then
/// predicts the belief b' by particles from the transitions counted so far, and the control c' that it would take
/// there, and measures if
///
/// - the measuring value, the mean over b' of max Q(s, .) - q(s, c'), exceeds the price of a look; or
/// - the state is known and this pair was measured fewer than `optimistic_tries` times, or it is not known and
///   b has more states than half the number of particles; or
/// - the episode has more rounds than there are states (the source's safeguard against being lost).
///
/// Two values are kept for each pair: q, which is learnt and starts with 0, and Q, which is q raised towards the
/// largest value there may be by the share of `optimistic_tries` measurements that are left. After the round,
/// for each s in b:
///
/// ```text
/// q(s, c) <- (1 - alpha b(s)) q(s, c) + alpha b(s) (r + discount E max Q(s', .))
/// ```
///
/// where s' is the state seen or, without a measurement, one that follows s by the transitions counted so far;
/// the end of an episode has value 0. Transitions and rewards are counted where both states are known.
/// `updates` more updates of this kind follow, each of a state drawn at random with a control that is best or,
/// with probability 1/2, random, by the counted transitions and rewards.
///
/// Where looks [cannot be chosen](Controls), every action is a control, and a round that is seen by chance
/// counts as measured. It needs [`Feedback::EveryRound`].
///
/// # Example
/// ```
/// use sporadic::agents::{DynaAtmq, DynaAtmqParams};
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Ending, Feedback, Simulation, Streams};
/// let model = gallery::measuring_value(0.05, 0.95)?;
/// let mut agent = DynaAtmq::for_model(&model, DynaAtmqParams::default(), Streams::new(1).agent())?;
/// Simulation::new(&model, Streams::new(1))
///     .with_feedback(Feedback::EveryRound)
///     .with_ending(Ending::Absorbing { step_limit: 1_000 })
///     .run(0..500, &mut agent, &mut ())?;
/// assert!(agent.q(1, 0) > 0.95); // from s+ the goal is one step away
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DynaAtmq {
    controls: Controls,
    params: DynaAtmqParams,
    num_states: usize,
    tables: Tables,
    generator: Generator,
    /// The belief, and the control to take in it if that is known already.
    belief: Belief,
    planned: Option<usize>,
    /// Rounds of the episode so far.
    rounds: usize,
    /// The round under way.
    control: usize,
    looks: bool,
    predicted: Belief,
    reward: Option<f64>,
}

/// What a [`DynaAtmq`] has learnt, between two episodes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DynaAtmqState {
    tables: Tables,
    generator: GeneratorState,
}

impl DynaAtmq {
    /// An agent that has seen nothing yet: it is told the numbers of states and actions, and the price.
    ///
    /// # Errors
    /// [`AgentError`] if its tables would have more than [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS).
    pub fn for_model(
        model: &Tabular<f64>,
        params: DynaAtmqParams,
        rng: Pcg64,
    ) -> Result<Self, AgentError> {
        let (controls, num_states) = (Controls::of(model), model.num_states());
        size::check_counts(num_states, controls.num_actions())?;
        Ok(Self {
            controls,
            params,
            num_states,
            tables: Tables::new(num_states, controls.len(), params.optimism),
            generator: Generator::new(rng),
            belief: Vec::new(),
            planned: None,
            rounds: 0,
            control: 0,
            looks: false,
            predicted: Vec::new(),
            reward: None,
        })
    }

    /// Q(s, c).
    ///
    /// # Panics
    /// If there is no such state or control.
    pub fn q(&self, s: usize, c: usize) -> f64 {
        self.tables.row(s)[c]
    }

    /// The control with the largest mean of Q over `belief`, ties at random.
    fn choose(&mut self, belief: &[(usize, f64)]) -> usize {
        let mut means = vec![0.0; self.controls.len()];
        for &(s, p) in belief {
            means.iter_mut().zip(self.tables.row(s)).for_each(|(mean, q)| *mean += p * q);
        }
        let best = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_best = |mean: f64| (mean - best).abs() <= 1e-8 + 1e-5 * best.abs();
        let ties: Vec<usize> = (0..means.len()).filter(|&c| is_best(means[c])).collect();
        let drawn = self.generator.below(ties.len());
        ties.get(drawn).copied().unwrap_or(0)
    }

    /// The belief after `control`, by particles.
    fn predict(&mut self, belief: &[(usize, f64)], control: usize) -> Belief {
        let mut cumulative = self.tables.law(belief, control);
        let last = cumulative.iter().rposition(|&p| p > 0.0).unwrap_or(0);
        let mut sum = 0.0;
        for p in &mut cumulative {
            sum += *p;
            *p = sum;
        }
        let mut counts = vec![0_usize; cumulative.len()];
        for _ in 0..self.params.particles {
            let u = self.generator.uniform() * sum;
            // What rounding leaves goes to the last state that is possible.
            counts[cumulative.partition_point(|&c| c <= u).min(last)] += 1;
        }
        let share = |n: usize| n as f64 / self.params.particles as f64;
        let found = counts.into_iter().enumerate().filter(|(_, n)| *n > 0);
        found.map(|(s, n)| (s, share(n))).collect()
    }

    /// The belief given that the episode goes on; every state is as likely as any other if that was not
    /// expected.
    fn without_end(&self, mut belief: Belief) -> Belief {
        belief.retain(|(s, _)| *s < self.num_states);
        let mass: f64 = belief.iter().map(|(_, p)| p).sum();
        match &mut belief[..] {
            [] => (0..self.num_states).map(|s| (s, 1.0 / self.num_states as f64)).collect(),
            // A state alone is known, whatever the rounding.
            [(s, _)] => vec![(*s, 1.0)],
            several => {
                several.iter_mut().for_each(|(_, p)| *p /= mass);
                belief
            }
        }
    }

    /// Learns from the round just played.
    fn learn(&mut self, next: Next) {
        let Some(reward) = self.reward.take() else { return };
        let reward = if self.looks { reward + self.controls.price() } else { reward };
        let belief = std::mem::take(&mut self.belief);
        let is_measured = self.looks || matches!(next, Next::Seen(_));
        let after = match next {
            Next::Seen(t) => vec![(t, 1.0)],
            Next::Unseen | Next::End => std::mem::take(&mut self.predicted),
        };
        if is_measured {
            let found = if let Next::Seen(t) = next { Some(t) } else { None };
            self.tables.count(&belief, self.control, found);
        }
        if let ([(s, _)], true) = (&belief[..], is_measured || after.len() == 1) {
            self.tables.count_reward(*s, self.control, reward);
        }
        for &(s, p) in &belief {
            let ahead = match next {
                Next::Seen(t) => self.tables.best(t),
                Next::Unseen => self.tables.ahead(s, self.control),
                Next::End => 0.0,
            };
            let target = reward + self.params.discount * ahead;
            self.tables.update((s, p), self.control, target, &self.params);
        }
        for _ in 0..self.params.updates {
            let s = self.generator.below(self.num_states);
            let is_random = self.generator.bernoulli(0.5);
            let random = self.generator.below(self.controls.len());
            let control = if is_random { random } else { self.choose(&[(s, 1.0)]) };
            self.tables.update_from_model(s, control, &self.params);
        }
        self.rounds += 1;
        if !matches!(next, Next::Unseen) {
            self.planned = None;
        }
        self.belief = self.without_end(after);
    }
}

/// What followed a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Seen(usize),
    Unseen,
    End,
}

impl Agent<usize, f64> for DynaAtmq {
    fn begin_episode(&mut self, start: &usize) {
        self.belief = vec![(*start, 1.0)];
        (self.planned, self.rounds, self.reward) = (None, 0, None);
    }

    fn act(&mut self, _: &AugmentedState<usize>) -> Action {
        self.learn(Next::Unseen);
        let belief = std::mem::take(&mut self.belief);
        self.control = match self.planned.take() {
            Some(control) => control,
            None => self.choose(&belief),
        };
        let predicted = self.predict(&belief, self.control);
        let next_control = self.choose(&predicted);
        let value = self.tables.measuring_value(&predicted, next_control);
        let is_new = match belief[..] {
            [(s, _)] => {
                let tries = self.tables.seen.total(self.tables.pair(s, self.control));
                tries < self.params.optimistic_tries as f64
            }
            // A belief that says next to nothing is as good as none.
            _ => 2 * belief.len() > self.params.particles,
        };
        let measures = value > self.controls.price() || is_new || self.rounds > self.num_states;
        self.looks = measures && self.controls.is_paired();
        (self.belief, self.predicted, self.planned) = (belief, predicted, Some(next_control));
        self.controls.action(self.control, self.looks)
    }

    fn observe_reward(&mut self, reward: &f64) {
        self.reward = Some(*reward);
    }

    fn observe(&mut self, segment: &Segment<usize, f64>) {
        self.learn(segment.next().map_or(Next::End, |&t| Next::Seen(t)));
    }

    fn feedback(&self) -> Feedback {
        Feedback::EveryRound
    }
}

impl Resume for DynaAtmq {
    type State = DynaAtmqState;

    fn state(&self) -> DynaAtmqState {
        DynaAtmqState { tables: self.tables.clone(), generator: self.generator.state() }
    }

    /// # Errors
    /// [`AgentError`] if `state` comes from an agent with other states, actions or another seed; the agent is
    /// then as it was.
    fn restore(&mut self, state: DynaAtmqState) -> Result<(), Fault> {
        self.tables.check(&state.tables)?;
        self.generator = self.generator.moved_to(state.generator)?;
        self.tables = state.tables;
        Ok(())
    }
}
