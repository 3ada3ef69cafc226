//! Agents: what chooses the actions, and all that it may know.
//!
//! An agent is shown the state that opens an episode, the augmented state x before each action, and
//! one [`Segment`] per data-burst or termination; the reward of each round only where the
//! [feedback](Feedback) is set so. No method hands it the latent state, so an agent that
//! compiles cannot look where the protocol does not let it.
//!
//! | agent | chooses |
//! |---|---|
//! | [`LsviUcb`] | Algorithm 1: optimistic least squares, any features, any oracle, any states |
//! | [`TabularLsviUcb`] | Algorithm 1 on finitely many states and sequences, at a cost per episode that does not grow |
//! | [`AdaptiveLsviUcb`] | Algorithm 1 on finitely many states over all sequences, from a pool that comes and goes |
//! | [`OnlineLsviUcb`] | Algorithm 1 with psi that an estimator learns on the way |
//! | [`OnlineTabularLsviUcb`] | the same on finitely many states, told nothing else but the number of actions and gamma |
//! | [`EpsilonGreedy`] | Algorithm 1 without its bonus, and a random sequence with probability epsilon |
//! | [`OneStepLsviUcb`] | plain LSVI-UCB, as if every state were seen |
//! | [`CertaintyEquivalence`] | estimates the model and plans as if it were true |
//! | [`EmCertaintyEquivalence`] | the same with estimates from segments of all lengths |
//! | [`AmrlQ`] | Q-learning over controls with and without a measurement (Bellinger et al.) |
//! | [`DynaAtmq`] | acts on Q under a particle belief, measures when that is worth its price (Krale et al.) |
//! | [`ObserveThenPlan`] | measures always for some episodes, then plans on what it learnt (Nam et al.) |
//! | [`FixedPolicy`] | a policy given from outside, such as a known model's optimum |
//! | [`FixedSequence`] | one action sequence, started afresh at every sighting |
//! | [`UniformRandom`] | every action with the same probability |
//!
//! All of them implement [`Resume`]: `state()` gives what an agent has learnt and drawn, as plain data that
//! can be written to a file (feature `serde`), and `restore()` gives it to a new agent made with the same
//! arguments, which then continues bit for bit.

mod certainty;
mod certainty_em;
mod epsilon_greedy;
mod error;
mod feedback;
mod fixed_policy;
mod fixed_sequence;
mod generator;
mod lsvi_ucb;
mod measuring;
mod one_step;
mod resume;
mod segment;
pub(crate) mod size;
mod uniform_random;

pub use certainty::{CertaintyEquivalence, CertaintyEquivalenceState, CertaintyPlanner};
pub use certainty_em::{EmCertaintyEquivalence, EmCertaintyEquivalenceState};
pub use epsilon_greedy::{EpsilonGreedy, EpsilonGreedyState};
pub use error::AgentError;
pub use feedback::Feedback;
pub use fixed_policy::FixedPolicy;
pub use fixed_sequence::FixedSequence;
pub use generator::{Generator, GeneratorState};
pub use lsvi_ucb::{
    AdaptiveLsviUcb, AdaptiveLsviUcbState, BeyondHorizon, Candidates, Continuation, EndState,
    HistoryEntry, LsviUcb, LsviUcbParams, LsviUcbState, OnlineLsviUcb, OnlineLsviUcbState,
    OnlineTabularLsviUcb, OnlineTabularLsviUcbState, ParamsError, Plan, Planner, RegretBound,
    Replanning, RidgeState, TabularLsviUcb, TabularLsviUcbState,
};
pub use measuring::{
    AmrlQ, AmrlQParams, AmrlQState, Controls, DynaAtmq, DynaAtmqParams, DynaAtmqState,
    ObserveThenPlan, ObserveThenPlanParams, ObserveThenPlanState, Transitions,
};
pub use one_step::{OneStepLsviUcb, OneStepLsviUcbState};
#[cfg(feature = "serde")]
pub use resume::Resumable;
pub use resume::{Memory, Resume};
pub use segment::Segment;
pub use size::{MAX_NUMBERS, TooLarge};
pub use uniform_random::UniformRandom;

use crate::Fault;
use crate::belief::AugmentedState;
use crate::model::Action;
use crate::oracles::Choice;
use crate::planning::BurstPolicy;

/// An agent on states `S` with rewards in `T`.
///
/// In every episode [`begin_episode`](Self::begin_episode) comes first. Then, until the episode
/// ends, one [`act`](Self::act) per round and one [`observe`](Self::observe) after each round that
/// ended in a data-burst or in the termination; the last segment is always the terminal one.
/// [`end_episode`](Self::end_episode) comes last.
///
/// [`check::agent`](crate::check::agent) tests an implementation.
///
/// The trait is dyn-compatible, and `Box<A>` and `&mut A` are agents whenever `A` is one.
///
/// Three methods are required. What the others are for:
///
/// | to get | override |
/// |---|---|
/// | exact regret, and the value of the policy in curves | [`policy`](Self::policy) |
/// | runs that continue after a crash instead of starting again | [`memory`](Self::memory), by [`Resume`] |
/// | the reward of every round | [`feedback`](Self::feedback) and [`observe_reward`](Self::observe_reward) |
/// | errors while playing that end the run with a message | [`fault`](Self::fault) |
///
/// Random numbers must come from a generator of the agent's own
/// ([`Streams::agent`](crate::simulation::Streams::agent)), so that all agents meet the same world under one
/// seed.
///
/// # Example
/// An agent that keeps to action 1 while its last segment paid, and to action 0 otherwise.
/// ```
/// use sporadic::agents::{Agent, FixedSequence, Segment};
/// use sporadic::belief::AugmentedState;
/// use sporadic::model::Action;
/// use sporadic::sequence::ActionSequence;
///
/// struct WinStay {
///     paid: bool,
/// }
///
/// impl<S> Agent<S, f64> for WinStay {
///     fn begin_episode(&mut self, _: &S) {}
///     fn act(&mut self, _: &AugmentedState<S>) -> Action {
///         usize::from(self.paid)
///     }
///     fn observe(&mut self, segment: &Segment<S, f64>) {
///         self.paid = segment.reward() > 0.0;
///     }
/// }
///
/// let steady = FixedSequence::new(ActionSequence::constant(1));
/// let mut agents: Vec<Box<dyn Agent<usize, f64>>> =
///     vec![Box::new(WinStay { paid: true }), Box::new(steady)];
/// assert!(agents.iter_mut().all(|agent| agent.act(&AugmentedState::new(0)) == 1));
/// ```
pub trait Agent<S, T> {
    /// An episode begins in `start`, which is seen.
    fn begin_episode(&mut self, start: &S);

    /// The action to take when all that is known is `x`.
    ///
    /// An action that the environment does not have ends the run with
    /// [`SimulationError::Action`](crate::simulation::SimulationError::Action).
    fn act(&mut self, x: &AugmentedState<S>) -> Action;

    /// A segment is complete: the state was seen again, or the episode terminated.
    fn observe(&mut self, segment: &Segment<S, T>);

    /// The reward of the round just played. Called only where the
    /// [feedback](Feedback) is that of every round, before [`observe`](Self::observe) if
    /// the round ended a segment.
    fn observe_reward(&mut self, reward: &T) {
        let _ = reward;
    }

    /// The least feedback that the agent can learn from; less is refused when it plays.
    fn feedback(&self) -> Feedback {
        Feedback::AtSightings
    }

    /// The episode is over; its terminal segment has been observed.
    fn end_episode(&mut self) {}

    /// The burst-dependent policy of the episode begun last, if the agent plays one: what exact
    /// regret is computed from.
    fn policy(&self) -> Option<&dyn BurstPolicy<S>> {
        None
    }

    /// The sequence chosen at the start of the episode begun last, its optimistic value, and an upper bound on that of
    /// every other sequence in A^N: how far from the optimum the search for it may have stopped. `None` from an agent
    /// that does not know. It may take long: an experiment asks for it a few times in a run.
    fn certificate(&self) -> Option<Choice<T>> {
        None
    }

    /// How the agent is saved and restored between two episodes; `None` if it cannot be, so that an
    /// interrupted run starts again, without a word and with the same results. An agent that implements
    /// [`Resume`] gets it by [`resumable`](Resume::resumable).
    fn memory(&mut self) -> Option<&mut dyn Memory> {
        None
    }

    /// What has gone wrong while the agent played, if anything: an oracle without an answer, numbers
    /// that are no longer finite. An experiment asks between episodes and ends the run with it.
    fn fault(&self) -> Option<Fault> {
        None
    }
}

macro_rules! forward {
    ($pointer:ty) => {
        impl<S, T, A: Agent<S, T> + ?Sized> Agent<S, T> for $pointer {
            #[inline]
            fn begin_episode(&mut self, start: &S) {
                (**self).begin_episode(start);
            }

            #[inline]
            fn act(&mut self, x: &AugmentedState<S>) -> Action {
                (**self).act(x)
            }

            #[inline]
            fn observe(&mut self, segment: &Segment<S, T>) {
                (**self).observe(segment);
            }

            #[inline]
            fn observe_reward(&mut self, reward: &T) {
                (**self).observe_reward(reward);
            }

            #[inline]
            fn feedback(&self) -> Feedback {
                (**self).feedback()
            }

            #[inline]
            fn end_episode(&mut self) {
                (**self).end_episode();
            }

            #[inline]
            fn policy(&self) -> Option<&dyn BurstPolicy<S>> {
                (**self).policy()
            }

            #[inline]
            fn certificate(&self) -> Option<Choice<T>> {
                (**self).certificate()
            }

            #[inline]
            fn memory(&mut self) -> Option<&mut dyn Memory> {
                (**self).memory()
            }

            #[inline]
            fn fault(&self) -> Option<Fault> {
                (**self).fault()
            }
        }
    };
}

forward!(Box<A>);
forward!(&mut A);
