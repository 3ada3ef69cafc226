//! `sporadic value`.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::Number;
use crate::model::Tabular;
use crate::planning::{Stationary, evaluate};
use crate::sequence::ActionSequence;
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::model::ModelArgs;
use crate::cli::output;
use crate::kinds::Registry;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  echo '{\"s1\": \"(1)\", \"s2\": \"(1)\", \"s3\": \"1(10)\", \"s4\": \"0(01)\", \"s5\": \"(0)\", \"s6\": \"(0)\"}' > policy.json
  sporadic value river-balance --beta 0.5 --policy policy.json

On seeing a state the policy plays its sequence until the next sighting.

JSON: {\"values\":[{\"state\":\"s1\",\"value\":..,\"sequence\":\"111(01)\"},..]}")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// A JSON file with a sequence for each state, by name
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Answer {
    values: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    state: String,
    value: f64,
    sequence: ActionSequence,
}

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    let model = args.model.build(registry)?;
    let policy = read_policy(args, &model)?;
    let values = evaluate(&model, &Stationary::new(policy.clone())).map_err(Failure::input)?;
    let rows = model.state_names().iter().zip(values).zip(policy);
    let values: Vec<Row> = rows
        .map(|((state, value), sequence)| Row { state: state.clone(), value, sequence })
        .collect();
    if args.json {
        return output::json(&Answer { values });
    }
    let mut rows =
        vec![["state", "value", "(1-gamma) value", "sequence"].map(str::to_owned).to_vec()];
    rows.extend(values.iter().map(|row| {
        let scaled = (1.0 - model.gamma()) * row.value;
        vec![
            row.state.clone(),
            format!("{:.4}", Number(row.value)),
            format!("{:.6}", Number(scaled)),
            row.sequence.to_string(),
        ]
    }));
    output::text(&crate::cli::table::table(&rows))
}

fn read_policy(args: &Args, model: &Tabular<f64>) -> Result<Vec<ActionSequence>, Failure> {
    let name = args.policy.display();
    let text = crate::cli::input::read(&args.policy)?;
    let given: HashMap<String, String> = serde_json::from_str(&text).map_err(|fault| {
        Failure::input(format!("{name}: {fault}; a policy looks like {{\"s1\": \"111(01)\", ..}}"))
    })?;
    for state in given.keys() {
        model.state(state).map_err(|fault| Failure::input(format!("{name}: {fault}")))?;
    }
    let sequence = |state: &String| {
        let text = given.get(state).ok_or_else(|| {
            Failure::input(format!("{name}: there is no sequence for state {state:?}"))
        })?;
        parse_sequence(text, model)
    };
    model.state_names().iter().map(sequence).collect()
}

/// A sequence in numbers or, failing that, in the names of the model's actions.
pub(crate) fn parse_sequence(text: &str, model: &Tabular<f64>) -> Result<ActionSequence, Failure> {
    let numbers = text.parse::<ActionSequence>();
    let named = || ActionSequence::parse_names(text, model.action_names());
    let sequence = numbers.or_else(|fault| named().map_err(|_| fault)).map_err(Failure::input)?;
    if sequence.max_action() < model.num_actions() {
        return Ok(sequence);
    }
    Err(Failure::input(format!(
        "the sequence {text} takes action {}, but there are only {} actions",
        sequence.max_action(),
        model.num_actions()
    )))
}
