//! Saving an agent between two episodes, and continuing with another one.

use super::{FixedPolicy, FixedSequence};
use crate::Fault;

/// Saves what an agent has learnt as text and restores it, so that code which does not know the type of
/// an agent can resume an interrupted run.
///
/// Implement [`Resume`] rather than this, and wrap the agent with [`Resume::resumable`], which
/// writes the state as JSON.
pub trait Memory {
    /// All that the agent has learnt. Called between two episodes.
    ///
    /// # Errors
    /// Whatever keeps the agent from writing it.
    fn save(&self) -> Result<String, Fault>;

    /// Makes the agent, newly made with the same arguments, one that has learnt what `saved` says.
    ///
    /// # Errors
    /// If `saved` is not what such an agent writes; the agent is then not to be used.
    fn restore(&mut self, saved: &str) -> Result<(), Fault>;
}

/// An agent whose memory is plain data: it can be saved between two episodes, and another agent,
/// made with the same arguments and given that data, continues bit for bit.
///
/// The state is all that an episode leaves behind and that is not an argument: what was learnt, how many
/// episodes were played if that matters, and how far the agent is in its random numbers (the number drawn so far,
/// by which a generator made from the same seed is advanced). What lives within one episode need not be
/// saved.
///
/// With the feature `serde` the state goes through JSON, which has no infinity and no NaN: a state that may hold one
/// of them writes it in another way, for example as `Option<f64>`. An experiment tells of a state that is not taken back, and
/// then plays from the first episode again.
///
/// # Example
/// ```
/// use sporadic::Fault;
/// use sporadic::agents::{Agent, Resume, Segment};
/// use sporadic::belief::AugmentedState;
/// use sporadic::model::Action;
///
/// /// Keeps to action 1 while it pays.
/// struct WinStay { paid: bool }
///
/// impl<S> Agent<S, f64> for WinStay {
///     fn begin_episode(&mut self, _: &S) {}
///     fn act(&mut self, _: &AugmentedState<S>) -> Action { usize::from(self.paid) }
///     fn observe(&mut self, segment: &Segment<S, f64>) { self.paid = segment.reward() > 0.0; }
/// }
///
/// impl Resume for WinStay {
///     type State = bool;
///     fn state(&self) -> bool { self.paid }
///     fn restore(&mut self, paid: bool) -> Result<(), Fault> { self.paid = paid; Ok(()) }
/// }
/// ```
pub trait Resume {
    /// The data.
    type State;

    /// All that the agent has learnt. To be taken between two episodes.
    fn state(&self) -> Self::State;

    /// Makes the agent one that has learnt `state`. A file may have been changed: lengths and ranges that the agent
    /// relies on are checked here, not met as a panic later.
    ///
    /// # Errors
    /// If `state` is not that of an agent made with the same arguments.
    fn restore(&mut self, state: Self::State) -> Result<(), Fault>;

    /// Wraps the agent so that its [`memory`](super::Agent::memory) is known to whoever runs it. An agent that
    /// implements this trait and is not wrapped is not saved.
    #[cfg(feature = "serde")]
    fn resumable(self) -> Resumable<Self>
    where
        Self: Sized,
    {
        Resumable(self)
    }
}

#[cfg(feature = "serde")]
pub use wrapper::Resumable;

#[cfg(feature = "serde")]
mod wrapper {
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use super::{Memory, Resume};
    use crate::Fault;
    use crate::agents::{Agent, Feedback, Segment};
    use crate::belief::AugmentedState;
    use crate::model::Action;
    use crate::oracles::Choice;
    use crate::sequence::BurstPolicy;

    /// An agent that says how it is saved; made by [`Resume::resumable`].
    #[derive(Debug, Clone)]
    pub struct Resumable<A>(pub(super) A);

    impl<A> Resumable<A> {
        /// The agent.
        pub fn agent(&self) -> &A {
            &self.0
        }
    }

    impl<A: Resume<State: Serialize + DeserializeOwned>> Memory for A {
        fn save(&self) -> Result<String, Fault> {
            Ok(serde_json::to_string(&self.state())?)
        }

        fn restore(&mut self, saved: &str) -> Result<(), Fault> {
            Resume::restore(self, serde_json::from_str(saved)?)
        }
    }

    impl<S, T, A> Agent<S, T> for Resumable<A>
    where
        A: Agent<S, T> + Resume<State: Serialize + DeserializeOwned>,
    {
        fn begin_episode(&mut self, start: &S) {
            self.0.begin_episode(start);
        }

        fn act(&mut self, x: &AugmentedState<S>) -> Action {
            self.0.act(x)
        }

        fn observe(&mut self, segment: &Segment<S, T>) {
            self.0.observe(segment);
        }

        fn observe_reward(&mut self, reward: &T) {
            self.0.observe_reward(reward);
        }

        fn feedback(&self) -> Feedback {
            self.0.feedback()
        }

        fn end_episode(&mut self) {
            self.0.end_episode();
        }

        fn policy(&self) -> Option<&dyn BurstPolicy<S>> {
            self.0.policy()
        }

        fn certificate(&self) -> Option<Choice<T>> {
            self.0.certificate()
        }

        fn memory(&mut self) -> Option<&mut dyn Memory> {
            Some(&mut self.0)
        }

        fn fault(&self) -> Option<Fault> {
            self.0.fault()
        }
    }
}

/// Saving of agents that learn nothing.
macro_rules! nothing_to_save {
    ($([$($generics:tt)*] $agent:ty;)*) => {$(
        impl<$($generics)*> Resume for $agent {
            type State = ();

            fn state(&self) {}

            fn restore(&mut self, (): ()) -> Result<(), Fault> {
                Ok(())
            }
        }
    )*};
}

nothing_to_save! {
    [] FixedSequence;
    [P] FixedPolicy<P>;
}
