//! Exact regret of Algorithm 1 and of greed, and how it grows with the number of episodes: on
//! RiverSwim, and on RiverBalance, where the paper's family does not hold an optimal sequence.
//!
//! `cargo run --release --example regret [EPISODES]`, 2,000 of them unless the argument says otherwise.

use sporadic::agents::{Agent, Candidates, EpsilonGreedy, LsviUcbParams, TabularLsviUcb};
use sporadic::features::TabularPsi;
use sporadic::model::{Tabular, gallery};
use sporadic::planning::TabularExact;
use sporadic::planning::solve::{Solution, SolveOptions, solve};
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Regret, RegretPoint, Simulation, Streams};

const SEEDS: u64 = 5;

type Failure = Box<dyn std::error::Error>;

fn curve(
    model: &Tabular<f64>,
    best: &Solution<f64>,
    family: &[ActionSequence],
    agent: &mut dyn Agent<usize, f64>,
    (seed, episodes): (u64, u64),
) -> Result<Vec<RegretPoint>, Failure> {
    let exact = TabularExact::new(model).with_bracket(best.lower.clone(), best.upper.clone())?;
    let mut regret = Regret::new(exact).with_class(family);
    Simulation::new(model, Streams::new(seed)).run(0..episodes, agent, &mut regret)?;
    Ok(regret.curve()?)
}

/// The slope of log regret against log K over the second half of a run, by least squares. Against
/// the best of the family: against V* it is 1 in the end where the family lacks an optimal sequence.
fn slope(curve: &[RegretPoint]) -> f64 {
    let late = curve.iter().skip(curve.len() / 2);
    let log = |p: &RegretPoint| Some(((p.episode as f64 + 1.0).ln(), p.class?.ln()));
    let points: Vec<_> = late.filter_map(log).collect();
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let above: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    above / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// Regret against a certified bracket of V*, and against the best of the family.
fn compare(name: &str, model: &Tabular<f64>, episodes: u64) -> Result<(), Failure> {
    let family: Vec<_> = runs(2, 5, 10).collect();
    let best = solve(model, &SolveOptions::default().with_gap(1e-3))?;
    let candidates = Candidates::one_hot(&TabularPsi::new(model.clone()), family.clone())?;
    let params = LsviUcbParams::default();

    println!(
        "{name}, beta = 0.1: regret after so many episodes, at least and at most; {episodes} against the family"
    );
    let columns = [episodes / 20, episodes / 2, episodes];
    println!("                     {:>15}{:>17}{:>19}", columns[0], columns[1], columns[2]);
    let mut slopes = Vec::new();
    for seed in 0..SEEDS {
        let mut ucb = TabularLsviUcb::new(candidates.clone(), params)?;
        let rng = Streams::new(seed).agent();
        let mut greedy = EpsilonGreedy::new(candidates.clone(), params, 0.0, rng)?;
        let agents: [(&str, &mut dyn Agent<usize, f64>); 2] =
            [("LSVI-UCB", &mut ucb), ("no bonus", &mut greedy)];
        for (name, agent) in agents {
            let curve = curve(model, &best, &family, agent, (seed, episodes))?;
            print!("  {name}, seed {seed}  ");
            for k in columns {
                let point = &curve[usize::try_from(k.max(1) - 1)?];
                print!("  {:7.0} .. {:5.0}", point.lower, point.upper);
            }
            println!("  {:7.0}", curve[curve.len() - 1].class.unwrap_or(f64::NAN));
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
        "log-log slope of LSVI-UCB, late, against the family: {mean:.2}, 95% within {:.2} to {:.2}\n",
        mean - half,
        mean + half
    );
    Ok(())
}

fn main() -> Result<(), Failure> {
    let episodes = std::env::args().nth(1).map_or(Ok(2_000), |text| text.parse())?;
    compare("RiverSwim", &gallery::river_swim(6, 0.1, 0.99)?, episodes)?;
    compare("RiverBalance", &gallery::river_balance(6, 0.1, 0.99)?, episodes)
}
