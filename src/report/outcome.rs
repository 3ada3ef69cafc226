//! From a finished experiment to figures and a page.

use std::path::Path;

use super::rerun::commands;
use super::{Curve, Dash, Figure, HtmlReport, ReferenceLine, ReportError, Style};
use crate::experiment::{
    ExperimentError, Group, Interval, Outcome, Summary, SummaryRow, agent_labels, replace,
};

/// More curves than this in one picture cannot be told apart.
const MOST_CURVES: usize = 8;
/// Pixels per unit of the drawing: sharp in print.
const PNG_SCALE: f32 = 2.0;

type Lines<'a> = &'a dyn Fn(&Group) -> Option<(f64, f64)>;

impl Outcome {
    /// Writes `curves.csv`, `summary.json`, the figures as SVG and PNG, and the page `report.html` into
    /// the folder `dir`.
    ///
    /// # Errors
    /// [`ExperimentError`] that names the file.
    pub fn write(&self, dir: impl AsRef<Path>) -> Result<(), ExperimentError> {
        let dir = dir.as_ref();
        let content = |path: &str, message: String| ExperimentError::Content {
            path: dir.join(path),
            message,
        };
        replace(&dir.join("curves.csv"), &self.curves_csv()?)?;
        let summary = self.summary();
        let mut text = serde_json::to_string_pretty(&summary)
            .map_err(|fault| content("summary.json", fault.to_string()))?;
        text.push('\n');
        replace(&dir.join("summary.json"), text.as_bytes())?;
        let page = self.draw(dir, &summary)?;
        replace(&dir.join("report.html"), page.to_html().as_bytes())
    }

    /// Draws two figures per model, learning curves and regret, and puts them on a page.
    fn draw(&self, dir: &Path, summary: &Summary) -> Result<HtmlReport, ExperimentError> {
        let fail = |fault: ReportError| ExperimentError::Content {
            path: dir.join("report.html"),
            message: fault.to_string(),
        };
        let (mut rows, note) = summary_table(self);
        let head = rows.remove(0);
        let mut page = HtmlReport::new(format!("sporadic: {}", self.name()))
            .with_intro(note)
            .with_summary(head, rows)
            .map_err(fail)?;
        let mut stems = Vec::new();
        for (name, members) in figures(self.groups()) {
            let figure = draw(name, &members).map_err(fail)?;
            let stem = unique_stem(name, &mut stems);
            save(&figure, dir, &stem)?;
            let caption = match members.len().saturating_sub(MOST_CURVES) {
                0 => format!("{name}: running average against episodes."),
                more => {
                    format!(
                        "{name}: the first {MOST_CURVES} curves; {more} more are in curves.csv."
                    )
                }
            };
            page = page
                .with_figure(&figure, &format!("Learning curves on {name}"), &caption)
                .map_err(fail)?;
            if let Some(figure) = draw_regret(name, &members).map_err(fail)? {
                let stem = format!("{stem}-regret");
                save(&figure, dir, &stem)?;
                let caption = format!("{name}: regret of the policies played, computed exactly.");
                page = page
                    .with_figure(&figure, &format!("Regret on {name}"), &caption)
                    .map_err(fail)?;
            }
        }
        Ok(finish(page, summary))
    }
}

/// The table of a finished experiment, its head first, and a note on what the columns are. Values are
/// times 1 - gamma, on the scale of rewards.
pub fn summary_table(outcome: &Outcome) -> (Vec<Vec<String>>, String) {
    let labels = agent_labels(outcome.groups());
    let head = ["model", "beta", "average", "last policy", "class", "V*", "regret", "agent"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (group, label) in outcome.groups().iter().zip(labels) {
        rows.extend(SummaryRow::new(group).map(|line| row(&line, label)));
    }
    let first = outcome.groups().first();
    let (episodes, seeds) = first.map_or((0, 0), |group| (group.cell.episodes, group.runs.len()));
    let note = format!(
        "{episodes} episodes, {seeds} seeds, mean ± 95% t-interval. average: mean return so far; last policy: its \
         exact value;\nclass: the best of the agent's family; V*: certified; all times 1 - gamma. regret: total, \
         against V*."
    );
    (rows, note)
}

fn row(line: &SummaryRow, label: String) -> Vec<String> {
    let scale = 1.0 - line.gamma;
    let dash = || "-".to_owned();
    let scaled = |x: f64| format!("{:.4}", scale * x);
    let average = line.average.scaled(scale);
    let spread = average.half_width.map_or_else(String::new, |w| format!(" ± {w:.4}"));
    let best = line.lower.zip(line.upper).map(|(lower, upper)| (scaled(lower), scaled(upper)));
    vec![
        line.model.clone(),
        line.beta.map_or_else(dash, |beta| beta.to_string()),
        format!("{:.4}{spread}", average.mean),
        line.value.map_or_else(dash, |value| scaled(value.mean)),
        line.class.map_or_else(dash, scaled),
        match best {
            None => dash(),
            Some((lower, upper)) if lower == upper => lower,
            Some((lower, upper)) => format!("{lower} to {upper}"),
        },
        line.regret.map_or_else(dash, |regret| format!("{:.0}", regret.mean)),
        label,
    ]
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
fn save(figure: &Figure, dir: &Path, stem: &str) -> Result<(), ExperimentError> {
    let fail = |fault: ReportError| ExperimentError::Content {
        path: dir.join(stem),
        message: fault.to_string(),
    };
    let svg = figure.to_svg().map_err(fail)?;
    replace(&dir.join(format!("{stem}.svg")), svg.as_bytes())?;
    let png = figure.to_png(PNG_SCALE).map_err(fail)?;
    replace(&dir.join(format!("{stem}.png")), &png)?;
    Ok(())
}

/// The groups of each model, in order.
fn figures(groups: &[Group]) -> Vec<(&str, Vec<&Group>)> {
    let mut figures: Vec<(&str, Vec<&Group>)> = Vec::new();
    for member in groups {
        let name = member.cell.world.model.as_str();
        match figures.iter_mut().find(|(known, _)| *known == name) {
            Some((_, members)) => members.push(member),
            None => figures.push((name, vec![member])),
        }
    }
    figures
}

fn draw(name: &str, members: &[&Group]) -> Result<Figure, ReportError> {
    let members = &members[..members.len().min(MOST_CURVES)];
    let mut figure = axes(name, "running average, times 1 − γ", members);
    for (i, (group, label)) in members.iter().zip(labels(members)).enumerate() {
        let curve = curve(group, label, 1.0 - group.gamma, &group.average);
        figure = figure.with_curve(curve.with_style(Style::nth(i)));
    }
    for line in lines(members) {
        figure = figure.with_line(line);
    }
    figure.check()?;
    Ok(figure)
}

/// Nothing if no agent's regret is known.
fn draw_regret(name: &str, members: &[&Group]) -> Result<Option<Figure>, ReportError> {
    let members = &members[..members.len().min(MOST_CURVES)];
    let mut figure = axes(name, "regret against V*, in total", members);
    let mut any = false;
    for (i, (group, label)) in members.iter().zip(labels(members)).enumerate() {
        let regret = group.reference.bounds.map(|bounds| group.regret(bounds.lower));
        if let Some(regret) = regret.filter(|regret| !regret.is_empty()) {
            let curve = curve(group, label, 1.0, &regret);
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

fn axes(name: &str, y: &str, members: &[&Group]) -> Figure {
    let figure = Figure::new(name).with_x_label("episode").with_y_label(y);
    if members.iter().any(|group| group.runs.len() > 1) {
        figure.with_band_label("95% t-interval")
    } else {
        figure
    }
}

/// The optima, each in the style of its curve; one that all curves share, once and in grey.
fn lines(members: &[&Group]) -> Vec<ReferenceLine> {
    let scale = |group: &Group| 1.0 - group.gamma;
    let class = |g: &Group| g.reference.class.map(|class| (scale(g) * class, scale(g) * class));
    let best = |g: &Group| {
        g.reference.bounds.map(|bounds| (scale(g) * bounds.lower, scale(g) * bounds.upper))
    };
    let kinds: [(&str, Dash, Lines<'_>); 2] =
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

/// Names of curves that show what varies among them.
fn labels(members: &[&Group]) -> Vec<String> {
    let agents = agent_labels(members.iter().copied());
    let one_agent = agents.windows(2).all(|pair| pair[0] == pair[1]);
    let label = |(group, agent): (&&Group, String)| match (group.beta(), one_agent) {
        (Some(beta), true) => format!("β = {beta}"),
        (Some(beta), false) => format!("β = {beta}, {agent}"),
        (None, _) => agent,
    };
    members.iter().zip(agents).map(label).collect()
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
    let each = |of: &dyn Fn(&SummaryRow) -> String| {
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
        .with_parameter(
            "agent",
            each(&|line| serde_json::to_string(&line.agent).unwrap_or_default()),
        )
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
