//! Our side of the comparison on continuous states in `benches/peers`: plays 5,000 episodes of a random linear MDP with
//! the general learner and prints, as JSON, the seconds it took and all that was seen and chosen.
//!
//! `benches/peers/linear.sh` runs it beside numpy.
#![allow(missing_docs)]

use std::cell::RefCell;
use std::time::Instant;

use nalgebra::Const;
use rand_pcg::Pcg64;
use serde_json::{Value, json};
use sporadic::agents::{LsviUcb, LsviUcbParams, Planner, Replanning, Segment};
use sporadic::features::{FactoredFeatures, Psi, RandomLinear, SequenceFeatures};
use sporadic::oracles::Exhaustive;
use sporadic::planning::BurstPolicy;
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{EpisodeSummary, Observer, Simulation, Streams};

const SEED: u64 = 1;
const D: usize = 8;
const GAMMA: f64 = 0.9;
const BETA: [f64; 2] = [0.2, 0.5];
const HORIZON: usize = 30;
const RHO: f64 = 1.0;
const LAMBDA: f64 = 0.01;
const GROWTH: f64 = 2.0;

/// Start, actions played, reward and next state of each segment of each episode.
#[derive(Default)]
struct Log {
    episodes: Vec<Vec<(f64, Vec<usize>, f64, Option<f64>)>>,
    now: Vec<(f64, Vec<usize>, f64, Option<f64>)>,
}

impl Observer<f64, f64> for Log {
    fn segment(&mut self, _: u64, segment: &Segment<f64, f64>) {
        let actions = segment.actions().to_vec();
        self.now.push((*segment.start(), actions, segment.reward(), segment.next().copied()));
    }

    fn episode_end(&mut self, _: &EpisodeSummary<f64>) {
        self.episodes.push(std::mem::take(&mut self.now));
    }
}

fn main() {
    // `cargo test` runs benches too, without this word: then a glance is enough.
    let full = std::env::args().any(|word| word == "--bench");
    let plain = std::env::args().any(|word| word == "--plain");
    let episodes = if full { 5_000 } else { 20 };
    let env = RandomLinear::<f64, _>::new(Const::<D>, BETA.to_vec(), GAMMA, &mut Pcg64::new(3, 1))
        .expect("a valid model");
    let dynamics = env.linear_model(2 * D).dynamics(&BETA, GAMMA).expect("valid dynamics");
    let family: Vec<ActionSequence> = runs(2, 5, 5).collect();
    let make = || {
        let psi = Psi::new(&env, dynamics.clone()).expect("one dimension");
        let params = LsviUcbParams::default()
            .with_horizon(HORIZON)
            .with_rho(RHO)
            .with_lambda(LAMBDA)
            .with_planner(if plain { Planner::Plain } else { Planner::Screened })
            .with_replanning(Replanning::DeterminantGrowth(GROWTH));
        LsviUcb::new(psi, Exhaustive::new(family.clone()), params).expect("valid parameters")
    };
    let world = Simulation::new(&env, Streams::new(SEED));
    let (mut agent, start) = (make(), Instant::now());
    world.run(0..episodes, &mut agent, &mut ()).expect("a legal run");
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{} candidates, {} states, {seconds:.3} s", family.len(), agent.num_ends());
}
