//! Policies and sequences that a command reads and prints.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::failure::Failure;
use super::input;
use crate::kinds;
use crate::model::Tabular;
use crate::sequence::ActionSequence;

/// A policy as JSON: a sequence for each state, or what `solve --json` and `value --json` print.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Policy {
    Printed { values: Vec<Row> },
    ByState(BTreeMap<String, String>),
}

/// A row of a printed answer; its other fields are not needed.
#[derive(Debug, Deserialize)]
struct Row {
    state: String,
    sequence: String,
}

/// The sequences of a policy file, in the order of the model's states.
pub(crate) fn read_policy(
    path: &Path,
    model: &Tabular<f64>,
) -> Result<Vec<ActionSequence>, Failure> {
    let name =
        if path == Path::new("-") { "standard input".into() } else { path.to_string_lossy() };
    let refuse = |fault: String| Failure::input(format!("{name}: {fault}"));
    let shape = "a policy looks like {\"s1\": \"111(01)\", ..}, or is what solve --json prints";
    let text = input::read(path)?;
    // Syntax first: an untagged enum only says that no variant fits.
    let document: serde_json::Value =
        serde_json::from_str(&text).map_err(|fault| refuse(format!("{fault}; {shape}")))?;
    let policy = serde_json::from_value(document)
        .map_err(|_| refuse(format!("this is no policy; {shape}")))?;
    let given: BTreeMap<String, String> = match policy {
        Policy::Printed { values } => {
            values.into_iter().map(|row| (row.state, row.sequence)).collect()
        }
        Policy::ByState(given) => given,
    };
    for state in given.keys() {
        model.state(state).map_err(|fault| refuse(fault.to_string()))?;
    }
    let sequence = |state: &String| {
        let text = given.get(state);
        let text =
            text.ok_or_else(|| refuse(format!("there is no sequence for state {state:?}")))?;
        parse_sequence(text, model)
    };
    model.state_names().iter().map(sequence).collect()
}

/// A sequence in numbers or, failing that, in the names of the model's actions.
pub(crate) fn parse_sequence(text: &str, model: &Tabular<f64>) -> Result<ActionSequence, Failure> {
    let sequence = kinds::parse_sequence(text, model.action_names()).map_err(Failure::input)?;
    if sequence.max_action() < model.num_actions() {
        return Ok(sequence);
    }
    Err(Failure::input(format!(
        "the sequence {text} takes action {}, but there are only {} actions",
        sequence.max_action(),
        model.num_actions()
    )))
}

/// A sequence in numbers or in the names of the model's actions.
pub(crate) fn show_sequence(
    sequence: &ActionSequence,
    model: &Tabular<f64>,
    names: bool,
) -> String {
    if names { sequence.named(model.action_names()).to_string() } else { sequence.to_string() }
}
