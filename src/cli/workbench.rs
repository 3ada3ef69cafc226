//! What `learn`, `sweep`, `reproduce` and `report` have in common.

use std::path::Path;
use std::time::Duration;

use crate::cli::input;
use crate::experiment::{Outcome, Plan, Runner, Shard, limits, tidy};
use crate::report::summary_table;

use crate::cli::failure::{Failure, tell};
use crate::cli::interrupt;
use crate::cli::output;
use crate::cli::progress::Bar;
use crate::cli::table::table;

/// How to run.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// How many cells to run at a time, at most 1024; 0 means one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Seconds between checkpoints of a cell
    #[arg(long, value_name = "S", default_value_t = 15.0, allow_hyphen_values = true)]
    checkpoint: f64,
}

impl RunArgs {
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    pub(crate) fn checkpoint(&self) -> f64 {
        self.checkpoint
    }

    /// The time between checkpoints, given that all of this makes sense.
    pub(crate) fn check(&self) -> Result<Duration, Failure> {
        input::at_most("--threads", self.threads as u64, limits::MAX_THREADS as u64)?;
        input::seconds("checkpoint interval", self.checkpoint)
    }

    /// Runs what is not finished yet.
    pub(crate) fn run(&self, plan: &Plan, shard: Shard, out: &Path) -> Result<(), Failure> {
        let interval = self.check()?;
        let bar = Bar::new();
        let runner = Runner::new()
            .with_threads(self.threads)
            .with_shard(shard)
            .with_checkpoint(interval)
            .with_stop(interrupt::running())
            .with_progress(&bar);
        let done = runner.run(plan, out);
        bar.clear();
        Ok(done?)
    }
}

/// Writes table, curves, figures and page of a finished experiment next to its cells.
pub(crate) fn write(dir: &Path) -> Result<Outcome, Failure> {
    interrupt::reporting()?;
    let outcome = Outcome::load(dir)?;
    outcome.write(dir)?;
    tidy(dir);
    Ok(outcome)
}

/// Writes table, curves, figures and page of a finished experiment next to its cells, and prints the
/// table.
pub(crate) fn report(dir: &Path, json: bool) -> Result<Outcome, Failure> {
    let outcome = write(dir)?;
    if json {
        output::json(&outcome.summary())?;
    } else {
        let (rows, note) = summary_table(&outcome);
        output::text(&format!("{}\n{note}\n", table(&rows)))?;
    }
    tell(&format!("{}{}", times(&outcome), dir.join("report.html").display()));
    Ok(outcome)
}

/// How long the runs took, and what shows more of them. On standard error, because the same results
/// take another time whenever they are computed.
fn times(outcome: &Outcome) -> String {
    let known =
        || outcome.groups().iter().flat_map(|group| group.seconds.iter().flatten().copied());
    let Some((least, most)) = known().reduce(f64::min).zip(known().reduce(f64::max)) else {
        return "the page is ".into();
    };
    let (runs, total) = (known().count(), known().sum::<f64>());
    match (duration(least), duration(most)) {
        _ if runs == 1 => format!("one run took {}; the page is ", duration(total)),
        (least, most) if least == most => {
            format!("{runs} runs took {}, {most} each; the page is ", duration(total))
        }
        (least, most) => {
            format!("{runs} runs took {}, {least} to {most} each; the page is ", duration(total))
        }
    }
}

/// `3 ms`, `1.2 s`, `14 s`, `3 min`, `2.5 h`.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", 1000.0 * s),
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
