//! `sporadic reproduce`.

use std::path::PathBuf;

use crate::experiment::{Shard, Spec};
use crate::kinds::Registry;

use crate::cli::failure::Failure;
use crate::cli::workbench::{RunArgs, report};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sporadic reproduce --quick --out quick           # under 30 seconds on 2 cores
  sporadic reproduce --out figure                  # the whole figure: some minutes

RiverSwim and RiverBalance with 6 states, gamma = 0.99, beta = 0.05, 0.1, 0.2, 0.5; Algorithm 1 with
H = 100, lambda = 0.01, rho = 50 and the paper's 1012 sequences. The folder gets curves.csv,
summary.json, riverswim.svg and .png, riverbalance.svg and .png, the same with -regret, and
report.html. Stopped at any moment, the same command continues where it was.")]
pub(crate) struct Args {
    /// How many episodes [default: 5000; 600 if quick]
    #[arg(long, value_name = "K")]
    episodes: Option<u64>,
    /// How many runs for each curve
    #[arg(long, value_name = "N", default_value_t = 5)]
    seeds: u64,
    /// The folder for the results
    #[arg(long, value_name = "DIR", default_value = "reproduce")]
    out: PathBuf,
    /// Fewer episodes
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    run: RunArgs,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

const EPISODES: u64 = 5000;
const QUICK_EPISODES: u64 = 600;

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    args.run.check()?;
    let episodes = args.episodes.unwrap_or(if args.quick { QUICK_EPISODES } else { EPISODES });
    let plan =
        Spec::paper(episodes, args.seeds).expand(registry, "".as_ref()).map_err(Failure::input)?;
    args.run.run(&plan, Shard::default(), &args.out)?;
    report(&args.out, args.json).map(drop)
}
