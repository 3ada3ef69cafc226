//! Cells without their types: what a runner runs.
//!
//! Worlds of an experiment may have different types (tables, continuous ones of a user), which the runner, the manifest
//! and the report need not know. A plan therefore consists of *parts*, one [`Grid`] for each type of world, behind the trait
//! [`Jobs`]. Within a part, *group* g is world g / agents with agent g % agents, and a cell is a group and the number of a run.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use itertools::Itertools as _;

use super::limits::{MAX_EPISODES, MAX_POINTS, check_cells, check_count};
use super::reference::Bounds;
use super::run::{CellRun, RunContext};
use super::{Cell, ExperimentError, Record, SpecError, WorldIdentity};
use crate::Real;
use crate::kinds::{AnyAgent, KindInfo, Oracles, ParameterError, Realm, Site, Table};
use crate::model::{Environment, Exact, MAX_AGES};
use crate::sequence::ActionSequence;
use crate::simulation::{Ending, MAX_GAMMA, Setting};

/// The most worlds that are made only to find out which parameters suit them.
const MAX_SUITED: usize = 100;

/// How long and how often.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) episodes: u64,
    pub(crate) seeds: u64,
    pub(crate) seed: u64,
    pub(crate) points: u64,
    pub(crate) setting: Setting,
}

/// Cells whose worlds have one type, which is hidden: the runner is compiled once.
pub(crate) trait Jobs: Send + Sync + fmt::Debug {
    /// How many groups there are: worlds times agents.
    fn groups(&self) -> usize;
    /// How many runs each group has.
    fn seeds(&self) -> u64;
    /// Run `run` of group `group`.
    fn cell(&self, group: usize, run: u64) -> Cell;
    /// The name of a group's model: its own, or the one that it was asked for by.
    fn model_name(&self, group: usize) -> String;
    /// The discount factor of a group's world.
    fn gamma(&self, group: usize) -> f64;
    /// The reveal probabilities of a group's world.
    fn betas(&self, group: usize) -> Vec<f64>;
    /// Those at the ages 1, 2, ... before; empty if they do not depend on the age.
    fn early_betas(&self, group: usize) -> Vec<Vec<f64>>;
    /// All of a group's world as text, if it has tables.
    fn description(&self, group: usize) -> Option<String>;
    /// Runs a cell from its checkpoint or its beginning; `None` if it was asked to stop.
    fn run(
        &self,
        cell: &Cell,
        group: usize,
        context: &RunContext<'_>,
    ) -> Result<Option<Record>, ExperimentError>;
    /// Bounds on the optimum of a group's world, and who to ask for the class of its agent.
    fn optimum(&self, group: usize) -> Result<Option<Bounds>, crate::Fault>;
    /// The optimum within the family of a group's agent.
    fn class(&self, group: usize) -> Result<Option<f64>, crate::Fault>;
    /// A hash of that family; `None` without one.
    fn family_name(&self, group: usize) -> Option<String>;
    /// What theory says of the regret of a group's agent over all episodes.
    fn regret_bound(&self, group: usize) -> Option<f64>;
    /// What the user should know about a group before it is run.
    fn advice(&self, group: usize) -> Vec<String>;
}

/// A world of a grid.
pub(crate) struct GridWorld<W> {
    pub(crate) identity: WorldIdentity,
    pub(crate) world: Arc<W>,
}

impl<W> Clone for GridWorld<W> {
    fn clone(&self) -> Self {
        Self { identity: self.identity.clone(), world: Arc::clone(&self.world) }
    }
}

impl<W> fmt::Debug for GridWorld<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.identity.fmt(f)
    }
}

/// Every world with every agent, each for a number of seeds.
pub(crate) struct Grid<W: Environment> {
    worlds: Vec<GridWorld<W>>,
    agents: Vec<Arc<dyn AnyAgent<W>>>,
    oracles: Oracles,
    settings: Settings,
}

impl<W: Environment> fmt::Debug for Grid<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grid")
            .field("worlds", &self.worlds)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl<W: Environment + Send + Sync> Grid<W> {
    pub(crate) fn new(
        worlds: Vec<GridWorld<W>>,
        agents: Vec<Arc<dyn AnyAgent<W>>>,
        oracles: Oracles,
        settings: Settings,
    ) -> Result<Self, SpecError> {
        check_count("episodes", settings.episodes, MAX_EPISODES)?;
        check_count("seeds", settings.seeds, u64::MAX)?;
        check_count("points", settings.points, MAX_POINTS)?;
        for GridWorld { identity, world } in &worlds {
            let gamma = world.gamma().as_f64();
            if gamma > MAX_GAMMA {
                return Err(SpecError::LongEpisodes { field: identity.model.clone(), gamma });
            }
        }
        Ok(Self { worlds, agents, oracles, settings })
    }

    fn at(&self, group: usize) -> (&GridWorld<W>, &Arc<dyn AnyAgent<W>>) {
        (&self.worlds[group / self.agents.len()], &self.agents[group % self.agents.len()])
    }

    /// Exact values that returns may be compared with: those of the discounted problem, if that is played.
    fn exact(&self, group: usize) -> Option<Box<dyn Exact<W::State> + '_>> {
        match self.settings.setting.ending {
            Ending::Discounted => self.at(group).0.world.exact(),
            Ending::Absorbing { .. } => None,
        }
    }

    fn family(&self, group: usize) -> Result<Option<Vec<ActionSequence>>, crate::Fault> {
        let (world, agent) = self.at(group);
        agent.family(&self.oracles, world.world.num_actions())
    }
}

impl<W: Environment + Send + Sync> Jobs for Grid<W> {
    fn groups(&self) -> usize {
        self.worlds.len() * self.agents.len()
    }

    fn seeds(&self) -> u64 {
        self.settings.seeds
    }

    fn cell(&self, group: usize, run: u64) -> Cell {
        let (world, agent) = self.at(group);
        let Settings { episodes, points, seed, setting, .. } = self.settings;
        let (world, agent) = (world.identity.clone(), agent.identity().clone());
        Cell { world, agent, episodes, points, seed, run, setting }
    }

    fn model_name(&self, group: usize) -> String {
        let world = self.at(group).0;
        world.world.model_name().unwrap_or_else(|| world.identity.model.clone())
    }

    fn gamma(&self, group: usize) -> f64 {
        self.at(group).0.world.gamma().as_f64()
    }

    fn betas(&self, group: usize) -> Vec<f64> {
        let world = &self.at(group).0.world;
        (0..world.num_actions()).map(|a| world.beta(a).as_f64()).collect()
    }

    fn early_betas(&self, group: usize) -> Vec<Vec<f64>> {
        let world = &self.at(group).0.world;
        let at = |age| (0..world.num_actions()).map(|a| world.beta_at(a, age).as_f64()).collect();
        (1..world.ages().min(MAX_AGES)).map(at).collect()
    }

    fn description(&self, group: usize) -> Option<String> {
        self.at(group).0.world.exact().and_then(|exact| exact.description())
    }

    fn run(
        &self,
        cell: &Cell,
        group: usize,
        context: &RunContext<'_>,
    ) -> Result<Option<Record>, ExperimentError> {
        let (world, agent) = self.at(group);
        let world = &*world.world;
        let site = Site::new(world, cell.streams(), cell.episodes, &self.oracles)
            .with_setting(cell.setting);
        let build = || agent.build(&site);
        CellRun::new(cell, world, &build, context)?.finish(context)
    }

    fn advice(&self, group: usize) -> Vec<String> {
        let (world, agent) = self.at(group);
        let about =
            |line: String| format!("{} in {}: {line}", agent.identity().name, world.identity.model);
        agent.advice(&world.world).into_iter().map(about).collect()
    }

    fn optimum(&self, group: usize) -> Result<Option<Bounds>, crate::Fault> {
        let Some(mut exact) = self.exact(group) else { return Ok(None) };
        let (lower, upper) = exact.optimum(None)?;
        Ok(Some(Bounds { lower, upper }))
    }

    fn class(&self, group: usize) -> Result<Option<f64>, crate::Fault> {
        let Some(mut exact) = self.exact(group) else { return Ok(None) };
        match self.family(group)? {
            Some(family) => exact.class(&family, None),
            None => Ok(None),
        }
    }

    fn family_name(&self, group: usize) -> Option<String> {
        let family = self.family(group).ok()??;
        let text = family.iter().join(" ");
        Some(super::cell::fingerprint(text))
    }

    fn regret_bound(&self, group: usize) -> Option<f64> {
        let (world, agent) = self.at(group);
        agent.regret_bound(&world.world, self.settings.episodes).filter(|bound| bound.is_finite())
    }
}

/// A realm whose type of world is hidden.
pub(crate) trait AnyRealm: Send + Sync + fmt::Debug {
    fn agent_infos(&self) -> Vec<&KindInfo>;
    fn model_infos(&self) -> Vec<&KindInfo>;
    fn has_model(&self, name: &str) -> bool;
    /// The parameters of an agent that suit some worlds, one table for each; none if the worlds are too
    /// many or cannot be made.
    fn suited(&self, agent: &str, model: &str, table: &Table) -> Vec<Table>;
    /// The cells of some models and some agents of a specification, with where they stand in it.
    fn jobs(
        &self,
        models: &[(String, &str, &Table)],
        agents: &[(String, &str, &Table)],
        oracles: &Oracles,
        base: &std::path::Path,
        settings: Settings,
    ) -> Result<Box<dyn Jobs>, SpecError>;
}

impl<W: Environment + Send + Sync + 'static> AnyRealm for Realm<W> {
    fn agent_infos(&self) -> Vec<&KindInfo> {
        self.agents().collect()
    }

    fn model_infos(&self) -> Vec<&KindInfo> {
        self.models().collect()
    }

    fn has_model(&self, name: &str) -> bool {
        Realm::has_model(self, name)
    }

    fn suited(&self, agent: &str, model: &str, table: &Table) -> Vec<Table> {
        let few = self.count_worlds(model, table).is_ok_and(|count| count <= MAX_SUITED);
        let worlds = few.then(|| self.read_worlds(model, table, "".as_ref()).ok()).flatten();
        let worlds = worlds.unwrap_or_default();
        worlds.iter().map(|named| Realm::suited(self, agent, &named.world)).collect()
    }

    fn jobs(
        &self,
        models: &[(String, &str, &Table)],
        agents: &[(String, &str, &Table)],
        oracles: &Oracles,
        base: &std::path::Path,
        settings: Settings,
    ) -> Result<Box<dyn Jobs>, SpecError> {
        let (mut worlds, mut players) = (Vec::new(), Vec::new());
        for (place, name, table) in agents {
            let found = self.read_agents(name, table, oracles).map_err(|e| e.within(place))?;
            players.extend(found.into_iter().map(|agent| (place, agent)));
        }
        // Counted before any world is made.
        let mut count = 0_usize;
        for (place, name, table) in models {
            count += self.count_worlds(name, table).map_err(|e| e.within(place))?;
        }
        check_cells(count, players.len(), settings.seeds)?;
        for (place, name, table) in models {
            for named in
                self.read_worlds(name, table, base).map_err(|e| SpecError::model(e, place))?
            {
                let fingerprint = super::fingerprint::fingerprint_of(&*named.world);
                let crate::kinds::NamedWorld { name, made_by, parameters, world } = named;
                let identity = WorldIdentity { model: name, made_by, parameters, fingerprint };
                worlds.push((place, GridWorld { identity, world }));
            }
        }
        for (place, world) in &worlds {
            let gamma = world.world.gamma().as_f64();
            if gamma > MAX_GAMMA {
                return Err(SpecError::LongEpisodes { field: (*place).clone(), gamma });
            }
        }
        check_twice(&worlds, |world| {
            // The folder a file lies in is no part of what it is.
            let WorldIdentity { made_by, parameters, fingerprint, .. } = &world.identity;
            format!("{made_by} {fingerprint} {parameters:?}")
        })?;
        check_twice(&players, |agent| format!("{:?}", agent.identity()))?;
        for (model, world) in &worlds {
            for (place, agent) in &players {
                let streams = crate::simulation::Streams::new(settings.seed);
                let site = Site::new(&*world.world, streams, settings.episodes, oracles)
                    .with_setting(settings.setting);
                let refuse =
                    |e: ParameterError| SpecError::agent(e.within(place), model, worlds.len());
                check_feedback(&**agent, settings.setting).map_err(refuse)?;
                agent.check(&site).map_err(refuse)?;
            }
        }
        let worlds = worlds.into_iter().map(|(_, world)| world).collect();
        let players = players.into_iter().map(|(_, agent)| agent).collect();
        Ok(Box::new(Grid::new(worlds, players, oracles.clone(), settings)?))
    }
}

/// Refuses an agent that needs rewards which it would not be shown.
pub(super) fn check_feedback<W: Environment>(
    agent: &dyn AnyAgent<W>,
    setting: Setting,
) -> Result<(), ParameterError> {
    let (needed, given) = (agent.feedback(), setting.feedback);
    if needed <= given {
        return Ok(());
    }
    let message = format!(
        "{} learns from the reward of every round, but rewards are shown {given}: ask for feedback {needed}",
        agent.identity().name
    );
    Err(ParameterError::Refused { place: String::new(), message })
}

/// Refuses two entries of the same description; each has the place where it stands.
fn check_twice<V>(
    entries: &[(&String, V)],
    describe: impl Fn(&V) -> String,
) -> Result<(), SpecError> {
    let mut known: HashMap<String, &String> = HashMap::new();
    for (second, entry) in entries {
        if let Some(first) = known.insert(describe(entry), second) {
            return Err(SpecError::Twice { first: first.clone(), second: (*second).clone() });
        }
    }
    Ok(())
}
