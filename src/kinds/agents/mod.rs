//! The agents, by name.

mod certainty_equivalence;
mod class_optimal;
mod epsilon_greedy;
mod fixed;
mod lsvi_ucb;
mod one_step;
mod optimal;
mod uniform;

pub use certainty_equivalence::CertaintyEquivalence;
pub use class_optimal::ClassOptimal;
pub use epsilon_greedy::EpsilonGreedy;
pub use fixed::Fixed;
pub use lsvi_ucb::LsviUcb;
pub use one_step::OneStep;
pub use optimal::Optimal;
pub use uniform::Uniform;

use super::ParameterError;
use crate::agents::{BeyondHorizon, LsviUcbParams};
use crate::model::Tabular;

/// The parameters of Algorithm 1 on a model: rewards that leave [0, 1] are rescaled.
fn params(
    model: &Tabular<f64>,
    horizon: usize,
    lambda: f64,
    beyond: BeyondHorizon,
) -> LsviUcbParams<f64> {
    let params = LsviUcbParams::default()
        .with_horizon(horizon)
        .with_lambda(lambda)
        .with_beyond_horizon(beyond);
    let (low, high) = model.reward_range();
    if low >= 0.0 && high <= 1.0 {
        params
    } else {
        // A range of one point is no range; any other end will do.
        params.with_reward_range(low, if high > low { high } else { low + 1.0 })
    }
}

/// Refuses what no learner by least squares can use.
fn check_learner(horizon: usize, lambda: f64, rho: f64) -> Result<(), ParameterError> {
    const MAX_HORIZON: usize = 1_000_000;
    if !(2..=MAX_HORIZON).contains(&horizon) {
        let needed = format!("at least 2 and at most {MAX_HORIZON}");
        return Err(ParameterError::new("horizon", horizon, needed));
    }
    if !(lambda > 0.0 && lambda.is_finite()) {
        return Err(ParameterError::new("lambda", lambda, "positive and finite"));
    }
    if !(rho >= 0.0 && rho.is_finite()) {
        return Err(ParameterError::new("rho", rho, "0 or more, and finite"));
    }
    Ok(())
}
