//! Observe-then-plan: measure always for a number of episodes, then plan on what was learnt.

use rand_pcg::Pcg64;

use super::{Controls, Transitions};
use crate::Fault;
use crate::agents::error::{check_counts, check_family, check_finite};
use crate::agents::generator::{Generator, GeneratorState};
use crate::agents::{Agent, AgentError, Resume, Segment, size};
use crate::belief::AugmentedState;
use crate::model::{Action, ModelError, Reveal, Tabular};
use crate::planning::solve::{SolveOptions, solve};
use crate::planning::{BurstPolicy, Stationary};
use crate::sequence::ActionSequence;

/// The parameters of [`ObserveThenPlan`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObserveThenPlanParams {
    /// How many episodes are played at random with a look in every round.
    pub observe: u64,
    /// The gap that the planner aims at.
    pub gap: f64,
    /// Whether episodes end in absorbing states, so that the end is part of what is learnt; otherwise gamma
    /// ends them, which is known.
    pub learns_end: bool,
}

/// Observe-then-plan (Nam et al. 2021): random controls with a measurement in every round for a number of
/// episodes, then the best policy of the model so estimated.
///
/// Transitions and rewards are the frequencies and means of the rounds in which both states were seen. A pair
/// never seen is taken to stay where it is for the least reward, so it is not planned for. The source plans by
/// search (POMCP); here [`solve`](crate::planning::solve::solve) plans with certified bounds, so this agent is
/// the best of its kind. The model's gamma and reveal probabilities are known to it. From then on it plays a
/// burst-dependent policy, whose exact value is known.
///
/// # Example
/// ```
/// use sporadic::agents::{Agent, ObserveThenPlan, ObserveThenPlanParams};
/// use sporadic::model::{Exact, gallery};
/// use sporadic::planning::TabularExact;
/// use sporadic::simulation::{Simulation, Streams};
/// let model = gallery::inventory(0.2, 0.8)?;
/// let params = ObserveThenPlanParams { observe: 400, gap: 1e-3, learns_end: false };
/// let mut agent = ObserveThenPlan::for_model(&model, params, Streams::new(1).agent())?;
/// Simulation::new(&model, Streams::new(1)).run(0..401, &mut agent, &mut ())?;
/// let value = TabularExact::new(&model).value(agent.policy().expect("planned"), Some(&0));
/// assert!(value.is_ok_and(|value| value > 5.3)); // of 5.36
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ObserveThenPlan {
    params: ObserveThenPlanParams,
    controls: Controls,
    num_states: usize,
    gamma: f64,
    reveals: Vec<Reveal<f64>>,
    least_reward: f64,
    /// Of state s and control c at `s * |C| + c`: next states, where the end is the state after the last, and
    /// the mean reward without the price.
    seen: Transitions,
    rewards: Vec<f64>,
    rounds: Vec<u64>,
    episode: u64,
    generator: Generator,
    policy: Option<Stationary>,
    playing: ActionSequence,
    error: Option<AgentError>,
}

/// What an [`ObserveThenPlan`] has learnt, between two episodes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObserveThenPlanState {
    seen: Transitions,
    rewards: Vec<f64>,
    rounds: Vec<u64>,
    episode: u64,
    generator: GeneratorState,
    policy: Option<Stationary>,
}

/// What the planner may hold, in bytes. There is no limit on its time: an agent must not depend on the speed
/// of the machine.
const MEMORY: usize = 64 << 20;

impl ObserveThenPlan {
    /// An agent that has seen nothing yet: it is told the numbers of states and actions, gamma, reveal
    /// probabilities, the price and the least reward.
    ///
    /// # Errors
    /// [`AgentError`] if its tables would have more than [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS).
    pub fn for_model(
        model: &Tabular<f64>,
        params: ObserveThenPlanParams,
        rng: Pcg64,
    ) -> Result<Self, AgentError> {
        let (controls, num_states) = (Controls::of(model), model.num_states());
        size::check_counts(num_states, controls.num_actions())?;
        let pairs = num_states * controls.len();
        Ok(Self {
            params,
            controls,
            num_states,
            gamma: model.gamma(),
            reveals: model.schedule().reveals(),
            least_reward: model.reward_range().0,
            seen: Transitions::new(pairs),
            rewards: vec![0.0; pairs],
            rounds: vec![0; pairs],
            episode: 0,
            generator: Generator::new(rng),
            policy: None,
            playing: ActionSequence::constant(0),
            error: None,
        })
    }

    /// The model as estimated so far; with a last state `end` if that is learnt.
    ///
    /// # Errors
    /// [`ModelError`] if the numbers make no model.
    pub fn estimate(&self) -> Result<Tabular<f64>, ModelError> {
        let n = self.num_states;
        let ends = usize::from(self.params.learns_end);
        let mut builder = Tabular::builder(self.gamma);
        for action in 0..self.controls.num_actions() {
            let (control, price) = (self.controls.control(action), self.controls.price_of(action));
            let pair = |s: usize| s * self.controls.len() + control;
            let total = |s: usize| self.seen.total(pair(s));
            let reward = |s: usize| {
                let known = self.rounds[pair(s)] > 0 && total(s) > 0.0;
                if known { self.rewards[pair(s)] - price } else { self.least_reward }
            };
            let row = |s: usize| -> Vec<(usize, f64)> {
                let share = |count: f64| count / total(s);
                match self.seen.row(pair(s)) {
                    [] => vec![(s, 1.0)],
                    row => row.iter().map(|&(t, count)| (t, share(count))).collect(),
                }
            };
            let rewards: Vec<f64> = (0..n).map(reward).chain(vec![-price; ends]).collect();
            let rows = (0..n).map(row).chain(vec![vec![(n, 1.0)]; ends]);
            let rows: Vec<_> = rows.collect();
            builder = builder.sparse_action(
                action.to_string(),
                self.reveals[action].clone(),
                rewards,
                rows,
            );
        }
        builder.build()
    }

    fn plan(&mut self) -> Result<(), AgentError> {
        let fail = |fault: Fault| AgentError::state("the estimated model", fault);
        let model = self.estimate().map_err(|fault| fail(fault.into()))?;
        let options = SolveOptions::default()
            .with_gap(self.params.gap)
            .with_time_limit(None)
            .with_memory_limit(MEMORY);
        let best = solve(&model, &options).map_err(|fault| fail(fault.into()))?;
        let mut sequences = best.policy.into_sequences();
        sequences.truncate(self.num_states);
        self.policy = Some(Stationary::new(sequences));
        Ok(())
    }

    fn follow(&mut self, s: usize) {
        if let Some(policy) = &self.policy {
            self.playing = policy[s].clone();
        }
    }
}

impl Agent<usize, f64> for ObserveThenPlan {
    fn begin_episode(&mut self, start: &usize) {
        if self.episode >= self.params.observe && self.policy.is_none() && self.error.is_none() {
            self.error = self.plan().err();
        }
        self.follow(*start);
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        if self.policy.is_some() {
            return self.playing.action(x.actions().len());
        }
        let control = self.generator.below(self.controls.len());
        self.controls.action(control, true)
    }

    fn observe(&mut self, segment: &Segment<usize, f64>) {
        if let ([action], None) = (segment.actions(), &self.policy) {
            let pair = segment.start() * self.controls.len() + self.controls.control(*action);
            let reward = segment.reward() + self.controls.price_of(*action);
            self.rounds[pair] += 1;
            self.rewards[pair] += (reward - self.rewards[pair]) / self.rounds[pair] as f64;
            match segment.next() {
                Some(&next) => self.seen.add(pair, next, 1.0),
                None if self.params.learns_end => self.seen.add(pair, self.num_states, 1.0),
                None => (),
            }
        }
        if let Some(&next) = segment.next() {
            self.follow(next);
        }
    }

    fn end_episode(&mut self) {
        self.episode += 1;
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        self.policy.as_ref().map(|policy| policy as _)
    }

    fn fault(&self) -> Option<Fault> {
        self.error.clone().map(Fault::from)
    }
}

impl Resume for ObserveThenPlan {
    type State = ObserveThenPlanState;

    fn state(&self) -> ObserveThenPlanState {
        ObserveThenPlanState {
            seen: self.seen.clone(),
            rewards: self.rewards.clone(),
            rounds: self.rounds.clone(),
            episode: self.episode,
            generator: self.generator.state(),
            policy: self.policy.clone(),
        }
    }

    /// # Errors
    /// [`AgentError`] if `state` comes from an agent with other states, actions or another seed; the agent is
    /// then as it was.
    fn restore(&mut self, state: ObserveThenPlanState) -> Result<(), Fault> {
        check_counts([
            ("rewards", self.rewards.len(), state.rewards.len()),
            ("rounds", self.rounds.len(), state.rounds.len()),
        ])?;
        check_finite("a reward", &state.rewards)?;
        state.seen.check(self.rewards.len(), self.num_states + 1)?;
        if let Some(policy) = &state.policy {
            check_counts([("states", self.num_states, policy.sequences().len())])?;
            check_family(policy.sequences(), self.reveals.len())?;
        }
        self.generator = self.generator.moved_to(state.generator)?;
        (self.seen, self.rewards, self.rounds) = (state.seen, state.rewards, state.rounds);
        (self.episode, self.policy, self.error) = (state.episode, state.policy, None);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::gallery;

    #[test]
    fn an_estimate_by_hand() {
        let model = gallery::measuring_value(0.1, 0.95).unwrap();
        let params = ObserveThenPlanParams { observe: 1, gap: 1e-3, learns_end: true };
        let mut agent = ObserveThenPlan::for_model(&model, params, Pcg64::new(1, 1)).unwrap();
        agent.begin_episode(&0);
        for next in [1, 1, 2, 1] {
            agent.observe(&Segment::new(0, [1], -0.1, Some(next)));
        }
        agent.observe(&Segment::new(1, [1], 0.9, None));
        let estimate = agent.estimate().unwrap();
        assert_eq!(estimate.betas(), model.betas());
        assert_eq!(estimate.row(0, 0).collect::<Vec<_>>(), [(1, 0.75), (2, 0.25)]);
        assert_eq!(estimate.row(1, 1).collect::<Vec<_>>(), [(4, 1.0)]);
        let pays = |s, a, reward: f64| (estimate.reward(s, a) - reward).abs() < 1e-12;
        assert!(pays(0, 0, 0.0) && pays(0, 1, -0.1) && pays(1, 0, 1.0) && pays(1, 1, 0.9));
        // Never tried: stays for the least reward.
        assert_eq!(estimate.row(2, 0).collect::<Vec<_>>(), [(2, 1.0)]);
        assert!(pays(2, 0, -0.1) && pays(4, 0, 0.0) && pays(4, 1, -0.1));
        agent.end_episode();
        assert!(agent.policy().is_none());
        agent.begin_episode(&0);
        // Two rounds of going on are worth .75 * .95; nothing else is known to pay.
        assert!(agent.fault().is_none());
        assert_eq!(
            agent.policy().unwrap().sequence(1, &0).iter().take(2).collect::<Vec<_>>(),
            [0, 0]
        );
    }
}
