//! From runs to figures and a page.
//!
//! Runs a small experiment, four agents in RiverBalance, and draws the agents' learning curves. With a
//! folder on the command line it writes there everything that is known of the experiment, and a figure
//! made by hand from the returns of a simulation.

use std::error::Error;
use std::path::PathBuf;

use sporadic::agents::FixedSequence;
use sporadic::experiment::Experiment;
use sporadic::kinds::agents::{CertaintyEquivalence, LsviUcb, Optimal, Uniform};
use sporadic::model::gallery;
use sporadic::report::{Figure, ReferenceLine, Series};
use sporadic::simulation::{Returns, Simulation, Streams};

const GAMMA: f64 = 0.9;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let river = gallery::river_balance::<f64>(5, 0.3, GAMMA)?;
    let outcome = Experiment::new("four agents")
        .with_episodes(300)
        .with_seeds(3)
        .with_world("river-balance", river.clone())
        .with_agent(LsviUcb {
            oracle: "words:4".into(),
            horizon: 10,
            rho: 0.5,
            ..LsviUcb::default()
        })
        .with_agent(CertaintyEquivalence { oracle: "words:4".into(), ..Default::default() })
        .with_agent(Optimal {})
        .with_agent(Uniform {})
        .run()?;
    for figure in outcome.figures()? {
        println!("{}: {}", figure.name, figure.caption);
    }

    // The same by hand: any agent, any environment, a few runs.
    let mut runs = Vec::new();
    for seed in 1..=3 {
        let (mut agent, mut returns) = (FixedSequence::new("1(10)".parse()?), Returns::new());
        Simulation::new(&river, Streams::new(seed)).run(0..300, &mut agent, &mut returns)?;
        runs.push(returns.curve());
    }
    let series = Series::mean_return("1(10)", &runs)?.scaled(1.0 - GAMMA);
    let best = outcome.groups()[0].reference.bounds.map(|bounds| (1.0 - GAMMA) * bounds.lower);
    let figure = Figure::new("One sequence in RiverBalance")
        .with_x_label("episode")
        .with_y_label("running average, times 1 − γ")
        .with_band_label("95% t-interval")
        .with_series(series)
        .with_line(ReferenceLine::new("V*", best.unwrap_or(0.0)));

    if let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) {
        std::fs::create_dir_all(&folder)?;
        outcome.write(&folder)?;
        figure.write(folder.join("figure.svg"))?;
        figure.write(folder.join("figure.png"))?;
        println!("wrote figures, curves.csv, summary.json and report.html");
    } else {
        figure.check()?;
        println!("name a folder to write them to");
    }
    Ok(())
}
