//! A spec spelled out: every cell with its model.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use itertools::iproduct;

use super::cell::fingerprint;
use super::error::SpecError;
use super::spec::ModelGrid;
use super::{Cell, Spec, World};
use crate::model::Tabular;

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
        for (field, value) in
            [("episodes", spec.episodes), ("seeds", spec.seeds), ("points", spec.points)]
        {
            if value == 0 {
                let (field, value) = (field.into(), "0".into());
                return Err(SpecError::Field { field, value, needed: "at least 1".into() });
            }
        }
        let mut agents = Vec::new();
        for (i, grid) in spec.agents.iter().enumerate() {
            agents.extend(grid.choices(&format!("agents[{i}]"))?);
        }
        let mut jobs = Vec::new();
        for (i, grid) in spec.models.iter().enumerate() {
            let field = format!("models[{i}]");
            for world in worlds(grid) {
                let (model, fingerprint) = build(&world, base, &field)?;
                for (agent, run) in iproduct!(&agents, 0..spec.seeds) {
                    agent.check_for(&model)?;
                    let cell = Cell {
                        world: world.clone(),
                        fingerprint: fingerprint.clone(),
                        agent: agent.clone(),
                        episodes: spec.episodes,
                        points: spec.points,
                        seed: spec.seed,
                        run,
                    };
                    jobs.push(Job { id: cell.id(), cell, model: Arc::clone(&model) });
                }
            }
        }
        if jobs.is_empty() {
            let field = if agents.is_empty() { "agents" } else { "models" };
            return Err(SpecError::Empty { field });
        }
        let mut ids = HashSet::new();
        match jobs.iter().find(|job| !ids.insert(&job.id)) {
            Some(job) => Err(SpecError::Twice { id: job.id.clone() }),
            None => Ok(Self { name: spec.name.clone(), jobs }),
        }
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

fn worlds(grid: &ModelGrid) -> Vec<World> {
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
    let text = model.to_json().map_err(|fault| refuse(fault.into()))?;
    Ok((Arc::new(model), fingerprint(&text)))
}
