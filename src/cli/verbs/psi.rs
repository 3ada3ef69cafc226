//! `sporadic psi`.

use crate::Number;
use crate::features::{SequenceFeatures as _, TabularPsi};
use crate::model::Tabular;
use crate::simulation::MAX_GAMMA;
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::model::ModelArgs;
use crate::cli::output;
use crate::cli::policy::parse_sequence;
use crate::kinds::Registry;

/// The most states for which a dense elimination is tried.
const MAX_DENSE: usize = 2_000;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  sporadic psi river-swim --beta 0.1 --state s1 --sequence '111(01)' --json

The order is one-hot: the first state with each action, the second state with each action, and so on; \
first the reward half, then the continuation half.

JSON: {\"psi\":[..]}")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The state seen
    #[arg(long, value_name = "NAME")]
    state: String,
    /// The sequence played, as in 111(01), or with names: up, (left, down)
    #[arg(long, value_name = "SEQUENCE")]
    sequence: String,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    psi: &'a [f64],
}

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    let model = args.model.build(registry)?;
    let state = model.state(&args.state).map_err(Failure::input)?;
    let sequence = parse_sequence(&args.sequence, &model)?;
    check_work(&model)?;
    let psi = TabularPsi::new(model.clone()).psi(&state, &sequence);
    if args.json {
        return output::json(&Answer { psi: psi.as_slice() });
    }
    let names =
        model.state_names().iter().flat_map(|s| model.action_names().iter().map(move |a| (s, a)));
    let half = psi.len() / 2;
    let mut rows =
        vec![["state", "action", "reward half", "continuation half"].map(str::to_owned).to_vec()];
    rows.extend(names.enumerate().map(|(i, (s, a))| {
        vec![s.clone(), a.clone(), format!("{:.6}", psi[i]), format!("{:.6}", psi[half + i])]
    }));
    output::text(&crate::cli::table::table(&rows))
}

/// Refuses a large model with a gamma so close to 1 that a sum over rounds takes for ever and a dense
/// elimination does not fit into memory.
fn check_work(model: &Tabular<f64>) -> Result<(), Failure> {
    let (states, gamma) = (model.num_states(), model.gamma());
    if states <= MAX_DENSE || gamma <= MAX_GAMMA {
        return Ok(());
    }
    Err(Failure::input(format!(
        "a model of {states} states with gamma = {}: for more than {MAX_DENSE} states gamma must be at most {}",
        Number(gamma),
        Number(MAX_GAMMA)
    )))
}
