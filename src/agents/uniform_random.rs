//! Every action with the same probability.

use rand_pcg::Pcg64;

use super::generator::{Generator, GeneratorState};
use super::{Agent, Resume, Segment};
use crate::Fault;
use crate::belief::AugmentedState;
use crate::model::Action;

/// Takes each of n actions with probability 1/n, independently of everything.
///
/// The action is floor(n u) for one uniform number u of the agent's own generator, which belongs to
/// the agent so that its draws never shift those of the world.
///
/// # Example
/// ```
/// use sporadic::agents::{Agent, UniformRandom};
/// use sporadic::belief::AugmentedState;
/// use sporadic::simulation::Streams;
/// let mut agent = UniformRandom::new(3, Streams::new(7).agent());
/// assert!(Agent::<_, f64>::act(&mut agent, &AugmentedState::new("s1")) < 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniformRandom {
    num_actions: usize,
    generator: Generator,
}

impl UniformRandom {
    /// Draws among `num_actions` actions with `rng`, usually
    /// [`Streams::agent`](crate::simulation::Streams::agent).
    ///
    /// An environment has at least one action; with none, the agent answers 0.
    pub fn new(num_actions: usize, rng: Pcg64) -> Self {
        Self { num_actions, generator: Generator::new(rng) }
    }
}

/// What is saved is how many random numbers were drawn.
///
/// # Example
/// ```
/// use sporadic::agents::{Agent, Resume, UniformRandom};
/// use sporadic::belief::AugmentedState;
/// use sporadic::simulation::Streams;
/// let x = AugmentedState::new(0);
/// let mut agent = UniformRandom::new(3, Streams::new(7).agent());
/// Agent::<_, f64>::act(&mut agent, &x);
/// let mut other = UniformRandom::new(3, Streams::new(7).agent());
/// other.restore(agent.state())?;
/// assert_eq!(agent, other);
/// let mut stranger = UniformRandom::new(3, Streams::new(8).agent());
/// assert!(stranger.restore(agent.state()).is_err());
/// # Ok::<(), sporadic::Fault>(())
/// ```
impl Resume for UniformRandom {
    type State = GeneratorState;

    fn state(&self) -> GeneratorState {
        self.generator.state()
    }

    /// # Errors
    /// [`AgentError::Generator`](super::AgentError::Generator) if `state` comes from an agent with
    /// another seed; the agent is then as it was.
    fn restore(&mut self, state: GeneratorState) -> Result<(), Fault> {
        self.generator = self.generator.moved_to(state)?;
        Ok(())
    }
}

impl<S, T> Agent<S, T> for UniformRandom {
    #[inline]
    fn begin_episode(&mut self, _: &S) {}

    #[inline]
    fn act(&mut self, _: &AugmentedState<S>) -> Action {
        self.generator.below(self.num_actions)
    }

    #[inline]
    fn observe(&mut self, _: &Segment<S, T>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(num_actions: usize, n: usize) -> Vec<Action> {
        let mut agent = UniformRandom::new(num_actions, Pcg64::new(1, 2));
        (0..n).map(|_| Agent::<(), f64>::act(&mut agent, &AugmentedState::new(()))).collect()
    }

    #[test]
    fn value_stability() {
        insta::assert_snapshot!(format!("{:?}", draws(5, 16)), @"[4, 1, 3, 0, 1, 0, 3, 4, 4, 3, 0, 4, 4, 2, 4, 4]");
    }

    #[test]
    fn frequencies_are_uniform() {
        let n = 30_000;
        let drawn = draws(3, n);
        for a in 0..3 {
            let count = drawn.iter().filter(|&&b| b == a).count() as f64;
            let sd = (n as f64 * (1.0 / 3.0) * (2.0 / 3.0)).sqrt();
            assert!((count - n as f64 / 3.0).abs() < 4.0 * sd, "action {a}: {count}");
        }
    }
}
