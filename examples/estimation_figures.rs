//! What it costs to estimate psi, as two figures: regret against the number N of exploratory samples, beside exact psi and psi learnt
//! online; and the error of EM, and of counting, against the number of episodes.
//!
//! `cargo run --release --features experiment --example estimation_figures FOLDER` takes some minutes on two cores. Without a
//! folder it does a small part of the work and writes nothing.

use std::error::Error;
use std::path::PathBuf;

use sporadic::agents::{LsviUcbParams, OnlineTabularLsviUcb};
use sporadic::estimators::{Estimator, TabularEstimator};
use sporadic::experiment::{Experiment, Group, Interval};
use sporadic::kinds::PsiChoice;
use sporadic::kinds::agents::LsviUcb;
use sporadic::model::{Tabular, gallery};
use sporadic::report::{Color, Dash, Figure, ReferenceLine, Series, SmallMultiples, Style};
use sporadic::sequence::runs;
use sporadic::simulation::{Collector, Simulation, Streams};

type Failure = Box<dyn Error + Send + Sync>;

const BETA: f64 = 0.05;

/// How much is done: everything, or a glimpse.
struct Size {
    samples: &'static [u64],
    episodes: u64,
    seeds: u64,
}

/// The regret against the best policy of the family, at the end.
fn regret(group: &Group) -> Result<Interval, Failure> {
    let class = group.reference.class.ok_or("a family has a best policy")?;
    Ok(*group.regret(class).last().ok_or("an episode has been played")?)
}

fn regret_figure(name: &str, river: Tabular<f64>, size: &Size) -> Result<Figure, Failure> {
    let mut choices = vec![PsiChoice::Exact, PsiChoice::Online];
    choices.extend(size.samples.iter().map(|&n| PsiChoice::Estimated(n)));
    let mut experiment = Experiment::new(name)
        .with_episodes(size.episodes)
        .with_seeds(size.seeds)
        .with_points(1)
        .with_world(name, river);
    for &psi in &choices {
        experiment = experiment.with_agent(LsviUcb { psi, ..LsviUcb::default() });
    }
    let outcome = experiment.run()?;
    let regrets: Vec<Interval> = outcome.groups().iter().map(regret).collect::<Result<_, _>>()?;
    for (choice, regret) in choices.iter().zip(&regrets) {
        let half = regret.half_width.unwrap_or(0.0);
        println!("{name}, psi {choice}: {:.0} ± {half:.0}", regret.mean);
    }
    let at = size.samples.iter().map(|&n| (n as f64).log10()).collect();
    let line = |label: &str, regret: Interval, color| {
        ReferenceLine::new(label, regret.mean)
            .with_interval(regret.low(), regret.high())
            .with_style(Style::new(color, Dash::Dashed))
    };
    let estimated = Series::from_intervals("estimated from N samples", at, &regrets[2..]);
    Ok(Figure::new(format!("{name}, β = {BETA}"))
        .with_x_label("log₁₀ N")
        .with_y_label(format!("regret after {} episodes", size.episodes))
        .with_band_label("95% t-interval")
        .with_series(estimated.with_style(Style::new(Color::Blue, Dash::Solid)))
        .with_line(line("exact", regrets[0], Color::Grey))
        .with_line(line("online", regrets[1], Color::Vermillion)))
}

/// The mean over (s, a) of the total variation between two distributions of the next state.
fn distance(river: &Tabular<f64>, p: impl Fn(usize, usize, usize) -> f64) -> f64 {
    let pairs = (0..6).flat_map(|s| [(s, 0), (s, 1)]);
    let off = |s, a, next| (p(s, a, next) - river.probability(s, a, next)).abs();
    pairs.map(|(s, a)| (0..6).map(|next| off(s, a, next)).sum::<f64>() / 2.0).sum::<f64>() / 12.0
}

/// The errors of EM and of counting transitions, in the segments that the online agent plays.
fn error_figure(name: &str, river: &Tabular<f64>, size: &Size) -> Result<Figure, Failure> {
    let stops: Vec<u64> =
        [10, 30, 100, 300, 1_000, 3_000].into_iter().filter(|&k| k <= size.episodes).collect();
    let (mut em, mut counted) = (vec![Vec::new(); stops.len()], vec![Vec::new(); stops.len()]);
    for seed in 1..=size.seeds {
        let params = LsviUcbParams::default();
        let mut agent = OnlineTabularLsviUcb::for_model(river, runs(2, 5, 10), params)?;
        let mut counts = Collector::new(TabularEstimator::new(6, 2, river.gamma())?);
        let world = Simulation::new(river, Streams::new(seed));
        let mut done = 0;
        for (i, &stop) in stops.iter().enumerate() {
            world.run(done..stop, &mut agent, &mut counts)?;
            done = stop;
            em[i].push(distance(river, |s, a, next| agent.estimator().probability(s, a, next)));
            let estimate = counts.estimator().estimate()?;
            let by_counts = |s, a, next| estimate.matrix(0)[(2 * s + a, 2 * next)];
            counted[i].push(distance(river, by_counts));
        }
    }
    let at = || stops.iter().map(|&k| (k as f64).log10()).collect::<Vec<f64>>();
    let curve = |label: &str, errors: &[Vec<f64>], color| {
        let intervals: Vec<Interval> =
            errors.iter().filter_map(|sample| Interval::of(sample)).collect();
        Series::from_intervals(label, at(), &intervals).with_style(Style::new(color, Dash::Solid))
    };
    Ok(Figure::new(format!("{name}, β = {BETA}"))
        .with_x_label("log₁₀ of the number of episodes")
        .with_y_label("mean total variation of P̂(.|s, a)")
        .with_band_label("95% t-interval")
        .with_series(curve("EM on all segments", &em, Color::Vermillion))
        .with_series(curve("segments of one action", &counted, Color::Blue)))
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let whole = Size { samples: &[30, 100, 300, 1_000, 3_000, 10_000], episodes: 3_000, seeds: 10 };
    let glimpse = Size { samples: &[30, 1_000], episodes: 30, seeds: 2 };
    let size = if folder.is_some() { whole } else { glimpse };
    let swim = gallery::river_swim(6, BETA, 0.99)?;
    let balance = gallery::river_balance(6, BETA, 0.99)?;
    let errors = SmallMultiples::new("Error of the estimated transitions", 2)
        .with_figure(error_figure("RiverSwim", &swim, &size)?)
        .with_figure(error_figure("RiverBalance", &balance, &size)?);
    let regrets = SmallMultiples::new("Regret with estimated psi", 2)
        .with_figure(regret_figure("RiverSwim", swim, &size)?)
        .with_figure(regret_figure("RiverBalance", balance, &size)?);
    for (name, figure) in [("estimated-psi", regrets), ("em-error", errors)] {
        figure.check()?;
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder)?;
            figure.write(folder.join(format!("{name}.svg")))?;
            figure.write(folder.join(format!("{name}.png")))?;
        }
    }
    Ok(())
}
