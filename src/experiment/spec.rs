//! The description of an experiment, in TOML.

use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::{SpecError, place};
use super::jobs::{Jobs, Settings};
use super::limits::MAX_SPEC_BYTES;
use super::plan::Plan;
use crate::bounded::{read_text, visible};
use crate::kinds::{ParameterError, Registry, Table, no_kind};
use crate::simulation::{Ending, Feedback, Setting};

/// A sweep: every model with every agent, each with every combination of its values, for a number
/// of seeds.
///
/// | field | meaning | if left out |
/// |---|---|---|
/// | `name` | the sweep's name | `sweep` |
/// | `episodes` | how many episodes a run has | refused |
/// | `seeds` | how many runs each combination gets | 5 |
/// | `seed` | the seed that all runs are derived from | 1 |
/// | `points` | how many points of a curve are kept | 200 |
/// | `feedback` | which rewards agents are shown: `at-sightings` or `every-round` | `at-sightings` |
/// | `ending` | when episodes end: `discounted`, or `absorbing:N` with step limit N | `discounted` |
/// | `models` | tables with `model`, a kind or a file, and its parameters | refused |
/// | `agents` | tables with `agent`, a kind, and its parameters | refused |
///
/// Under `models` and `agents` every parameter takes a value or a list of values. A parameter that the
/// kind does not have is refused. Which kinds there are is up to the
/// [registry](crate::kinds::Registry): yours are named like ours.
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
/// use sporadic::kinds::Registry;
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
/// assert_eq!(spec.expand(&Registry::builtin(), ".".as_ref())?.len(), 3 * 6 * 3);
/// # Ok::<(), sporadic::experiment::SpecError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spec {
    /// The sweep's name.
    pub name: String,
    /// How many episodes a run has.
    pub episodes: u64,
    /// How many runs each combination gets.
    pub seeds: u64,
    /// The seed that all runs are derived from.
    pub seed: u64,
    /// How many points of a curve are kept.
    pub points: u64,
    /// Which rewards agents are shown, and when episodes end.
    pub setting: Setting,
    /// The worlds.
    pub models: Vec<Entry>,
    /// The agents.
    pub agents: Vec<Entry>,
}

/// A kind with values of its parameters, where a list stands for several.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// The kind, or a model file.
    pub kind: String,
    /// The parameters.
    pub parameters: Table,
}

impl Entry {
    /// A kind whose parameters have their defaults.
    pub fn new(kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), parameters: Table::new() }
    }

    /// Sets a parameter to a value, or to a list of values.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default = "default_name")]
    name: String,
    episodes: u64,
    #[serde(default = "default_seeds")]
    seeds: u64,
    #[serde(default = "default_seed")]
    seed: u64,
    #[serde(default = "default_points")]
    points: u64,
    #[serde(default)]
    feedback: Feedback,
    #[serde(default)]
    ending: Ending,
    models: Vec<toml::Table>,
    agents: Vec<toml::Table>,
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
            message: visible(fault.message()),
        };
        let source = toml::Deserializer::parse(text).map_err(|fault| syntax("", &fault))?;
        let raw: Raw = serde_path_to_error::deserialize(source)
            .map_err(|fault| syntax(&fault.path().to_string(), fault.inner()))?;
        let Raw { name, episodes, seeds, seed, points, feedback, ending, models, agents } = raw;
        let setting = Setting { feedback, ending };
        let (models, agents) = (entries(models, "model")?, entries(agents, "agent")?);
        Ok(Self { name, episodes, seeds, seed, points, setting, models, agents })
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

    /// The spec as TOML text, which reads back as the same spec.
    pub fn to_toml(&self) -> String {
        let scalar = |name: &str, value: Value| format!("{name} = {value}\n");
        let mut text = scalar("name", self.name.as_str().into());
        for (name, value) in [
            ("episodes", self.episodes),
            ("seeds", self.seeds),
            ("seed", self.seed),
            ("points", self.points),
        ] {
            text += &scalar(name, value.into());
        }
        let Setting { feedback, ending } = self.setting;
        if feedback != Feedback::default() {
            text += &scalar("feedback", feedback.to_string().into());
        }
        if ending != Ending::default() {
            text += &scalar("ending", ending.to_string().into());
        }
        for (list, what, entries) in
            [("models", "model", &self.models), ("agents", "agent", &self.agents)]
        {
            for entry in entries {
                let _ = write!(text, "\n[[{list}]]\n{}", scalar(what, entry.kind.as_str().into()));
                for (name, value) in &entry.parameters {
                    let _ = writeln!(text, "{name} = {}", inline(value));
                }
            }
        }
        text
    }

    /// Every run of the sweep, by the kinds of `registry`; relative names of model files start in
    /// `base`.
    ///
    /// # Errors
    /// [`SpecError`] that names the field and the value at fault.
    pub fn expand(&self, registry: &Registry, base: &Path) -> Result<Plan, SpecError> {
        for (field, list) in [("models", &self.models), ("agents", &self.agents)] {
            if list.is_empty() {
                return Err(SpecError::Empty { field });
            }
        }
        let Self { episodes, seeds, seed, points, setting, .. } = *self;
        let settings = Settings { episodes, seeds, seed, points, setting };
        let place = |list: &str, i: usize| format!("{list}[{i}]");
        for (i, entry) in self.models.iter().enumerate() {
            if !registry.realms().any(|realm| realm.has_model(&entry.kind)) {
                let fault = no_kind("model", &entry.kind, registry.model_infos().into_iter());
                return Err(fault.within(&place("models", i)).into());
            }
        }
        for (i, entry) in self.agents.iter().enumerate() {
            if registry.agent_infos().iter().all(|info| info.name != entry.kind) {
                let fault = no_kind("agent", &entry.kind, registry.agent_infos().into_iter());
                return Err(fault.within(&place("agents", i)).into());
            }
        }
        let agents: Vec<(String, &str, &Table)> = (self.agents.iter().enumerate())
            .map(|(i, entry)| (place("agents", i), entry.kind.as_str(), &entry.parameters))
            .collect();
        let mut parts: Vec<Box<dyn Jobs>> = Vec::new();
        let mut taken = vec![false; self.models.len()];
        for realm in registry.realms() {
            let mut models: Vec<(String, &str, &Table)> = Vec::new();
            for (i, entry) in self.models.iter().enumerate() {
                if !taken[i] && realm.has_model(&entry.kind) {
                    taken[i] = true;
                    models.push((place("models", i), entry.kind.as_str(), &entry.parameters));
                }
            }
            if !models.is_empty() {
                parts.push(realm.jobs(&models, &agents, &registry.oracles, base, settings)?);
            }
        }
        Plan::new(self.name.clone(), self.to_toml(), parts)
    }
}

/// The tables of a list, each with the name of its kind taken out.
fn entries(tables: Vec<toml::Table>, what: &str) -> Result<Vec<Entry>, SpecError> {
    let read = |(i, table): (usize, toml::Table)| {
        let place = format!("{what}s[{i}]");
        let mut parameters = Table::new();
        for (name, value) in table {
            let value = json(value).map_err(|(value, needed)| {
                ParameterError::new(&format!("{place}.{name}"), value, needed)
            })?;
            parameters.insert(name, value);
        }
        match parameters.remove(what) {
            Some(Value::String(kind)) => Ok(Entry { kind, parameters }),
            Some(other) => {
                let needed = format!("the name of a kind of {what}, as text");
                Err(ParameterError::new(&format!("{place}.{what}"), other, needed).into())
            }
            None => {
                let message = format!("{what} is missing: which {what} is it?");
                Err(ParameterError::Refused { place, message }.into())
            }
        }
    };
    tables.into_iter().enumerate().map(read).collect()
}

/// A value of TOML as one of JSON, which knows neither dates nor numbers that are not finite.
fn json(value: toml::Value) -> Result<Value, (String, &'static str)> {
    Ok(match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(n) => n.into(),
        toml::Value::Float(x) if x.is_finite() => x.into(),
        toml::Value::Float(x) => return Err((x.to_string(), "a finite number")),
        toml::Value::Boolean(b) => b.into(),
        toml::Value::Datetime(date) => return Err((date.to_string(), "no date")),
        toml::Value::Array(list) => list.into_iter().map(json).collect::<Result<_, _>>()?,
        toml::Value::Table(table) => {
            let entries = table.into_iter().map(|(name, value)| Ok((name, json(value)?)));
            Value::Object(entries.collect::<Result<_, _>>()?)
        }
    })
}

/// A value of JSON in TOML.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        Value::Object(table) => {
            let entry = |(name, value): (&String, &Value)| {
                format!("{} = {}", Value::from(name.as_str()), inline(value))
            };
            format!("{{ {} }}", table.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}
