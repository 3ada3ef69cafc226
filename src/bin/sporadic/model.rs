//! The model that a command is about.

use std::path::Path;

use sporadic::experiment::World;
use sporadic::model::Tabular;

use crate::failure::Failure;

/// A model file or a built-in model, with what is changed about it.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    /// A model file (.json, .toml), or river-swim, river-balance, measuring-value, sensing-cost
    #[arg(value_name = "MODEL")]
    model: String,
    /// The reveal probability of every action [default: the model's own; 0.1 for a river]
    #[arg(long, value_name = "B", allow_hyphen_values = true)]
    beta: Option<f64>,
    /// The discount factor [default: the model's own; 0.99 for a river]
    #[arg(long, value_name = "G", allow_hyphen_values = true)]
    gamma: Option<f64>,
    /// The number of states of a river, at most a million [default: 6]
    #[arg(long, value_name = "N")]
    states: Option<usize>,
    /// The price of a look in measuring-value and sensing-cost [default: 0.1]
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    cost: Option<f64>,
}

impl ModelArgs {
    /// The world asked for.
    pub(crate) fn world(&self) -> World {
        World {
            model: self.model.clone(),
            beta: self.beta,
            gamma: self.gamma,
            states: self.states,
            cost: self.cost,
        }
    }

    /// The model.
    pub(crate) fn build(&self) -> Result<Tabular<f64>, Failure> {
        self.world().build(Path::new("")).map_err(Failure::input)
    }
}
