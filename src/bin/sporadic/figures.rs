//! The figures and the page of a finished experiment.

use std::path::Path;

use sporadic::experiment::{Group, Interval, Line, Reference, Summary, replace};
use sporadic::report::{Curve, Dash, Figure, HtmlReport, ReferenceLine, ReportError, Style};

use crate::failure::Failure;
use crate::rerun::commands;
use crate::workbench::{HEAD, row};

/// More curves than this in one picture cannot be told apart.
const MOST_CURVES: usize = 8;
/// Pixels per unit of the drawing: sharp in print.
const PNG_SCALE: f32 = 2.0;

type Member<'a> = &'a (Group, Reference);
type Bounds<'a> = &'a dyn Fn(Member<'_>) -> Option<(f64, f64)>;

/// Draws two figures per model, learning curves and regret, as SVG and PNG, and writes the page.
pub(crate) fn write(
    dir: &Path,
    summary: &Summary,
    groups: &[(Group, Reference)],
) -> Result<(), Failure> {
    // An agent that all have in common is among the parameters.
    let one_agent = summary.groups.windows(2).all(|pair| pair[0].agent == pair[1].agent);
    let columns = HEAD.len() - usize::from(one_agent);
    let rows = summary.groups.iter().map(|line| row(line).into_iter().take(columns));
    let mut page = HtmlReport::new(format!("sporadic: {}", summary.name))
        .with_intro(
            "Running averages of the episodic reward, times 1 − γ: mean over seeds with 95% \
             t-intervals. Dashed: the optimum within the agent's family; dotted: the certified \
             optimum over all policies. Regret is the total over all episodes, against the latter's certified lower end.",
        )
        .with_summary(HEAD.into_iter().take(columns), rows)
        .map_err(Failure::other)?;
    let mut stems = Vec::new();
    for (name, members) in figures(groups) {
        let figure = draw(name, &members).map_err(Failure::other)?;
        let stem = unique_stem(name, &mut stems);
        save(&figure, dir, &stem)?;
        let caption = match members.len().saturating_sub(MOST_CURVES) {
            0 => format!("{name}: running average against episodes."),
            more => {
                format!("{name}: the first {MOST_CURVES} curves; {more} more are in curves.csv.")
            }
        };
        page = page
            .with_figure(&figure, &format!("Learning curves on {name}"), &caption)
            .map_err(Failure::other)?;
        if let Some(figure) = draw_regret(name, &members).map_err(Failure::other)? {
            let stem = format!("{stem}-regret");
            save(&figure, dir, &stem)?;
            let caption = format!("{name}: regret of the policies played, computed exactly.");
            page = page
                .with_figure(&figure, &format!("Regret on {name}"), &caption)
                .map_err(Failure::other)?;
        }
    }
    let page = finish(page, summary).to_html();
    replace(&dir.join("report.html"), page.as_bytes())?;
    Ok(())
}

/// The letters and digits of a name, 40 of them at most, and a number if others have the same.
fn unique_stem(name: &str, known: &mut Vec<String>) -> String {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    let stem = if letters.is_empty() { "model".to_owned() } else { letters };
    // Some file systems take `A.svg` and `a.svg` for the same file.
    let is_free = |stem: &String| !known.iter().any(|other| other.eq_ignore_ascii_case(stem));
    let numbered = (2..).map(|i| format!("{stem}-{i}"));
    let free = std::iter::once(stem.clone()).chain(numbered).find(is_free);
    let stem = free.unwrap_or(stem);
    known.push(stem.clone());
    stem
}

/// As SVG and PNG.
fn save(figure: &Figure, dir: &Path, stem: &str) -> Result<(), Failure> {
    let svg = figure.to_svg().map_err(Failure::other)?;
    replace(&dir.join(format!("{stem}.svg")), svg.as_bytes())?;
    let png = figure.to_png(PNG_SCALE).map_err(Failure::other)?;
    replace(&dir.join(format!("{stem}.png")), &png)?;
    Ok(())
}

/// The groups of each model, in order.
fn figures(groups: &[(Group, Reference)]) -> Vec<(&str, Vec<Member<'_>>)> {
    let mut figures: Vec<(&str, Vec<Member<'_>>)> = Vec::new();
    for member in groups {
        let name = member.0.name();
        match figures.iter_mut().find(|(known, _)| *known == name) {
            Some((_, members)) => members.push(member),
            None => figures.push((name, vec![member])),
        }
    }
    figures
}

fn draw(name: &str, members: &[Member<'_>]) -> Result<Figure, ReportError> {
    let members = &members[..members.len().min(MOST_CURVES)];
    let mut figure = axes(name, "running average, times 1 − γ", members);
    for (i, (group, _)) in members.iter().enumerate() {
        let curve = curve(group, label(group, members), 1.0 - group.model.gamma(), &group.average);
        figure = figure.with_curve(curve.with_style(Style::nth(i)));
    }
    for line in lines(members) {
        figure = figure.with_line(line);
    }
    figure.check()?;
    Ok(figure)
}

/// Nothing if no agent's regret is known.
fn draw_regret(name: &str, members: &[Member<'_>]) -> Result<Option<Figure>, ReportError> {
    let members = &members[..members.len().min(MOST_CURVES)];
    let mut figure = axes(name, "regret against V*, in total", members);
    let mut any = false;
    for (i, (group, optima)) in members.iter().enumerate() {
        let regret = group.regret(optima.lower);
        if !regret.is_empty() {
            let curve = curve(group, label(group, members), 1.0, &regret);
            figure = figure.with_curve(curve.with_style(Style::nth(i)));
            any = true;
        }
    }
    if !any {
        return Ok(None);
    }
    figure.check()?;
    Ok(Some(figure))
}

fn axes(name: &str, y: &str, members: &[Member<'_>]) -> Figure {
    let figure = Figure::new(name).with_x_label("episode").with_y_label(y);
    if members.iter().any(|(group, _)| group.runs.len() > 1) {
        figure.with_band_label("95% t-interval")
    } else {
        figure
    }
}

/// The optima, each in the style of its curve; one that all curves share, once and in grey.
fn lines(members: &[Member<'_>]) -> Vec<ReferenceLine> {
    let scale = |(group, _): Member<'_>| 1.0 - group.model.gamma();
    let class = |m: Member<'_>| m.1.class.map(|class| (scale(m) * class, scale(m) * class));
    let best = |m: Member<'_>| Some((scale(m) * m.1.lower, scale(m) * m.1.upper));
    let kinds: [(&str, Dash, Bounds<'_>); 2] =
        [("class", Dash::Dashed, &class), ("V*", Dash::Dotted, &best)];
    let mut lines = Vec::new();
    for (name, dash, of) in kinds {
        let known: Vec<_> = members.iter().map(|member| of(member)).collect();
        let text = |low: f64| format!("{name} {low:.3}");
        let first = known.iter().flatten().next().map(|&(low, _)| text(low));
        let shared = known.iter().flatten().all(|&(low, _)| Some(text(low)) == first);
        let all = known.iter().enumerate().filter_map(|(i, bounds)| bounds.map(|b| (i, b)));
        for (i, (low, high)) in all.take(if shared { 1 } else { known.len() }) {
            let line = ReferenceLine::new(text(low), low).with_interval(low, high);
            let grey = line.style.with_dash(dash);
            let style =
                if shared && members.len() > 1 { grey } else { Style::nth(i).with_dash(dash) };
            lines.push(line.with_style(style));
        }
    }
    lines
}

fn label(group: &Group, members: &[Member<'_>]) -> String {
    let one_agent = members.iter().all(|(other, _)| other.cell.agent == group.cell.agent);
    match (group.cell.world.beta, one_agent) {
        (Some(beta), true) => format!("β = {beta}"),
        (Some(beta), false) => format!("β = {beta}, {}", group.cell.agent),
        (None, _) => group.cell.agent.to_string(),
    }
}

fn curve(group: &Group, label: String, scale: f64, means: &[Interval]) -> Curve {
    let x = group.episodes.iter().take(means.len()).map(|&n| n as f64).collect();
    let column = |of: &dyn Fn(&Interval) -> f64| means.iter().map(|m| scale * of(m)).collect();
    let curve = Curve::new(label, x, column(&|mean| mean.mean));
    if group.runs.len() < 2 {
        return curve;
    }
    curve.with_band(column(&Interval::low), column(&Interval::high))
}

/// Parameters, seeds, version and how to run it again.
fn finish(page: HtmlReport, summary: &Summary) -> HtmlReport {
    let each = |of: &dyn Fn(&Line) -> String| {
        let mut values: Vec<String> = Vec::new();
        for value in summary.groups.iter().map(of) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values.join("; ")
    };
    let runs = summary.groups.iter().map(|line| line.seeds as u64).max().unwrap_or(0);
    let page = commands(summary).into_iter().fold(page, HtmlReport::with_command);
    page.with_parameter("episodes", each(&|line| line.episodes.to_string()))
        .with_parameter("γ", each(&|line| line.gamma.to_string()))
        .with_parameter("agent", each(&|line| line.agent.to_string()))
        .with_parameter("seed of the experiment", summary.seed.to_string())
        .with_parameter("runs", runs.to_string())
        .with_version(format!("sporadic {}", summary.version))
        .with_note(
            "Every point of every run is in curves.csv, every number of the table in summary.json.",
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_figure_overwrites_another() {
        let mut known = Vec::new();
        let stems = ["a-b", "ab", "δ", "λ"].map(|name| unique_stem(name, &mut known));
        assert_eq!(stems, ["ab", "ab-2", "model", "model-2"]);
        assert_eq!(unique_stem("AB", &mut known), "AB-3");
        assert_eq!(unique_stem(&"x".repeat(225), &mut known), "x".repeat(40));
    }
}
