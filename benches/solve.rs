//! The gap against time of the certified solver, on one core: `cargo bench --bench solve`.
//!
//! Prints tables rather than statistics: what matters is how the gap falls.
#![allow(missing_docs)]

use std::time::Duration;

use sporadic::model::{ModelError, Tabular, gallery};
use sporadic::planning::solve::{Solution, SolveOptions, solve};

const BETAS: [f64; 6] = [0.0, 0.05, 0.1, 0.2, 0.5, 1.0];

type River = fn(usize, f64, f64) -> Result<Tabular<f64>, ModelError>;
const RIVERS: [(&str, River); 2] =
    [("RiverSwim", gallery::river_swim), ("RiverBalance", gallery::river_balance)];

fn run(river: River, n: usize, beta: f64, options: &SolveOptions) -> Solution<f64> {
    let model = river(n, beta, 0.99).expect("valid parameters");
    solve(&model, options).expect("valid options")
}

fn main() {
    let seconds = Duration::from_secs;
    println!("gap 1e-3 at every state, gamma = 0.99\n");
    println!(
        "{:<13} {:>5}  {:>20}  {:>8}  {:>8}  {:>9}  {:>6}  {:>8}  {:>6}",
        "model", "beta", "V*(s1)", "gap", "seconds", "sequences", "active", "programs", "MiB"
    );
    for (name, river) in RIVERS {
        for beta in BETAS {
            let found = run(river, 6, beta, &SolveOptions::default());
            let report = &found.report;
            println!(
                "{name:<13} {beta:>5}  [{:>8.5}, {:>8.5}]  {:>8.1e}  {:>8.4}  {:>9}  {:>6}  {:>8}  {:>6.2}",
                found.lower[0],
                found.upper[0],
                found.gap(),
                report.seconds,
                report.sequences,
                report.active,
                report.programs,
                report.bytes as f64 / f64::from(1 << 20),
            );
        }
    }

    println!("\ngap against time, RiverBalance, asked for 1e-6\n");
    for beta in BETAS {
        let options = SolveOptions::default().with_gap(1e-6).with_time_limit(seconds(5));
        println!("beta = {beta}: {}\n", run(gallery::river_balance, 6, beta, &options).report);
    }

    println!("one size up: RiverBalance, beta = 0.1, gap 1e-3 asked for, 30 s\n");
    for n in [20, 50] {
        let options = SolveOptions::default().with_time_limit(seconds(30));
        println!("{n} states: {}\n", run(gallery::river_balance, n, 0.1, &options).report);
    }

    println!("where the walls are: RiverBalance with n states, gap 1e-3 asked for, 10 s\n");
    println!("{:>5} {:>5}  {:>8}  {:>8}  {:>6}", "n", "beta", "gap", "seconds", "active");
    for n in [8, 12, 20, 50] {
        for beta in [0.1, 0.5] {
            let options = SolveOptions::default().with_time_limit(seconds(10));
            let found = run(gallery::river_balance, n, beta, &options);
            println!(
                "{n:>5} {beta:>5}  {:>8.1e}  {:>8.3}  {:>6}",
                found.gap(),
                found.report.seconds,
                found.report.active
            );
        }
    }
}
