//! What an agent has learnt, as plain data.

use nalgebra::DMatrix;

use super::TabularLsviUcb;
use crate::agents::error::{check_counts, check_finite};
use crate::agents::{AgentError, Resume};
use crate::{Fault, Real};

/// What a [`TabularLsviUcb`] has learnt, between two episodes: to be written to a file and read
/// back. An agent made from the same candidates and parameters that is given it continues bit for
/// bit.
///
/// # Example
/// ```
/// use sporadic::agents::{LsviUcbParams, Resume, TabularLsviUcb};
/// use sporadic::model::gallery;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Simulation, Streams};
/// let swim = gallery::river_swim::<f64>(3, 0.5, 0.9)?;
/// let make = || TabularLsviUcb::for_model(&swim, runs(2, 1, 2), LsviUcbParams::default());
/// let (mut agent, mut other) = (make()?, make()?);
/// let world = Simulation::new(&swim, Streams::new(1));
/// world.run(0..10, &mut agent, &mut ())?;
/// other.restore(agent.state())?;
/// world.run(10..20, &mut agent, &mut ())?;
/// world.run(10..20, &mut other, &mut ())?;
/// assert_eq!(agent.state(), other.state());
/// # Ok::<(), sporadic::Fault>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TabularLsviUcbState<T> {
    episodes: u64,
    inverse: Vec<T>,
    log_det: T,
    sums: Vec<T>,
    planned_at: Option<T>,
    stages: Vec<u32>,
    values: Vec<T>,
}

impl<T: Real> Resume for TabularLsviUcb<T> {
    type State = TabularLsviUcbState<T>;

    /// What the agent has learnt. In the middle of an episode: without that episode's Lambda, so
    /// take it between two.
    fn state(&self) -> TabularLsviUcbState<T> {
        let memory = &self.memory;
        TabularLsviUcbState {
            episodes: memory.episodes,
            inverse: memory.ridge.inverse.as_slice().to_vec(),
            log_det: memory.ridge.log_det,
            sums: memory.sums.as_slice().to_vec(),
            planned_at: memory.planned_at,
            stages: self.plan.stages.clone(),
            values: self.values.clone(),
        }
    }

    /// Makes the agent one that has learnt `state`, between two episodes. lambda is no part of it: give
    /// the agent the one that it was learnt with.
    ///
    /// # Errors
    /// [`AgentError::Restore`] if it comes from an agent with other candidates or another
    /// horizon, [`AgentError::Saved`] if a number in it is not finite or its count of episodes beyond all
    /// counting; the agent is then as it was.
    fn restore(&mut self, state: TabularLsviUcbState<T>) -> Result<(), Fault> {
        let memory = &mut self.memory;
        let (d, columns) = memory.sums.shape();
        check_counts([
            ("entries of the inverse", d * d, state.inverse.len()),
            ("sums", d * columns, state.sums.len()),
            ("choices", self.plan.stages.len(), state.stages.len()),
            ("values", self.values.len(), state.values.len()),
        ])?;
        check_finite("an entry of the inverse", &state.inverse)?;
        check_finite("a sum", &state.sums)?;
        check_finite("a value", &state.values)?;
        check_finite("a log-determinant", [&state.log_det].into_iter().chain(&state.planned_at))?;
        if state.episodes > u64::MAX / 2 {
            let (what, value) = ("a number of episodes of", state.episodes as f64);
            let needed = "one that can be counted on";
            return Err(AgentError::Saved { what, value, needed }.into());
        }
        let family = self.plan.family().len();
        if let Some(&j) = state.stages.iter().find(|&&j| j as usize >= family) {
            let (what, expected, found) = ("candidates or more", family, j as usize + 1);
            return Err(AgentError::Restore { what, expected, found }.into());
        }
        memory.ridge.inverse = DMatrix::from_column_slice(d, d, &state.inverse);
        memory.ridge.log_det = state.log_det;
        memory.sums = DMatrix::from_column_slice(d, columns, &state.sums);
        memory.planned_at = state.planned_at;
        memory.episodes = state.episodes;
        self.plan.stages.copy_from_slice(&state.stages);
        self.values.copy_from_slice(&state.values);
        self.begin_anew();
        Ok(())
    }
}
