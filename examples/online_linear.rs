//! What it costs not to know the action matrices of a linear world on the unit interval: the mean return
//! of the last 200 episodes with exact psi and with psi learnt online, over ten worlds.
//!
//! `cargo run --release --example online_linear [WORLDS [MOST_EPISODES]]`

use nalgebra::Const;
use rand_pcg::Pcg64;
use sporadic::agents::{Agent, LsviUcb, LsviUcbParams, OnlineLsviUcb};
use sporadic::estimators::MomentEstimator;
use sporadic::features::{Psi, RandomLinear};
use sporadic::oracles::Exhaustive;
use sporadic::sequence::runs;
use sporadic::simulation::{Returns, Simulation, Streams};

type Failure = Box<dyn std::error::Error>;
type World = RandomLinear<f64, Const<4>>;

/// How many episodes are measured, the last ones.
const LAST: u64 = 200;

struct Setting {
    beta: [f64; 2],
    gamma: f64,
    rho: f64,
    episodes: u64,
}

/// The mean return of the last episodes.
fn play(
    world: &World,
    setting: &Setting,
    seed: u64,
    agent: &mut dyn Agent<f64, f64>,
) -> Result<f64, Failure> {
    let simulation = Simulation::new(world, Streams::new(seed));
    let first = setting.episodes - LAST;
    simulation.run(0..first, agent, &mut ())?;
    let mut returns = Returns::new();
    simulation.run(first..setting.episodes, agent, &mut returns)?;
    returns.mean().ok_or_else(|| "no episode was measured".into())
}

/// Exact psi and psi learnt online, in one world.
fn compare(setting: &Setting, seed: u64) -> Result<[f64; 2], Failure> {
    let world =
        World::new(Const, setting.beta.to_vec(), setting.gamma, &mut Pcg64::new(seed.into(), 4))?;
    let params = LsviUcbParams::default().with_horizon(20).with_rho(setting.rho);
    let family = || Exhaustive::new(runs(2, 2, 4));
    let dynamics = world.linear_model(20).dynamics(&setting.beta, setting.gamma)?;
    let mut told = LsviUcb::new(Psi::new(&world, dynamics)?, family(), params)?;
    let nothing = MomentEstimator::new(&world, 2, setting.gamma)?;
    let mut online = OnlineLsviUcb::new(nothing, family(), params)?;
    Ok([play(&world, setting, seed, &mut told)?, play(&world, setting, seed, &mut online)?])
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let worlds = arguments.next().unwrap_or(Ok(10))?;
    let most = arguments.next().unwrap_or(Ok(u64::MAX))?.max(LAST);
    println!(
        "| beta | gamma | rho | episodes | exact psi | online | ratio of the means | worst world |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (beta, gamma, rho, episodes) in [
        ([0.2, 0.6], 0.8, 0.5, 1_200),
        ([0.2, 0.6], 0.8, 2.5, 1_200),
        ([0.1, 0.3], 0.9, 0.5, 400),
        ([0.1, 0.3], 0.9, 0.5, 1_200),
        ([0.1, 0.3], 0.9, 2.5, 1_200),
    ] {
        let setting = Setting { beta, gamma, rho, episodes: most.min(episodes) };
        let pairs =
            (1..=worlds).map(|seed| compare(&setting, seed)).collect::<Result<Vec<_>, _>>()?;
        let mean = |i: usize| pairs.iter().map(|pair| pair[i]).sum::<f64>() / pairs.len() as f64;
        let worst = pairs.iter().map(|pair| pair[1] / pair[0]).fold(f64::INFINITY, f64::min);
        let (told, learnt) = (mean(0), mean(1));
        println!(
            "| {beta:?} | {gamma} | {rho} | {} | {told:.3} | {learnt:.3} | {:.3} | {worst:.3} |",
            setting.episodes,
            learnt / told
        );
    }
    Ok(())
}
