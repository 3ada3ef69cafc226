//! Our side of the comparison in `benches/peers`: prints, as JSON, what Algorithm 1 decided in each
//! episode and the seconds that an episode takes after k = 100, 1,000 and 5,000 others.
//!
//! `benches/peers/run.sh` runs it beside the others.
#![allow(missing_docs)]

use std::time::Instant;

use serde_json::{Value, json};
use sporadic::agents::{Candidates, LsviUcbParams, Segment, TabularLsviUcb};
use sporadic::features::TabularPsi;
use sporadic::model::{Tabular, gallery};
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{EpisodeSummary, Observer, Simulation, Streams};

/// Episodes timed after k others, and how often.
const WINDOW: u64 = 20;
const REPEATS: usize = 5;
const SEED: u64 = 1;

/// Writes down a hash of each episode: FNV-1a over (state, actions played, next state) of its
/// segments, where termination is the state n.
struct Decisions {
    num_states: usize,
    hash: u64,
    hashes: Vec<String>,
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

impl Decisions {
    fn eat(&mut self, word: usize) {
        self.hash = (self.hash ^ word as u64).wrapping_mul(0x0000_0100_0000_01b3);
    }
}

impl Observer<usize, f64> for Decisions {
    fn segment(&mut self, _episode: u64, segment: &Segment<usize, f64>) {
        self.eat(*segment.start());
        segment.actions().iter().for_each(|&a| self.eat(a));
        self.eat(segment.next().copied().unwrap_or(self.num_states));
    }

    fn episode_end(&mut self, _summary: &EpisodeSummary<f64>) {
        self.hashes.push(format!("{:016x}", self.hash));
        self.hash = OFFSET;
    }
}

fn measure(name: &str, beta: f64, model: &Tabular<f64>, checkpoints: &[u64]) -> Value {
    let family: Vec<ActionSequence> = runs(2, 5, 10).collect();
    let psi = TabularPsi::new(model.clone());
    let candidates = Candidates::one_hot(&psi, family.clone()).expect("a valid family");
    let mut agent = TabularLsviUcb::new(candidates, LsviUcbParams::default()).expect("parameters");
    let world = Simulation::new(model, Streams::new(SEED));
    let mut decisions = Decisions { num_states: 6, hash: OFFSET, hashes: Vec::new() };
    let (mut done, mut timing) = (0, serde_json::Map::new());
    for &k in checkpoints {
        world.run_from(done..k, |_| 0, &mut agent, &mut decisions).expect("a legal run");
        // The best of some windows, as for the others; each starts from a copy made before.
        let seconds = (0..REPEATS).map(|_| {
            let mut copy = agent.clone();
            let start = Instant::now();
            world.run_from(k..k + WINDOW, |_| 0, &mut copy, &mut ()).expect("a legal run");
            start.elapsed().as_secs_f64() / WINDOW as f64
        });
        timing.insert(k.to_string(), json!(seconds.fold(f64::INFINITY, f64::min)));
        done = k;
    }
    world.run_from(done..done + WINDOW, |_| 0, &mut agent, &mut decisions).expect("a legal run");
    let family: Vec<String> = family.iter().map(ToString::to_string).collect();
    json!({
        "environment": name, "beta": beta, "seed": SEED, "window": WINDOW, "repeats": REPEATS,
        "seconds_per_episode": timing, "decisions": decisions.hashes, "family": family,
    })
}

fn main() {
    // `cargo test` runs benches too, without this word: then a glance is enough.
    let full = std::env::args().any(|word| word == "--bench");
    let checkpoints: &[u64] = if full { &[100, 1_000, 5_000] } else { &[10] };
    let mut settings = Vec::new();
    for beta in [0.05, 0.5] {
        let swim = gallery::river_swim(6, beta, 0.99).expect("a valid model");
        settings.push(measure("RiverSwim", beta, &swim, checkpoints));
        let balance = gallery::river_balance(6, beta, 0.99).expect("a valid model");
        settings.push(measure("RiverBalance", beta, &balance, checkpoints));
    }
    println!("{}", Value::from(settings));
}
