//! What this crate brings has the properties that sporadic relies on.

use own_workbench::machine::Machine;
use own_workbench::registry;
use own_workbench::thermostat::ThermostatKind;
use own_workbench::win_more::WinMore;
use sporadic::check;
use sporadic::estimators::Exploratory;
use sporadic::features::{Dynamics, OneHot};
use sporadic::kinds::{AgentKind, ModelKind, Site};
use sporadic::model::{Environment, Tabular};
use sporadic::simulation::{Simulation, Streams};

fn machine() -> Tabular<f64> {
    Machine::default().build().expect("a machine")
}

#[test]
fn the_worlds_pass() {
    let thermostat = ThermostatKind::default().build().expect("a thermostat");
    check::environment(&thermostat, 1, 50).assert();
    check::environment(&machine(), 1, 50).assert();
    check::exact(&machine(), 1, 2_000).assert();
}

fn agent_passes<W: Environment<Scalar = f64>>(world: &W) {
    let (registry, streams) = (registry(), Streams::new(1));
    let site = Site::new(world, streams, 50, registry.oracles());
    let make = || WinMore::default().build(&site).expect("an agent");
    assert!(make().memory().is_some(), "it can be saved");
    check::agent(&Simulation::new(world, streams), 50, make).assert();
}

#[test]
fn the_agent_passes_in_both_worlds() {
    agent_passes(&machine());
    agent_passes(&ThermostatKind::default().build().expect("a thermostat"));
}

#[test]
fn the_oracle_passes() {
    let oracle = registry().oracles().resolve_value(&"annealing".into()).expect("it is known");
    check::oracle(3, || oracle.build(3).expect("an oracle")).assert();
}

#[test]
fn the_estimator_passes() {
    let (registry, machine) = (registry(), machine());
    let sampler = Exploratory::uniform(&machine);
    let exploration = sampler.exploration().expect("every pair is sampled");
    let laplace = registry.estimators().resolve("laplace").expect("it is known");
    let truth = Dynamics::one_hot(&machine, OneHot::of(&machine));
    let make = || laplace.build(&machine, exploration).expect("an estimator");
    check::estimator(&truth, |rng| sampler.sample(rng), make).assert();
}
