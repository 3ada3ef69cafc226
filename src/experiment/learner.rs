//! Agents that can be put down and taken up again.

use std::error::Error;

use super::{AgentChoice, Cell};
use crate::agents::{
    Agent, Candidates, FixedSequence, LsviUcbParams, TabularLsviUcb, UniformRandom,
};
use crate::features::TabularPsi;
use crate::model::Tabular;

/// What an agent of the caller may report.
pub type LearnerError = Box<dyn Error + Send + Sync>;

/// An agent that can be put down between two episodes and taken up again, on another day and in
/// another process, as if nothing had happened.
///
/// # Example
/// An agent of your own, in a sweep.
/// ```
/// use sporadic::agents::{Agent, Segment};
/// use sporadic::belief::AugmentedState;
/// use sporadic::experiment::{Learner, LearnerError};
/// use sporadic::model::Action;
///
/// #[derive(Default)]
/// struct WinStay { paid: bool }
///
/// impl Agent<usize, f64> for WinStay {
///     fn begin_episode(&mut self, _: &usize) {}
///     fn act(&mut self, _: &AugmentedState<usize>) -> Action { usize::from(self.paid) }
///     fn observe(&mut self, segment: &Segment<usize, f64>) { self.paid = segment.reward() > 0.0; }
/// }
///
/// impl Learner for WinStay {
///     fn save(&self) -> Result<Option<String>, LearnerError> { Ok(Some(self.paid.to_string())) }
///     fn restore(&mut self, saved: &str) -> Result<(), LearnerError> {
///         self.paid = saved.parse()?;
///         Ok(())
///     }
/// }
/// ```
pub trait Learner: Agent<usize, f64> {
    /// All it has learnt, as text. Called between episodes. Nothing, if it cannot be put down: after
    /// a crash its cell then starts again.
    ///
    /// # Errors
    /// Whatever keeps it from doing so.
    fn save(&self) -> Result<Option<String>, LearnerError> {
        Ok(None)
    }

    /// Takes up where the agent that wrote `saved` was put down. The agent is newly made, for the
    /// same cell.
    ///
    /// # Errors
    /// If `saved` is not what such an agent writes.
    fn restore(&mut self, saved: &str) -> Result<(), LearnerError> {
        Err(format!("an agent that is never saved was given {saved:?} to restore").into())
    }
}

impl Learner for FixedSequence {
    fn save(&self) -> Result<Option<String>, LearnerError> {
        Ok(Some(String::new()))
    }

    fn restore(&mut self, _: &str) -> Result<(), LearnerError> {
        Ok(())
    }
}

impl Learner for UniformRandom {}

impl Learner for TabularLsviUcb<f64> {}

/// The agent that a cell asks for, as it is before the first episode.
///
/// # Errors
/// What the agent's constructor refuses.
pub fn build(cell: &Cell, model: &Tabular<f64>) -> Result<Box<dyn Learner>, LearnerError> {
    Ok(match &cell.agent {
        AgentChoice::LsviUcb { oracle, horizon, lambda, rho, beyond } => {
            let family = oracle.members(model.num_actions())?;
            let candidates = Candidates::one_hot(&TabularPsi::new(model.clone()), family)?;
            let (low, high) = model.reward_range();
            let mut params = LsviUcbParams::default()
                .with_horizon(*horizon)
                .with_lambda(*lambda)
                .with_rho(*rho)
                .with_beyond_horizon((*beyond).into());
            // The paper's rewards lie in [0, 1]: only others are rescaled.
            if low < 0.0 || high > 1.0 {
                params = params.with_reward_range(low, high);
            }
            Box::new(TabularLsviUcb::new(candidates, params)?)
        }
        AgentChoice::Fixed { sequence } => Box::new(FixedSequence::new(sequence.clone())),
        AgentChoice::Uniform => {
            Box::new(UniformRandom::new(model.num_actions(), cell.streams().agent()))
        }
    })
}
