//! The figures of a finished experiment.

use super::panels::{
    MOST_ON_AXES, MOST_ON_SHEET, Panel, Part, curve_labels, panels, parts, unique,
};
use super::{Dash, Figure, ReferenceLine, ReportError, Series, SmallMultiples, Style};
use crate::experiment::{Group, Interval, Outcome};
use std::fmt::Write as _;

/// Where a reference line lies for a group, as an interval; `None` if it has none.
type Heights<'a> = &'a dyn Fn(&Group) -> Option<(f64, f64)>;

/// More sheets than this on one page are not drawn; a note names what is left out.
const MOST_SHEETS: usize = 100;
/// Width and height of each of several small figures.
pub(super) const MULTIPLE: (u32, u32) = (540, 400);

/// A figure of a finished experiment.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OutcomeFigure {
    /// The name of its files, without ending.
    pub name: String,
    /// What it shows, for those who cannot see it.
    pub alt: String,
    /// What stands under it.
    pub caption: String,
    /// The figure itself.
    pub drawing: SmallMultiples,
}

/// What a figure's vertical axis is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Quantity {
    Average,
    Regret,
}

/// The curves of one figure, not drawn yet.
pub(super) struct Sheet<'a> {
    pub(super) name: String,
    pub(super) title: String,
    by_world: bool,
    parts: Vec<Part<'a>>,
    pub(super) quantity: Quantity,
    /// Which curves of the panel are here, and which in other figures.
    remark: String,
}

impl Outcome {
    /// Draws the running average return and, where it is known, the regret.
    ///
    /// With one agent there is a figure for each model, with a curve for each variant of it; with
    /// several agents a figure for each world, with a curve for each agent. More than eight curves are
    /// drawn as small multiples, more than 24 in several figures.
    ///
    /// # Errors
    /// [`ReportError`] if a number is not finite.
    ///
    /// # Example
    /// ```
    /// use sporadic::experiment::Experiment;
    /// use sporadic::kinds::agents::{Optimal, Uniform};
    /// use sporadic::model::gallery;
    /// let outcome = Experiment::new("swim")
    ///     .with_episodes(50)
    ///     .with_seeds(2)
    ///     .with_world("river", gallery::river_swim::<f64>(3, 0.5, 0.8)?)
    ///     .with_agent(Uniform {})
    ///     .with_agent(Optimal {})
    ///     .run()?;
    /// let figures = outcome.figures()?;
    /// let names: Vec<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
    /// assert_eq!(names, ["river", "river-regret"]);
    /// assert!(figures[0].drawing.to_svg()?.contains("uniform"));
    /// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
    /// ```
    pub fn figures(&self) -> Result<Vec<OutcomeFigure>, ReportError> {
        let (sheets, _) = sheets(self.groups());
        sheets.iter().map(Sheet::draw).collect()
    }
}

/// The names of the files of an experiment's figures.
pub(crate) fn figure_files(outcome: &Outcome) -> Vec<String> {
    let (sheets, _) = sheets(outcome.groups());
    let files = |sheet: &Sheet<'_>| ["svg", "png"].map(|end| format!("{}.{end}", sheet.name));
    sheets.iter().flat_map(files).collect()
}

/// A sentence about panels that are too many to be drawn, if there are such.
pub(super) fn omission(groups: &[Group]) -> Option<String> {
    sheets(groups).1
}

pub(super) fn sheets(groups: &[Group]) -> (Vec<Sheet<'_>>, Option<String>) {
    let (mut sheets, mut stems, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for panel in panels(groups) {
        let chunks: Vec<_> = panel.members.chunks(MOST_ON_SHEET).collect();
        if sheets.len() + 2 * chunks.len() > MOST_SHEETS && !sheets.is_empty() {
            left_out.push(panel.title);
            continue;
        }
        let stem = unique(&panel.stem, &mut stems);
        let names: Vec<String> = (0..chunks.len())
            .map(|i| if i == 0 { stem.clone() } else { format!("{stem}-part{}", i + 1) })
            .collect();
        for (i, members) in chunks.iter().enumerate() {
            let remark = remark(&panel, &names, i, members.len());
            for quantity in [Quantity::Average, Quantity::Regret] {
                let is_regret = quantity == Quantity::Regret;
                if is_regret && !members.iter().any(|group| has_regret(group)) {
                    continue;
                }
                let name = format!("{}{}", names[i], if is_regret { "-regret" } else { "" });
                let parts = parts(members, panel.by_world);
                let (title, by_world) = (panel.title.clone(), panel.by_world);
                let remark = remark.clone();
                sheets.push(Sheet { name, title, by_world, parts, quantity, remark });
            }
        }
    }
    let omission = left_out.first().zip(left_out.last()).map(|(first, last)| {
        format!(
            "{} more panels, from {first} to {last}, are not drawn; their curves are in curves.csv.",
            left_out.len()
        )
    });
    (sheets, omission)
}

/// Which curves of a panel of several sheets are in which figure.
fn remark(panel: &Panel<'_>, names: &[String], i: usize, here: usize) -> String {
    if names.len() == 1 {
        return String::new();
    }
    let labels = curve_labels(&panel.members, panel.by_world);
    let start = i * MOST_ON_SHEET;
    let range = |from: usize, to: usize| format!("{} to {}", from + 1, to);
    let elsewhere = names.iter().enumerate().filter(|(j, _)| *j != i).map(|(j, name)| {
        let from = j * MOST_ON_SHEET;
        format!("{} in {name}", range(from, (from + MOST_ON_SHEET).min(labels.len())))
    });
    format!(
        " Curves {} of {}, from {} to {}; {}.",
        range(start, start + here),
        labels.len(),
        labels[start],
        labels[start + here - 1],
        elsewhere.collect::<Vec<_>>().join(", ")
    )
}

/// Whether the exact value of every policy played is known, and the optimum.
fn has_regret(group: &Group) -> bool {
    let known =
        |run: &crate::simulation::Curve| run.mean_policy_value.first().is_some_and(Option::is_some);
    group.reference.bounds.is_some() && !group.runs.is_empty() && group.runs.iter().all(known)
}

impl Sheet<'_> {
    pub(super) fn draw(&self) -> Result<OutcomeFigure, ReportError> {
        let mut drawing = SmallMultiples::new(&self.title, 2);
        let (mut looks, mut absent) = (Vec::new(), Vec::new());
        for (subtitle, members) in &self.parts {
            let title = match subtitle.as_str() {
                "" => self.title.clone(),
                subtitle => format!("{}: {subtitle}", self.title),
            };
            let (figure, missing) = self.figure(&title, members, &mut looks);
            absent.extend(missing);
            if !figure.series.is_empty() {
                let many = self.parts.len() > 1;
                drawing
                    .figures
                    .push(Figure { size: if many { MULTIPLE } else { figure.size }, ..figure });
            }
        }
        drawing.check()?;
        let title = &self.title;
        let (alt, mut caption) = match self.quantity {
            Quantity::Average => (
                format!("Learning curves on {title}"),
                format!("{title}: running average against episodes."),
            ),
            Quantity::Regret => (
                format!("Regret on {title}"),
                format!("{title}: regret of the policies played, computed exactly."),
            ),
        };
        if !absent.is_empty() {
            let absent = absent.join(", ");
            let _ = write!(caption, " Without {absent}, whose policies have no exact value.");
        }
        caption += &self.remark;
        if self.quantity == Quantity::Average {
            let all = self.parts.iter().flat_map(|(_, members)| members.iter().copied());
            caption += &certified(all);
        }
        if self.quantity == Quantity::Regret {
            caption += &theorem(self.parts.iter().flat_map(|(_, members)| members.iter().copied()));
        }
        Ok(OutcomeFigure { name: self.name.clone(), alt, caption, drawing })
    }

    /// A figure of some curves, and the names of those that have no regret to be drawn. The place of a
    /// label in `looks` is the number of its style: in small multiples by a parameter, curves that differ in that
    /// parameter alone have the same label and look alike.
    fn figure(
        &self,
        title: &str,
        members: &[&Group],
        looks: &mut Vec<String>,
    ) -> (Figure, Vec<String>) {
        let y_label = match self.quantity {
            // Of undiscounted returns, the factor is 1.
            Quantity::Average if members.iter().all(|group| group.scale() >= 1.0) => {
                "running average"
            }
            Quantity::Average => "running average, times 1 − γ",
            Quantity::Regret => "regret against V*, in total",
        };
        let mut figure = Figure::new(title).with_x_label("episode").with_y_label(y_label);
        if members.iter().any(|group| group.runs.len() > 1) {
            figure = figure.with_band_label("95% t-interval");
        }
        let (mut absent, mut styles) = (Vec::new(), Vec::new());
        for (group, label) in members.iter().zip(curve_labels(members, self.by_world)) {
            let known = looks.iter().position(|other| *other == label);
            let style = Style::nth(known.unwrap_or(looks.len()));
            styles.push(style);
            if known.is_none() {
                looks.push(label.clone());
            }
            match (self.quantity, group.reference.bounds) {
                (Quantity::Average, _) => {
                    let curve = curve(group, label, &group.average).scaled(group.scale());
                    figure = figure.with_series(curve.with_style(style));
                }
                (Quantity::Regret, Some(bounds)) if has_regret(group) => {
                    let curve = curve(group, label, &group.regret(bounds.lower));
                    figure = figure.with_series(curve.with_style(style));
                }
                (Quantity::Regret, _) => absent.push(label),
            }
        }
        if self.quantity == Quantity::Average {
            figure.lines = lines(members, &styles);
        }
        (figure, absent)
    }
}

fn curve(group: &Group, label: String, means: &[Interval]) -> Series {
    let x = group.episodes.iter().take(means.len()).map(|&n| n as f64).collect();
    Series::from_intervals(label, x, means)
}

/// The optima: one that a single curve is compared with in the style of that curve, one that several
/// share once and in grey.
fn lines(members: &[&Group], styles: &[Style]) -> Vec<ReferenceLine> {
    let class = |g: &Group| g.reference.class.map(|class| (class, class));
    let best = |g: &Group| g.reference.bounds.map(|bounds| (bounds.lower, bounds.upper));
    let kinds: [(&str, Dash, Heights<'_>); 2] =
        [("class", Dash::Dashed, &class), ("V*", Dash::Dotted, &best)];
    let mut lines: Vec<ReferenceLine> = Vec::new();
    for (name, dash, of) in kinds {
        for (group, style) in members.iter().zip(styles) {
            let Some((low, high)) = of(group) else { continue };
            let scale = group.scale();
            let (low, high) = (scale * low, scale * high);
            let label = format!("{name} {low:.3}");
            let line = ReferenceLine::new(label, low).with_interval(low, high);
            let (grey, own) = (line.style.with_dash(dash), style.with_dash(dash));
            match lines.iter_mut().find(|other| other.label == line.label) {
                Some(shared) => shared.style = grey,
                None => lines.push(line.with_style(own)),
            }
        }
    }
    // As many labels as there are curves are enough to read.
    lines.truncate(2 * MOST_ON_AXES);
    lines
}

/// How far from the best sequences those chosen in the end may be, where agents say.
fn certified<'a>(members: impl IntoIterator<Item = &'a Group>) -> String {
    let gaps = members.into_iter().filter_map(|group| Some((1.0 - group.gamma) * group.gap()?));
    let Some(largest) = gaps.reduce(f64::max) else { return String::new() };
    format!(
        " Sequences chosen at the start of the last episode are certified to be within {largest:.4} of the best in \
         A^N, in optimistic value times 1 − γ."
    )
}

/// What theory says of the regret of agents, however large that is.
fn theorem<'a>(members: impl IntoIterator<Item = &'a Group>) -> String {
    let mut sentences: Vec<String> = Vec::new();
    for group in members {
        let Some(bound) = group.regret_bound else { continue };
        let (episodes, agent) = (group.cell.episodes, &group.cell.agent.name);
        // It depends on neither beta nor the run's own parameters: one sentence for all of those.
        let sentence = format!(
            " The paper's theorem, with its unknown constant c at its least, 1, and its own parameters, \
             bounds the regret of {agent} in {episodes} episodes by {bound:.2e} with probability .95; \
             rewards in [0, 1] alone would bound it by {:.2e}.",
            episodes as f64 / (1.0 - group.gamma)
        );
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences.concat()
}
