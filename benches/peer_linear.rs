//! Our side of the comparison on continuous states in `benches/peers`: plays 5,000 episodes of a random linear MDP with
//! the general learner and prints, as JSON, the seconds it took and all that was seen and chosen.
//!
//! `benches/peers/linear.sh` runs it beside numpy.
#![allow(missing_docs)]

use std::fs;
use std::time::Instant;

use nalgebra::Const;
use rand_pcg::Pcg64;
use serde_json::json;
use sporadic::agents::{Agent, LsviUcb, LsviUcbParams, Planner, Replanning, Segment};
use sporadic::belief::AugmentedState;
use sporadic::features::{FactoredFeatures, Psi, RandomLinear, SequenceFeatures};
use sporadic::model::Action;
use sporadic::oracles::Exhaustive;
use sporadic::planning::BurstPolicy;
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Simulation, Streams};

const SEED: u64 = 1;
const D: usize = 8;
const GAMMA: f64 = 0.9;
const BETA: [f64; 2] = [0.2, 0.5];
const HORIZON: usize = 30;
const RHO: f64 = 1.0;
const LAMBDA: f64 = 0.01;
const GROWTH: f64 = 2.0;

/// What numpy needs of each episode: the state and the sequence chosen in it, the reward, for each segment; the last
/// state of an episode is never seen.
struct Log<'a> {
    factors: &'a dyn FactoredFeatures<f64, f64>,
    chosen: Vec<Vec<String>>,
    rewards: Vec<Vec<f64>>,
    /// phi of the state in which each segment starts, for both actions.
    phi: Vec<Vec<Vec<f64>>>,
}

/// The learner, which tells the sequence it chose for every state it met.
struct Told<'a, A> {
    agent: A,
    log: Log<'a>,
}

impl<P: BurstPolicy<f64> + Agent<f64, f64>> Agent<f64, f64> for Told<'_, P> {
    fn begin_episode(&mut self, start: &f64) {
        self.agent.begin_episode(start);
        self.log.chosen.push(Vec::new());
        self.log.rewards.push(Vec::new());
        self.log.phi.push(Vec::new());
        self.see(*start);
    }

    fn act(&mut self, x: &AugmentedState<f64>) -> Action {
        self.agent.act(x)
    }

    fn observe(&mut self, segment: &Segment<f64, f64>) {
        self.agent.observe(segment);
        self.log.rewards.last_mut().expect("an episode").push(segment.reward());
        if let Some(next) = segment.next() {
            self.see(*next);
        }
    }
}

impl<P: BurstPolicy<f64>> Told<'_, P> {
    fn see(&mut self, s: f64) {
        let chosen = self.log.chosen.last_mut().expect("an episode");
        chosen.push(self.agent.sequence(chosen.len() + 1, &s).to_string());
        let mut phi = vec![0.0; 2 * D];
        phi.chunks_exact_mut(D).enumerate().for_each(|(a, phi)| self.log.factors.phi(&s, a, phi));
        self.log.phi.last_mut().expect("an episode").push(phi);
    }
}

/// The seconds that this process has had a processor, where the system tells: others may be at work.
fn processor_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

fn main() {
    // `cargo test` runs benches too, without this word: then a glance is enough.
    let full = std::env::args().any(|word| word == "--bench");
    let episodes = if full { 5_000 } else { 20 };
    let env = RandomLinear::<f64, _>::new(Const::<D>, BETA.to_vec(), GAMMA, &mut Pcg64::new(3, 1))
        .expect("a valid model");
    let dynamics = env.linear_model(2 * D).dynamics(&BETA, GAMMA).expect("valid dynamics");
    let family: Vec<ActionSequence> = runs(2, 5, 5).collect();
    let make = |planner| {
        let psi = Psi::new(&env, dynamics.clone()).expect("one dimension");
        let params = LsviUcbParams::default()
            .with_horizon(HORIZON)
            .with_rho(RHO)
            .with_lambda(LAMBDA)
            .with_planner(planner)
            .with_replanning(Replanning::DeterminantGrowth(GROWTH));
        LsviUcb::new(psi, Exhaustive::new(family.clone()), params).expect("valid parameters")
    };
    let world = Simulation::new(&env, Streams::new(SEED));
    let seconds = |planner, episodes| {
        let (mut agent, start) = (make(planner), Instant::now());
        let before = processor_seconds();
        world.run(0..episodes, &mut agent, &mut ()).expect("a legal run");
        let elapsed = start.elapsed().as_secs_f64();
        let seconds = before.and_then(|x| Some(processor_seconds()? - x)).unwrap_or(elapsed);
        eprintln!("{planner:?}: {episodes} episodes, {} states, {seconds:.2} s", agent.num_ends());
        seconds
    };
    // The best of three, as for numpy.
    let best = (0..3).map(|_| seconds(Planner::Screened, episodes)).fold(f64::INFINITY, f64::min);
    // State by state, as the oracle is asked: on a tenth of the episodes, because it is slow.
    let (short, plain) =
        (seconds(Planner::Screened, episodes / 10), seconds(Planner::Plain, episodes / 10));
    let psi = Psi::new(&env, dynamics.clone()).expect("one dimension");
    let factors = psi.factors().expect("psi factors");
    let log = Log { factors: &*factors, chosen: Vec::new(), rewards: Vec::new(), phi: Vec::new() };
    let mut told = Told { agent: make(Planner::Screened), log };
    world.run(0..episodes, &mut told, &mut ()).expect("a legal run");
    let matrices: Vec<Vec<f64>> =
        (0..BETA.len()).map(|a| dynamics.matrix(a).transpose().as_slice().to_vec()).collect();
    let family: Vec<String> = family.iter().map(ToString::to_string).collect();
    println!(
        "{}",
        json!({
            "seconds": best, "short": short, "plain": plain, "d": D, "gamma": GAMMA, "beta": BETA, "horizon": HORIZON,
            "rho": RHO, "lambda": LAMBDA, "growth": GROWTH, "matrices": matrices, "family": family,
            "states": told.agent.num_ends(), "chosen": told.log.chosen, "rewards": told.log.rewards,
            "phi": told.log.phi,
        })
    );
}
