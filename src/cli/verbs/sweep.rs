//! `sporadic sweep`.

use std::path::PathBuf;

use crate::experiment::{Shard, Spec};
use crate::kinds::Registry;

use crate::cli::failure::Failure;
use crate::cli::guidance;
use crate::cli::output;
use crate::cli::plain;
use crate::cli::slurm::{self, Array};
use crate::cli::workbench::{RunArgs, report};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sporadic sweep spec.toml --out results
  sporadic sweep spec.toml --shard 1/2 --out half1         # the first half, on any machine
  sporadic sweep spec.toml --shard 2/2 --out half2
  sporadic report both half1 half2                         # when all shards are finished
  parallel sporadic sweep spec.toml --shard {}/8 --threads 1 --out results ::: 1 2 3 4 5 6 7 8
  sporadic sweep spec.toml --slurm 8 --out results         # an array job; --submit submits it

A spec:
  name = \"which-rho\"
  episodes = 1000
  seeds = 5

  [[models]]
  model = \"river-balance\"       # or a model file, relative to the spec
  gamma = 0.9
  beta = [0.2, 0.5]

  [[agents]]
  agent = \"lsvi-ucb\"
  oracle = [\"runs:3,5\", \"words:6\"]
  rho = [0.5, 5]
  horizon = 10

Every list multiplies the number of cells. Stopped at any moment, the same command continues where \
it was, and the files in the end are the same to the byte. Several commands with the same \
spec may run in one folder at the same time: they share the work. A folder can gain seeds, models, \
agents and parameters, and what is finished is kept. Any other change of the spec needs another \
folder.")]
pub(crate) struct Args {
    /// The spec
    #[arg(value_name = "SPEC.toml")]
    spec: PathBuf,
    /// Only the I-th of N parts
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// The folder for the results [default: the name of the spec, without its ending]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    /// Print a Slurm array job of this many tasks instead of running anything
    #[arg(long, value_name = "TASKS", conflicts_with_all = ["shard", "json"])]
    slurm: Option<usize>,
    /// Submit that job
    #[arg(long, requires = "slurm")]
    submit: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    args.run.check()?;
    let spec = Spec::from_path(&args.spec).map_err(Failure::input)?;
    let base = args.spec.parent().unwrap_or("".as_ref());
    let in_file = |fault| Failure::input(format!("{}: {fault}", args.spec.display()));
    let plan = spec.expand(registry, base).map_err(in_file)?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| args.spec.with_extension("").file_name().unwrap_or_default().into());
    if let Some(tasks) = args.slurm {
        let array = Array {
            name: spec.name,
            tasks: slurm::check(tasks, plan.len())?,
            threads: args.run.threads().max(1),
            checkpoint: args.run.checkpoint(),
            spec: args.spec.clone(),
            out,
        };
        let script = array.script()?;
        return if args.submit { slurm::submit(&script) } else { output::text(&script) };
    }
    let shard = args.shard.unwrap_or_default();
    guidance::tell_all(&plan.advice());
    args.run.run(&plan, shard, &out)?;
    if args.shard.is_none() {
        return report(&out, args.json).map(drop);
    }
    let cells = shard.count_of(plan.len());
    if args.json {
        return output::json(&serde_json::json!({"shard": shard.to_string(), "cells": cells}));
    }
    output::text(&format!(
        "shard {shard}: {cells} of {} cells finished in {}",
        plan.len(),
        plain::line(&out.display().to_string())
    ))
}
