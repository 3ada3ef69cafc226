//! The tables of a finished experiment.

use std::collections::BTreeSet;

use itertools::Itertools as _;

use crate::experiment::{Group, Outcome, SummaryRow, agent_labels, world_labels};
use crate::kinds::{Table, show};

/// The table of a finished experiment, its head first, and a note on what the columns are. Values are
/// times 1 - gamma, on the scale of rewards.
pub fn summary_table(outcome: &Outcome) -> (Vec<Vec<String>>, String) {
    let groups = outcome.groups();
    let head = ["model", "beta", "average", "last policy", "class", "V*", "regret", "agent"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let labels = world_names(groups).into_iter().zip(agent_labels(groups));
    for (group, (world, agent)) in groups.iter().zip(labels) {
        rows.extend(SummaryRow::new(group).map(|line| row(&line, world, agent)));
    }
    let episodes = range(groups.iter().map(|group| group.cell.episodes));
    let seeds = range(groups.iter().map(|group| group.runs.len() as u64));
    let note = format!(
        "{episodes} episodes, {seeds} seeds, mean ± 95% t-interval. average: mean return so far; last policy: its \
         exact value;\nclass: the best of the agent's family; V*: certified; all times 1 - gamma. regret: total, \
         against V*."
    );
    (rows, note)
}

/// Names of the worlds that show what varies among them, but for beta, which has a column.
fn world_names(groups: &[Group]) -> Vec<String> {
    let without_beta = |(group, label): (&Group, String)| {
        let is_beta = |part: &str| part.starts_with("beta=") && group.beta().is_some();
        let parts: Vec<&str> = label.split(' ').filter(|part| !is_beta(part)).collect();
        parts.join(" ")
    };
    groups.iter().zip(world_labels(groups)).map(without_beta).collect()
}

/// `5`, or `2 to 5` if there are several.
fn range(numbers: impl Iterator<Item = u64>) -> String {
    let all: BTreeSet<u64> = numbers.collect();
    match (all.first(), all.last()) {
        (Some(low), Some(high)) if low < high => format!("{low} to {high}"),
        (low, _) => low.copied().unwrap_or(0).to_string(),
    }
}

fn row(line: &SummaryRow, world: String, agent: String) -> Vec<String> {
    let scale = 1.0 - line.gamma;
    let scaled = |x: f64| format!("{:.4}", scale * x);
    let average = line.average.scaled(scale);
    let spread = average.half_width.map_or_else(String::new, |w| format!(" ± {w:.4}"));
    vec![
        world,
        line.beta.map_or_else(dash, |beta| beta.to_string()),
        format!("{:.4}{spread}", average.mean),
        line.value.map_or_else(dash, |value| scaled(value.mean)),
        line.class.map_or_else(dash, scaled),
        match line.lower.zip(line.upper).map(|(lower, upper)| (scaled(lower), scaled(upper))) {
            None => dash(),
            Some((lower, upper)) if lower == upper => lower,
            Some((lower, upper)) => format!("{lower} to {upper}"),
        },
        // The sum makes 0 of -0.
        line.regret.map_or_else(dash, |regret| format!("{:.0}", regret.mean.round() + 0.0)),
        agent,
    ]
}

fn dash() -> String {
    "-".to_owned()
}

/// A row of parameters for each agent, the head first.
pub(super) fn agent_rows(groups: &[Group]) -> Vec<Vec<String>> {
    let entries = groups.iter().zip(agent_labels(groups)).map(|(group, label)| {
        let agent = &group.cell.agent;
        (vec![label, agent.made_by.clone()], &agent.parameters)
    });
    parameter_rows(&["agent", "made by"], entries.collect())
}

/// A row for each world, the head first: its parameters, and how closely its optimum is known.
pub(super) fn world_rows(groups: &[Group]) -> Vec<Vec<String>> {
    let entries = groups.iter().zip(world_labels(groups)).map(|(group, label)| {
        let betas: Vec<String> = if group.early_betas.is_empty() {
            group.betas.iter().map(f64::to_string).collect()
        } else {
            // The same for all actions is said once.
            group.reveals().into_iter().dedup().collect()
        };
        let between = if group.early_betas.is_empty() { ", " } else { "; " };
        let betas = group.beta().map_or_else(|| betas.join(between), |beta| beta.to_string());
        let gap = group.reference.bounds.map(|bounds| bounds.upper - bounds.lower);
        let gap = gap.map_or_else(dash, |gap| format!("{gap:.1e}"));
        let cells = vec![label, betas, group.gamma.to_string(), gap];
        (cells, &group.cell.world.parameters)
    });
    let head = ["world", "reveal probabilities", "γ", "V* known within"];
    let mut rows = parameter_rows(&head, entries.collect());
    // Those two are columns already, whether they were given or not.
    for name in ["beta", "gamma"] {
        if let Some(i) = rows[0].iter().position(|cell| cell == name) {
            rows.iter_mut().for_each(|row| drop(row.remove(i)));
        }
    }
    rows
}

/// Each entry once, with a column for each parameter that some entry has.
fn parameter_rows(head: &[&str], entries: Vec<(Vec<String>, &Table)>) -> Vec<Vec<String>> {
    let keys: BTreeSet<&String> = entries.iter().flat_map(|(_, table)| table.keys()).collect();
    let head = head.iter().map(|&name| name.to_owned());
    let mut rows = vec![head.chain(keys.iter().map(|key| (*key).clone())).collect()];
    for (mut cells, table) in entries {
        cells.extend(keys.iter().map(|key| table.get(*key).map_or_else(dash, show)));
        if !rows.contains(&cells) {
            rows.push(cells);
        }
    }
    rows
}
