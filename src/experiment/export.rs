//! Results for other programs: `curves.csv` and `summary.json`.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::outcome::{agent_labels, world_labels};
use super::{ExperimentError, Group, Interval, LastEpisodes, Outcome};
use crate::kinds::{Table, show};
use crate::simulation::{Curve, Ending, Feedback, Setting};

/// One combination of world and agent, with what it is compared with and its numbers at the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SummaryRow {
    /// The world as it was asked for: `model` and the parameters that were given.
    pub world: Table,
    /// The model's name.
    pub model: String,
    /// The discount factor.
    pub gamma: f64,
    /// The reveal probability, if it is the same for all actions.
    pub beta: Option<f64>,
    /// The agent: `agent`, its kind, and all its parameters.
    pub agent: Table,
    /// The crate, kind and version that made the agent.
    pub made_by: String,
    /// Which rewards the agent was shown.
    pub feedback: Feedback,
    /// When episodes ended.
    pub ending: Ending,
    /// How many episodes each run had.
    pub episodes: u64,
    /// How many points of each curve were kept.
    pub points: u64,
    /// How many runs.
    pub seeds: usize,
    /// The mean return over all episodes.
    pub average: Interval,
    /// Means over the last tenth of the episodes.
    pub last_tenth: LastEpisodes,
    /// The exact value of the policy played last; null if the agent plays no burst-dependent policy or
    /// the world has no exact values.
    pub value: Option<Interval>,
    /// The optimum within the agent's family; null if it has none.
    pub class: Option<f64>,
    /// A value that a known policy attains; null in a world without exact values.
    pub lower: Option<f64>,
    /// A value that no policy exceeds; null in a world without exact values.
    pub upper: Option<f64>,
    /// The sum over all episodes of `lower` less the exact value of the policy played: regret is at
    /// least this, and at most `episodes` times `upper` less `lower` more. Null if not every policy
    /// was evaluated.
    pub regret: Option<Interval>,
    /// What the paper's theorem says of the regret of Algorithm 1 in so many episodes, with probability .95
    /// and the theorem's unknown constant c at its least, 1: see
    /// [`RegretBound`](crate::agents::RegretBound). It is for the theorem's own parameters, not those of the
    /// run. Left out for other agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regret_bound: Option<f64>,
    /// How far the sequence chosen at the start of the last episode may be from the best one in A^N, in optimistic
    /// value, certified: the largest over the runs. Left out for agents that do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
}

/// The numbers of `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The version of this crate.
    pub version: &'static str,
    /// The experiment's name.
    pub name: String,
    /// The seed of the experiment.
    pub seed: u64,
    /// One entry for each combination of world and agent.
    pub groups: Vec<SummaryRow>,
    /// The files of the figures, in the order of the page.
    pub figures: Vec<String>,
}

fn named(key: &str, name: &str, parameters: &Table) -> Table {
    let mut table = parameters.clone();
    table.insert(key.into(), name.into());
    table
}

impl SummaryRow {
    /// What values are multiplied by to be on the scale of rewards.
    pub(crate) fn scale(&self) -> f64 {
        Setting { feedback: self.feedback, ending: self.ending }.scale(self.gamma)
    }

    /// The numbers of a group; `None` if it has no finished run.
    pub fn new(group: &Group) -> Option<Self> {
        let (cell, bounds) = (&group.cell, group.reference.bounds);
        let regret = bounds.and_then(|bounds| group.regret(bounds.lower).last().copied());
        Some(Self {
            world: named("model", &cell.world.model, &cell.world.parameters),
            model: group.model_name.clone(),
            gamma: group.gamma,
            beta: group.beta(),
            agent: named("agent", &cell.agent.name, &cell.agent.parameters),
            made_by: cell.agent.made_by.clone(),
            feedback: cell.setting.feedback,
            ending: cell.setting.ending,
            episodes: cell.episodes,
            points: cell.points,
            seeds: group.runs.len(),
            average: *group.average.last()?,
            last_tenth: group.last_tenth()?,
            value: group.last_value(),
            class: group.reference.class,
            lower: bounds.map(|bounds| bounds.lower),
            upper: bounds.map(|bounds| bounds.upper),
            regret,
            regret_bound: group.regret_bound,
            gap: group.gap(),
        })
    }
}

impl Outcome {
    /// The numbers of `summary.json`.
    pub fn summary(&self) -> Summary {
        Summary {
            version: env!("CARGO_PKG_VERSION"),
            name: self.name().into(),
            seed: self.groups().first().map_or(0, |group| group.cell.seed),
            groups: self.groups().iter().filter_map(SummaryRow::new).collect(),
            figures: crate::report::figure_files(self),
        }
    }

    /// Every kept point of every run, as CSV with a head: a column for each parameter of a world or an
    /// agent, `mean_policy_value` being the mean of the exact values of the policies played so far and `gap` what the
    /// agent [certifies](crate::agents::Agent::certificate), where it was asked.
    ///
    /// # Errors
    /// [`ExperimentError::Content`] if the encoder refuses, which it is not known to do.
    pub fn curves_csv(&self) -> Result<Vec<u8>, ExperimentError> {
        let fail = |fault: &dyn std::fmt::Display| ExperimentError::Content {
            path: "curves.csv".into(),
            message: fault.to_string(),
        };
        let keys = |of: &dyn Fn(&Group) -> &Table| -> Vec<String> {
            let all = self.groups().iter().flat_map(|group| of(group).keys());
            all.cloned().collect::<BTreeSet<_>>().into_iter().collect()
        };
        let mut worlds = keys(&|group| &group.cell.world.parameters);
        worlds.retain(|key| key != "beta" && key != "gamma");
        let agents = keys(&|group| &group.cell.agent.parameters);
        let mut writer = csv::Writer::from_writer(Vec::new());
        let head = ["model", "beta", "gamma"].map(str::to_owned).into_iter();
        // An agent's parameter may have the name of a world's, or of a column.
        let taken = |key: &String| worlds.contains(key) || HEAD.contains(&key.as_str());
        let agent_head =
            agents.iter().map(|k| if taken(k) { format!("agent_{k}") } else { k.clone() });
        let head = head.chain(worlds.iter().cloned()).chain(["agent".to_owned()]).chain(agent_head);
        let last = [
            "feedback",
            "ending",
            "seed",
            "run",
            "episodes",
            "average",
            "value",
            "mean_policy_value",
            "rounds",
            "looks",
            "gap",
        ];
        let head: Vec<String> = head.chain(last.map(str::to_owned)).collect();
        writer.write_record(&head).map_err(|e| fail(&e))?;
        for group in self.groups() {
            let cell = &group.cell;
            let beta = match (group.beta(), cell.world.parameters.get("beta")) {
                (Some(beta), _) => beta.to_string(),
                (None, Some(value)) => show(value),
                (None, None) => String::new(),
            };
            let mut shared = vec![text(&group.model_name), beta, group.gamma.to_string()];
            shared.extend(worlds.iter().map(|key| field(cell.world.parameters.get(key))));
            shared.push(text(&cell.agent.name));
            shared.extend(agents.iter().map(|key| field(cell.agent.parameters.get(key))));
            let Setting { feedback, ending } = cell.setting;
            shared.extend([feedback.to_string(), ending.to_string(), cell.seed.to_string()]);
            for (run, curve) in group.runs.iter().enumerate() {
                let Curve {
                    episodes, average, value, mean_policy_value, rounds, looks, gap, ..
                } = curve;
                let or_nothing = |x: &Option<f64>| x.map_or_else(String::new, |x| x.to_string());
                // Cells of earlier versions have no gaps.
                let gaps = gap.iter().chain(std::iter::repeat(&None));
                let points = episodes.iter().zip(average).zip(value).zip(mean_policy_value);
                for (i, ((((n, average), value), mean), gap)) in points.zip(gaps).enumerate() {
                    let counts = [rounds, looks].map(|list| or_nothing(&list.get(i).copied()));
                    let own = [run.to_string(), n.to_string(), average.to_string()];
                    let known = [or_nothing(value), or_nothing(mean)];
                    let own = own.into_iter().chain(known).chain(counts).chain([or_nothing(gap)]);
                    writer.write_record(shared.iter().cloned().chain(own)).map_err(|e| fail(&e))?;
                }
            }
        }
        writer.into_inner().map_err(|e| fail(&e))
    }
}

impl Outcome {
    /// How long every run took, as CSV with a head; empty where that is not known.
    ///
    /// Times are a table of their own because everything else that an experiment writes is the same whenever
    /// and wherever it is run.
    ///
    /// # Errors
    /// [`ExperimentError::Content`] if the encoder refuses, which it is not known to do.
    pub fn times_csv(&self) -> Result<Vec<u8>, ExperimentError> {
        let fail = |fault: &dyn std::fmt::Display| ExperimentError::Content {
            path: "times.csv".into(),
            message: fault.to_string(),
        };
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer
            .write_record(["model", "agent", "run", "episodes", "seconds"])
            .map_err(|e| fail(&e))?;
        let labels = world_labels(self.groups()).into_iter().zip(agent_labels(self.groups()));
        for (group, (world, agent)) in self.groups().iter().zip(labels) {
            for (run, seconds) in group.seconds.iter().enumerate() {
                let seconds = seconds.map_or_else(String::new, |seconds| format!("{seconds:.3}"));
                let (run, episodes) = (run.to_string(), group.cell.episodes.to_string());
                let row = [text(&world), text(&agent), run, episodes, seconds];
                writer.write_record(row).map_err(|e| fail(&e))?;
            }
        }
        writer.into_inner().map_err(|e| fail(&e))
    }
}

const HEAD: [&str; 15] = [
    "model",
    "beta",
    "gamma",
    "agent",
    "feedback",
    "ending",
    "seed",
    "run",
    "episodes",
    "average",
    "value",
    "mean_policy_value",
    "rounds",
    "looks",
    "gap",
];

fn field(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(value)) => text(value),
        Some(value) => show(value),
        None => String::new(),
    }
}

/// Text that no spreadsheet takes for a formula.
fn text(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.into()
    }
}
