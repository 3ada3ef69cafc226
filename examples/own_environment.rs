//! An environment of your own: a thermostat with a continuous temperature and a costly sensor.
//!
//! `cargo run --release --example own_environment`

use rand::Rng;
use sporadic::agents::{Agent, Segment, UniformRandom};
use sporadic::belief::AugmentedState;
use sporadic::check;
use sporadic::model::{Action, Environment, draw};
use sporadic::simulation::{Returns, Simulation, Streams};

/// Actions: 0 idle, 1 heat, 2 idle and look, 3 heat and look.
struct Thermostat;

impl Environment for Thermostat {
    type Scalar = f64;
    type State = f64;

    fn num_actions(&self) -> usize {
        4
    }

    fn gamma(&self) -> f64 {
        0.98
    }

    fn beta(&self, a: Action) -> f64 {
        if a >= 2 { 1.0 } else { 0.05 }
    }

    fn reward(&self, temperature: &f64, a: Action) -> f64 {
        let comfort = (1.0 - (temperature - 20.0).abs() / 5.0).max(0.0);
        if a >= 2 { 0.9 * comfort } else { comfort }
    }

    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        15.0 + 10.0 * draw::uniform(rng)
    }

    fn next<R: Rng + ?Sized>(&self, temperature: &f64, a: Action, rng: &mut R) -> f64 {
        let heating = if a % 2 == 1 { 1.5 } else { 0.0 };
        temperature + heating - 0.05 * (temperature - 5.0) + draw::uniform(rng) - 0.5
    }
}

/// Looks every fourth step; heats when it was cold the last time it looked.
struct FourthStep;

impl Agent<f64, f64> for FourthStep {
    fn begin_episode(&mut self, _: &f64) {}

    fn act(&mut self, x: &AugmentedState<f64>) -> Action {
        let heat = usize::from(*x.state() < 20.0);
        if x.actions().len() % 4 == 3 { heat + 2 } else { heat }
    }

    fn observe(&mut self, _: &Segment<f64, f64>) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    check::environment(&Thermostat, 7, 20).into_result()?;
    println!("20 episodes played twice gave no findings");

    let streams = Streams::new(7);
    let world = Simulation::new(&Thermostat, streams);
    let agents: Vec<Box<dyn Agent<f64, f64>>> =
        vec![Box::new(UniformRandom::new(4, streams.agent())), Box::new(FourthStep)];
    for (name, mut agent) in ["uniformly random", "looks every fourth step"].iter().zip(agents) {
        let mut returns = Returns::new();
        world.run(0..2_000, &mut agent, &mut returns)?;
        println!("{name:<24} mean return {:6.2}", returns.mean().unwrap_or(f64::NAN));
    }
    Ok(())
}
