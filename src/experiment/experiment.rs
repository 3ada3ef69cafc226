//! Experiments from Rust: any worlds of one type, any agents, any number of seeds.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::fingerprint::fingerprint_of;
use super::jobs::{Grid, GridWorld, Settings, check_feedback};
use super::limits::check_cells;
use super::plan::Plan;
use super::{ExperimentError, Outcome, Runner, SpecError, WorldIdentity};
use crate::Fault;
use crate::kinds::{
    AgentKind, AnyAgent, BoxedAgent, FromClosure, Identity, Named, Oracles, ParameterError,
    Registry, Site, Table, show,
};
use crate::model::Environment;
use crate::simulation::Setting;

/// Every one of some worlds with every one of some agents, each for a number of seeds.
///
/// Worlds are given by value: any [`Environment`]. Agents are kinds, built in or your own, or
/// closures. Runs go in parallel; an agent that can be saved is checkpointed, and a run that was
/// interrupted continues. Where a world has [exact values](Environment::exact), curves come with
/// the value of every policy, exact regret and the certified optimum; elsewhere with returns and
/// their intervals.
///
/// # Example
/// A continuous world that no table holds, with an agent of ours and one made by a closure.
/// ```
/// use rand::{Rng, RngExt};
/// use sporadic::agents::FixedSequence;
/// use sporadic::experiment::Experiment;
/// use sporadic::kinds::agents::Uniform;
/// use sporadic::model::{Action, Environment};
///
/// struct Drift;
/// impl Environment for Drift {
///     type Scalar = f64;
///     type State = f64;
///     fn num_actions(&self) -> usize { 2 }
///     fn gamma(&self) -> f64 { 0.9 }
///     fn beta(&self, a: Action) -> f64 { [0.1, 0.8][a] }
///     fn reward(&self, s: &f64, _: Action) -> f64 { *s }
///     fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> f64 { 0.5 }
///     fn next<R: Rng + ?Sized>(&self, s: &f64, a: Action, rng: &mut R) -> f64 {
///         (s + [-0.05, 0.1][a] + 0.02 * rng.random::<f64>()).clamp(0.0, 1.0)
///     }
/// }
///
/// let outcome = Experiment::new("drift")
///     .with_episodes(200)
///     .with_seeds(3)
///     .with_world("drift", Drift)
///     .with_agent(Uniform {})
///     .with_agent_fn("always", "(1)", |sequence, _| {
///         Ok(Box::new(FixedSequence::new(sequence.parse()?)))
///     })
///     .run()?;
/// let groups = outcome.groups();
/// let last = |i: usize| groups[i].average.last().map(|interval| interval.mean);
/// assert!(last(1) > last(0));
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Experiment<W: Environment> {
    name: String,
    episodes: u64,
    seeds: u64,
    seed: u64,
    points: u64,
    setting: Setting,
    version: u32,
    oracles: Oracles,
    worlds: Vec<GridWorld<W>>,
    agents: Vec<Arc<dyn AnyAgent<W>>>,
    fault: Option<ParameterError>,
}

impl<W: Environment + Send + Sync + 'static> Experiment<W> {
    /// An experiment without worlds and agents: 1,000 episodes, 5 seeds, 200 points of each curve.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            episodes: 1_000,
            seeds: 5,
            seed: 1,
            points: 200,
            setting: Setting::default(),
            version: 1,
            oracles: Registry::builtin().oracles,
            worlds: Vec::new(),
            agents: Vec::new(),
            fault: None,
        }
    }

    /// Sets how many episodes a run has.
    pub fn with_episodes(self, episodes: u64) -> Self {
        Self { episodes, ..self }
    }

    /// Sets how many runs each combination gets.
    pub fn with_seeds(self, seeds: u64) -> Self {
        Self { seeds, ..self }
    }

    /// Sets the seed that all runs are derived from.
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets how many points of each curve are kept.
    pub fn with_points(self, points: u64) -> Self {
        Self { points, ..self }
    }

    /// Sets which rewards agents are shown and when episodes end, the paper's way unless set.
    pub fn with_setting(self, setting: Setting) -> Self {
        Self { setting, ..self }
    }

    /// Sets the version of the closures. A closure that changes under the same name and with the same
    /// parameters makes other results: raise the version, and old results are not taken for new
    /// ones.
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// Adds the oracles of a registry, so that agents may take them by name.
    pub fn with_oracles(self, registry: &Registry) -> Self {
        Self { oracles: registry.oracles.clone(), ..self }
    }

    /// Adds a world.
    pub fn with_world(mut self, name: impl Into<String>, world: W) -> Self {
        let name = name.into();
        if name.trim().is_empty() {
            self.fault.get_or_insert(ParameterError::new(
                "the name of a world",
                "\"\"",
                "not empty",
            ));
        }
        let fingerprint = fingerprint_of(&world);
        let (made_by, parameters) = (String::new(), Table::new());
        let identity = WorldIdentity { model: name, made_by, parameters, fingerprint };
        self.worlds.push(GridWorld { identity, world: Arc::new(world) });
        self
    }

    /// Adds an agent of some kind, with its parameters.
    pub fn with_agent(mut self, kind: impl AgentKind<W>) -> Self {
        match Named::new(kind, &self.oracles) {
            Ok(agent) => self.agents.push(Arc::new(agent)),
            Err(fault) => {
                self.fault.get_or_insert(fault);
            }
        }
        self
    }

    /// Adds an agent that `build` makes from `parameters` and its place in the experiment.
    ///
    /// The name and the parameters, as data, are what results are told apart by: put into them
    /// whatever changes what the agent does.
    pub fn with_agent_fn<P, F>(mut self, name: impl Into<String>, parameters: P, build: F) -> Self
    where
        P: Serialize + Send + Sync + 'static,
        F: for<'a> Fn(&P, &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> + Send + Sync + 'static,
    {
        let name = name.into();
        let table = match serde_json::to_value(&parameters) {
            Ok(serde_json::Value::Object(table)) => table,
            Ok(serde_json::Value::Null) => Table::new(),
            Ok(value) => Table::from_iter([("parameter".to_owned(), value)]),
            Err(fault) => {
                let message = format!("its parameters cannot be written: {fault}");
                let fault = ParameterError::Refused { place: name.clone(), message };
                self.fault.get_or_insert(fault);
                return self;
            }
        };
        if name.trim().is_empty() {
            self.fault.get_or_insert(ParameterError::new(
                "the name of an agent",
                "\"\"",
                "not empty",
            ));
        }
        // A closure has no crate: its name starts with "fn", which no crate can be called.
        let made_by = format!("fn/{name}@{}", self.version);
        let identity = Identity { name, made_by, parameters: table };
        self.agents.push(Arc::new(FromClosure { parameters, identity, build }));
        self
    }

    /// Every run, checked: what a [`Runner`] takes.
    ///
    /// # Errors
    /// [`SpecError`] that names what is wrong.
    pub fn plan(self) -> Result<Plan, SpecError> {
        let name = self.name.clone();
        let part = self.into_grid()?;
        Plan::new(name, String::new(), vec![Box::new(part)])
    }

    fn into_grid(self) -> Result<Grid<W>, SpecError> {
        if let Some(fault) = self.fault {
            return Err(fault.into());
        }
        for agent in &self.agents {
            let parameters = &agent.identity().parameters;
            if let Some((name, value)) = parameters.iter().find(|(_, value)| value.is_null()) {
                return Err(ParameterError::new(name, show(value), "a finite number").into());
            }
        }
        let Self { episodes, seeds, seed, points, setting, oracles, worlds, agents, .. } = self;
        for agent in &agents {
            check_feedback(&**agent, setting)?;
        }
        check_cells(worlds.len(), agents.len(), seeds)?;
        let settings = Settings { episodes, seeds, seed, points, setting };
        Grid::new(worlds, agents, oracles, settings)
    }

    /// Runs everything in memory, on all cores.
    ///
    /// # Errors
    /// [`ExperimentError`].
    pub fn run(self) -> Result<Outcome, ExperimentError> {
        Runner::new().run_in_memory(&self.plan()?)
    }

    /// Runs what is not finished yet, on all cores, and writes it into the folder `out`: stopped at
    /// any moment, the same call continues.
    ///
    /// # Errors
    /// [`ExperimentError`]; what was finished before it is kept.
    pub fn run_in(self, out: impl AsRef<Path>) -> Result<Outcome, ExperimentError> {
        let plan = self.plan()?;
        Runner::new().run(&plan, out.as_ref())?;
        Outcome::load(out.as_ref())
    }
}
