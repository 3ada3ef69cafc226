//! Every run of an experiment.

use std::collections::HashMap;

use super::jobs::Jobs;
use super::limits::MAX_ALL_POINTS;
use super::{Cell, SpecError};

/// Every run of an experiment, checked and ready for a [`Runner`](super::Runner): worlds, then agents,
/// then seeds.
///
/// Made by [`Experiment::plan`](super::Experiment::plan) from values, or by
/// [`Spec::expand`](super::Spec::expand) from text.
#[derive(Debug)]
pub struct Plan {
    name: String,
    spec: String,
    parts: Vec<Box<dyn Jobs>>,
}

/// A cell of a plan: its place there, and its id.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) part: usize,
    pub(super) group: usize,
    pub(super) cell: Cell,
    pub(super) id: String,
}

impl Plan {
    pub(super) fn new(
        name: String,
        spec: String,
        parts: Vec<Box<dyn Jobs>>,
    ) -> Result<Self, SpecError> {
        let plan = Self { name, spec, parts };
        let groups: usize = plan.parts.iter().map(|part| part.groups()).sum();
        if groups == 0 {
            return Err(SpecError::Empty { field: "models or agents" });
        }
        let cells = plan.len();
        let first = plan.parts.iter().find(|part| part.groups() > 0).map(|part| part.cell(0, 0));
        let points = first.map_or(0, |cell| cell.points.min(cell.episodes));
        if cells.saturating_mul(points) > MAX_ALL_POINTS {
            return Err(SpecError::Points { cells, points });
        }
        let mut known = HashMap::new();
        for (part, group) in plan.groups() {
            let cell = plan.parts[part].cell(group, 0);
            let name = format!("{} with {}", cell.world.model, cell.agent.name);
            if let Some(first) = known.insert(cell.id(), name.clone()) {
                return Err(SpecError::Twice { first, second: name });
            }
        }
        Ok(plan)
    }

    /// The experiment's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that it was read from; empty if it was made from values.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// How many runs there are.
    pub fn len(&self) -> u64 {
        let of = |part: &dyn Jobs| (part.groups() as u64).saturating_mul(part.seeds());
        self.parts.iter().map(|part| of(&**part)).fold(0, u64::saturating_add)
    }

    /// Whether there is nothing to run, which no plan that was made allows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sentences about parameters that are allowed but will hardly do, each once.
    pub fn advice(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in self.groups().flat_map(|(part, group)| self.parts[part].advice(group)) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    /// The cells, in order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.jobs().map(|job| job.cell)
    }

    pub(super) fn part(&self, part: usize) -> &dyn Jobs {
        &*self.parts[part]
    }

    /// Every combination of world and agent.
    pub(super) fn groups(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let groups = |(i, part): (usize, &Box<dyn Jobs>)| (0..part.groups()).map(move |g| (i, g));
        self.parts.iter().enumerate().flat_map(groups)
    }

    pub(super) fn jobs(&self) -> impl Iterator<Item = Job> + '_ {
        self.groups().flat_map(move |(part, group)| {
            (0..self.parts[part].seeds()).map(move |run| {
                let cell = self.parts[part].cell(group, run);
                Job { part, group, id: cell.id(), cell }
            })
        })
    }
}
