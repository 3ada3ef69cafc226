//! The pages: texts written by hand, each with a table between two marks, and figures.
//!
//! `docs/results/NAME.md` is the text of a section, `about.md` what stands before them. `docs/results.md` is all of
//! them with their figures; the documentation of `guide::results` includes the same files.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sporadic::experiment::replace;

use super::{Failure, Made, Section};

const BEGIN: &str = "<!-- made by `cargo results`: begin -->";
const END: &str = "<!-- made by `cargo results`: end -->";

/// Writes the figures of a section, and its text with what was made between the marks.
pub(crate) fn section(docs: &Path, target: &Path, name: &str, made: &Made) -> Result<(), Failure> {
    fs::create_dir_all(target.join("results"))?;
    for (figure, drawing) in &made.figures {
        drawing.write(target.join(format!("{figure}.svg")))?;
    }
    let file = format!("results/{name}.md");
    let text = fs::read_to_string(docs.join(&file))?;
    let filled =
        fill(&text, &block(name, made)).ok_or_else(|| format!("{file} lacks the marks"))?;
    Ok(replace(&target.join(file), filled.as_bytes())?)
}

/// From what the section was made, then its table.
fn block(name: &str, made: &Made) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut block = format!("`cargo results {name}`, version {version}. {}\n\n", made.facts);
    for (i, row) in made.table.iter().enumerate() {
        let _ = writeln!(block, "| {} |", row.join(" | "));
        if i == 0 {
            let _ = writeln!(block, "|{}", "---|".repeat(row.len()));
        }
    }
    block
}

/// Puts `block` between the marks; `None` without marks.
fn fill(text: &str, block: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{block}\n{END}{after}"))
}

/// Writes the page of all sections: those in `target`, and of `docs` those that are not there.
pub(crate) fn whole(docs: &Path, target: &Path, sections: &[Section]) -> Result<(), Failure> {
    let mut page = fs::read_to_string(docs.join("results/about.md"))?;
    for section in sections {
        let file = format!("results/{}.md", section.name);
        let (made, stored) = (target.join(&file), docs.join(&file));
        let text = fs::read_to_string(if made.exists() { made } else { stored })?;
        let _ = write!(page, "\n{text}");
        for (figure, shows) in section.figures {
            let _ = write!(page, "\n![{shows}]({figure}.svg)\n");
        }
    }
    Ok(replace(&target.join("results.md"), page.as_bytes())?)
}
