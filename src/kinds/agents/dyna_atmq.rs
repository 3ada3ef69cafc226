//! `dyna-atmq`.

use super::{check_share, discount, measuring_size};
use crate::agents::{self, Controls, DynaAtmqParams, Feedback, Resume as _};
use crate::kinds::{AgentKind, BoxedAgent, ParameterError, Site};
use crate::model::Tabular;
use crate::{Fault, kind};

kind! {
    /// Acts on Q under a belief of particles, and measures when that is worth its price (Krale et al.).
    pub struct DynaAtmq("dyna-atmq") {
        /// The weight of a new target against the old value
        learning_rate: f64 = 0.1,
        /// How many particles a belief has
        particles: usize = 100,
        /// How many measurements of a pair end its optimism
        optimistic_tries: u64 = 50,
        /// How many updates from the learnt model follow each round
        updates: usize = 0,
        /// The largest value there may be, if not that of the world with every state seen
        optimism: Option<f64> = None,
    }
}

impl AgentKind<Tabular<f64>> for DynaAtmq {
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        let params = DynaAtmqParams {
            learning_rate: self.learning_rate,
            particles: self.particles,
            optimistic_tries: self.optimistic_tries,
            updates: self.updates,
            optimism: self.optimism.unwrap_or_else(|| largest_value(site.world())),
            discount: discount(site),
        };
        Ok(Box::new(agents::DynaAtmq::for_model(site.world(), params, site.rng())?.resumable()))
    }

    fn check(&self, site: &Site<'_, Tabular<f64>>) -> Result<(), ParameterError> {
        check_share("learning_rate", self.learning_rate)?;
        if !(1..=1_000_000).contains(&self.particles) {
            return Err(ParameterError::new("particles", self.particles, "from 1 to 1000000"));
        }
        if self.updates > 1_000_000 {
            return Err(ParameterError::new("updates", self.updates, "at most 1000000"));
        }
        measuring_size("dyna-atmq", site)
    }

    fn feedback(&self) -> Feedback {
        Feedback::EveryRound
    }
}

/// The largest optimal value of a state if every state is seen for nothing. The source scales its rewards so
/// that it is 1; here the agent is told it.
fn largest_value(model: &Tabular<f64>) -> f64 {
    let (n, controls) = (model.num_states(), Controls::of(model));
    let mut values = vec![0.0; n];
    // To a millionth of the scale of values, or as near as 100,000 sweeps get.
    let (low, high) = model.reward_range();
    let enough = 1e-6 * low.abs().max(high.abs());
    for _ in 0..100_000 {
        let worth = |s: usize, control: usize| {
            let action = controls.action(control, false);
            let ahead: f64 = model.row(s, action).map(|(t, p)| p * values[t]).sum();
            model.reward(s, action) + model.gamma() * ahead
        };
        let best = |s| (0..controls.len()).map(|c| worth(s, c)).fold(f64::NEG_INFINITY, f64::max);
        let next: Vec<f64> = (0..n).map(best).collect();
        let change = next.iter().zip(&values).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        values = next;
        if change * model.gamma() <= enough * (1.0 - model.gamma()) {
            break;
        }
    }
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::gallery::{self, FROZEN_LAKE_4X4, Ice, frozen_lake};

    #[test]
    fn the_largest_value_is_the_sources_in_its_own_problems() {
        // Rewards of the source are scaled so that it is 1.
        let lake = |ice| frozen_lake(&FROZEN_LAKE_4X4, ice, 0.05, 0.95).unwrap();
        for model in [
            gallery::measuring_value(0.1, 0.95).unwrap(),
            lake(Ice::Deterministic),
            lake(Ice::SemiSlippery),
        ] {
            assert!((largest_value(&model) - 1.0).abs() < 1e-5);
        }
        let inventory = gallery::inventory(0.2, 0.8).unwrap();
        assert!((largest_value(&inventory) - 8.05).abs() < 1e-5);
    }
}
