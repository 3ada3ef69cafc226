//! A finished experiment as a page, and as files in a folder.

use std::path::Path;

use super::draw::{OutcomeFigure, figure_files, omission};
use super::figure::PNG_SCALE;
use super::rerun::commands;
use super::rows::{agent_rows, summary_table, world_rows};
use super::{HtmlReport, ReportError};
use crate::experiment::{ExperimentError, Outcome, replace};

impl Outcome {
    /// The page of a finished experiment: a table of results, figures, the parameters of every agent
    /// and every world, the specification, seeds, version, and how to run it again.
    ///
    /// # Errors
    /// [`ReportError`] if a number is not finite.
    pub fn page(&self) -> Result<HtmlReport, ReportError> {
        self.page_with(&self.figures()?)
    }

    fn page_with(&self, figures: &[OutcomeFigure]) -> Result<HtmlReport, ReportError> {
        let groups = self.groups();
        let (mut rows, note) = summary_table(self);
        // A narrow screen shows the first columns: the agent comes right after the model, not last as on a terminal.
        rows.iter_mut().for_each(|row| row[1..].rotate_right(1));
        let head = rows.remove(0);
        let mut page = HtmlReport::new(format!("sporadic: {}", self.name()))
            .with_intro(note)
            .with_summary(head, rows)?;
        for OutcomeFigure { name, alt, caption, drawing } in figures {
            page = page.with_multiples(drawing, name, alt, caption)?;
        }
        for (title, mut rows) in [("Agents", agent_rows(groups)), ("Worlds", world_rows(groups))] {
            let head = rows.remove(0);
            page = page.with_table(title, head, rows)?;
        }
        let summary = self.summary();
        let mut page =
            commands(&summary, self.spec()).into_iter().fold(page, HtmlReport::with_command);
        if !self.spec().is_empty() {
            page = page.with_specification(self.spec());
        }
        let each = |of: &dyn Fn(&crate::experiment::Group) -> String| {
            let mut values: Vec<String> = Vec::new();
            for value in groups.iter().map(of) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            values.join("; ")
        };
        page = page
            .with_parameter("episodes", each(&|group| group.cell.episodes.to_string()))
            .with_parameter("points of a curve", each(&|group| group.cell.points.to_string()))
            .with_parameter("feedback", each(&|group| group.cell.setting.feedback.to_string()))
            .with_parameter("ending", each(&|group| group.cell.setting.ending.to_string()))
            .with_parameter("seed of the experiment", each(&|group| group.cell.seed.to_string()))
            .with_parameter("runs of each agent", each(&|group| group.runs.len().to_string()))
            .with_version(format!("sporadic {}", summary.version));
        if let Some(omission) = omission(groups) {
            page = page.with_note(omission);
        }
        Ok(page.with_note(
            "Every point of every run is in curves.csv, every number of the table in summary.json, how long every \
             run took in times.csv.",
        ))
    }

    /// Writes `curves.csv`, `summary.json`, the figures as SVG and PNG, and the page `report.html` into
    /// the folder `dir`, all of which depend on the cells alone; and `times.csv`, which tells how long they took. Figures that an earlier call wrote there and that are no longer drawn are
    /// removed.
    ///
    /// # Errors
    /// [`ExperimentError`] that names the file.
    pub fn write(&self, dir: impl AsRef<Path>) -> Result<(), ExperimentError> {
        let dir = dir.as_ref();
        let content = |path: &str, message: String| ExperimentError::Content {
            path: dir.join(path),
            message,
        };
        let fail = |fault: ReportError| content("report.html", fault.to_string());
        let figures = self.figures().map_err(fail)?;
        let page = self.page_with(&figures).map_err(fail)?.to_html();
        remove_old_figures(dir, &figure_files(self));
        replace(&dir.join("curves.csv"), &self.curves_csv()?)?;
        replace(&dir.join("times.csv"), &self.times_csv()?)?;
        for OutcomeFigure { name, drawing, .. } in &figures {
            let fail = |fault: ReportError| content(name, fault.to_string());
            let svg = drawing.to_svg().map_err(fail)?;
            replace(&dir.join(format!("{name}.svg")), svg.as_bytes())?;
            let png = drawing.to_png(PNG_SCALE).map_err(fail)?;
            replace(&dir.join(format!("{name}.png")), &png)?;
        }
        let mut text = serde_json::to_string_pretty(&self.summary())
            .map_err(|fault| content("summary.json", fault.to_string()))?;
        text.push('\n');
        // After the figures that it lists: a folder never has a figure that no summary names.
        replace(&dir.join("summary.json"), text.as_bytes())?;
        replace(&dir.join("report.html"), page.as_bytes())
    }
}

/// Removes the figures that the folder's `summary.json` lists and `kept` does not. A folder may gain
/// models and agents, after which other figures are drawn.
fn remove_old_figures(dir: &Path, kept: &[String]) {
    let Ok(text) = std::fs::read_to_string(dir.join("summary.json")) else { return };
    let Ok(summary) = serde_json::from_str::<serde_json::Value>(&text) else { return };
    let listed =
        summary["figures"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
    for name in listed {
        let path = Path::new(name);
        let is_plain = path.file_name().is_some_and(|file| file == path.as_os_str());
        let is_figure = path.extension().is_some_and(|end| end == "svg" || end == "png");
        if is_plain && is_figure && !kept.iter().any(|other| other == name) {
            // One that is gone already is what is wanted.
            let _ = std::fs::remove_file(dir.join(name));
        }
    }
}
