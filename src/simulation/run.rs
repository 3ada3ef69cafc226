//! Many episodes.

use std::ops::Range;

use rand_pcg::Pcg64;

use super::episode::{Rules, play};
use super::error::check;
use super::{Ending, Feedback, MAX_ROUNDS, Observer, Setting, SimulationError, Streams};
use crate::agents::{Agent, Segment};
use crate::model::Environment;

/// An environment with the random streams that its episodes draw from.
///
/// Episode k draws from `streams.world(k)` and from nothing else. So a run can be resumed at any
/// episode, and its parts can go to any number of threads, with the results of the undisturbed
/// run, as far as the agent's memory allows.
///
/// # Example
/// A run in two parts gives the returns of the whole run.
/// ```
/// use sporadic::agents::FixedSequence;
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Returns, Simulation, Streams};
///
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
/// let world = Simulation::new(&swim, Streams::new(3));
/// let mut agent = FixedSequence::new("(1)".parse()?);
///
/// let (mut whole, mut halves) = (Returns::new(), Returns::new());
/// world.run(0..10, &mut agent, &mut whole)?;
/// world.run(0..5, &mut agent, &mut halves)?;
/// world.run(5..10, &mut agent, &mut halves)?;
/// assert_eq!(whole, halves);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Simulation<'a, M> {
    env: &'a M,
    streams: Streams,
    rules: Rules,
}

impl<'a, M> Simulation<'a, M> {
    /// Makes a simulation of `env` whose random numbers come from `streams`.
    pub fn new(env: &'a M, streams: Streams) -> Self {
        let rules = Rules { setting: Setting::default(), max_rounds: MAX_ROUNDS };
        Self { env, streams, rules }
    }

    /// Sets the most rounds of an episode, [`MAX_ROUNDS`] unless set. A run ends with
    /// [`SimulationError::Rounds`] when an episode is longer.
    pub fn with_max_rounds(mut self, max_rounds: u64) -> Self {
        self.rules.max_rounds = max_rounds;
        self
    }

    /// Sets which rewards agents are shown, [`Feedback::AtSightings`] unless set.
    pub fn with_feedback(mut self, feedback: Feedback) -> Self {
        self.rules.setting.feedback = feedback;
        self
    }

    /// Sets when episodes end, [`Ending::Discounted`] unless set.
    ///
    /// # Example
    /// A lake is crossed in six steps.
    /// ```
    /// use sporadic::agents::FixedSequence;
    /// use sporadic::model::gallery::{FROZEN_LAKE_4X4, Ice, frozen_lake};
    /// use sporadic::simulation::{Ending, Returns, Simulation, Streams};
    /// let lake = frozen_lake(&FROZEN_LAKE_4X4, Ice::Deterministic, 0.05, 0.95)?;
    /// // down, down, right, right, down, right, all without a look
    /// let mut agent = FixedSequence::new("224424(0)".parse()?);
    /// let mut returns = Returns::new();
    /// Simulation::new(&lake, Streams::new(1))
    ///     .with_ending(Ending::Absorbing { step_limit: 100 })
    ///     .run(0..10, &mut agent, &mut returns)?;
    /// assert_eq!(returns.returns(), [1.0; 10]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_ending(mut self, ending: Ending) -> Self {
        self.rules.setting.ending = ending;
        self
    }

    /// Sets both: which rewards agents are shown, and when episodes end.
    pub fn with_setting(mut self, setting: Setting) -> Self {
        self.rules.setting = setting;
        self
    }

    /// The streams.
    pub fn streams(&self) -> Streams {
        self.streams
    }

    /// Runs `episodes`, each from a state that the environment draws.
    ///
    /// # Errors
    /// [`SimulationError`] if the agent takes an action out of range, if gamma or a beta is no
    /// probability, or if an episode has more rounds than [allowed](Self::with_max_rounds). The episodes before the offending one are complete.
    pub fn run<A, O>(
        &self,
        episodes: Range<u64>,
        agent: &mut A,
        observer: &mut O,
    ) -> Result<(), SimulationError>
    where
        M: Environment,
        A: Agent<M::State, M::Scalar> + ?Sized,
        O: Observer<M::State, M::Scalar> + ?Sized,
    {
        self.drive(episodes, |_, rng| self.env.initial(rng), agent, observer)
    }

    /// Runs `episodes`, episode k from `start(k)`: the paper's adversary. No word is drawn for it.
    ///
    /// # Errors
    /// As in [`run`](Self::run).
    pub fn run_from<A, O>(
        &self,
        episodes: Range<u64>,
        mut start: impl FnMut(u64) -> M::State,
        agent: &mut A,
        observer: &mut O,
    ) -> Result<(), SimulationError>
    where
        M: Environment,
        A: Agent<M::State, M::Scalar> + ?Sized,
        O: Observer<M::State, M::Scalar> + ?Sized,
    {
        self.drive(episodes, |k, _| start(k), agent, observer)
    }

    fn drive<A, O>(
        &self,
        episodes: Range<u64>,
        mut start: impl FnMut(u64, &mut Pcg64) -> M::State,
        agent: &mut A,
        observer: &mut O,
    ) -> Result<(), SimulationError>
    where
        M: Environment,
        A: Agent<M::State, M::Scalar> + ?Sized,
        O: Observer<M::State, M::Scalar> + ?Sized,
    {
        check(self.env)?;
        // One segment serves the whole run; it is made from the first start state.
        let mut buffer: Option<Segment<M::State, M::Scalar>> = None;
        for k in episodes {
            let mut rng = self.streams.world(k);
            let first = start(k, &mut rng);
            let segment = match buffer.take() {
                Some(mut segment) => {
                    segment.reopen(first);
                    buffer.insert(segment)
                }
                None => buffer.insert(Segment::open(first)),
            };
            play(self.env, agent, (k, self.rules), segment, &mut rng, observer)?;
        }
        Ok(())
    }
}
