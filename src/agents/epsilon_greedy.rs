//! Algorithm 1 without bonus, with random sequences.

use rand_pcg::Pcg64;

use super::generator::{Generator, GeneratorState};
use super::{
    Agent, AgentError, Candidates, LsviUcbParams, ParamsError, Resume, Segment, TabularLsviUcb,
    TabularLsviUcbState,
};
use crate::belief::AugmentedState;
use crate::model::Action;
use crate::planning::BurstPolicy;
use crate::{Fault, Real};

/// Algorithm 1 without its bonus (rho = 0) that, at every sighting, plays a uniformly random
/// sequence of the family with probability epsilon. With epsilon = 0 it is greedy.
///
/// Each sighting consumes two numbers of the agent's own generator, whatever they decide.
///
/// # Example
/// ```
/// use sporadic::agents::{Candidates, EpsilonGreedy, LsviUcbParams};
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Simulation, Streams};
/// let swim = gallery::river_swim::<f64>(6, 0.5, 0.9)?;
/// let candidates = Candidates::one_hot(&TabularPsi::new(swim.clone()), runs(2, 1, 2))?;
/// let streams = Streams::new(1);
/// let mut agent =
///     EpsilonGreedy::new(candidates, LsviUcbParams::default(), 0.1, streams.agent())?;
/// Simulation::new(&swim, streams).run(0..50, &mut agent, &mut ())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EpsilonGreedy<T: Real> {
    greedy: TabularLsviUcb<T>,
    epsilon: f64,
    generator: Generator,
}

/// What an [`EpsilonGreedy`] has learnt, and how far it is in its random numbers.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EpsilonGreedyState<T> {
    greedy: TabularLsviUcbState<T>,
    generator: GeneratorState,
}

impl<T: Real> EpsilonGreedy<T> {
    /// An agent that has seen nothing yet; rho in `params` is not used.
    ///
    /// # Errors
    /// [`AgentError`] if epsilon is not in [0, 1] or a parameter is out of range.
    pub fn new(
        candidates: Candidates<T>,
        params: LsviUcbParams<T>,
        epsilon: f64,
        rng: Pcg64,
    ) -> Result<Self, AgentError> {
        if !(0.0..=1.0).contains(&epsilon) {
            let (name, value, needed) = ("epsilon", epsilon, "in [0, 1]");
            return Err(ParamsError::Value { name, value, needed }.into());
        }
        let greedy = TabularLsviUcb::new(candidates, params.with_rho(T::zero()))?;
        Ok(Self { greedy, epsilon, generator: Generator::new(rng) })
    }

    /// The greedy learner inside.
    pub fn greedy(&self) -> &TabularLsviUcb<T> {
        &self.greedy
    }

    /// What went wrong first, if anything did; see [`TabularLsviUcb::error`].
    pub fn error(&self) -> Option<&AgentError> {
        self.greedy.error()
    }

    fn explore(&mut self) {
        let explores = self.generator.bernoulli(self.epsilon);
        let j = self.generator.below(self.greedy.plan().family().len());
        if explores {
            self.greedy.play_instead(j);
        }
    }
}

impl<T: Real> Resume for EpsilonGreedy<T> {
    type State = EpsilonGreedyState<T>;

    fn state(&self) -> EpsilonGreedyState<T> {
        EpsilonGreedyState { greedy: self.greedy.state(), generator: self.generator.state() }
    }

    /// Makes the agent one that has learnt `state`.
    ///
    /// # Errors
    /// [`AgentError`] if it comes from an agent with other candidates, another horizon or another
    /// seed; the agent is then as it was.
    fn restore(&mut self, state: EpsilonGreedyState<T>) -> Result<(), Fault> {
        let generator = self.generator.moved_to(state.generator)?;
        self.greedy.restore(state.greedy)?;
        self.generator = generator;
        Ok(())
    }
}

impl<T: Real> Agent<usize, T> for EpsilonGreedy<T> {
    fn begin_episode(&mut self, start: &usize) {
        self.greedy.begin_episode(start);
        self.explore();
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.greedy.act(x)
    }

    fn observe(&mut self, segment: &Segment<usize, T>) {
        self.greedy.observe(segment);
        if !segment.is_terminal() {
            self.explore();
        }
    }

    fn end_episode(&mut self) {
        self.greedy.end_episode();
    }

    /// None if sequences are drawn at random: then the policy is no function of the sighting.
    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        if self.epsilon > 0.0 { None } else { self.greedy.policy() }
    }

    fn fault(&self) -> Option<Fault> {
        self.error().map(|error| error.clone().into())
    }
}
