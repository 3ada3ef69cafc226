//! What goes to standard output.

use std::io::{ErrorKind, IsTerminal as _, Write as _, stdout};

use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::plain;

/// Prints a text for a reader. Control characters in it are written out.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    print(&plain::lines(text))
}

/// Prints one JSON document on one line.
pub(crate) fn json(document: &impl Serialize) -> Result<(), Failure> {
    print(&plain::json(&serde_json::to_string(document).map_err(Failure::other)?))
}

/// Prints the content of a file: as it is, unless a terminal shows it.
pub(crate) fn file(content: &str) -> Result<(), Failure> {
    if stdout().is_terminal() { text(content) } else { print(content) }
}

fn print(text: &str) -> Result<(), Failure> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let mut out = stdout().lock();
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        // A reader who closed the pipe, as `head` does, has had enough.
        Err(fault) if fault.kind() != ErrorKind::BrokenPipe => Err(Failure::other(fault)),
        _ => Ok(()),
    }
}
