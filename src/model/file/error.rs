//! Errors of model files.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::bounded::visible;
use crate::model::ModelError;

/// Why a model file was refused or could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file could not be opened, read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file's name does not say which format it has.
    #[error("{}: the name of a model file ends in .json or .toml", .path.display())]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// The content of this file is at fault.
    #[error("{}: {source}", .path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<FileError>,
    },
    /// The text is not JSON or TOML, or a field is missing, unknown or of the wrong type.
    #[error("{format}{}{}: {message}", at(*.position), inside(.field))]
    Syntax {
        /// The format it was read as.
        format: Format,
        /// Where in the text, if known.
        position: Option<Position>,
        /// Which field, as in `actions[1].reward[2]`; empty for the whole text.
        field: String,
        /// What was found and what was expected, in the parser's words.
        message: String,
    },
    /// A field names a state that is not there, names one twice, or has a row of the wrong length.
    #[error("field {field}: {source}")]
    Field {
        /// Which field, as in `actions[1].transition[0]`.
        field: String,
        /// What is wrong with it.
        source: ModelError,
    },
    /// The file is well formed, but its numbers make no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The encoder refused the model.
    #[error("{format} cannot hold this model: {source}")]
    Encode {
        /// The format.
        format: Format,
        /// What the encoder said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A format of model files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Format {
    /// JSON, `.json`.
    Json,
    /// TOML, `.toml`.
    Toml,
}

impl Format {
    /// The format a file's name asks for.
    ///
    /// # Errors
    /// [`FileError::Extension`] if it ends neither in `.json` nor in `.toml`, in small letters or
    /// capitals.
    ///
    /// # Example
    /// ```
    /// use sporadic::model::file::Format;
    /// assert_eq!(Format::of("models/swim.TOML".as_ref())?, Format::Toml);
    /// assert!(Format::of("swim.yaml".as_ref()).is_err());
    /// # Ok::<(), sporadic::model::FileError>(())
    /// ```
    pub fn of(path: &Path) -> Result<Self, FileError> {
        match path.extension() {
            Some(e) if e.eq_ignore_ascii_case("json") => Ok(Self::Json),
            Some(e) if e.eq_ignore_ascii_case("toml") => Ok(Self::Toml),
            _ => Err(FileError::Extension { path: path.into() }),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "JSON",
            Self::Toml => "TOML",
        })
    }
}

/// A place in a text; both numbers count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Position {
    /// The line and column of a byte offset.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let offset = (0..=offset.min(text.len())).rev().find(|&i| text.is_char_boundary(i));
        let before = &text[..offset.unwrap_or(0)];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        Self { line: before.matches('\n').count() + 1, column: before[start..].chars().count() + 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The field a parser was in; empty if it says it was at the top or does not know.
pub(crate) fn known(field: &str) -> String {
    if field == "." || field == "?" { String::new() } else { visible(field) }
}

fn at(position: Option<Position>) -> String {
    position.map_or_else(String::new, |position| format!(" {position}"))
}

fn inside(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(", field {path}") }
}
