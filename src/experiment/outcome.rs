//! A finished experiment: runs that differ in luck alone, as means with intervals.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::manifest::GroupEntry;
use super::{Cell, Interval, Reference, WorldIdentity};
use crate::kinds::{Identity, Table, show};
use crate::model::Reveal;
use crate::simulation::Curve;

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
    /// The name of the model: its own, or the one that it was asked for by.
    pub model_name: String,
    /// The discount factor of the world.
    pub gamma: f64,
    /// The reveal probabilities of its actions; where they depend on the age, those of all later ages than
    /// the ones of `early_betas`.
    pub betas: Vec<f64>,
    /// The reveal probabilities of its actions at the ages 1, 2, ... before that; empty if they do not depend
    /// on the age.
    pub early_betas: Vec<Vec<f64>>,
    /// What the curves are compared with.
    pub reference: Reference,
    /// What theory says of the agent's regret over all episodes, if it says anything.
    pub regret_bound: Option<f64>,
    /// The curve of every run.
    pub runs: Vec<Curve>,
    /// How long each run took, in seconds; `None` where that is not known.
    pub seconds: Vec<Option<f64>>,
    /// After how many episodes points of the curves were kept.
    pub episodes: Vec<u64>,
    /// The mean return of the episodes so far, over the runs.
    pub average: Vec<Interval>,
    /// The exact value of the policy played last, over the runs; empty if not all are known.
    pub value: Vec<Interval>,
}

/// Means over the last episodes of every run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LastEpisodes {
    /// How many episodes.
    pub episodes: u64,
    /// The mean return.
    pub average: Interval,
    /// The mean number of rounds of an episode; `None` for results of an earlier version.
    pub rounds: Option<Interval>,
    /// The mean number of looks of an episode; `None` for results of an earlier version.
    pub looks: Option<Interval>,
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
            model_name: entry.model_name.clone(),
            gamma: entry.gamma,
            betas: entry.betas.clone(),
            early_betas: entry.early_betas.clone(),
            reference,
            regret_bound: entry.regret_bound,
            runs: Vec::new(),
            seconds: Vec::new(),
            episodes: Vec::new(),
            average: Vec::new(),
            value: Vec::new(),
        }
    }

    /// Adds a run.
    pub(super) fn push(&mut self, curve: Curve, seconds: Option<f64>) {
        self.runs.push(curve);
        self.seconds.push(seconds);
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

    /// The learning curve: at each kept point, means over the runs, with the regret against the
    /// bounds on V* and against the optimum of the agent's family, as far as they are known.
    ///
    /// # Example
    /// ```
    /// use sporadic::experiment::Experiment;
    /// use sporadic::kinds::agents::Uniform;
    /// use sporadic::model::gallery;
    /// let outcome = Experiment::new("play")
    ///     .with_episodes(100)
    ///     .with_seeds(2)
    ///     .with_world("river", gallery::river_swim::<f64>(3, 0.5, 0.8)?)
    ///     .with_agent(Uniform {})
    ///     .run()?;
    /// insta::assert_snapshot!(outcome.groups()[0].curve().with_points(2), @r"
    /// episodes  mean return
    ///       50         0.12
    ///      100         0.16
    /// ");
    /// # Ok::<(), sporadic::Fault>(())
    /// ```
    pub fn curve(&self) -> Curve {
        let mut curve = Curve::mean(&self.runs).unwrap_or_default();
        if let Some(bounds) = self.reference.bounds {
            curve.regret = curve.regret_against(bounds.lower);
            curve.regret_upper = curve.regret_against(bounds.upper);
        }
        if let Some(class) = self.reference.class {
            curve.class_regret = curve.regret_against(class);
        }
        curve
    }

    /// The regret at each kept point against `optimum`: the sum over the episodes k so far of
    /// optimum - V of pi_k, exact. Empty if not every policy was evaluated.
    pub fn regret(&self, optimum: f64) -> Vec<Interval> {
        let runs: Vec<_> = self.runs.iter().map(|run| run.regret_against(optimum)).collect();
        let at = |i: usize| {
            let sample = runs.iter().map(|run| run.get(i).copied().flatten());
            Interval::of(&sample.collect::<Option<Vec<f64>>>()?)
        };
        (0..self.episodes.len()).map_while(at).collect()
    }

    /// The reveal probabilities of its actions as text, one number per age where they depend on it: `0,0,0.5`.
    pub fn reveals(&self) -> Vec<String> {
        let of = |a: usize| {
            let ages = self.early_betas.iter().filter_map(|betas| betas.get(a).copied());
            Reveal::from(ages.chain([self.betas[a]]).collect::<Vec<f64>>()).to_string()
        };
        (0..self.betas.len()).map(of).collect()
    }

    /// Means over the episodes after the first nine tenths, as far as kept points tell: what an agent has learnt
    /// to earn. `None` without a finished run.
    pub fn last_tenth(&self) -> Option<LastEpisodes> {
        let (&n, earlier) = self.episodes.split_last()?;
        let from = earlier.iter().rposition(|&k| 10 * u128::from(k) <= 9 * u128::from(n));
        let before = from.map_or(0, |i| self.episodes[i]);
        let over_runs = |of: &dyn Fn(&Curve) -> &[f64]| {
            let mean = |run: &Curve| {
                let total = |i: usize| Some(of(run).get(i)? * self.episodes[i] as f64);
                let earlier = from.map_or(Some(0.0), &total)?;
                Some((total(self.episodes.len() - 1)? - earlier) / (n - before) as f64)
            };
            let sample: Option<Vec<f64>> = self.runs.iter().map(mean).collect();
            sample.and_then(|sample| Interval::of(&sample))
        };
        Some(LastEpisodes {
            episodes: n - before,
            average: over_runs(&|run| &run.average)?,
            rounds: over_runs(&|run| &run.rounds),
            looks: over_runs(&|run| &run.looks),
        })
    }

    /// The exact value of the policy played last, over the runs; `None` if not all are known. An agent may have
    /// no policy at first, so it may be known where [`value`](Self::value) is not.
    pub fn last_value(&self) -> Option<Interval> {
        let last = self.runs.iter().map(|run| run.value.last().copied().flatten());
        Interval::of(&last.collect::<Option<Vec<f64>>>()?)
    }

    /// What values are multiplied by to be on the scale of rewards: 1 - gamma, or 1 where nothing is
    /// discounted.
    pub fn scale(&self) -> f64 {
        self.cell.setting.scale(self.gamma)
    }

    /// How far the sequence chosen at the start of the last episode may be from the best one in A^N, in optimistic
    /// value: the largest over the runs; `None` if not all agents say.
    pub fn gap(&self) -> Option<f64> {
        let last = self.runs.iter().map(|run| run.gap.last().copied().flatten());
        let gaps: Option<Vec<f64>> = last.collect();
        gaps?.into_iter().reduce(f64::max)
    }

    /// The reveal probability, if it is the same for all actions and ages.
    pub fn beta(&self) -> Option<f64> {
        if !self.early_betas.is_empty() {
            return None;
        }
        let first = *self.betas.first()?;
        self.betas.iter().all(|beta| beta.to_bits() == first.to_bits()).then_some(first)
    }
}

/// Names for the agents of `groups` that show what tells them apart and nothing else: the kind, and
/// those of its parameters that differ among the groups.
pub fn agent_labels<'a>(groups: impl IntoIterator<Item = &'a Group>) -> Vec<String> {
    let entries = groups.into_iter().map(|group| {
        let Identity { name, made_by, parameters } = &group.cell.agent;
        Entry { name, made_by, parameters, fingerprint: "" }
    });
    labels(&entries.collect::<Vec<_>>())
}

/// Names for the worlds of `groups` that show what tells them apart and nothing else: the model, those
/// of its parameters that differ among the groups, and the start of its fingerprint if that is all.
pub fn world_labels<'a>(groups: impl IntoIterator<Item = &'a Group>) -> Vec<String> {
    let entries = groups.into_iter().map(|group| {
        let WorldIdentity { model, made_by, parameters, fingerprint } = &group.cell.world;
        Entry { name: model, made_by, parameters, fingerprint }
    });
    labels(&entries.collect::<Vec<_>>())
}

/// Something with a name and parameters.
#[derive(Clone, Copy)]
struct Entry<'a> {
    name: &'a str,
    made_by: &'a str,
    parameters: &'a Table,
    fingerprint: &'a str,
}

fn labels(entries: &[Entry<'_>]) -> Vec<String> {
    let label = |entry: &Entry<'_>| {
        let alike: Vec<_> = entries.iter().filter(|other| other.name == entry.name).collect();
        let names: BTreeSet<&String> =
            alike.iter().flat_map(|other| other.parameters.keys()).collect();
        let varies = |key: &&&String| {
            let value = |other: &&Entry<'_>| other.parameters.get(**key).map(Value::to_string);
            alike.iter().map(value).collect::<BTreeSet<_>>().len() > 1
        };
        let varying = names.iter().filter(varies);
        let set =
            varying.filter_map(|key| Some(format!("{key}={}", show(entry.parameters.get(*key)?))));
        // Who made the oracles shows in their names, unless those are the same.
        let made_otherwise = |other: &&Entry<'_>| {
            let kind = |made_by: &str| made_by.split(' ').next().map(str::to_owned);
            kind(other.made_by) != kind(entry.made_by)
                || other.made_by != entry.made_by && other.parameters == entry.parameters
        };
        let is_ambiguous = alike.iter().copied().any(|other| made_otherwise(&other));
        let maker = is_ambiguous.then(|| format!("({})", entry.made_by));
        let twin = |other: &&Entry<'_>| {
            other.made_by == entry.made_by
                && other.parameters == entry.parameters
                && other.fingerprint != entry.fingerprint
        };
        let hash = || format!("#{}", entry.fingerprint.get(..6).unwrap_or(entry.fingerprint));
        let hash = alike.iter().copied().any(|other| twin(&other)).then(hash);
        let name = std::iter::once(entry.name.to_owned());
        name.chain(set).chain(maker).chain(hash).collect::<Vec<_>>().join(" ")
    };
    entries.iter().map(label).collect()
}
