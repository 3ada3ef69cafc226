//! The command line with the kinds of this crate; see `sporadic --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sporadic::cli::main(sporadic::kinds::Registry::builtin())
}
