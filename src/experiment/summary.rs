//! What the runs of a combination have in common.

use std::collections::HashMap;
use std::sync::Arc;

use super::Cell;
use super::manifest::Finished;
use super::run::Curve;
use super::statistics::Interval;
use crate::model::Tabular;

/// The runs that differ in luck alone, and their means.
#[derive(Debug, Clone)]
pub struct Group {
    /// What they have in common; its `run` is 0.
    pub cell: Cell,
    /// The model.
    pub model: Arc<Tabular<f64>>,
    /// The index in the experiment of the first of them.
    pub first: usize,
    /// The curve of each run.
    pub runs: Vec<Curve>,
    /// After how many episodes the following hold.
    pub episodes: Vec<u64>,
    /// The mean return so far.
    pub average: Vec<Interval>,
    /// The exact value of the policy played; empty if the agent plays no burst-dependent policy.
    pub value: Vec<Interval>,
}

/// The groups of an experiment, in its order.
pub fn summarize(finished: &Finished) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (i, (job, record)) in finished.experiment.jobs().iter().zip(&finished.records).enumerate() {
        let cell = job.cell.without_run();
        let at = *known.entry(cell.id()).or_insert_with(|| {
            groups.push(Group::new(cell, Arc::clone(&job.model), i));
            groups.len() - 1
        });
        groups[at].runs.push(record.curve.clone());
    }
    groups.iter_mut().for_each(Group::complete);
    groups
}

impl Group {
    fn new(cell: Cell, model: Arc<Tabular<f64>>, first: usize) -> Self {
        let (runs, episodes, average, value) = <_>::default();
        Self { cell, model, first, runs, episodes, average, value }
    }

    fn complete(&mut self) {
        let Some(first) = self.runs.first() else { return };
        self.episodes.clone_from(&first.episodes);
        let over_runs = |at: &dyn Fn(&Curve) -> Option<f64>| {
            let sample: Option<Vec<f64>> = self.runs.iter().map(at).collect();
            sample.and_then(|sample| Interval::of(&sample))
        };
        let points = 0..self.episodes.len();
        let average = points.clone().map_while(|i| over_runs(&|c| c.average.get(i).copied()));
        let value = points.map_while(|i| over_runs(&|c| c.value.get(i).copied().flatten()));
        (self.average, self.value) = (average.collect(), value.collect());
    }

    /// The regret at each kept point against `optimum`: the sum over the episodes k so far of optimum
    /// - V of pi_k, exact. Empty if not every policy was evaluated.
    pub fn regret(&self, optimum: f64) -> Vec<Interval> {
        let at = |i: usize| {
            let n = *self.episodes.get(i)? as f64;
            let worth = self.runs.iter().map(|run| run.worth.get(i).copied().flatten());
            let sample: Option<Vec<f64>> = worth.map(|w| Some(n * (optimum - w?))).collect();
            sample.and_then(|sample| Interval::of(&sample))
        };
        (0..self.episodes.len()).map_while(at).collect()
    }

    /// The model's name, or that of its file.
    pub fn name(&self) -> &str {
        if self.model.name().is_empty() { &self.cell.world.model } else { self.model.name() }
    }
}
