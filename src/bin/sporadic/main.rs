//! The command line; see `sporadic --help`.

mod args;
mod failure;
mod figures;
mod interrupt;
mod model;
mod output;
mod plain;
mod progress;
mod rerun;
mod slurm;
mod table;
mod verbs;
mod workbench;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Verb};
use failure::Failure;

fn main() -> ExitCode {
    let done = match Cli::try_parse() {
        Ok(cli) => run(cli.verb),
        Err(fault) if !fault.use_stderr() => {
            // Help and version, asked for; a reader who closed the pipe has had enough.
            let _ = fault.print();
            return ExitCode::SUCCESS;
        }
        Err(fault) => Err(Failure::usage(&fault)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(verb: Verb) -> Result<(), Failure> {
    match verb {
        Verb::Reproduce(args) => verbs::reproduce::run(&args),
        Verb::Solve(args) => verbs::solve::run(&args),
        Verb::Psi(args) => verbs::psi::run(&args),
        Verb::Value(args) => verbs::value::run(&args),
        Verb::Learn(args) => verbs::learn::run(&args),
        Verb::Estimate(args) => verbs::estimate::run(&args),
        Verb::Export(args) => verbs::export::run(&args),
        Verb::Check(args) => verbs::check::run(&args),
        Verb::Sweep(args) => verbs::sweep::run(&args),
        Verb::Report(args) => verbs::report::run(&args),
        Verb::Completions(args) => verbs::completions::run(&args),
    }
}
