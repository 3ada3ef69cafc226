//! Algorithm 1 by two roads: line by line over the whole history, and as the library does it.

use crate::common::learners::{Literal, Shadow, family, river};
use rand_pcg::Pcg64;
use serde_json::Value;
use sporadic::agents::{Candidates, LsviUcbParams, TabularLsviUcb};
use sporadic::features::TabularPsi;
use sporadic::simulation::{Simulation, Streams, run_episode};

/// Plays `episodes` with the library's agent while the literal one looks over its shoulder.
fn compare(name: &str, beta: f64, episodes: u64, every: u64) {
    let model = river(name, beta);
    let psi = TabularPsi::new(model.clone());
    let params = LsviUcbParams::default();
    let fast = Candidates::one_hot(&psi, family()).unwrap();
    let agent = TabularLsviUcb::new(fast, params).unwrap();
    let literal = Literal::new(&psi, &family(), params);
    let mut shadow = Shadow { agent, literal, every, worst: 0.0 };
    Simulation::new(&model, Streams::new(5)).run(0..episodes, &mut shadow, &mut ()).unwrap();
    assert!(shadow.worst < 1e-9, "{name} {beta}: values differ by {}", shadow.worst);
}

#[test]
fn the_literal_road_decides_alike_on_river_swim() {
    compare("river_swim", 0.05, 300, 1);
    compare("river_swim", 0.5, 300, 7);
}

#[test]
fn the_literal_road_decides_alike_on_river_balance() {
    compare("river_balance", 0.05, 300, 1);
    compare("river_balance", 0.5, 300, 7);
}

#[test]
fn general_features_in_2d_decide_as_one_hot_ones_in_d() {
    let model = river("river_balance", 0.2);
    let psi = TabularPsi::new(model.clone());
    let params = LsviUcbParams::default();
    let run = |candidates| {
        let mut agent = TabularLsviUcb::new(candidates, params).unwrap();
        let mut plans = Vec::new();
        let world = Simulation::new(&model, Streams::new(2));
        for k in 0..200 {
            world.run(k..k + 1, &mut agent, &mut ()).unwrap();
            plans.push(agent.plan().clone());
        }
        (plans, agent.values())
    };
    let (short, a) = run(Candidates::one_hot(&psi, family()).unwrap());
    let (long, b) = run(Candidates::new(&psi, 6, family()).unwrap());
    assert!(short == long);
    a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-9));
}

/// 300 episodes of an implementation in another language, on the same random numbers.
#[test]
fn decisions_of_an_independent_implementation() {
    let text = include_str!("../fixtures/lsvi_trace.json");
    let runs: Vec<Value> = serde_json::from_str(text).unwrap();
    let word = |v: &Value| u128::from_str_radix(&v.as_str().unwrap()[2..], 16).unwrap();
    let number = |v: &Value| usize::try_from(v.as_u64().unwrap()).unwrap();
    for run in &runs {
        let beta = run["beta"].as_f64().unwrap();
        let model = river(run["environment"].as_str().unwrap(), beta);
        let candidates = Candidates::one_hot(&TabularPsi::new(model.clone()), family()).unwrap();
        let mut agent = TabularLsviUcb::new(candidates, LsviUcbParams::default()).unwrap();
        for (k, episode) in run["episodes"].as_array().unwrap().iter().enumerate() {
            let (state, inc) = (word(&episode["state"]), word(&episode["inc"]));
            let mut rng = Pcg64::from_state(state, inc >> 1);
            let summary = run_episode(&model, &mut agent, 0, &mut rng, &mut ()).unwrap();
            for (u, key) in [(1, "policy_u1"), (50, "policy_u50")] {
                let row: Vec<_> = episode[key].as_array().unwrap().iter().map(number).collect();
                let ours: Vec<_> = (0..6).map(|s| agent.plan().index(u, s)).collect();
                assert_eq!(ours, row, "{} {beta}, episode {k}, sighting {u}", run["environment"]);
            }
            let expected = episode["return"].as_f64().unwrap();
            assert!((summary.reward - expected).abs() < 1e-6, "episode {k}");
        }
    }
}
