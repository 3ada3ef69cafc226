//! `sporadic solve`.

use std::time::{Duration, Instant};

use crate::Number;
use crate::model::Tabular;
use crate::planning::class_optimum_within;
use crate::planning::solve::{SolveOptions, solve};
use crate::sequence::ActionSequence;
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::model::{ModelArgs, family};
use crate::cli::output;
use crate::cli::policy::show_sequence;
use crate::cli::table::table;
use crate::kinds::Registry;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sporadic solve river-balance --beta 0.2
  sporadic solve sensing-cost --names
  sporadic solve river-balance --family runs:5,10    # the best of the paper's 1012 sequences
  sporadic solve river-swim --json > policy.json     # what `value --policy` reads

On seeing a state, play its sequence until the next sighting: 111(01) is 1, 1, 1, then 0, 1 for ever. \
The value of that is at least `lower`, and no policy has more than `upper`. With --family, no policy \
that plays sequences of the family has more. When the time is up, what is known by then is printed.

JSON: {\"gap\":..,\"values\":[{\"state\":\"s1\",\"lower\":..,\"upper\":..,\"sequence\":\"111(01)\"},..],\"seconds\":..}")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Stop when upper - lower is at most this in every state
    #[arg(long, value_name = "G", default_value_t = 0.001, allow_hyphen_values = true)]
    gap: f64,
    /// Stop after this many seconds, whatever the gap
    #[arg(long, value_name = "S", default_value_t = 60.0, allow_hyphen_values = true)]
    time_limit: f64,
    /// The optimum within a family: runs:P,L, periodic:P,L or words:L
    #[arg(long, value_name = "FAMILY")]
    family: Option<String>,
    /// Print sequences with the names of actions: look (rest)
    #[arg(long)]
    names: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Answer {
    gap: f64,
    values: Vec<Row>,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct Row {
    state: String,
    lower: f64,
    upper: f64,
    sequence: String,
}

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    let model = args.model.build(registry)?;
    let start = Instant::now();
    let limit = crate::cli::input::seconds("time limit", args.time_limit)?;
    let (lower, upper, policy) = match &args.family {
        Some(name) => within(&model, &family(name, model.num_actions(), registry)?, limit)?,
        None => certified(&model, args.gap, limit)?,
    };
    let bounds = model.state_names().iter().zip(lower).zip(upper).zip(policy);
    let values: Vec<Row> = bounds
        .map(|(((state, lower), upper), sequence)| Row {
            state: state.clone(),
            lower,
            upper,
            sequence: show_sequence(&sequence, &model, args.names),
        })
        .collect();
    let gap = values.iter().map(|row| row.upper - row.lower).fold(0.0, f64::max);
    let answer = Answer { gap, values, seconds: start.elapsed().as_secs_f64() };
    if args.json { output::json(&answer) } else { output::text(&show(&answer, &model)) }
}

type Bounds = (Vec<f64>, Vec<f64>, Vec<ActionSequence>);

fn within(
    model: &Tabular<f64>,
    family: &[ActionSequence],
    limit: Duration,
) -> Result<Bounds, Failure> {
    let best = class_optimum_within(model, family, limit).map_err(Failure::input)?;
    let upper = best.values.iter().map(|v| v + best.gap).collect();
    Ok((best.values, upper, best.policy.into_sequences()))
}

fn certified(model: &Tabular<f64>, gap: f64, limit: Duration) -> Result<Bounds, Failure> {
    let options = SolveOptions::default().with_gap(gap).with_time_limit(limit);
    let solution = solve(model, &options).map_err(Failure::input)?;
    Ok((solution.lower, solution.upper, solution.policy.into_sequences()))
}

fn show(answer: &Answer, model: &Tabular<f64>) -> String {
    let mut rows = vec![
        ["state", "lower", "upper", "(1-gamma) lower", "sequence"].map(str::to_owned).to_vec(),
    ];
    rows.extend(answer.values.iter().map(|row| {
        vec![
            row.state.clone(),
            format!("{:.4}", Number(row.lower)),
            format!("{:.4}", Number(row.upper)),
            format!("{:.6}", Number((1.0 - model.gamma()) * row.lower)),
            row.sequence.clone(),
        ]
    }));
    format!("{}\ngap {:.2e}\n", table(&rows), answer.gap)
}
