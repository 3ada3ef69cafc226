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

use std::fmt::Display;

use super::{OracleChoice, ParameterError, Site};
use crate::Number;
use crate::agents::size::{check_features, check_plan, per_sighting};
use crate::agents::{BeyondHorizon, LsviUcbParams, TooLarge};
use crate::model::Tabular;

/// The parameters of Algorithm 1 on a model.
fn params(
    model: &Tabular<f64>,
    horizon: usize,
    lambda: f64,
    beyond: BeyondHorizon,
) -> LsviUcbParams<f64> {
    LsviUcbParams::default()
        .with_horizon(horizon)
        .with_lambda(lambda)
        .with_beyond_horizon(beyond)
        .with_rewards_of(model)
}

/// Refuses what no learner by least squares can use.
fn check_learner(horizon: usize, lambda: f64, rho: f64) -> Result<(), ParameterError> {
    if horizon < 2 {
        return Err(ParameterError::new("horizon", horizon, "at least 2"));
    }
    if !(lambda > 0.0 && lambda.is_finite()) {
        return Err(ParameterError::new("lambda", Number(lambda), "positive and finite"));
    }
    if !(rho >= 0.0 && rho.is_finite()) {
        return Err(ParameterError::new("rho", Number(rho), "0 or more, and finite"));
    }
    Ok(())
}

/// Refuses a family or a horizon that takes a tabular learner more memory than there may be.
fn check_tabular(
    site: &Site<'_, Tabular<f64>>,
    oracle: &OracleChoice,
    members: usize,
    horizon: usize,
) -> Result<(), ParameterError> {
    let (states, actions) = (site.world().num_states(), site.world().num_actions());
    // The model has this many pairs already: the product cannot overflow.
    check_features(states * actions, states, members).map_err(smaller("oracle", oracle))?;
    check_plan(horizon, per_sighting(states)).map_err(smaller("horizon", horizon))
}

/// In the words of a parameter: a table that it makes is too large.
fn smaller(name: &str, value: impl Display) -> impl FnOnce(TooLarge) -> ParameterError {
    let refused = ParameterError::new(name, value, "");
    move |fault| match refused {
        ParameterError::Value { place, value, .. } => {
            ParameterError::Value { place, value, needed: format!("smaller: {fault}") }
        }
        other => other,
    }
}
