//! `sporadic completions`.

use clap_complete::Shell;

use crate::cli::args;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::kinds::Registry;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  sporadic completions bash > ~/.local/share/bash-completion/completions/sporadic")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    let shell = args.shell;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(registry), "sporadic", &mut script);
    output::file(&String::from_utf8_lossy(&script))
}
