//! A spec spelled out: every cell with its model.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use itertools::iproduct;

use super::cell::fingerprint;
use super::error::SpecError;
use super::limits::{MAX_ALL_POINTS, MAX_CELLS, MAX_EPISODES, MAX_POINTS, check_count};
use super::spec::{AgentGrid, ModelGrid};
use super::{Cell, Spec, World};
use crate::model::Tabular;
use crate::simulation::MAX_GAMMA;

/// A cell and the model it is about.
#[derive(Debug, Clone)]
pub struct Job {
    /// The cell.
    pub cell: Cell,
    /// Its id.
    pub id: String,
    /// The model.
    pub model: Arc<Tabular<f64>>,
}

/// Every cell of a sweep, in the order of the spec: models, then agents, then runs.
#[derive(Debug, Clone)]
pub struct Experiment {
    name: String,
    jobs: Vec<Job>,
}

impl Experiment {
    /// Every cell of `spec`; relative names of model files start in `base`.
    ///
    /// # Errors
    /// [`SpecError`] that names the field and the value at fault.
    pub fn new(spec: &Spec, base: &Path) -> Result<Self, SpecError> {
        check_count("episodes", spec.episodes, MAX_EPISODES)?;
        check_count("seeds", spec.seeds, u64::MAX)?;
        check_count("points", spec.points, MAX_POINTS)?;
        let (agents, worlds) = (count_agents(spec), count_worlds(spec));
        check_cells(spec, worlds, agents)?;
        let mut agents = Vec::new();
        for (i, grid) in spec.agents.iter().enumerate() {
            let field = format!("agents[{i}]");
            agents.extend(grid.choices(&field)?.into_iter().map(|agent| (i, agent)));
        }
        let (mut jobs, mut known) = (Vec::new(), HashMap::new());
        for (w, grid) in spec.models.iter().enumerate() {
            let field = format!("models[{w}]");
            for world in worlds_of(grid) {
                let (model, fingerprint) = build(&world, base, &field)?;
                for (i, agent) in &agents {
                    agent.check_for(&model, &format!("agents[{i}]"), &field)?;
                    for run in 0..spec.seeds {
                        let cell = Cell {
                            world: world.clone(),
                            fingerprint: fingerprint.clone(),
                            agent: agent.clone(),
                            episodes: spec.episodes,
                            points: spec.points,
                            seed: spec.seed,
                            run,
                        };
                        let id = cell.id();
                        if let Some((v, j)) = known.insert(id.clone(), (w, *i)) {
                            let place = |w, i| format!("models[{w}] with agents[{i}]");
                            let (first, second) = (place(v, j), place(w, *i));
                            return Err(SpecError::Twice { id, first, second });
                        }
                        jobs.push(Job { id, cell, model: Arc::clone(&model) });
                    }
                }
            }
        }
        Ok(Self { name: spec.name.clone(), jobs })
    }

    /// The experiment's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The cells, in order.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// An experiment of cells whose models are at hand.
    pub(super) fn from_jobs(name: String, jobs: Vec<Job>) -> Self {
        Self { name, jobs }
    }
}

/// How many worlds the spec describes, counted without making any.
fn count_worlds(spec: &Spec) -> usize {
    let count = |grid: &ModelGrid| {
        [grid.states.count(), grid.cost.count(), grid.gamma.count(), grid.beta.count()]
            .into_iter()
            .fold(1, usize::saturating_mul)
    };
    spec.models.iter().map(count).fold(0, usize::saturating_add)
}

/// How many agents the spec describes, counted without making any.
fn count_agents(spec: &Spec) -> usize {
    spec.agents.iter().map(AgentGrid::count).fold(0, usize::saturating_add)
}

/// Refuses more cells or points than can be held in memory.
fn check_cells(spec: &Spec, worlds: usize, agents: usize) -> Result<(), SpecError> {
    if agents == 0 || worlds == 0 {
        return Err(SpecError::Empty { field: if agents == 0 { "agents" } else { "models" } });
    }
    let cells = (worlds as u64).saturating_mul(agents as u64).saturating_mul(spec.seeds);
    if cells > MAX_CELLS {
        return Err(SpecError::Cells { worlds, agents, seeds: spec.seeds });
    }
    let points = spec.points.min(spec.episodes);
    if cells.saturating_mul(points) > MAX_ALL_POINTS {
        return Err(SpecError::Points { cells, points });
    }
    Ok(())
}

fn worlds_of(grid: &ModelGrid) -> Vec<World> {
    let combinations = iproduct!(
        grid.states.optional(),
        grid.cost.optional(),
        grid.gamma.optional(),
        grid.beta.optional()
    );
    combinations
        .map(|(states, cost, gamma, beta)| World {
            model: grid.model.clone(),
            beta,
            gamma,
            states,
            cost,
        })
        .collect()
}

fn build(
    world: &World,
    base: &Path,
    field: &str,
) -> Result<(Arc<Tabular<f64>>, String), SpecError> {
    let refuse = |fault| SpecError::World { field: field.into(), source: Box::new(fault) };
    let model = world.build(base).map_err(refuse)?;
    let gamma = model.gamma();
    if gamma > MAX_GAMMA {
        return Err(SpecError::LongEpisodes { field: field.into(), gamma });
    }
    let text = model.to_json().map_err(|fault| refuse(fault.into()))?;
    Ok((Arc::new(model), fingerprint(&text)))
}
