//! Which way of being seen is worth most, if the number of sightings is the same?
//!
//! `RiverBalance` with 6 states and gamma = 0.99. For k = 2, 3, 5, 8, 12 the state is seen
//!
//! - in every k-th round (`Reveal::every(k)`),
//! - with probability beta in each round, whatever came before, where beta gives as many sightings per episode in the
//!   mean as every k-th round does: gamma^k / (1 - gamma^k),
//! - when the agent asks for it (`acno`), at most that often in the mean.
//!
//! V* of the first two is certified by `solve`. For the third, the best value R among policies with at most L looks in the mean is
//! bounded by Lagrange's rule: R <= V*_c + c L for every price c of a look, where V*_c is the optimum if looks cost c. The
//! price is chosen such that the bound is least. What is attained is the value of the optimal policies at
//! prices near that one, mixed so that they look L times: such a policy flips a coin before each episode.
//!
//! Then Algorithm 1 learns in the first two, planning anew when det Lambda has grown by half, and the values of what it plays at
//! the end, with 95% intervals over the seeds, stand beside V* and the best value within its family of sequences.

use std::time::Duration;

use sporadic::agents::{Agent, LsviUcbParams, Replanning, TabularLsviUcb};
use sporadic::experiment::Interval;
use sporadic::model::{Reveal, Tabular, acno, gallery, intermittent};
use sporadic::planning::solve::{SolveOptions, solve};
use sporadic::planning::{class_optimum, evaluate};
use sporadic::report::{Figure, Series, SmallMultiples};
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Simulation, Streams};

use super::{Failure, Job, Made};

const GAMMA: f64 = 0.99;
const SCALE: f64 = 1.0 - GAMMA;

/// Lower and upper bound on V* in the first state.
fn bracket(model: &Tabular<f64>, seconds: u64) -> Result<(f64, f64), Failure> {
    let options =
        SolveOptions::default().with_gap(0.02).with_time_limit(Duration::from_secs(seconds));
    let best = solve(model, &options)?;
    Ok((best.lower[0], best.upper[0]))
}

/// The optimum where a look costs `price`: the upper bound on it, what its policy earns without the price, and how
/// often that policy looks.
fn with_price(mdp: &Tabular<f64>, price: f64, seconds: u64) -> Result<(f64, f64, f64), Failure> {
    let options =
        SolveOptions::default().with_gap(0.02).with_time_limit(Duration::from_secs(seconds));
    let best = solve(&acno(mdp, price)?, &options)?;
    let earned = evaluate(&acno(mdp, 0.0)?, &best.policy)?[0];
    let less_looks = evaluate(&acno(mdp, 1.0)?, &best.policy)?[0];
    Ok((best.upper[0], earned, earned - less_looks))
}

/// (a lower bound, an upper bound) on the best value with `looks` looks per episode in the mean, and the price.
fn chosen(mdp: &Tabular<f64>, looks: f64, seconds: u64) -> Result<((f64, f64), f64), Failure> {
    let (mut cheap, mut dear) = (0.0, 1.0);
    while with_price(mdp, dear, seconds)?.2 >= looks && dear < 1e3 {
        (cheap, dear) = (dear, 2.0 * dear);
    }
    let mut bound = f64::INFINITY;
    let mut at = (0.0, 0.0);
    // Policies that look too often, and not often enough: (looks, earned).
    let (mut often, mut seldom) = ((f64::INFINITY, 0.0), (0.0, f64::NEG_INFINITY));
    for _ in 0..10 {
        let price = 0.5 * (cheap + dear);
        let (upper, earned, found) = with_price(mdp, price, seconds)?;
        if upper + price * looks < bound {
            (bound, at.1) = (upper + price * looks, price);
        }
        if found >= looks {
            (cheap, often) = (price, (found, earned));
        } else {
            (dear, seldom) = (price, (found, earned));
        }
    }
    at.0 = if often.0.is_finite() && seldom.1.is_finite() {
        let share = (looks - seldom.0) / (often.0 - seldom.0);
        share * often.1 + (1.0 - share) * seldom.1
    } else {
        seldom.1
    };
    Ok(((at.0, bound), at.1))
}

/// The family of sequences that Algorithm 1 chooses from.
fn family() -> impl Iterator<Item = ActionSequence> {
    runs(2, 5, 10)
}

/// The exact value of the policy that Algorithm 1 plays after `episodes` episodes, over all seeds.
fn learnt(model: &Tabular<f64>, episodes: u64, seeds: u64) -> Result<Interval, Failure> {
    let mut values = Vec::new();
    for seed in 1..=seeds {
        let params = LsviUcbParams::default()
            .with_horizon(100)
            .with_rho(50.0)
            .with_lambda(0.01)
            .with_replanning(Replanning::DeterminantGrowth(1.5));
        let mut agent = TabularLsviUcb::for_model(model, family(), params)?;
        Simulation::new(model, Streams::new(seed)).run(0..episodes, &mut agent, &mut ())?;
        let policy = agent.policy().ok_or("a policy")?;
        values.push(SCALE * evaluate(model, policy)?[0]);
    }
    Ok(Interval::of(&values).ok_or("a run")?)
}

/// The best value within the family.
fn best(model: &Tabular<f64>) -> Result<f64, Failure> {
    Ok(SCALE * class_optimum(model, &family().collect::<Vec<_>>())?.values[0])
}

pub(crate) fn make(job: &Job) -> Result<Made, Failure> {
    let (ks, episodes, seeds, seconds): (&[usize], u64, u64, u64) =
        if job.quick { (&[3, 5], 20, 2, 1) } else { (&[2, 3, 5, 8, 12], 5_000, 10, 15) };
    let mdp = gallery::river_balance::<f64>(6, 1.0, GAMMA)?;
    let head = [
        "k",
        "sightings",
        "beta",
        "price",
        "memoryless V*",
        "every k-th V*",
        "chosen",
        "memoryless: class, learnt",
        "every k-th: class, learnt",
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    let mut x = Vec::new();
    let (mut optima, mut learned) = ([const { Vec::new() }; 3], [const { Vec::new() }; 2]);
    for &k in ks {
        let again = GAMMA.powi(i32::try_from(k)?);
        let sightings = again / (1.0 - again);
        let beta = sightings * SCALE / GAMMA;
        let memoryless = intermittent(&mdp, beta)?;
        let regular = intermittent(&mdp, Reveal::every(k)?)?;
        let (a, b) = (bracket(&memoryless, seconds)?, bracket(&regular, seconds)?);
        // A look in the last round of an episode is paid for and shows nothing.
        let (c, price) = chosen(&mdp, sightings / GAMMA, seconds.div_ceil(3))?;
        let d = learnt(&memoryless, episodes, seeds)?;
        let e = learnt(&regular, episodes, seeds)?;
        let numbers = [format!("{sightings:.2}"), format!("{beta:.4}"), format!("{price:.3}")];
        let brackets =
            [a, b, c].map(|(low, high)| format!("{:.4} to {:.4}", SCALE * low, SCALE * high));
        let reached = |best: f64, learnt: Interval| {
            format!("{best:.4}, {:.4} ± {:.4}", learnt.mean, learnt.half_width.unwrap_or(0.0))
        };
        let learnt = [reached(best(&memoryless)?, d), reached(best(&regular)?, e)];
        let row = std::iter::once(k.to_string()).chain(numbers).chain(brackets).chain(learnt);
        table.push(row.collect());
        x.push(sightings);
        optima.iter_mut().zip([c.0, b.0, a.0]).for_each(|(curve, v)| curve.push(SCALE * v));
        learned.iter_mut().zip([e, d]).for_each(|(curve, interval)| curve.push(interval));
    }
    let facts = format!("{episodes} episodes, seeds 1 to {seeds}.");
    let sheet =
        SmallMultiples::new("Ways of being seen", 1).with_figure(figure(x, optima, learned));
    Ok(Made { facts, table, figures: vec![("schedules".to_owned(), sheet)] })
}

/// Values against sightings: V* when the agent asks, in every k-th round and memoryless, then what is learnt in the last two.
fn figure(mut x: Vec<f64>, optima: [Vec<f64>; 3], learned: [Vec<Interval>; 2]) -> Figure {
    let mut figure =
        Figure::new("RiverBalance: the same number of sightings, three ways of being seen")
            .with_x_label("sightings per episode, in the mean")
            .with_y_label("(1 − γ) value at s1")
            .with_band_label("95% t-interval");
    // From few sightings to many.
    x.reverse();
    let labels = ["when the agent asks, V*", "every k-th round, V*", "memoryless, V*"];
    for (label, mut values) in labels.into_iter().zip(optima) {
        values.reverse();
        figure = figure.with_series(Series::new(label, x.clone(), values));
    }
    let labels = ["every k-th round, learnt", "memoryless, learnt"];
    for (label, mut intervals) in labels.into_iter().zip(learned) {
        intervals.reverse();
        figure = figure.with_series(Series::from_intervals(label, x.clone(), &intervals));
    }
    figure
}
