//! A command line with kinds of one's own beside those of sporadic: every verb, specifications,
//! figures, reports, resuming.
//!
//! ```sh
//! cargo run -p own-workbench -- learn thermostat --agent win-more --threshold 0.5 --threshold 2 --out run
//! cargo run -p own-workbench -- learn machine --price 0.2 --oracle annealing:200 --out run2
//! cargo run -p own-workbench -- estimate machine --samples 5000 --estimator laplace:0.1
//! cargo run -p own-workbench -- sweep examples/workbench/spec.toml --out results
//! ```

mod annealing;
mod laplace;
mod machine;
mod thermostat;
mod win_more;

use std::process::ExitCode;

use sporadic::kinds::{Realm, Registry, agents};

fn main() -> ExitCode {
    // Worlds that are no tables have kinds of their own; two of our agents play in any world.
    let continuous = Realm::new()
        .with_model::<thermostat::ThermostatKind>()
        .with_agent::<win_more::WinMore>()
        .with_agent::<agents::Uniform>()
        .with_agent::<agents::Fixed>();
    let registry = Registry::builtin()
        .with_model::<machine::Machine>()
        .with_agent::<win_more::WinMore>()
        .with_oracle::<annealing::Annealing>()
        .with_estimator::<laplace::Laplace>()
        .with_realm(continuous);
    sporadic::cli::main(registry)
}
