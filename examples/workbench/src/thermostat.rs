//! A world with continuous states: a room that cools, a heater that one may look at.

use rand::Rng;
use sporadic::Fault;
use sporadic::kind;
use sporadic::kinds::{ModelKind, ParameterError};
use sporadic::model::{Action, Environment, draw};

/// A room whose temperature, from 0 to 1, drifts down, and up while one heats. A round pays the more the
/// nearer the temperature is to the comfortable one.
#[derive(Debug)]
pub struct Thermostat {
    comfort: f64,
}

impl Environment for Thermostat {
    type Scalar = f64;
    type State = f64;

    fn num_actions(&self) -> usize {
        2
    }

    fn gamma(&self) -> f64 {
        0.95
    }

    /// Heating beeps, and then one looks.
    fn beta(&self, a: Action) -> f64 {
        [0.1, 0.6][a]
    }

    fn reward(&self, s: &f64, _: Action) -> f64 {
        1.0 - (s - self.comfort).abs()
    }

    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        draw::uniform(rng)
    }

    fn next<R: Rng + ?Sized>(&self, s: &f64, a: Action, rng: &mut R) -> f64 {
        let drift = [-0.08, 0.12][a];
        (s + drift + 0.04 * (draw::uniform(rng) - 0.5)).clamp(0.0, 1.0)
    }
}

kind! {
    /// A room that cools and can be heated.
    pub struct ThermostatKind("thermostat") {
        /// The comfortable temperature, from 0 to 1
        comfort: f64 = 0.7,
    }
}

impl ModelKind for ThermostatKind {
    type World = Thermostat;

    fn build(&self) -> Result<Thermostat, Fault> {
        Ok(Thermostat { comfort: self.comfort })
    }

    fn check(&self) -> Result<(), ParameterError> {
        if (0.0..=1.0).contains(&self.comfort) {
            return Ok(());
        }
        Err(ParameterError::new("comfort", self.comfort, "in [0, 1]"))
    }
}
