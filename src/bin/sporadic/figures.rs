//! The figures and the page of a finished experiment.

use std::path::Path;

use sporadic::experiment::{Group, Line, Reference, Summary, replace};
use sporadic::report::{Curve, Dash, Figure, HtmlReport, ReferenceLine, ReportError, Style};

use crate::failure::Failure;
use crate::workbench::{HEAD, row};

/// More curves than this in one picture cannot be told apart.
const MOST_CURVES: usize = 8;
/// Pixels per unit of the drawing: sharp in print.
const PNG_SCALE: f32 = 2.0;

/// Draws one figure per model, as SVG and PNG, and writes the page.
pub(crate) fn write(
    dir: &Path,
    summary: &Summary,
    groups: &[(Group, Reference)],
    command: &str,
) -> Result<(), Failure> {
    let mut page = HtmlReport::new(format!("sporadic: {}", summary.name))
        .with_intro(
            "Running averages of the episodic reward, times 1 − γ: mean over seeds with 95% \
             t-intervals. Dashed: the optimum within the agent's family; dotted: the certified \
             optimum over all policies.",
        )
        .with_summary(HEAD, summary.groups.iter().map(row))
        .map_err(Failure::other)?;
    for (name, members) in figures(groups) {
        let (figure, left_out) = draw(&name, &members).map_err(Failure::other)?;
        let stem: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let svg = figure.to_svg().map_err(Failure::other)?;
        replace(&dir.join(format!("{stem}.svg")), svg.as_bytes())?;
        let png = figure.to_png(PNG_SCALE).map_err(Failure::other)?;
        replace(&dir.join(format!("{stem}.png")), &png)?;
        let more = if left_out > 0 { format!(" {left_out} more are in curves.csv.") } else { String::new() };
        let caption = format!("{name}: running average against episodes.{more}");
        page = page.with_figure(&figure, &format!("Learning curves on {name}"), &caption).map_err(Failure::other)?;
    }
    replace(&dir.join("report.html"), finish(page, summary, groups, command).to_html().as_bytes())?;
    Ok(())
}

/// The groups of each model, by the model's name, in order.
fn figures(groups: &[(Group, Reference)]) -> Vec<(String, Vec<&(Group, Reference)>)> {
    let mut figures: Vec<(String, Vec<&(Group, Reference)>)> = Vec::new();
    for group in groups {
        let name = group.0.name();
        match figures.iter_mut().find(|(known, _)| *known == name) {
            Some((_, members)) => members.push(group),
            None => figures.push((name, vec![group])),
        }
    }
    figures
}

/// The figure, and how many curves found no room in it.
fn draw(name: &str, members: &[&(Group, Reference)]) -> Result<(Figure, usize), ReportError> {
    let mut figure = Figure::new(name)
        .with_x_label("episode")
        .with_y_label("running average, times 1 − γ");
    if members.iter().any(|(group, _)| group.runs.len() > 1) {
        figure = figure.with_band_label("95% t-interval");
    }
    let several_agents = members.iter().any(|(group, _)| group.cell.agent != members[0].0.cell.agent);
    for (i, (group, optima)) in members.iter().take(MOST_CURVES).enumerate() {
        let (scale, style) = (1.0 - group.model.gamma(), Style::nth(i));
        let label = label(group, several_agents);
        figure = figure.with_curve(curve(group, label, scale).with_style(style));
        if let Some(class) = optima.class.map(|class| scale * class) {
            let line = ReferenceLine::new(format!("class {class:.3}"), class);
            figure = figure.with_line(line.with_style(style.with_dash(Dash::Dashed)));
        }
        let (lower, upper) = (scale * optima.lower, scale * optima.upper);
        let line = ReferenceLine::new(format!("V* {lower:.3}"), lower).with_interval(lower, upper);
        figure = figure.with_line(line.with_style(style.with_dash(Dash::Dotted)));
    }
    figure.check()?;
    Ok((figure, members.len().saturating_sub(MOST_CURVES)))
}

fn label(group: &Group, several_agents: bool) -> String {
    match (group.cell.world.beta, several_agents) {
        (Some(beta), false) => format!("β = {beta}"),
        (Some(beta), true) => format!("β = {beta}, {}", group.cell.agent),
        (None, _) => group.cell.agent.to_string(),
    }
}

fn curve(group: &Group, label: String, scale: f64) -> Curve {
    let x = group.episodes.iter().map(|&n| n as f64).collect();
    let of = |f: &dyn Fn(usize) -> f64| (0..group.average.len()).map(|i| scale * f(i)).collect();
    let mean = of(&|i| group.average[i].mean);
    let curve = Curve::new(label, x, mean);
    if group.runs.len() < 2 {
        return curve;
    }
    curve.with_band(of(&|i| group.average[i].low()), of(&|i| group.average[i].high()))
}

/// Parameters, seeds, version and how to run it again.
fn finish(
    mut page: HtmlReport,
    summary: &Summary,
    groups: &[(Group, Reference)],
    command: &str,
) -> HtmlReport {
    if let Some(first) = summary.groups.first() {
        page = page.with_parameter("episodes", first.episodes.to_string());
    }
    let unique = |of: &dyn Fn(&Line) -> String| {
        let mut values: Vec<String> = summary.groups.iter().map(of).collect();
        values.dedup();
        values.join("; ")
    };
    page = page
        .with_parameter("γ", unique(&|line| line.gamma.to_string()))
        .with_parameter("agent", unique(&|line| line.agent.to_string()))
        .with_parameter("seed", summary.seed.to_string());
    let runs = groups.iter().map(|(group, _)| group.runs.len()).max().unwrap_or(0) as u64;
    page.with_seeds(0..runs)
        .with_version(format!("sporadic {}", summary.version))
        .with_command(command)
        .with_note("Every point of every run is in curves.csv, every number of the table in summary.json.")
}
