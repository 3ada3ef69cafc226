//! Kinds of one's own beside those of sporadic.

pub mod annealing;
pub mod laplace;
pub mod machine;
pub mod thermostat;
pub mod win_more;

use sporadic::kinds::{Realm, Registry, agents};

/// All kinds that the program knows.
pub fn registry() -> Registry {
    // Worlds that are no tables have kinds of their own; two of our agents play in any world.
    let continuous = Realm::new()
        .with_model::<thermostat::ThermostatKind>()
        .with_agent::<win_more::WinMore>()
        .with_agent::<agents::Uniform>()
        .with_agent::<agents::Fixed>();
    Registry::builtin()
        .with_model::<machine::Machine>()
        .with_agent::<win_more::WinMore>()
        .with_oracle::<annealing::Annealing>()
        .with_estimator::<laplace::Laplace>()
        .with_realm(continuous)
}
