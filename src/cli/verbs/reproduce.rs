//! `sporadic reproduce`.

use std::path::PathBuf;

use crate::experiment::{ExperimentError, Shard, Spec, Summary};
use crate::kinds::Registry;

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::workbench::{RunArgs, report, write};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sporadic reproduce --quick --out quick           # 5 seconds on 2 cores
  sporadic reproduce --out figure                  # the whole figure: 16 seconds on 2 cores

RiverSwim and RiverBalance with 6 states, gamma = 0.99, beta = 0.05, 0.1, 0.2, 0.5; Algorithm 1 with \
H = 100, lambda = 0.01, rho = 50 and the paper's 1012 sequences. The folder gets curves.csv, \
summary.json, riverswim.svg and .png, riverbalance.svg and .png, the same with -regret, and \
report.html; its folder adaptive the same for Algorithm 1 over all sequences, which the figures \
with -adaptive set beside the paper's. Stopped at any moment, the same command continues where it was.")]
pub(crate) struct Args {
    /// How many episodes [default: 5000; 400 if quick]
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
const QUICK_EPISODES: u64 = 400;

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    args.run.check()?;
    let episodes = args.episodes.unwrap_or(if args.quick { QUICK_EPISODES } else { EPISODES });
    let ours = args.out.join("adaptive");
    let specs = [Spec::paper(episodes, args.seeds), Spec::adaptive(episodes, args.seeds)];
    for (spec, out) in specs.into_iter().zip([&args.out, &ours]) {
        let plan = spec.expand(registry, "".as_ref()).map_err(Failure::input)?;
        args.run.run(&plan, Shard::default(), out)?;
    }
    let (paper, adaptive) = if args.json {
        let both = (write(&args.out)?, write(&ours)?);
        let summary = Both { paper: both.0.summary(), adaptive: both.1.summary() };
        output::json(&summary)?;
        both
    } else {
        (report(&args.out, false)?, report(&ours, false)?)
    };
    let titles = ["the paper's 1012 sequences", "all sequences"];
    let fail = |path: PathBuf, message: String| ExperimentError::Content { path, message };
    let figures = adaptive.figures_beside(&paper, titles);
    for figure in figures.map_err(|fault| fail(args.out.clone(), fault.to_string()))? {
        for end in ["svg", "png"] {
            let path = args.out.join(format!("{}.{end}", figure.name));
            let written = figure.drawing.write(&path);
            written.map_err(|fault| fail(path, fault.to_string()))?;
        }
    }
    Ok(())
}

/// The summary of the paper's experiment, and beside it that of ours.
#[derive(serde::Serialize)]
struct Both {
    #[serde(flatten)]
    paper: Summary,
    adaptive: Summary,
}
