//! The agents, by name.

mod amrl_q;
mod certainty_equivalence;
mod class_optimal;
mod dyna_atmq;
mod epsilon_greedy;
mod fixed;
mod lsvi_ucb;
mod observe_then_plan;
mod one_step;
mod optimal;
mod uniform;

pub use amrl_q::AmrlQ;
pub use certainty_equivalence::CertaintyEquivalence;
pub use class_optimal::ClassOptimal;
pub use dyna_atmq::DynaAtmq;
pub use epsilon_greedy::EpsilonGreedy;
pub use fixed::Fixed;
pub use lsvi_ucb::LsviUcb;
pub use observe_then_plan::ObserveThenPlan;
pub use one_step::OneStep;
pub use optimal::Optimal;
pub use uniform::Uniform;

use std::fmt::Display;

use super::{OracleChoice, ParameterError, Site, Table};
use crate::Number;
use crate::agents::size::{check_counts, check_features, check_plan, per_sighting};
use crate::agents::{BeyondHorizon, LsviUcbParams, TooLarge};
use crate::model::Tabular;
use crate::simulation::Ending;

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

/// The horizon and, if `with_rho`, the bonus that suit a model: H = 1 / (1 - gamma), the mean number of
/// rounds of an episode, but from 10 to 1,000; rho = R / (2 (1 - gamma)), half the largest value there may be,
/// where R is the largest reward, or 1 where rewards leave [0, 1] and are rescaled. For the paper's rivers
/// these are its 100 and 50.
fn suited(model: &Tabular<f64>, with_rho: bool) -> Table {
    let rounds = 1.0 / (1.0 - model.gamma());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 10 to 1,000")]
    let horizon = (rounds - 1e-6).ceil().clamp(10.0, 1_000.0) as u64;
    let mut table = Table::from_iter([("horizon".to_owned(), horizon.into())]);
    let (low, high) = model.reward_range();
    let largest = if low >= 0.0 && high <= 1.0 && high > 0.0 { high } else { 1.0 };
    // Six digits are enough, and 50 is not 49.99999999999996.
    let rho = format!("{:.5e}", largest * rounds / 2.0).parse::<f64>();
    if let Some(rho) = rho.ok().filter(|_| with_rho) {
        table.insert("rho".into(), rho.into());
    }
    table
}

/// Tells of a horizon in sightings that is shorter than what an episode has in the mean if the action
/// that is seen most often is always taken: 1 + gamma beta / (1 - gamma).
fn short_horizon(model: &Tabular<f64>, horizon: usize) -> Vec<String> {
    let betas = |age| (0..model.num_actions()).map(move |a| model.beta_at(a, age));
    let most = |age| betas(age).fold(0.0, f64::max);
    // The chance, discounted, that a sighting is followed by another: that of an action after the other at
    // the age at which it is seen most often.
    let (gamma, last) = (model.gamma(), most(model.ages()));
    let later = gamma * last / (1.0 - gamma * (1.0 - last));
    let again = (1..model.ages())
        .rev()
        .fold(later, |later, age| gamma * (most(age) + (1.0 - most(age)) * later));
    let sightings =
        if model.ages() > 1 { 1.0 / (1.0 - again) } else { 1.0 + gamma * last / (1.0 - gamma) };
    too_short(horizon, sightings, "sightings")
}

/// Tells of a horizon that is shorter than an episode.
fn too_short(horizon: usize, needed: f64, what: &str) -> Vec<String> {
    // The horizon is a count: within one half it is as good as can be.
    if horizon as f64 + 0.5 >= needed {
        return Vec::new();
    }
    vec![format!(
        "horizon = {horizon}, but an episode may have {needed:.1} {what} in the mean; what comes after the \
         horizon is not planned for"
    )]
}

/// The factor of the next state's value for an agent that learns from the ends of episodes: 1 where gamma ends
/// them, gamma where they end in absorbing states.
fn discount(site: &Site<'_, Tabular<f64>>) -> f64 {
    match site.setting().ending {
        Ending::Discounted => 1.0,
        Ending::Absorbing { .. } => site.world().gamma(),
    }
}

/// Refuses a share or probability that is none.
fn check_share(name: &str, value: f64) -> Result<(), ParameterError> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(ParameterError::new(name, Number(value), "in [0, 1]"))
}

/// Refuses a world whose transitions are too many to be counted.
fn measuring_size(name: &str, site: &Site<'_, Tabular<f64>>) -> Result<(), ParameterError> {
    let (states, actions) = (site.world().num_states(), site.world().num_actions());
    check_counts(states, actions).map_err(smaller("agent", name))
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
