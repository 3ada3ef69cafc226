//! Our side of the comparison on continuous states in `benches/peers`: plays 5,000 episodes of a random linear MDP with
//! the general learner, lets another one learn from what was seen without playing, and prints, as JSON, the seconds
//! both took and all that was seen and chosen.
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

/// The segments of an episode; the last state of an episode is never seen.
type Episode = Vec<Segment<f64, f64>>;

/// The history, and what numpy needs of it besides.
struct Log<'a> {
    factors: &'a dyn FactoredFeatures<f64, f64>,
    history: Vec<Episode>,
    /// The sequence chosen for each segment.
    chosen: Vec<Vec<String>>,
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
        self.log.history.push(Vec::new());
        self.log.phi.push(Vec::new());
        self.see(*start);
    }

    fn act(&mut self, x: &AugmentedState<f64>) -> Action {
        self.agent.act(x)
    }

    fn observe(&mut self, segment: &Segment<f64, f64>) {
        self.agent.observe(segment);
        self.log.history.last_mut().expect("an episode").push(segment.clone());
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

/// Lets an agent learn from episodes played before: all that a simulation asks of it, without the simulation.
///
/// # Panics
/// If it takes another action than was taken then.
fn replay(history: &[Episode], agent: &mut impl Agent<f64, f64>) {
    let mut x = AugmentedState::new(0.0);
    for episode in history {
        agent.begin_episode(episode[0].start());
        for segment in episode {
            x.reveal(*segment.start());
            for &action in segment.actions() {
                assert_eq!(agent.act(&x), action, "another action");
                x.push(action);
            }
            agent.observe(segment);
        }
        agent.end_episode();
    }
}

/// The processor seconds that `work` takes.
fn seconds(work: impl FnOnce()) -> f64 {
    let (start, before) = (Instant::now(), processor_seconds());
    work();
    let elapsed = start.elapsed().as_secs_f64();
    before.and_then(|x| Some(processor_seconds()? - x)).unwrap_or(elapsed)
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
    let play = |planner, episodes| {
        let mut agent = make(planner);
        let taken = seconds(|| {
            world.run(0..episodes, &mut agent, &mut ()).expect("a legal run");
        });
        eprintln!("{planner:?}: {episodes} episodes, {} states, {taken:.3} s", agent.num_ends());
        taken
    };
    let psi = Psi::new(&env, dynamics.clone()).expect("one dimension");
    let factors = psi.factors().expect("psi factors");
    let (history, chosen, phi) = (Vec::new(), Vec::new(), Vec::new());
    let log = Log { factors: &*factors, history, chosen, phi };
    let mut told = Told { agent: make(Planner::Screened), log };
    world.run(0..episodes, &mut told, &mut ()).expect("a legal run");
    let Told { agent: player, log } = told;
    let learn = || {
        let mut agent = make(Planner::Screened);
        let taken = seconds(|| replay(&log.history, &mut agent));
        eprintln!("without simulation: {} states, {taken:.3} s", agent.num_ends());
        assert_eq!(agent.num_ends(), player.num_ends(), "another number of states");
        for (s, u) in (0..100).zip((1..HORIZON).cycle()) {
            let s = f64::from(s) / 100.0;
            assert_eq!(agent.choose(u, &s), player.choose(u, &s), "another choice");
        }
        taken
    };
    // The best of three, as for numpy, in turns, so that both meet the same other work.
    let least = |(x, y): (f64, f64), (v, w): (f64, f64)| (x.min(v), y.min(w));
    let (whole, learning) = (0..3)
        .map(|_| (play(Planner::Screened, episodes), learn()))
        .fold((f64::INFINITY, f64::INFINITY), least);
    // State by state, as the oracle is asked: on a tenth of the episodes, because it is slow.
    let (short, plain) =
        (play(Planner::Screened, episodes / 10), play(Planner::Plain, episodes / 10));
    let rewards: Vec<Vec<f64>> =
        log.history.iter().map(|episode| episode.iter().map(Segment::reward).collect()).collect();
    let matrices: Vec<Vec<f64>> =
        (0..BETA.len()).map(|a| dynamics.matrix(a).transpose().as_slice().to_vec()).collect();
    let family: Vec<String> = family.iter().map(ToString::to_string).collect();
    println!(
        "{}",
        json!({
            "whole": whole, "learning": learning, "short": short, "plain": plain, "d": D, "gamma": GAMMA, "beta": BETA, "horizon": HORIZON,
            "rho": RHO, "lambda": LAMBDA, "growth": GROWTH, "matrices": matrices, "family": family,
            "states": player.num_ends(), "chosen": log.chosen, "rewards": rewards, "phi": log.phi,
        })
    );
}
