//! Tables with a row for each world and a column for each agent.

use sporadic::experiment::{Group, Interval, SummaryRow, agent_labels, world_labels};

/// How a group is told in one cell.
pub(crate) type Show = fn(&Group, &SummaryRow) -> String;

/// The table, its head first. The last columns are the best of the agents' family, where there is one, and the certified
/// optimum, both times 1 - gamma.
pub(crate) fn compare(groups: &[Group], show: Show) -> Vec<Vec<String>> {
    let (worlds, agents) = (world_labels(groups), agent_labels(groups));
    let (rows, columns) = (distinct(&worlds), distinct(&agents));
    let mut head = vec!["world".to_owned()];
    head.extend(columns.iter().map(|&agent| agent.clone()));
    head.extend(["class", "V*"].map(str::to_owned));
    let mut table = vec![head];
    for world in rows {
        let here = |i: &usize| worlds[*i] == *world;
        let at = |agent: &String| (0..groups.len()).filter(here).find(|&i| agents[i] == *agent);
        let cell = |i: usize| SummaryRow::new(&groups[i]).map(|row| show(&groups[i], &row));
        let mut row = vec![world.clone()];
        row.extend(columns.iter().map(|agent| at(agent).and_then(cell).unwrap_or_default()));
        let of_world = || (0..groups.len()).filter(here).map(|i| &groups[i]);
        let class =
            of_world().find_map(|group| Some(number(group.scale() * group.reference.class?)));
        let optimum = of_world().find_map(|group| {
            let (bounds, scale) = (group.reference.bounds?, group.scale());
            let (low, high) = (number(scale * bounds.lower), number(scale * bounds.upper));
            Some(if low == high { low } else { format!("{low} to {high}") })
        });
        row.extend([class, optimum].map(Option::unwrap_or_default));
        table.push(row);
    }
    table
}

/// In the order of their first appearance.
pub(crate) fn distinct(labels: &[String]) -> Vec<&String> {
    let mut known: Vec<&String> = Vec::new();
    for label in labels {
        if !known.contains(&label) {
            known.push(label);
        }
    }
    known
}

/// The exact value of the last policy, times 1 - gamma, and the regret against V*.
pub(crate) fn value_and_regret(group: &Group, row: &SummaryRow) -> String {
    let value = row.value.map_or_else(String::new, |value| interval(value.scaled(group.scale())));
    let regret = row.regret.map_or_else(String::new, |regret| {
        let spread = regret.half_width.map_or_else(String::new, |half| format!(" ± {half:.0}"));
        format!("; {:.0}{spread}", regret.mean)
    });
    value + &regret
}

/// The mean return of the last tenth, times 1 - gamma, and in parentheses the exact value of the last policy.
pub(crate) fn last_tenth(group: &Group, row: &SummaryRow) -> String {
    let scale = group.scale();
    let exact = row.value.map(|value| format!(" ({})", number(scale * value.mean)));
    interval(row.last_tenth.average.scaled(scale)) + &exact.unwrap_or_default()
}

fn interval(interval: Interval) -> String {
    let spread = interval.half_width.map_or_else(String::new, |half| format!(" ± {half:.4}"));
    number(interval.mean) + &spread
}

fn number(x: f64) -> String {
    format!("{x:.4}")
}
