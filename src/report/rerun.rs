//! The command that runs a group again.

use crate::experiment::{Summary, SummaryRow};
use crate::kinds::show;

/// The commands that run an experiment again: one for the paper's figure, else one per group.
pub(super) fn commands(summary: &Summary) -> Vec<String> {
    match summary.groups.first() {
        Some(row) if summary.name == "reproduce" => {
            vec![format!("sporadic reproduce --episodes {} --seeds {}", row.episodes, row.seeds)]
        }
        _ => summary.groups.iter().map(|row| command(row, summary.seed)).collect(),
    }
}

fn command(row: &SummaryRow, seed: u64) -> String {
    let mut words = vec!["sporadic learn".to_owned(), word(&row.model)];
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
    set("out", "DIR");
    words.join(" ")
}

/// A word for the shell, quoted where it must be.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=".contains(c);
    if text.chars().all(plain) { text.into() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
