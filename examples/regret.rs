//! Exact regret of Algorithm 1 and of greed, and how it grows with the number of episodes.
//!
//! `cargo run --release --example regret`

use sporadic::agents::{Agent, Candidates, EpsilonGreedy, LsviUcbParams, TabularLsviUcb};
use sporadic::features::TabularPsi;
use sporadic::model::{Tabular, gallery};
use sporadic::planning::class_optimum;
use sporadic::sequence::runs;
use sporadic::simulation::{Benchmark, Regret, RegretPoint, Simulation, Streams};

const EPISODES: u64 = 2_000;
const SEEDS: u64 = 5;

type Failure = Box<dyn std::error::Error>;

fn curve(
    model: &Tabular<f64>,
    best: &[f64],
    agent: &mut dyn Agent<usize, f64>,
    seed: u64,
) -> Result<Vec<RegretPoint<f64>>, Failure> {
    // For RiverSwim the best of the family is optimal; elsewhere give a certified bracket.
    let mut regret = Regret::new(model, Benchmark::exact(best.to_vec()))?;
    Simulation::new(model, Streams::new(seed)).run(0..EPISODES, agent, &mut regret)?;
    Ok(regret.curve()?)
}

/// The slope of log regret against log K over the second half of a run, by least squares.
fn slope(curve: &[RegretPoint<f64>]) -> f64 {
    let late = curve.iter().skip(curve.len() / 2);
    let points: Vec<_> = late.map(|p| ((p.episode as f64 + 1.0).ln(), p.upper.ln())).collect();
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let above: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    above / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

fn main() -> Result<(), Failure> {
    let swim = gallery::river_swim(6, 0.1, 0.99)?;
    let family: Vec<_> = runs(2, 5, 10).collect();
    let best = class_optimum(&swim, &family)?.values;
    let candidates = Candidates::one_hot(&TabularPsi::new(swim.clone()), family)?;
    let params = LsviUcbParams::default();

    println!("cumulative regret     {:>9}{:>9}{:>9}{:>9}", 10, 100, 1_000, EPISODES);
    let mut slopes = Vec::new();
    for seed in 0..SEEDS {
        let mut ucb = TabularLsviUcb::new(candidates.clone(), params)?;
        let rng = Streams::new(seed).agent();
        let mut greedy = EpsilonGreedy::new(candidates.clone(), params, 0.0, rng)?;
        let agents: [(&str, &mut dyn Agent<usize, f64>); 2] =
            [("LSVI-UCB", &mut ucb), ("no bonus", &mut greedy)];
        for (name, agent) in agents {
            let curve = curve(&swim, &best, agent, seed)?;
            print!("{name}, seed {seed}      ");
            for k in [10, 100, 1_000, curve.len()] {
                print!("{:9.0}", curve[k - 1].upper);
            }
            println!();
            if name == "LSVI-UCB" {
                slopes.push(slope(&curve));
            }
        }
    }
    // Student's t with four degrees of freedom.
    let n = slopes.len() as f64;
    let mean = slopes.iter().sum::<f64>() / n;
    let variance = slopes.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = 2.776 * (variance / n).sqrt();
    println!(
        "log-log slope of LSVI-UCB, late: {mean:.2}, 95% within {:.2} to {:.2}",
        mean - half,
        mean + half
    );
    Ok(())
}
