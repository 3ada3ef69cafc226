//! Models by name or by file, with what may be changed about them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::limits::{self, MAX_VALUE};
use crate::Number;
use crate::model::{FileError, ModelError, Tabular, gallery};

/// The models that need no file.
pub const BUILT_IN: [&str; 4] = ["river-swim", "river-balance", "measuring-value", "sensing-cost"];

/// A model by name or by file, with what is changed about it.
///
/// | model | `states` | `beta` | `gamma` | `cost` |
/// |---|---|---|---|---|
/// | `river-swim`, `river-balance` | 6 | 0.1 | 0.99 | refused |
/// | `measuring-value` | refused | its own | 0.99 | 0.1 |
/// | `sensing-cost` | refused | its own | 0.5 | 0.1 |
/// | a file, `.json` or `.toml` | refused | its own | its own | refused |
///
/// The table gives what holds if nothing is said. A `beta` that is given becomes the reveal
/// probability of every action.
///
/// # Example
/// ```
/// use sporadic::experiment::World;
/// let world = World::new("river-swim").with_beta(0.25);
/// assert_eq!(world.build(".".as_ref())?.betas(), [0.25, 0.25]);
/// let fault = World::new("river-swing").build(".".as_ref()).unwrap_err();
/// assert!(fault.to_string().starts_with("there is no model \"river-swing\""));
/// # Ok::<(), sporadic::experiment::WorldError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// A built-in name, or the name of a model file.
    pub model: String,
    /// The reveal probability of every action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// The discount factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// The number of states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<usize>,
    /// The price of a look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Why there is no such model.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// Neither a built-in name nor the name of a model file.
    #[error(
        "there is no model {model:?}: the built-in ones are {}, and a model file ends in .json or .toml",
        BUILT_IN.join(", ")
    )]
    Unknown {
        /// The name given.
        model: String,
    },
    /// A setting that this model does not have.
    #[error("{model} has no {setting} to set, but {setting} = {value} was given")]
    Setting {
        /// The model.
        model: String,
        /// The setting.
        setting: &'static str,
        /// The value given.
        value: String,
    },
    /// The file was refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// The numbers make no model.
    #[error("{model}: {source}")]
    Model {
        /// The model.
        model: String,
        /// What is wrong with it.
        source: ModelError,
    },
    /// Values as large as this reward / (1 - gamma) are too large to compute with.
    #[error(
        "{model}: the reward {} of action {action:?} in state {state:?} is too large: with gamma = {} values may be \
         as large as {}, above the limit of {}",
        Number(*.reward), Number(*.gamma), Number(.reward.abs() / (1.0 - .gamma)), Number(MAX_VALUE)
    )]
    Value {
        /// The model.
        model: String,
        /// The state's name.
        state: String,
        /// The action's name.
        action: String,
        /// The reward.
        reward: f64,
        /// The discount factor.
        gamma: f64,
    },
}

impl World {
    /// The model of this name, as it is.
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: model.into(), beta: None, gamma: None, states: None, cost: None }
    }

    /// The same with this reveal probability for every action.
    pub fn with_beta(self, beta: f64) -> Self {
        Self { beta: Some(beta), ..self }
    }

    /// The same with this discount factor.
    pub fn with_gamma(self, gamma: f64) -> Self {
        Self { gamma: Some(gamma), ..self }
    }

    /// The file, if it is one; relative names start in `base`.
    pub fn file(&self, base: &Path) -> Option<PathBuf> {
        let path = Path::new(&self.model);
        let is_file = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("json") || e.eq_ignore_ascii_case("toml"));
        is_file.then(|| base.join(path))
    }

    /// The model, read or made; relative file names start in `base`.
    ///
    /// # Errors
    /// [`WorldError`] that names the model and what is wrong with it. A model whose values,
    /// max abs(r) / (1 - gamma), may exceed [`MAX_VALUE`] is refused.
    pub fn build(&self, base: &Path) -> Result<Tabular<f64>, WorldError> {
        self.check()?;
        let model = match self.file(base) {
            Some(path) => Tabular::from_path(path)?,
            None => self.built_in()?,
        };
        let model = self
            .change(model)
            .map_err(|source| WorldError::Model { model: self.model.clone(), source })?;
        match limits::overflow(&model) {
            None => Ok(model),
            Some((s, a, reward)) => Err(WorldError::Value {
                model: self.model.clone(),
                state: model.state_names()[s].clone(),
                action: model.action_names()[a].clone(),
                reward,
                gamma: model.gamma(),
            }),
        }
    }

    fn built_in(&self) -> Result<Tabular<f64>, WorldError> {
        let (beta, states) = (self.beta.unwrap_or(0.1), self.states.unwrap_or(6));
        let (gamma, cost) = (self.gamma.unwrap_or(0.99), self.cost.unwrap_or(0.1));
        let made = match self.model.as_str() {
            "river-swim" => gallery::river_swim(states, beta, gamma),
            "river-balance" => gallery::river_balance(states, beta, gamma),
            "measuring-value" => gallery::measuring_value(cost, gamma),
            "sensing-cost" => gallery::sensing_cost(cost, self.gamma.unwrap_or(0.5)),
            _ => return Err(WorldError::Unknown { model: self.model.clone() }),
        };
        made.map_err(|source| WorldError::Model { model: self.model.clone(), source })
    }

    fn change(&self, mut model: Tabular<f64>) -> Result<Tabular<f64>, ModelError> {
        if let Some(gamma) = self.gamma {
            model = model.with_gamma(gamma)?;
        }
        if let Some(beta) = self.beta {
            let actions = model.num_actions();
            model = model.with_betas(vec![beta; actions])?;
        }
        Ok(model)
    }

    /// Refuses settings that would do nothing.
    fn check(&self) -> Result<(), WorldError> {
        let river = self.model.starts_with("river-");
        let priced = matches!(self.model.as_str(), "measuring-value" | "sensing-cost");
        let refuse = |setting, value: String| {
            Err(WorldError::Setting { model: self.model.clone(), setting, value })
        };
        match (self.states, self.cost) {
            (Some(states), _) if !river => refuse("states", states.to_string()),
            (_, Some(cost)) if !priced => refuse("cost", Number(cost).to_string()),
            _ => Ok(()),
        }
    }
}
