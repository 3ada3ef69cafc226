//! The verbs.

use clap::{ArgMatches, Command, CommandFactory as _, Parser, Subcommand};

use super::failure::Failure;
use super::flags::{with_agent_flags, with_model_flags};
use super::verbs::{
    check, completions, estimate, export, learn, psi, report, reproduce, solve, sweep, value,
};
use crate::kinds::{Registry, usage};

/// Reinforcement learning when the state is seen only sporadically, and the action decides how
/// likely it is to be seen.
#[derive(Debug, Parser)]
#[command(name = "sporadic", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "\
With --json a verb prints one JSON document and nothing else on standard output. Bad input ends with
exit code 2 and one sentence.

A first look:
  sporadic reproduce --quick --out figure
  sporadic solve river-balance --beta 0.2
  sporadic learn river-balance --gamma 0.95 --beta 0.5 --episodes 1000 --out run
  sporadic export river-swim --to toml > mine.toml    # a model file to start from")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// The paper's figure: both rivers, four reveal probabilities, means and intervals over seeds.
    Reproduce(reproduce::Args),
    /// The best value there is, between certified bounds, and the sequences that attain it.
    Solve(solve::Args),
    /// The features psi of a state and an action sequence.
    Psi(psi::Args),
    /// The exact value of a policy.
    Value(value::Args),
    /// An agent learns in a model, for several seeds.
    Learn(learn::Args),
    /// The dynamics estimated from samples: errors, bounds, admissibility.
    Estimate(estimate::Args),
    /// A model as a file, for this program or for a POMDP solver.
    Export(export::Args),
    /// Whether a model is sound, and what is in it.
    Check(check::Args),
    /// Many models, agents, parameters and seeds, as a file describes them.
    Sweep(sweep::Args),
    /// Table, curves and figures of what is in a folder.
    Report(report::Args),
    /// Completions for a shell.
    Completions(completions::Args),
}

/// The command line with a flag for each parameter of the registry's kinds.
pub(super) fn command(registry: &Registry) -> Command {
    let models: Vec<&str> = registry.model_infos().iter().map(|info| info.name).collect();
    let agents: Vec<&str> = registry.agent_infos().iter().map(|info| info.name).collect();
    let mut command = Cli::command();
    for name in ["solve", "psi", "value", "learn", "estimate", "export", "check"] {
        command = command.mut_subcommand(name, |verb| {
            let help = format!(
                "A model file (.json, .toml; - reads standard input), or {}",
                models.join(", ")
            );
            with_model_flags(verb.mut_arg("model", |arg| arg.help(help)), registry)
        });
    }
    command = command.mut_subcommand("estimate", |verb| {
        let names: Vec<String> = registry.estimators().infos().map(usage).collect();
        verb.mut_arg("estimator", |arg| arg.help(format!("The estimator: {}", names.join(", "))))
    });
    command.mut_subcommand("learn", |verb| {
        let help = format!("The agent: {}", agents.join(", "));
        with_agent_flags(verb.mut_arg("agent", |arg| arg.help(help)), registry)
    })
}

impl Verb {
    /// Reads the flags that the registry described.
    pub(super) fn read_flags(
        &mut self,
        matches: &ArgMatches,
        registry: &Registry,
    ) -> Result<(), Failure> {
        match self {
            Self::Solve(args) => args.model.read_flags(matches, registry),
            Self::Psi(args) => args.model.read_flags(matches, registry),
            Self::Value(args) => args.model.read_flags(matches, registry),
            Self::Learn(args) => args.read_flags(matches, registry),
            Self::Estimate(args) => args.model.read_flags(matches, registry),
            Self::Export(args) => args.model.read_flags(matches, registry),
            Self::Check(args) => args.model.read_flags(matches, registry),
            Self::Reproduce(_) | Self::Sweep(_) | Self::Report(_) | Self::Completions(_) => Ok(()),
        }
    }
}
