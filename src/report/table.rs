//! A table of a report.

use std::fmt::Write as _;

use super::ReportError;
use super::text::escape;

/// A table with a title, whose rows the page's script sorts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HtmlTable {
    title: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl HtmlTable {
    pub(super) fn new<H, R, C>(
        title: impl Into<String>,
        header: H,
        rows: R,
    ) -> Result<Self, ReportError>
    where
        H: IntoIterator<Item: Into<String>>,
        R: IntoIterator<Item = C>,
        C: IntoIterator<Item: Into<String>>,
    {
        let header: Vec<String> = header.into_iter().map(Into::into).collect();
        let mut table = Self { title: title.into(), header, rows: Vec::new() };
        for (row, cells) in rows.into_iter().enumerate() {
            let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
            let (expected, found) = (table.header.len(), cells.len());
            if expected != found {
                return Err(ReportError::Row { row, expected, found });
            }
            table.rows.push(cells);
        }
        Ok(table)
    }

    pub(super) fn write(&self, page: &mut String) {
        let numeric = |column: usize| self.rows.iter().all(|row| is_number(&row[column]));
        let class = |column: usize| if numeric(column) { " class=\"n\"" } else { "" };
        let title = escape(&self.title);
        let _ = write!(
            page,
            "<h2>{title}</h2>\n<div class=\"wide\"><table class=\"sortable\">\n<thead>\n<tr>"
        );
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
}

/// Whether a cell is aligned as a number: it begins like one, or stands for a missing one.
fn is_number(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['-', '+', '\u{2212}', '.', '[', '≥', '≤', ' ']);
    digits.starts_with(|c: char| c.is_ascii_digit()) || ["", "-", "–", "—"].contains(&cell)
}
