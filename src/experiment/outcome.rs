//! A finished experiment: runs that differ in luck alone, as means with intervals.

use std::collections::BTreeSet;

use serde_json::Value;

use super::manifest::GroupEntry;
use super::{Cell, Interval, Reference, RunCurve};
use crate::kinds::{Table, show};

/// The results of a finished experiment.
#[derive(Debug, Clone)]
pub struct Outcome {
    name: String,
    spec: String,
    groups: Vec<Group>,
}

/// The runs of one agent in one world.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Group {
    /// The first of its cells.
    pub cell: Cell,
    /// The discount factor of the world.
    pub gamma: f64,
    /// The reveal probabilities of its actions.
    pub betas: Vec<f64>,
    /// What the curves are compared with.
    pub reference: Reference,
    /// What theory says of the agent's regret over all episodes, if it says anything.
    pub regret_bound: Option<f64>,
    /// The curve of every run.
    pub runs: Vec<RunCurve>,
    /// After how many episodes points of the curves were kept.
    pub episodes: Vec<u64>,
    /// The mean return of the episodes so far, over the runs.
    pub average: Vec<Interval>,
    /// The exact value of the policy played last, over the runs; empty if not all are known.
    pub value: Vec<Interval>,
}

impl Outcome {
    pub(super) fn new(name: String, spec: String, groups: Vec<Group>) -> Self {
        Self { name, spec, groups }
    }

    /// The experiment's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that it was read from; empty if it was made from values.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// The runs, by world and agent.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Joins the results of another experiment, such as one with worlds of another type, to be drawn
    /// and reported together.
    pub fn join(mut self, other: Self) -> Self {
        self.groups.extend(other.groups);
        self
    }
}

impl Group {
    pub(super) fn new(entry: &GroupEntry, reference: Reference) -> Self {
        Self {
            cell: entry.cell.clone(),
            gamma: entry.gamma,
            betas: entry.betas.clone(),
            reference,
            regret_bound: entry.regret_bound,
            runs: Vec::new(),
            episodes: Vec::new(),
            average: Vec::new(),
            value: Vec::new(),
        }
    }

    /// Adds a run.
    pub(super) fn push(&mut self, curve: RunCurve) {
        self.runs.push(curve);
        let Some(first) = self.runs.first() else { return };
        self.episodes.clone_from(&first.episodes);
        let over_runs = |at: &dyn Fn(&RunCurve) -> Option<f64>| {
            let sample: Option<Vec<f64>> = self.runs.iter().map(at).collect();
            sample.and_then(|sample| Interval::of(&sample))
        };
        let points = 0..self.episodes.len();
        let average = points.clone().map_while(|i| over_runs(&|c| c.average.get(i).copied()));
        let value = points.map_while(|i| over_runs(&|c| c.value.get(i).copied().flatten()));
        (self.average, self.value) = (average.collect(), value.collect());
    }

    /// The regret at each kept point against `optimum`: the sum over the episodes k so far of
    /// optimum - V of pi_k, exact. Empty if not every policy was evaluated.
    pub fn regret(&self, optimum: f64) -> Vec<Interval> {
        let at = |i: usize| {
            let n = *self.episodes.get(i)? as f64;
            let means = self.runs.iter().map(|run| run.mean_policy_value.get(i).copied().flatten());
            let sample: Option<Vec<f64>> = means.map(|mean| Some(n * (optimum - mean?))).collect();
            sample.and_then(|sample| Interval::of(&sample))
        };
        (0..self.episodes.len()).map_while(at).collect()
    }

    /// The reveal probability, if it is the same for all actions.
    pub fn beta(&self) -> Option<f64> {
        let first = *self.betas.first()?;
        self.betas.iter().all(|beta| beta.to_bits() == first.to_bits()).then_some(first)
    }
}

/// Names for the agents of `groups` that show what tells them apart and nothing else: the kind, and
/// those of its parameters that differ among the groups.
pub fn agent_labels<'a>(groups: impl IntoIterator<Item = &'a Group>) -> Vec<String> {
    let groups: Vec<&Group> = groups.into_iter().collect();
    let tables = groups.iter().map(|group| {
        let agent = &group.cell.agent;
        (agent.name.as_str(), agent.made_by.as_str(), &agent.parameters)
    });
    labels(&tables.collect::<Vec<_>>())
}

/// Names for the worlds of `groups` that show what tells them apart and nothing else.
pub fn world_labels<'a>(groups: impl IntoIterator<Item = &'a Group>) -> Vec<String> {
    let groups: Vec<&Group> = groups.into_iter().collect();
    let tables = groups.iter().map(|group| {
        let world = &group.cell.world;
        (world.model.as_str(), world.made_by.as_str(), &world.parameters)
    });
    labels(&tables.collect::<Vec<_>>())
}

fn labels(entries: &[(&str, &str, &Table)]) -> Vec<String> {
    let label = |&(name, made_by, table): &(&str, &str, &Table)| {
        let alike: Vec<_> = entries.iter().filter(|(other, ..)| *other == name).collect();
        let names: BTreeSet<&String> =
            alike.iter().flat_map(|(_, _, table)| table.keys()).collect();
        let varies = |key: &&&String| {
            let values: BTreeSet<String> = (alike.iter())
                .map(|(_, _, table)| table.get(**key).map_or_else(String::new, Value::to_string))
                .collect();
            values.len() > 1
        };
        let varying = names.iter().filter(varies);
        let set = varying.filter_map(|key| Some(format!("{key}={}", show(table.get(*key)?))));
        let makers: BTreeSet<&str> = alike.iter().map(|(_, made_by, _)| *made_by).collect();
        let maker = (makers.len() > 1).then(|| format!("({made_by})"));
        let parts: Vec<String> = std::iter::once(name.to_owned()).chain(set).chain(maker).collect();
        parts.join(" ")
    };
    entries.iter().map(label).collect()
}
