//! What goes to standard output.

use std::io::{ErrorKind, Write as _, stdout};

use serde::Serialize;

use crate::failure::Failure;

/// Prints a text that ends in a line end, or not.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let mut out = stdout().lock();
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        // A reader who closed the pipe, as `head` does, has had enough.
        Err(fault) if fault.kind() != ErrorKind::BrokenPipe => Err(Failure::other(fault)),
        _ => Ok(()),
    }
}

/// Prints one JSON document on one line.
pub(crate) fn json(document: &impl Serialize) -> Result<(), Failure> {
    text(&serde_json::to_string(document).map_err(Failure::other)?)
}
