//! A command line with kinds of one's own beside those of sporadic: every verb, specifications,
//! figures, reports, resuming.
//!
//! ```sh
//! cargo run -p own-workbench -- learn thermostat --agent win-more --threshold 0.5 --threshold 2 --out run
//! cargo run -p own-workbench -- learn machine --price 0.2 --oracle annealing:200 --out run2
//! cargo run -p own-workbench -- estimate machine --samples 5000 --estimator laplace:0.1
//! cargo run -p own-workbench -- sweep examples/workbench/spec.toml --out results
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    sporadic::cli::main(own_workbench::registry())
}
