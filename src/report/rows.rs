//! The tables of a finished experiment.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use itertools::Itertools as _;

use crate::experiment::{Group, Interval, Outcome, SummaryRow, agent_labels, world_labels};
use crate::kinds::{Table, show};
use crate::simulation::{Ending, Setting};

/// The table of a finished experiment, its head first, and a note on what the columns are. Values are
/// times 1 - gamma, on the scale of rewards.
pub fn summary_table(outcome: &Outcome) -> (Vec<Vec<String>>, String) {
    let groups = outcome.groups();
    // What the paper's protocol does not ask for is shown where it is not the paper's protocol.
    let is_set = groups.iter().any(|group| !group.cell.setting.is_default());
    let mut head = vec!["model", "beta", "average"];
    head.extend(["last tenth", "steps", "looks"].iter().filter(|_| is_set));
    head.extend(["last policy", "class", "V*", "regret", "agent"]);
    let mut rows = vec![head.into_iter().map(str::to_owned).collect()];
    let labels = world_names(groups).into_iter().zip(agent_labels(groups));
    for (group, (world, agent)) in groups.iter().zip(labels) {
        rows.extend(SummaryRow::new(group).map(|line| row(&line, world, agent, is_set)));
    }
    let episodes = range(groups.iter().map(|group| group.cell.episodes));
    let seeds = range(groups.iter().map(|group| group.runs.len() as u64));
    let seeds = if seeds == "1" { "1 seed".to_owned() } else { format!("{seeds} seeds") };
    let is_discounted = |group: &Group| group.cell.setting.ending == Ending::Discounted;
    let factor = match (groups.iter().any(is_discounted), groups.iter().all(is_discounted)) {
        (_, true) => "all times 1 - gamma",
        (true, false) => "discounted ones times 1 - gamma",
        (false, false) => "undiscounted",
    };
    let mut note = format!(
        "{episodes} episodes, {seeds}, mean ± 95% t-interval. average: mean return so far; last policy: its \
         exact value;\nclass: the best of the agent's family; V*: certified; {factor}. regret: total, against V*."
    );
    if is_set {
        let each = |of: &dyn Fn(&Setting) -> String| {
            let all: BTreeSet<String> =
                groups.iter().map(|group| of(&group.cell.setting)).collect();
            all.into_iter().collect::<Vec<_>>().join(", ")
        };
        let _ = write!(
            note,
            "\nfeedback: {}; ending: {}. last tenth: mean return of the last tenth of the episodes, with their mean \
             numbers of steps and looks.",
            each(&|setting| setting.feedback.to_string()),
            each(&|setting| setting.ending.to_string())
        );
    }
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

fn row(line: &SummaryRow, world: String, agent: String, is_set: bool) -> Vec<String> {
    let scale = line.scale();
    let scaled = |x: f64| format!("{:.4}", scale * x);
    let mean = |average: Interval| {
        let spread = average.half_width.map_or_else(String::new, |w| format!(" ± {w:.4}"));
        format!("{:.4}{spread}", average.mean)
    };
    let beta = line.beta.map_or_else(dash, |beta| beta.to_string());
    let mut cells = vec![world, beta, mean(line.average.scaled(scale))];
    if is_set {
        let last = line.last_tenth;
        cells.push(mean(last.average.scaled(scale)));
        let count = |count: Option<Interval>| {
            count.map_or_else(dash, |n| format!("{:.2}", n.mean.max(0.0)))
        };
        cells.extend([count(last.rounds), count(last.looks)]);
    }
    cells.extend([
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
    ]);
    cells
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
