//! `sporadic report`.

use std::path::PathBuf;

use crate::experiment::merge;

use crate::cli::failure::Failure;
use crate::cli::workbench;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sporadic report results
  sporadic report both half1 half2    # brings two folders together in a third

Writes curves.csv, summary.json, figures and report.html into the folder, and prints the table.")]
pub(crate) struct Args {
    /// The folder of a finished sweep
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Folders whose finished cells are brought into it first
    #[arg(value_name = "SHARD")]
    shards: Vec<PathBuf>,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    merge(&args.dir, &args.shards)?;
    workbench::report(&args.dir, args.json).map(drop)
}
