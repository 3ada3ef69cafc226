//! `sporadic value`.

use std::path::PathBuf;

use crate::Number;
use crate::planning::{Stationary, evaluate};
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::model::ModelArgs;
use crate::cli::output;
use crate::cli::policy::{read_policy, show_sequence};
use crate::kinds::Registry;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sporadic solve river-balance --json | sporadic value river-balance --beta 0.2 --policy -
  echo '{\"s1\": \"(0)\", \"s2\": \"(1)\"}' > policy.json
  sporadic value sensing-cost --policy policy.json

On seeing a state the policy plays its sequence until the next sighting. A policy is an object with a \
sequence for each state, in numbers or in names of actions, or what `solve --json` prints.

JSON: {\"values\":[{\"state\":\"s1\",\"value\":..,\"sequence\":\"111(01)\"},..]}")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// A JSON file with a sequence for each state, by name; - reads standard input
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// Print sequences with the names of actions: look (rest)
    #[arg(long)]
    names: bool,
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
    sequence: String,
}

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    let model = args.model.build(registry)?;
    let policy = read_policy(&args.policy, &model)?;
    let values = evaluate(&model, &Stationary::new(policy.clone())).map_err(Failure::input)?;
    let rows = model.state_names().iter().zip(values).zip(policy);
    let values: Vec<Row> = rows
        .map(|((state, value), sequence)| Row {
            state: state.clone(),
            value,
            sequence: show_sequence(&sequence, &model, args.names),
        })
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
            row.sequence.clone(),
        ]
    }));
    output::text(&crate::cli::table::table(&rows))
}
