//! The command that runs a group again.

use crate::experiment::{Summary, SummaryRow};
use crate::kinds::show;
use crate::simulation::{Ending, Feedback};

/// More commands than this are no help.
const MOST_COMMANDS: usize = 12;

/// The commands that run an experiment again: none if it was made from values, one for the paper's
/// figure and for a large sweep, else one for each combination of world and agent.
pub(super) fn commands(summary: &Summary, spec: &str) -> Vec<String> {
    match summary.groups.first() {
        _ if spec.is_empty() => Vec::new(),
        Some(row) if summary.name == "reproduce" => {
            vec![format!("sporadic reproduce --episodes {} --seeds {}", row.episodes, row.seeds)]
        }
        _ if summary.groups.len() > MOST_COMMANDS => {
            vec!["sporadic sweep spec.toml --out DIR    # spec.toml is the specification".into()]
        }
        _ => summary.groups.iter().map(|row| command(row, summary.seed)).collect(),
    }
}

fn command(row: &SummaryRow, seed: u64) -> String {
    let mut words = vec![
        "sporadic learn".to_owned(),
        word(row.world.get("model").and_then(|name| name.as_str()).unwrap_or_default()),
    ];
    let mut set = |name: &str, value: &str| {
        words.push(format!("--{} {}", name.replace('_', "-"), word(value)));
    };
    for (name, value) in row.world.iter().filter(|(name, _)| *name != "model") {
        match value.as_object() {
            Some(some) => some.iter().for_each(|(key, x)| set(name, &format!("{key}={}", show(x)))),
            None => set(name, &show(value)),
        }
    }
    set("agent", row.agent.get("agent").and_then(|name| name.as_str()).unwrap_or_default());
    for (name, value) in row.agent.iter().filter(|(name, _)| *name != "agent") {
        set(name, &show(value));
    }
    set("episodes", &row.episodes.to_string());
    set("points", &row.points.to_string());
    set("seeds", &row.seeds.to_string());
    set("seed", &seed.to_string());
    let (feedback, ending) = (row.feedback, row.ending);
    if feedback != Feedback::default() {
        set("feedback", &feedback.to_string());
    }
    if ending != Ending::default() {
        set("ending", &ending.to_string());
    }
    set("out", "DIR");
    words.join(" ")
}

/// A word for the shell, quoted where it must be.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=".contains(c);
    if text.chars().all(plain) { text.into() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
