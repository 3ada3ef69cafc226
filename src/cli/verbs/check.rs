//! `sporadic check`.

use crate::Number;
use crate::check::{Findings, replay};
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::model::ModelArgs;
use crate::cli::output;
use crate::cli::plain;
use crate::kinds::Registry;

/// Enough to meet every state of a small model.
const EPISODES: usize = 100;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sporadic check mine.toml
  sporadic check river-balance --states 12 --json

A model that is not sound ends with exit code 2 and a sentence that says where.

JSON: {\"ok\":true,\"name\":..,\"states\":..,\"actions\":..,\"transitions\":..,\"gamma\":..,\"beta\":[..],\"reward\":[low,high],
\"rounds\":..}, where rounds is the number of rounds played twice to see that nothing differs.")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Answer {
    ok: bool,
    name: String,
    states: usize,
    actions: usize,
    transitions: usize,
    gamma: f64,
    beta: Vec<f64>,
    /// Those of ages 1, 2, ... before the age that `beta` is of; left out if they do not depend on the age.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    early_beta: Vec<Vec<f64>>,
    reward: (f64, f64),
    rounds: usize,
}

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    let model = args.model.build(registry)?;
    let mut findings = Findings::default();
    let rounds = replay(&model, 1, EPISODES, &mut findings);
    findings.into_result().map_err(Failure::input)?;
    let answer = Answer {
        ok: true,
        name: model.name().into(),
        states: model.num_states(),
        actions: model.num_actions(),
        transitions: model.num_transitions(),
        gamma: model.gamma(),
        beta: model.betas().to_vec(),
        early_beta: (1..model.ages())
            .map(|age| (0..model.num_actions()).map(|a| model.beta_at(a, age)).collect())
            .collect(),
        reward: model.reward_range(),
        rounds,
    };
    if args.json {
        return output::json(&answer);
    }
    let betas: Vec<String> = model
        .action_names()
        .iter()
        .zip(model.schedule().reveals())
        .map(|(name, beta)| format!("{}: {beta}", plain::line(name)))
        .collect();
    let name = if answer.name.is_empty() { "the model" } else { &*plain::line(&answer.name) };
    output::text(&format!(
        "{name} is sound: {} states, {} actions, {} transitions, gamma {}, rewards {} to {}\n\
         reveal probabilities: {}\n\
         {rounds} rounds played twice from the same seed did not differ\n",
        answer.states,
        answer.actions,
        answer.transitions,
        Number(answer.gamma),
        Number(answer.reward.0),
        Number(answer.reward.1),
        betas.join(", ")
    ))
}
