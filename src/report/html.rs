//! A report in one HTML file.

use std::fmt::Write as _;
use std::path::Path;

use super::text::escape;
use super::{Figure, ReportError, svg};
use crate::atomic;

/// A page with figures, a table, and what is needed to run the experiment again.
///
/// It is one file: figures are in it, and a policy in its head forbids browsers to fetch anything.
/// It follows the width of the screen, a dark theme, and prints. All text is escaped. Sections
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
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// SVG and caption.
    figures: Vec<(String, String)>,
    parameters: Vec<(String, String)>,
    seeds: Vec<u64>,
    version: String,
    commands: Vec<String>,
    notes: Vec<String>,
}

impl HtmlReport {
    /// A page with a title only.
    pub fn new(title: impl Into<String>) -> Self {
        let (intro, header, rows, figures, parameters) = <_>::default();
        let (seeds, version, commands, notes) = <_>::default();
        let title = title.into();
        Self { title, intro, header, rows, figures, parameters, seeds, version, commands, notes }
    }

    /// The same with one more paragraph under the title.
    pub fn with_intro(mut self, paragraph: impl Into<String>) -> Self {
        self.intro.push(paragraph.into());
        self
    }

    /// The same with this table of results. A column of numbers alone is aligned to the right.
    ///
    /// # Errors
    /// [`ReportError::Row`] if a row has not as many cells as there are headings.
    pub fn with_summary<H, R, C>(mut self, header: H, rows: R) -> Result<Self, ReportError>
    where
        H: IntoIterator<Item: Into<String>>,
        R: IntoIterator<Item = C>,
        C: IntoIterator<Item: Into<String>>,
    {
        self.header = header.into_iter().map(Into::into).collect();
        self.rows.clear();
        for (row, cells) in rows.into_iter().enumerate() {
            let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
            let (expected, found) = (self.header.len(), cells.len());
            if expected != found {
                return Err(ReportError::Row { row, expected, found });
            }
            self.rows.push(cells);
        }
        Ok(self)
    }

    /// The same with one more figure; `alt` is for those who cannot see it, the caption for all.
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
        self.figures.push((svg::draw(figure, alt)?, caption.into()));
        Ok(self)
    }

    /// The same with one more parameter of the experiment.
    pub fn with_parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// The same with these seeds.
    pub fn with_seeds(self, seeds: impl IntoIterator<Item = u64>) -> Self {
        Self { seeds: seeds.into_iter().collect(), ..self }
    }

    /// The same, made by this version of the program.
    pub fn with_version(self, version: impl Into<String>) -> Self {
        Self { version: version.into(), ..self }
    }

    /// The same with one more command line that runs the experiment again.
    pub fn with_command(mut self, command: impl Into<String>) -> Self {
        self.commands.push(command.into());
        self
    }

    /// The same with one more remark at the end.
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
             content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
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
        page.push_str("</body>\n</html>\n");
        page
    }

    fn write_body(&self, page: &mut String) {
        paragraphs(page, &self.intro);
        if !self.header.is_empty() {
            page.push_str("<h2>Summary</h2>\n");
            self.write_summary(page);
        }
        if !self.figures.is_empty() {
            page.push_str("<h2>Figures</h2>\n");
        }
        for (svg, caption) in &self.figures {
            let caption = escape(caption);
            let _ = writeln!(page, "<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>");
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

    fn write_summary(&self, page: &mut String) {
        let numeric = |column: usize| self.rows.iter().all(|row| is_number(&row[column]));
        let class = |column: usize| if numeric(column) { " class=\"n\"" } else { "" };
        page.push_str("<div class=\"wide\"><table>\n<thead>\n<tr>");
        for (column, heading) in self.header.iter().enumerate() {
            let (class, heading) = (class(column), escape(heading));
            let _ = write!(page, "<th scope=\"col\"{class}>{heading}</th>");
        }
        page.push_str("</tr>\n</thead>\n<tbody>\n");
        for row in &self.rows {
            page.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                let _ = write!(page, "<td{}>{}</td>", class(column), escape(cell));
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody>\n</table></div>\n");
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

/// Whether a cell is aligned as a number: it begins like one, or stands for a missing one.
fn is_number(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['-', '+', '\u{2212}', '.', '[', '≥', '≤', ' ']);
    digits.starts_with(|c: char| c.is_ascii_digit()) || ["", "-", "–", "—"].contains(&cell)
}
