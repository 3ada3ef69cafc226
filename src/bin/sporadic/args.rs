//! The verbs.

use clap::{Parser, Subcommand};

use crate::verbs::{
    check, completions, estimate, export, learn, psi, report, reproduce, solve, sweep, value,
};

/// Reinforcement learning when the state is seen only sporadically, and the action decides how
/// likely it is to be seen.
#[derive(Debug, Parser)]
#[command(name = "sporadic", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "\
MODEL is a model file (.json or .toml) or a built-in name: river-swim, river-balance,
measuring-value, sensing-cost. With --json a verb prints one JSON document and nothing else on
standard output. Bad input ends with exit code 2 and one sentence.

A first look:
  sporadic reproduce --quick --out figure
  sporadic solve river-balance --beta 0.2
  sporadic learn river-swim --beta 0.1 --episodes 500 --out run
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
