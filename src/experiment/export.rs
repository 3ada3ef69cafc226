//! Results for other programs: `curves.csv` and `summary.json`.

use serde::Serialize;

use super::summary::Group;
use super::{AgentChoice, Curve, ExperimentError, Finished, Interval, Reference, World};

/// A group with what it is compared with, and its numbers at the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// The world, as it was asked for.
    pub world: World,
    /// The model's name.
    pub model: String,
    /// The discount factor.
    pub gamma: f64,
    /// The reveal probability, if it is the same for all actions.
    pub beta: Option<f64>,
    /// The agent.
    pub agent: AgentChoice,
    /// How many episodes each run had.
    pub episodes: u64,
    /// How many points of each curve were kept.
    pub points: u64,
    /// How many runs.
    pub seeds: usize,
    /// The mean return over all episodes.
    pub average: Interval,
    /// The exact value of the policy played last; null if the agent plays no burst-dependent policy.
    pub value: Option<Interval>,
    /// The optimum within the agent's family; null if it has none.
    pub class: Option<f64>,
    /// A value that a known policy attains.
    pub lower: f64,
    /// A value that no policy exceeds.
    pub upper: f64,
    /// The sum over all episodes of `lower` less the exact value of the policy played: regret is at
    /// least this, and at most `episodes` times `upper` less `lower` more. Null if not every policy
    /// was evaluated.
    pub regret: Option<Interval>,
}

/// The numbers of `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The version of this crate.
    pub version: &'static str,
    /// The experiment's name.
    pub name: String,
    /// The seed of the experiment.
    pub seed: u64,
    /// One entry for each combination of world and agent.
    pub groups: Vec<Line>,
}

impl Line {
    /// The numbers of a group.
    pub fn new(group: &Group, reference: &Reference) -> Option<Self> {
        let (cell, model) = (&group.cell, &*group.model);
        let first = model.betas().first().copied();
        let same = model.betas().iter().all(|b| Some(b.to_bits()) == first.map(f64::to_bits));
        Some(Self {
            world: cell.world.clone(),
            model: group.name().into(),
            gamma: model.gamma(),
            beta: first.filter(|_| same),
            agent: cell.agent.clone(),
            episodes: cell.episodes,
            points: cell.points,
            seeds: group.runs.len(),
            average: *group.average.last()?,
            value: group.value.last().copied(),
            class: reference.class,
            lower: reference.lower,
            upper: reference.upper,
            regret: group.regret(reference.lower).last().copied(),
        })
    }
}

impl Summary {
    /// The numbers of all groups, each with its reference.
    pub fn new(name: &str, groups: &[(Group, Reference)]) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            name: name.into(),
            seed: groups.first().map_or(0, |(group, _)| group.cell.seed),
            groups: groups.iter().filter_map(|(g, reference)| Line::new(g, reference)).collect(),
        }
    }
}

/// Every kept point of every run, as CSV with a head.
///
/// A name that a spreadsheet would take for a formula has an apostrophe before it.
///
/// # Errors
/// [`ExperimentError::Content`] if the encoder refuses, which it is not known to do.
pub fn curves_csv(finished: &Finished) -> Result<Vec<u8>, ExperimentError> {
    let fail = |fault: &dyn std::fmt::Display| ExperimentError::Content {
        path: "curves.csv".into(),
        message: fault.to_string(),
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head =
        ["model", "beta", "gamma", "agent", "seed", "run", "episodes", "average", "value", "worth"];
    writer.write_record(head).map_err(|e| fail(&e))?;
    for (job, record) in finished.experiment.jobs().iter().zip(&finished.records) {
        let cell = &job.cell;
        let shared = [
            plain_cell(&cell.world.model),
            cell.world.beta.map_or_else(String::new, |beta| beta.to_string()),
            job.model.gamma().to_string(),
            plain_cell(&cell.agent.to_string()),
            cell.seed.to_string(),
            cell.run.to_string(),
        ];
        let Curve { episodes, average, value, worth } = &record.curve;
        let or_nothing = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
        for (((n, average), value), worth) in episodes.iter().zip(average).zip(value).zip(worth) {
            let own = [n.to_string(), average.to_string(), or_nothing(*value), or_nothing(*worth)];
            writer.write_record(shared.iter().chain(&own)).map_err(|e| fail(&e))?;
        }
    }
    writer.into_inner().map_err(|e| fail(&e))
}

/// A text that no spreadsheet takes for a formula.
fn plain_cell(text: &str) -> String {
    let apostrophe = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("{apostrophe}{text}")
}
