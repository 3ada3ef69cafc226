//! A report in one HTML file.

use std::fmt::Write as _;
use std::path::Path;

use super::table::HtmlTable;
use super::text::escape;
use super::{Figure, ReportError, SmallMultiples, svg};
use crate::atomic;

/// A page with figures, a table, and what is needed to run the experiment again.
///
/// It is one file: figures are in it, and a policy in its head forbids browsers to fetch anything.
/// Tables can be sorted and figures saved by a small script, which the policy names by its hash. The page
/// follows the width of the screen, a dark theme, and prints. All text is escaped. Sections
/// without content are left out.
///
/// # Example
/// ```
/// use sporadic::report::{Figure, HtmlReport, ReferenceLine};
/// let figure = Figure::new("RiverSwim").with_line(ReferenceLine::new("V*", 0.3785));
/// let page = HtmlReport::new("Two rivers")
///     .with_intro("How fast does the agent learn if it sees the state one step in ten?")
///     .with_summary(["β", "final average"], [["0.1", "0.371"], ["0.5", "0.328"]])?
///     .with_figure(&figure, "A line at 0.3785", "The optimum of RiverSwim.")?
///     .with_parameter("γ", "0.99")
///     .with_seeds([1, 2, 3])
///     .with_version("sporadic 0.1.0")
///     .with_command("sporadic reproduce --seeds 3")
///     .to_html();
/// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<td class=\"n\">0.371</td>"));
/// # Ok::<(), sporadic::report::ReportError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct HtmlReport {
    title: String,
    intro: Vec<String>,
    summary: Option<HtmlTable>,
    figures: Vec<PageFigure>,
    tables: Vec<HtmlTable>,
    specification: String,
    parameters: Vec<(String, String)>,
    seeds: Vec<u64>,
    version: String,
    commands: Vec<String>,
    notes: Vec<String>,
}

/// A figure on the page.
#[derive(Debug, Clone, PartialEq)]
struct PageFigure {
    svg: String,
    /// The name of the file that it is saved as, without ending.
    name: String,
    caption: String,
    is_wide: bool,
}

/// Sorts tables and saves figures; without it the page only lacks the buttons for that.
const SCRIPT: &str = include_str!("html.js");
/// The hash of the script, by which the page's policy allows it and no other. A test computes it.
const SCRIPT_HASH: &str = "sha256-+8GUhO18KSxCK6s8fiKZ2Wk7p5Zj/EquFWPNI4+a+fo=";

impl HtmlReport {
    /// A page with a title only.
    pub fn new(title: impl Into<String>) -> Self {
        let (intro, summary, figures, tables, specification, parameters) = <_>::default();
        let (seeds, version, commands, notes) = <_>::default();
        let title = title.into();
        Self {
            title,
            intro,
            summary,
            figures,
            tables,
            specification,
            parameters,
            seeds,
            version,
            commands,
            notes,
        }
    }

    /// Adds a paragraph under the title.
    pub fn with_intro(mut self, paragraph: impl Into<String>) -> Self {
        self.intro.push(paragraph.into());
        self
    }

    /// Sets the table of results. A column of numbers alone is aligned to the right; a click on a heading
    /// sorts the rows.
    ///
    /// # Errors
    /// [`ReportError::Row`] if a row has not as many cells as there are headings.
    pub fn with_summary<H, R, C>(mut self, header: H, rows: R) -> Result<Self, ReportError>
    where
        H: IntoIterator<Item: Into<String>>,
        R: IntoIterator<Item = C>,
        C: IntoIterator<Item: Into<String>>,
    {
        self.summary = Some(HtmlTable::new("Summary", header, rows)?);
        Ok(self)
    }

    /// Adds a table with a title, after the figures.
    ///
    /// # Errors
    /// [`ReportError::Row`] if a row has not as many cells as there are headings.
    pub fn with_table<H, R, C>(
        mut self,
        title: impl Into<String>,
        header: H,
        rows: R,
    ) -> Result<Self, ReportError>
    where
        H: IntoIterator<Item: Into<String>>,
        R: IntoIterator<Item = C>,
        C: IntoIterator<Item: Into<String>>,
    {
        self.tables.push(HtmlTable::new(title, header, rows)?);
        Ok(self)
    }

    /// Adds a figure; `alt` is for those who cannot see it, the caption for all.
    ///
    /// # Errors
    /// Those of [`Figure::to_svg`].
    pub fn with_figure(
        mut self,
        figure: &Figure,
        alt: &str,
        caption: impl Into<String>,
    ) -> Result<Self, ReportError> {
        figure.check()?;
        let (svg, caption) = (svg::draw(figure, alt)?, caption.into());
        let (_, name) = super::panels::names(&figure.title, "");
        self.figures.push(PageFigure { svg, name, caption, is_wide: false });
        Ok(self)
    }

    /// Adds several figures on one sheet, to be saved under `name`.
    ///
    /// # Errors
    /// Those of [`SmallMultiples::to_svg`].
    pub fn with_multiples(
        mut self,
        sheet: &SmallMultiples,
        name: impl Into<String>,
        alt: &str,
        caption: impl Into<String>,
    ) -> Result<Self, ReportError> {
        let (svg, name, caption) = (sheet.draw(alt)?, name.into(), caption.into());
        self.figures.push(PageFigure { svg, name, caption, is_wide: sheet.figures.len() > 1 });
        Ok(self)
    }

    /// Sets the text that the experiment was read from.
    pub fn with_specification(self, text: impl Into<String>) -> Self {
        Self { specification: text.into(), ..self }
    }

    /// Adds a parameter of the experiment.
    pub fn with_parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Sets the seeds.
    pub fn with_seeds(self, seeds: impl IntoIterator<Item = u64>) -> Self {
        Self { seeds: seeds.into_iter().collect(), ..self }
    }

    /// Sets the version of the program that made it.
    pub fn with_version(self, version: impl Into<String>) -> Self {
        Self { version: version.into(), ..self }
    }

    /// Adds a command line that runs the experiment again.
    pub fn with_command(mut self, command: impl Into<String>) -> Self {
        self.commands.push(command.into());
        self
    }

    /// Adds a remark at the end.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The page.
    pub fn to_html(&self) -> String {
        let title = escape(&self.title);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'; img-src data:\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n",
            include_str!("html.css")
        );
        self.write_body(&mut page);
        page.push_str("</main>\n");
        if !self.version.is_empty() {
            let version = escape(&self.version);
            let _ = writeln!(page, "<footer>Made by {version}.</footer>");
        }
        let _ = writeln!(page, "<script>{SCRIPT}</script>");
        page.push_str("</body>\n</html>\n");
        page
    }

    fn write_body(&self, page: &mut String) {
        paragraphs(page, &self.intro);
        if let Some(summary) = &self.summary {
            summary.write(page);
        }
        if !self.figures.is_empty() {
            page.push_str("<h2>Figures</h2>\n");
        }
        for PageFigure { svg, name, caption, is_wide } in &self.figures {
            let (name, caption) = (escape(name), escape(caption));
            let class = if *is_wide { " class=\"wide\"" } else { "" };
            let _ = writeln!(
                page,
                "<figure data-name=\"{name}\"{class}>\n{svg}<figcaption>{caption}</figcaption>\n</figure>"
            );
        }
        self.tables.iter().for_each(|table| table.write(page));
        if !self.specification.is_empty() {
            let text = escape(&self.specification);
            let _ = writeln!(page, "<h2>Specification</h2>\n<pre><code>{text}</code></pre>");
        }
        if !self.parameters.is_empty() || !self.seeds.is_empty() {
            page.push_str("<h2>Parameters</h2>\n<div class=\"wide\"><table>\n<tbody>\n");
            let seeds = self.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            let seeds = (!seeds.is_empty()).then(|| ("seeds".to_owned(), seeds));
            for (name, value) in self.parameters.iter().chain(&seeds) {
                let (name, value) = (escape(name), escape(value));
                let _ = writeln!(page, "<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>");
            }
            page.push_str("</tbody>\n</table></div>\n");
        }
        if !self.commands.is_empty() {
            let commands = escape(&self.commands.join("\n"));
            let _ = writeln!(page, "<h2>Run it again</h2>\n<pre><code>{commands}</code></pre>");
        }
        if !self.notes.is_empty() {
            page.push_str("<h2>Notes</h2>\n");
            paragraphs(page, &self.notes);
        }
    }

    /// Writes the page to a file, whole or not at all.
    ///
    /// # Errors
    /// [`ReportError::Io`].
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        let path = path.as_ref();
        atomic::replace(path, self.to_html().as_bytes())
            .map_err(|source| ReportError::Io { path: path.into(), source })
    }
}

fn paragraphs(page: &mut String, texts: &[String]) {
    for text in texts {
        let _ = writeln!(page, "<p>{}</p>", escape(text));
    }
}
