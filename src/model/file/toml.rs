//! Model files in TOML.

use super::error::known;
use super::repr::ModelFile;
use super::{FileError, Format, Position};
use crate::bounded::visible;

pub(super) fn read(text: &str) -> Result<ModelFile, FileError> {
    let source = toml::Deserializer::parse(text).map_err(|fault| syntax(text, "", &fault))?;
    serde_path_to_error::deserialize(source)
        .map_err(|fault| syntax(text, &fault.path().to_string(), fault.inner()))
}

fn syntax(text: &str, field: &str, fault: &toml::de::Error) -> FileError {
    FileError::Syntax {
        format: Format::Toml,
        position: fault.span().map(|span| Position::of(text, span.start)),
        field: known(field),
        message: visible(fault.message()),
    }
}

pub(super) fn write(file: &ModelFile) -> Result<String, FileError> {
    toml::to_string(file)
        .map_err(|fault| FileError::Encode { format: Format::Toml, source: Box::new(fault) })
}
