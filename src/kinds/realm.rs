//! The kinds for one type of world.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::agent::{AnyAgent, BoxedAgent, ReadAgent, Site, read_agent};
use super::info::{KindInfo, closest};
use super::model::{ModelFault, ReadModel, read_model};
use super::oracle::Oracles;
use super::parameter::{Parameter, ParameterError, Table};
use super::{AgentKind, ModelKind};
use crate::Fault;
use crate::model::Environment;

/// The models and agents for worlds of one type `W`, by name.
///
/// Tabular models have a realm in every [`Registry`](super::Registry). Worlds of another type, such
/// as continuous ones, get a realm of their own.
///
/// # Example
/// ```
/// use sporadic::kinds::{Realm, agents};
/// use sporadic::model::Tabular;
/// let realm = Realm::<Tabular<f64>>::new().with_agent::<agents::Uniform>();
/// assert_eq!(realm.agents().count(), 1);
/// ```
pub struct Realm<W> {
    models: Vec<(KindInfo, ReadModel<W>)>,
    agents: Vec<(KindInfo, ReadAgent<W>)>,
    /// For each kind of agent, the parameters that suit a world.
    suited: Vec<(&'static str, SuitedDefaults<W>)>,
    overrides: Option<Overrides<W>>,
}

/// The parameters of an agent that suit a world, where they differ from its defaults.
type SuitedDefaults<W> = fn(&W) -> Table;

/// What may be changed about every model of a realm, and how models are read from files.
///
/// A parameter such as `beta` can belong to a kind and to the overrides. A plain value then goes to the kind, which builds
/// its world with it; one that only the override can read (by action, by age) is applied to the world that the kind has
/// built with its default.
pub(crate) struct Overrides<W> {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) apply: fn(W, &Table) -> Result<W, ModelFault>,
    pub(crate) read: fn(&Path) -> Result<W, ModelFault>,
    /// Refuses models that cannot be computed with.
    pub(crate) check: fn(&W) -> Result<(), ModelFault>,
}

/// A world that was asked for by name.
pub(crate) struct NamedWorld<W> {
    pub(crate) name: String,
    pub(crate) made_by: String,
    /// As given: defaults are left out.
    pub(crate) parameters: Table,
    pub(crate) world: Arc<W>,
}

impl<W: Environment + Send + Sync> Default for Realm<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Environment + Send + Sync> Realm<W> {
    /// A realm without kinds.
    pub fn new() -> Self {
        Self { models: Vec::new(), agents: Vec::new(), suited: Vec::new(), overrides: None }
    }

    pub(crate) fn with_overrides(self, overrides: Overrides<W>) -> Self {
        Self { overrides: Some(overrides), ..self }
    }

    /// Adds a kind of agent; one of the same name is replaced.
    pub fn with_agent<K: AgentKind<W>>(mut self) -> Self {
        self.agents.retain(|(info, _)| info.name != K::NAME);
        self.agents.push((KindInfo::of::<K>(), read_agent::<W, K>));
        self.suited.retain(|(name, _)| *name != K::NAME);
        self.suited.push((K::NAME, K::suited));
        self
    }

    /// Adds a kind of model; one of the same name is replaced.
    pub fn with_model<K: ModelKind<World = W>>(mut self) -> Self {
        self.models.retain(|(info, _)| info.name != K::NAME);
        self.models.push((KindInfo::of::<K>(), read_model::<K>));
        self
    }

    /// The descriptions of the kinds of agents.
    pub fn agents(&self) -> impl Iterator<Item = &KindInfo> {
        self.agents.iter().map(|(info, _)| info)
    }

    /// The descriptions of the kinds of models.
    pub fn models(&self) -> impl Iterator<Item = &KindInfo> {
        self.models.iter().map(|(info, _)| info)
    }

    /// The agent of this name and these parameters, at its place in a run.
    ///
    /// # Errors
    /// [`ParameterError`] that names the parameter, or whatever keeps the agent from being made.
    ///
    /// # Example
    /// ```
    /// use sporadic::kinds::{Registry, Site, Table};
    /// use sporadic::model::gallery;
    /// use sporadic::simulation::{Simulation, Streams};
    /// let (registry, streams) = (Registry::builtin(), Streams::new(1));
    /// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
    /// let site = Site::new(&swim, streams, 10, registry.oracles());
    /// let mut agent = registry.tabular().build_agent("lsvi-ucb", &Table::new(), &site)?;
    /// Simulation::new(&swim, streams).run(0..10, &mut agent, &mut ())?;
    /// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
    /// ```
    pub fn build_agent<'a>(
        &self,
        name: &str,
        parameters: &Table,
        site: &Site<'a, W>,
    ) -> Result<BoxedAgent<'a, W>, Fault> {
        let mut agents = self.read_agents(name, parameters, site.oracles())?;
        let agent = agents.pop().filter(|_| agents.is_empty()).ok_or_else(|| {
            let message = "one agent is built at a time, but a parameter has several values".into();
            ParameterError::Refused { place: name.into(), message }
        })?;
        agent.check(site)?;
        agent.build(site)
    }

    /// What may be changed about every model.
    pub(crate) fn override_parameters(&self) -> &[Parameter] {
        self.overrides.as_ref().map_or(&[], |overrides| &overrides.parameters)
    }

    /// Whether a model of this name is here: a kind, or a file.
    pub(crate) fn has_model(&self, name: &str) -> bool {
        self.models().any(|info| info.name == name) || (self.overrides.is_some() && is_file(name))
    }

    /// Every agent in a table of a specification.
    pub(crate) fn read_agents(
        &self,
        name: &str,
        table: &Table,
        oracles: &Oracles,
    ) -> Result<Vec<Arc<dyn AnyAgent<W>>>, ParameterError> {
        let found = self.agents.iter().find(|(info, _)| info.name == name);
        let (info, read) = found.ok_or_else(|| no_kind("agent", name, self.agents()))?;
        let tables = info.grid(&info.named(table)?)?;
        tables.iter().map(|table| read(table, oracles)).collect()
    }

    /// The parameters of an agent that suit a world.
    pub(crate) fn suited(&self, agent: &str, world: &W) -> Table {
        let found = self.suited.iter().find(|(name, _)| *name == agent);
        found.map_or_else(Table::new, |(_, suited)| suited(world))
    }

    /// A model's own parameters and those that every model has, as one description.
    fn describe(&self, name: &str) -> Result<KindInfo, ParameterError> {
        if !self.has_model(name) {
            return Err(no_kind("model", name, self.models()));
        }
        let found = self.models().find(|info| info.name == name);
        let own = found.map_or(&[][..], |info| &info.parameters);
        let shared = self.override_parameters();
        let shared = shared.iter().filter(|p| own.iter().all(|own| own.name != p.name));
        Ok(KindInfo {
            name: found.map_or("a model file", |info| info.name),
            origin: found.map_or("", |info| info.origin),
            version: found.map_or(0, |info| info.version),
            summary: "",
            parameters: own.iter().chain(shared).cloned().collect(),
        })
    }

    /// How many worlds a table of a specification describes, counted without making any.
    pub(crate) fn count_worlds(&self, name: &str, table: &Table) -> Result<usize, ParameterError> {
        let described = self.describe(name)?;
        Ok(described.grid(&described.named(table)?)?.len())
    }

    /// Every world in a table of a specification; relative names of files start in `base`.
    pub(crate) fn read_worlds(
        &self,
        name: &str,
        table: &Table,
        base: &Path,
    ) -> Result<Vec<NamedWorld<W>>, ModelFault> {
        let found = self.models.iter().find(|(info, _)| info.name == name);
        let own = found.map_or(&[][..], |(info, _)| &info.parameters);
        let described = self.describe(name)?;
        let file = found.is_none().then(|| base.join(name));
        let made_by = if file.is_some() { String::new() } else { described.made_by() };
        let mut worlds = Vec::new();
        for parameters in described.grid(&described.named(table)?)? {
            let is_own = |name: &str, value: &Value| {
                // What only the override can read, such as one reveal probability per age.
                let shared = self.override_parameters().iter().any(|p| p.name == name);
                let is_plain =
                    !value.is_object() && !(shared && (value.is_string() || value.is_array()));
                own.iter().any(|p| p.name == name) && is_plain
            };
            let (mine, over): (Table, Table) =
                parameters.clone().into_iter().partition(|(name, value)| is_own(name, value));
            let world = match (&file, found, &self.overrides) {
                (Some(path), _, Some(overrides)) => (overrides.read)(path)?,
                (_, Some((_, read)), _) => read(&mine)?.0,
                _ => return Err(no_kind("model", name, self.models()).into()),
            };
            let world = match &self.overrides {
                Some(overrides) if !over.is_empty() => (overrides.apply)(world, &over)?,
                _ => world,
            };
            if let Some(overrides) = &self.overrides {
                (overrides.check)(&world)?;
            }
            let (name, made_by) = (name.to_owned(), made_by.clone());
            worlds.push(NamedWorld { name, made_by, parameters, world: Arc::new(world) });
        }
        Ok(worlds)
    }
}

/// Whether a name is that of a model file, or `-` for standard input.
fn is_file(name: &str) -> bool {
    let extension = Path::new(name).extension();
    let known =
        |e: &std::ffi::OsStr| e.eq_ignore_ascii_case("json") || e.eq_ignore_ascii_case("toml");
    name == "-" || extension.is_some_and(known)
}

pub(crate) fn no_kind<'a>(
    what: &'static str,
    name: &str,
    infos: impl Iterator<Item = &'a KindInfo>,
) -> ParameterError {
    let mut known: Vec<String> = infos.map(|info| info.name.to_owned()).collect();
    let suggestion = closest(name, known.iter().map(String::as_str));
    if what == "model" {
        known.push("and files that end in .json or .toml".into());
    }
    ParameterError::NoKind { place: String::new(), what, name: name.into(), known, suggestion }
}

impl<W> Realm<W> {
    /// A realm with the same kinds.
    pub(crate) fn copy(&self) -> Self {
        let overrides = self.overrides.as_ref().map(|o| Overrides {
            parameters: o.parameters.clone(),
            apply: o.apply,
            read: o.read,
            check: o.check,
        });
        Self {
            models: self.models.clone(),
            agents: self.agents.clone(),
            suited: self.suited.clone(),
            overrides,
        }
    }
}

impl<W> fmt::Debug for Realm<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let models: Vec<&str> = self.models.iter().map(|(info, _)| info.name).collect();
        let agents: Vec<&str> = self.agents.iter().map(|(info, _)| info.name).collect();
        f.debug_struct("Realm")
            .field("models", &models)
            .field("agents", &agents)
            .finish_non_exhaustive()
    }
}
