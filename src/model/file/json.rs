//! Model files in JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::error::known;
use super::repr::{ActionFile, ModelFile};
use super::{FileError, Format, Position};
use crate::bounded::visible;

pub(super) fn read(text: &str) -> Result<ModelFile, FileError> {
    let mut source = serde_json::Deserializer::from_str(text);
    let file = serde_path_to_error::deserialize(&mut source)
        .map_err(|fault| syntax(&fault.path().to_string(), fault.inner()))?;
    source.end().map_err(|fault| syntax("", &fault))?;
    Ok(file)
}

fn syntax(field: &str, fault: &serde_json::Error) -> FileError {
    let position = Position { line: fault.line(), column: fault.column() };
    let full = fault.to_string();
    // The parser appends the place to its message; it is said once, in front.
    let place = format!(" at line {} column {}", position.line, position.column);
    FileError::Syntax {
        format: Format::Json,
        position: Some(position),
        field: known(field),
        message: visible(full.strip_suffix(&place).unwrap_or(&full)),
    }
}

/// Writes a model file with one line per row: the encoder itself would put everything on one line, or
/// each number on a line of its own.
pub(super) fn write(file: &ModelFile) -> Result<String, FileError> {
    let mut text = String::from("{\n");
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "  \"{key}\": {value},");
    };
    if !file.name.is_empty() {
        line("name", encode(&file.name)?);
    }
    line("gamma", encode(&file.gamma)?);
    line("states", encode(&file.states)?);
    if let Some(initial) = &file.initial {
        line("initial", encode(initial)?);
    }
    let actions = file.actions.iter().map(action).collect::<Result<Vec<_>, _>>()?;
    let _ = write!(text, "  \"actions\": [\n{}\n  ]\n}}\n", actions.join(",\n"));
    Ok(text)
}

fn action(file: &ActionFile) -> Result<String, FileError> {
    let rows = file
        .transition
        .iter()
        .map(|row| Ok(format!("        {}", encode(row)?)))
        .collect::<Result<Vec<_>, FileError>>()?;
    Ok(format!(
        "    {{\n      \"name\": {},\n      \"beta\": {},\n      \"reward\": {},\n      \
         \"transition\": [\n{}\n      ]\n    }}",
        encode(&file.name)?,
        encode(&file.beta)?,
        encode(&file.reward)?,
        rows.join(",\n"),
    ))
}

fn encode<X: Serialize>(value: &X) -> Result<String, FileError> {
    serde_json::to_string(value)
        .map_err(|fault| FileError::Encode { format: Format::Json, source: Box::new(fault) })
}
