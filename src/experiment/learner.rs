//! Agents that can be put down and taken up again.

use std::error::Error;

use nalgebra::Dyn;

use super::{AgentChoice, Beyond, Cell, Effort, Family, Oracle};
use crate::agents::{
    Agent, Candidates, CertaintyEquivalence, EpsilonGreedy, FixedSequence, Follow, LsviUcb,
    LsviUcbError, LsviUcbMemory, LsviUcbParams, OneStepLsviUcb, TabularLsviUcb, UniformRandom,
};
use crate::features::TabularPsi;
use crate::model::Tabular;
use crate::oracles::{Beam, BranchAndBound, SequenceOracle};
use crate::planning::solve::solve;
use crate::planning::{BurstPolicy, Stationary, class_optimum};

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

    /// Asked at every point of the curve: whether all is well.
    ///
    /// # Errors
    /// What went wrong while it played; the cell then ends with it.
    fn check(&self) -> Result<(), LearnerError> {
        Ok(())
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

/// Saves what `state` returns as JSON; asks the function given for an error.
macro_rules! by_state {
    ($($agent:ty, $error:expr;)*) => {$(
        impl Learner for $agent {
            fn save(&self) -> Result<Option<String>, LearnerError> {
                Ok(Some(serde_json::to_string(&self.state())?))
            }

            fn restore(&mut self, saved: &str) -> Result<(), LearnerError> {
                Ok(Self::restore(self, &serde_json::from_str(saved)?)?)
            }

            fn check(&self) -> Result<(), LearnerError> {
                let error: fn(&Self) -> Option<&LsviUcbError> = $error;
                error(self).map_or(Ok(()), |error| Err(error.clone().into()))
            }
        }
    )*};
}

by_state! {
    UniformRandom, |_| None;
    TabularLsviUcb<f64>, Self::error;
    EpsilonGreedy<f64>, Self::error;
    OneStepLsviUcb<f64>, |_| None;
    CertaintyEquivalence<f64>, |_| None;
}

impl<O: SequenceOracle<f64>> Learner for LsviUcb<f64, Dyn, TabularPsi<f64>, O> {
    fn save(&self) -> Result<Option<String>, LearnerError> {
        Ok(Some(serde_json::to_string(&self.state())?))
    }

    fn restore(&mut self, saved: &str) -> Result<(), LearnerError> {
        let memory: LsviUcbMemory<f64, usize> = serde_json::from_str(saved)?;
        let num_states = self.psi().model().num_states();
        if let Some(s) = memory.states().find(|&&s| s >= num_states) {
            return Err(format!("the saved state has state {s}, but there are {num_states}").into());
        }
        Ok(Self::restore(self, &memory)?)
    }

    fn check(&self) -> Result<(), LearnerError> {
        self.error().map_or(Ok(()), |error| Err(error.clone().into()))
    }
}

/// It knows everything from the start.
impl<P: BurstPolicy<usize>> Learner for Follow<P> {
    fn save(&self) -> Result<Option<String>, LearnerError> {
        Ok(Some(String::new()))
    }

    fn restore(&mut self, _: &str) -> Result<(), LearnerError> {
        Ok(())
    }
}

/// The agent that a cell asks for, as it is before the first episode.
///
/// # Errors
/// What the agent's constructor refuses.
pub fn build(cell: &Cell, model: &Tabular<f64>) -> Result<Box<dyn Learner>, LearnerError> {
    let follow = |policy| Box::new(Follow::new(Stationary::new(policy)));
    Ok(match &cell.agent {
        AgentChoice::LsviUcb { oracle, horizon, lambda, rho, beyond } => {
            let params = params(model, *horizon, *lambda, *beyond).with_rho(*rho);
            match *oracle {
                Oracle::Family(family) => {
                    Box::new(TabularLsviUcb::new(candidates(model, family)?, params)?)
                }
                Oracle::Beam { width, depth } => search(model, Beam { width, depth }, params)?,
                Oracle::BranchAndBound { gap, nodes } => {
                    search(model, BranchAndBound::new(gap).with_nodes(nodes), params)?
                }
            }
        }
        AgentChoice::EpsilonGreedy { oracle, horizon, lambda, epsilon, beyond } => {
            let params = params(model, *horizon, *lambda, *beyond);
            let (candidates, rng) = (candidates(model, *oracle)?, cell.streams().agent());
            Box::new(EpsilonGreedy::new(candidates, params, *epsilon, rng)?)
        }
        AgentChoice::OneStep { horizon, lambda, rho } => {
            let params = params(model, *horizon, *lambda, Beyond::ReuseFirst).with_rho(*rho);
            let (states, actions) = (model.num_states(), model.num_actions());
            Box::new(OneStepLsviUcb::new(states, actions, model.gamma(), params)?)
        }
        AgentChoice::CertaintyEquivalence { oracle } => {
            let (states, actions) = (model.num_states(), model.num_actions());
            let (family, range) = (oracle.members(actions)?, model.reward_range());
            Box::new(CertaintyEquivalence::new(states, actions, model.gamma(), range, family)?)
        }
        AgentChoice::ClassOptimal { oracle } => {
            follow(class_optimum(model, &oracle.members(model.num_actions())?)?.policy)
        }
        AgentChoice::Optimal => {
            // Without a time limit: an agent must not depend on the speed of the machine.
            let options = Effort::default().options(model).with_time_limit(None);
            follow(solve(model, &options)?.policy)
        }
        AgentChoice::Fixed { sequence } => Box::new(FixedSequence::new(sequence.clone())),
        AgentChoice::Uniform => {
            Box::new(UniformRandom::new(model.num_actions(), cell.streams().agent()))
        }
    })
}

/// Algorithm 1 with an oracle that searches.
fn search(
    model: &Tabular<f64>,
    oracle: impl SequenceOracle<f64> + 'static,
    params: LsviUcbParams<f64>,
) -> Result<Box<dyn Learner>, LearnerError> {
    let (actions, gamma) = (model.num_actions(), model.gamma());
    let psi = TabularPsi::new(model.clone());
    Ok(Box::new(LsviUcb::new(psi, oracle, actions, gamma, params)?.with_bounds()))
}

fn candidates(model: &Tabular<f64>, family: Family) -> Result<Candidates<f64>, LearnerError> {
    let members = family.members(model.num_actions())?;
    Ok(Candidates::one_hot(&TabularPsi::new(model.clone()), members)?)
}

fn params(model: &Tabular<f64>, horizon: usize, lambda: f64, beyond: Beyond) -> LsviUcbParams<f64> {
    let params = LsviUcbParams::default()
        .with_horizon(horizon)
        .with_lambda(lambda)
        .with_beyond_horizon(beyond.into());
    let (low, high) = model.reward_range();
    // The paper's rewards lie in [0, 1]: only others are rescaled.
    if low >= 0.0 && high <= 1.0 {
        params
    } else {
        // A range of one point is no range; any other end will do.
        params.with_reward_range(low, if high > low { high } else { low + 1.0 })
    }
}
