//! The command line, for the kinds of any registry.
//!
//! [`main`] gives a program every verb (`learn`, `sweep`, `report`, `solve`, ...) with the agents, oracles
//! and models of a [`Registry`]: flags, `--help` and error messages are made from their descriptions. The
//! program `sporadic` does nothing else. One with kinds of your own beside ours:
//!
//! ```no_run
//! use std::process::ExitCode;
//! use sporadic::kinds::Registry;
//!
//! fn main() -> ExitCode {
//!     // Registry::builtin().with_agent::<Mine>().with_oracle::<Annealing>()
//!     sporadic::cli::main(Registry::builtin())
//! }
//! ```

mod args;
mod failure;
mod flags;
mod guidance;
mod input;
mod interrupt;
mod model;
mod output;
mod plain;
mod policy;
mod progress;
mod slurm;
mod table;
mod verbs;
mod workbench;

use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::kinds::Registry;
use args::{Cli, Verb};
use failure::Failure;

/// Runs the command line with the kinds of `registry`, on the arguments of this process.
///
/// The exit code is 0 on success, 2 for bad input, 1 for anything else that fails, and 128 plus its
/// number for a signal.
pub fn main(registry: Registry) -> ExitCode {
    let mut command = args::command(&registry);
    let done = match command.try_get_matches_from_mut(std::env::args_os()) {
        Ok(matches) => Cli::from_arg_matches(&matches)
            .map_err(|fault| Failure::usage(&fault))
            .and_then(|mut cli| {
                if let Some((_, matches)) = matches.subcommand() {
                    cli.verb.read_flags(matches, &registry)?;
                }
                run(cli.verb, &registry)
            }),
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

fn run(verb: Verb, registry: &Registry) -> Result<(), Failure> {
    match verb {
        Verb::Reproduce(args) => verbs::reproduce::run(&args, registry),
        Verb::Solve(args) => verbs::solve::run(&args, registry),
        Verb::Psi(args) => verbs::psi::run(&args, registry),
        Verb::Value(args) => verbs::value::run(&args, registry),
        Verb::Learn(args) => verbs::learn::run(&args, registry),
        Verb::Estimate(args) => verbs::estimate::run(&args, registry),
        Verb::Export(args) => verbs::export::run(&args, registry),
        Verb::Check(args) => verbs::check::run(&args, registry),
        Verb::Sweep(args) => verbs::sweep::run(&args, registry),
        Verb::Report(args) => verbs::report::run(&args),
        Verb::Completions(args) => verbs::completions::run(&args, registry),
    }
}
