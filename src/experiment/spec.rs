//! The description of a sweep, in TOML.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::{SpecError, place};
use super::limits::MAX_SPEC_BYTES;
use super::oracle::Oracle;
use super::values::Values;
use super::{AgentChoice, Beyond, Experiment};
use crate::bounded::read_text;
use crate::sequence::ActionSequence;

/// A sweep: every model with every agent, each with every combination of its values, for a number
/// of seeds.
///
/// | field | meaning | if left out |
/// |---|---|---|
/// | `name` | the sweep's name | `sweep` |
/// | `episodes` | how many episodes a run has | refused |
/// | `seeds` | how many runs each combination gets | 5 |
/// | `seed` | the seed that all runs are derived from | 1 |
/// | `points` | how many points of a curve are kept, with the exact value of the policy at each | 200 |
/// | `models` | the [worlds](super::World) | refused |
/// | `agents` | the [agents](super::AgentChoice) | refused |
///
/// Under `models` and `agents` every field but the name takes a value or a list of values. A field
/// of another name is refused, and so is one that the model or agent does not have.
///
/// Sizes have [limits](super::limits). An error names the field, as in `agents[1].rho`, counted from 0 in
/// the order of the file.
///
/// Runs of one number meet the same random numbers whatever the agent: differences between agents
/// are not differences in luck.
///
/// # Example
/// ```
/// use sporadic::experiment::Spec;
/// let spec = Spec::from_toml(
///     r#"
///     name = "which-rho"
///     episodes = 2000
///     seeds = 3
///
///     [[models]]
///     model = "river-balance"
///     beta = [0.1, 0.5]
///
///     [[models]]
///     model = "river-swim"
///     states = 12
///     gamma = 0.95
///
///     [[agents]]
///     agent = "lsvi-ucb"
///     oracle = ["runs:5,10", "words:6"]
///     horizon = 100
///     lambda = 0.01
///     rho = [30, 50]
///     beyond = "reuse-first"
///
///     [[agents]]
///     agent = "fixed"
///     sequence = "(1)"
///
///     [[agents]]
///     agent = "uniform"
///     "#,
/// )?;
/// // 3 worlds, 4 + 1 + 1 agents, 3 seeds.
/// assert_eq!(spec.expand(".".as_ref())?.jobs().len(), 3 * 6 * 3);
/// # Ok::<(), sporadic::experiment::SpecError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The sweep's name.
    #[serde(default = "default_name")]
    pub name: String,
    /// How many episodes a run has.
    pub episodes: u64,
    /// How many runs each combination gets.
    #[serde(default = "default_seeds")]
    pub seeds: u64,
    /// The seed that all runs are derived from.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// How many points of a curve are kept.
    #[serde(default = "default_points")]
    pub points: u64,
    /// The worlds.
    pub models: Vec<ModelGrid>,
    /// The agents.
    pub agents: Vec<AgentGrid>,
}

/// The worlds of one model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelGrid {
    /// A built-in name, or a model file; a relative name starts in the folder of the spec.
    pub model: String,
    /// Reveal probabilities, each for every action.
    #[serde(default)]
    pub beta: Values<f64>,
    /// Discount factors.
    #[serde(default)]
    pub gamma: Values<f64>,
    /// Numbers of states.
    #[serde(default)]
    pub states: Values<usize>,
    /// Prices of a look.
    #[serde(default)]
    pub cost: Values<f64>,
}

/// The agents of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentGrid {
    /// The kind, as in [`AgentChoice::KINDS`].
    pub agent: String,
    /// Where sequences come from.
    #[serde(default)]
    pub oracle: Values<Oracle>,
    /// H.
    #[serde(default)]
    pub horizon: Values<usize>,
    /// lambda.
    #[serde(default)]
    pub lambda: Values<f64>,
    /// rho.
    #[serde(default)]
    pub rho: Values<f64>,
    /// How often a random sequence is played.
    #[serde(default)]
    pub epsilon: Values<f64>,
    /// What is played from the H-th sighting on.
    #[serde(default)]
    pub beyond: Values<Beyond>,
    /// Sequences to play.
    #[serde(default)]
    pub sequence: Values<ActionSequence>,
}

fn default_name() -> String {
    "sweep".into()
}

fn default_seeds() -> u64 {
    5
}

fn default_seed() -> u64 {
    1
}

fn default_points() -> u64 {
    200
}

impl Spec {
    /// Reads a spec from TOML text.
    ///
    /// # Errors
    /// [`SpecError::Syntax`] with line, column and field.
    pub fn from_toml(text: &str) -> Result<Self, SpecError> {
        let syntax = |field: &str, fault: &toml::de::Error| SpecError::Syntax {
            place: place(text, fault.span().map(|span| span.start), field),
            message: fault.message().into(),
        };
        let source = toml::Deserializer::parse(text).map_err(|fault| syntax("", &fault))?;
        serde_path_to_error::deserialize(source)
            .map_err(|fault| syntax(&fault.path().to_string(), fault.inner()))
    }

    /// Reads a spec from a file.
    ///
    /// # Errors
    /// [`SpecError::InFile`], which names the file. A file of more than [`MAX_SPEC_BYTES`] is not read.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, SpecError> {
        let path = path.as_ref();
        let read = read_text(path, MAX_SPEC_BYTES).map_err(SpecError::Io);
        read.and_then(|text| Self::from_toml(&text))
            .map_err(|source| SpecError::InFile { path: path.into(), source: Box::new(source) })
    }

    /// Every cell of the sweep; relative names of model files start in `base`.
    ///
    /// # Errors
    /// [`SpecError`] that names the field and the value at fault.
    pub fn expand(&self, base: &Path) -> Result<Experiment, SpecError> {
        Experiment::new(self, base)
    }
}

impl AgentGrid {
    /// How many combinations of values there are. Fields that the kind does not have take one value each:
    /// others are refused.
    pub(super) fn count(&self) -> usize {
        [
            self.oracle.count(),
            self.horizon.count(),
            self.lambda.count(),
            self.rho.count(),
            self.epsilon.count(),
            self.beyond.count(),
            self.sequence.count(),
        ]
        .into_iter()
        .fold(1, usize::saturating_mul)
    }

    /// The agents, one for each combination of values.
    pub(super) fn choices(&self, field: &str) -> Result<Vec<AgentChoice>, SpecError> {
        let given = [
            ("oracle", !self.oracle.is_empty()),
            ("horizon", !self.horizon.is_empty()),
            ("lambda", !self.lambda.is_empty()),
            ("rho", !self.rho.is_empty()),
            ("epsilon", !self.epsilon.is_empty()),
            ("beyond", !self.beyond.is_empty()),
            ("sequence", !self.sequence.is_empty()),
        ];
        let known = AgentChoice::fields(&self.agent).ok_or_else(|| SpecError::Field {
            field: format!("{field}.agent"),
            value: format!("{:?}", self.agent),
            needed: format!("one of {}", AgentChoice::KINDS.join(", ")),
        })?;
        for (name, is_given) in given {
            if is_given && !known.contains(&name) {
                return Err(SpecError::Unused {
                    field: format!("{field}.{name}"),
                    agent: self.agent.clone(),
                });
            }
        }
        AgentChoice::grid(self, field)
    }
}
