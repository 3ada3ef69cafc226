//! What `learn`, `sweep`, `reproduce` and `report` have in common.

use std::path::Path;
use std::time::Duration;

use sporadic::experiment::{
    Effort, Experiment, Line, Runner, Shard, Summary, curves_csv, load, reference_with, replace,
    summarize, tidy,
};

use crate::failure::Failure;
use crate::figures;
use crate::interrupt;
use crate::output;
use crate::progress::Bar;
use crate::table::table;

/// How to run.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// How many cells to run at a time; 0 means one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Seconds between checkpoints of a cell
    #[arg(long, value_name = "S", default_value_t = 15.0, allow_negative_numbers = true)]
    checkpoint: f64,
}

impl RunArgs {
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    pub(crate) fn checkpoint(&self) -> f64 {
        self.checkpoint
    }

    /// Runs what is not finished yet.
    pub(crate) fn run(&self, all: &Experiment, shard: Shard, out: &Path) -> Result<(), Failure> {
        let interval = Duration::try_from_secs_f64(self.checkpoint).map_err(|_| {
            Failure::input(format!(
                "the checkpoint interval {} is no number of seconds",
                self.checkpoint
            ))
        })?;
        let bar = Bar::new();
        let runner = Runner::new()
            .with_threads(self.threads)
            .with_shard(shard)
            .with_checkpoint(interval)
            .with_stop(interrupt::running())
            .with_progress(&bar);
        let done = runner.run(all, out);
        bar.clear();
        Ok(done?)
    }
}

/// Writes table, curves and figures of a finished experiment next to its cells, and prints the table.
pub(crate) fn report(dir: &Path, json: bool) -> Result<(), Failure> {
    interrupt::reporting()?;
    let finished = load(dir)?;
    let bar = Bar::new();
    let mut groups = Vec::new();
    for group in summarize(&finished) {
        let job = &finished.experiment.jobs()[group.first];
        bar.say(&format!("optima for {}", job.cell.world.model));
        let optima = reference_with(dir, job, Effort::default(), &bar)?;
        groups.push((group, optima));
    }
    bar.clear();
    let summary = Summary::new(finished.experiment.name(), &groups);
    replace(&dir.join("curves.csv"), &curves_csv(&finished)?)?;
    let mut text = serde_json::to_string_pretty(&summary).map_err(Failure::other)?;
    text.push('\n');
    replace(&dir.join("summary.json"), text.as_bytes())?;
    figures::write(dir, &summary, &groups)?;
    tidy(dir);
    if json { output::json(&summary) } else { output::text(&show(&summary)) }
}

/// The head of the table.
pub(crate) const HEAD: [&str; 8] =
    ["model", "beta", "average", "last policy", "class", "V*", "regret", "agent"];

/// A row of the table; values are times 1 - gamma, on the scale of rewards.
pub(crate) fn row(line: &Line) -> Vec<String> {
    let scale = 1.0 - line.gamma;
    let dash = || "-".to_owned();
    let scaled = |x: f64| format!("{:.4}", scale * x);
    let (lower, upper) = (scaled(line.lower), scaled(line.upper));
    let average = line.average.scaled(scale);
    let spread = average.half_width.map_or_else(String::new, |w| format!(" ± {w:.4}"));
    vec![
        line.model.clone(),
        line.beta.map_or_else(dash, |beta| beta.to_string()),
        format!("{:.4}{spread}", average.mean),
        line.value.map_or_else(dash, |value| scaled(value.mean)),
        line.class.map_or_else(dash, scaled),
        if lower == upper { lower } else { format!("{lower} to {upper}") },
        line.regret.map_or_else(dash, |regret| format!("{:.0}", regret.mean)),
        line.agent.to_string(),
    ]
}

fn show(summary: &Summary) -> String {
    let head = HEAD.map(str::to_owned).to_vec();
    let rows: Vec<_> = std::iter::once(head).chain(summary.groups.iter().map(row)).collect();
    let (episodes, seeds) =
        summary.groups.first().map_or((0, 0), |line| (line.episodes, line.seeds));
    format!(
        "{}\n{episodes} episodes, {seeds} seeds, mean ± 95% t-interval. average: mean return so far; last policy: its \
         exact value;\nclass: the best of the agent's family; V*: certified; all times 1 - gamma. regret: total, \
         against V*.\n",
        table(&rows)
    )
}
