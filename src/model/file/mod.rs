//! Model files, in JSON and TOML.
//!
//! ```json
//! {
//!   "name": "machine",
//!   "gamma": 0.95,
//!   "states": ["good", "worn"],
//!   "initial": "good",
//!   "actions": [
//!     {"name": "run", "beta": 0.1, "reward": [1, 0.2], "transition": [[0.9, 0.1], [0, 1]]},
//!     {"name": "repair", "beta": 1, "reward": [0, 0], "transition": [{"good": 1}, {"good": 1}]}
//!   ]
//! }
//! ```
//!
//! | field | meaning | if left out |
//! |---|---|---|
//! | `name` | the model's name | empty |
//! | `gamma` | the discount factor, in (0, 1) | refused |
//! | `states` | the names of the states | refused |
//! | `initial` | a state's name, or a map from names to probabilities | the first state |
//! | `actions[a].name` | the action's name | refused |
//! | `actions[a].beta` | its reveal probability, in [0, 1], or a list of one per age since the last sighting, `[0, 0, 0.5]`, of which the last holds for ever | refused |
//! | `actions[a].reward` | its reward, per state | refused |
//! | `actions[a].transition` | per state, the probabilities of all next states as a list, or of the possible ones as a map from names | refused |
//!
//! A field of another name is refused. Models of more than 32 states are written with maps, so
//! that a file is as sparse as its model. What is written reads back bit for bit.

mod error;
mod json;
mod repr;
mod toml;

use std::path::Path;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[cfg(feature = "experiment")]
pub(crate) use error::known;
pub use error::{FileError, Format, Position};

use super::Tabular;
use crate::bounded::read_text;
use crate::{Real, atomic};
use repr::ModelFile;

/// The most bytes of a model file.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

impl<T: Real> Tabular<T> {
    /// Reads a model from JSON text; the fields are listed in [`file`](crate::model::file).
    ///
    /// # Errors
    /// [`FileError::Syntax`] with line, column and field where the text is not of the format,
    /// [`FileError::Field`] for a name no state has, a name given twice or a row of the wrong
    /// length, [`FileError::Model`] where the numbers make no model.
    ///
    /// # Example
    /// ```
    /// use sporadic::model::Tabular;
    /// let model = Tabular::<f64>::from_json(
    ///     r#"{"gamma": 0.9, "states": ["s1", "s2"], "actions": [
    ///         {"name": "go", "beta": 0.5, "reward": [0, 1], "transition": [[0.5, 0.5], {"s1": 1}]}
    ///     ]}"#,
    /// )?;
    /// assert_eq!(model.probability(1, 0, 0), 1.0);
    ///
    /// let fault = Tabular::<f64>::from_json(r#"{"gamma": "high"}"#).unwrap_err();
    /// assert_eq!(
    ///     fault.to_string(),
    ///     "JSON line 1, column 16, field gamma: invalid type: string \"high\", expected f64"
    /// );
    /// # Ok::<(), sporadic::model::FileError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        json::read(text)?.into_model()
    }

    /// Reads a model from TOML text; the fields are those of JSON.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json).
    ///
    /// # Example
    /// ```
    /// use sporadic::model::Tabular;
    /// let model = Tabular::<f64>::from_toml(
    ///     r#"
    ///     gamma = 0.9
    ///     states = ["s1", "s2"]
    ///     [initial]
    ///     s1 = 0.25
    ///     s2 = 0.75
    ///     [[actions]]
    ///     name = "go"
    ///     beta = 0.5
    ///     reward = [0, 1]
    ///     transition = [[0.5, 0.5], [1, 0]]
    ///     "#,
    /// )?;
    /// assert_eq!(model.initial_distribution(), [0.25, 0.75]);
    /// # Ok::<(), sporadic::model::FileError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, FileError> {
        toml::read(text)?.into_model()
    }

    /// Reads a model from a file whose name ends in `.json` or `.toml`.
    ///
    /// # Errors
    /// [`FileError::Extension`], [`FileError::Io`], also for a file of more than [`MAX_FILE_BYTES`], or
    /// what is wrong with the content inside [`FileError::InFile`], which names the file.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let format = Format::of(path)?;
        let text = read_text(path, MAX_FILE_BYTES)
            .map_err(|source| FileError::Io { path: path.into(), source })?;
        let model = match format {
            Format::Json => Self::from_json(&text),
            Format::Toml => Self::from_toml(&text),
        };
        model.map_err(|source| FileError::InFile { path: path.into(), source: Box::new(source) })
    }

    /// The model as JSON text, one line per transition row.
    ///
    /// # Errors
    /// [`FileError::Encode`] if the encoder refuses, which no validated model is known to cause.
    ///
    /// # Example
    /// ```
    /// use sporadic::model::{Tabular, gallery};
    /// let swim = gallery::river_swim(6, 0.1, 0.99)?;
    /// assert_eq!(Tabular::from_json(&swim.to_json()?)?, swim);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_json(&self) -> Result<String, FileError> {
        json::write(&ModelFile::of(self))
    }

    /// The model as TOML text.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json).
    pub fn to_toml(&self) -> Result<String, FileError> {
        toml::write(&ModelFile::of(self))
    }

    /// Writes the model to a file whose name ends in `.json` or `.toml`.
    ///
    /// The text goes to a temporary name in the same folder, which is then renamed: a reader finds
    /// the old file or the new one, never half of one.
    ///
    /// # Errors
    /// [`FileError::Extension`], [`FileError::Encode`] or [`FileError::Io`].
    ///
    /// # Example
    /// ```no_run
    /// use sporadic::model::{Tabular, gallery};
    /// gallery::river_swim(6, 0.1, 0.99)?.write("swim.toml")?;
    /// let swim = Tabular::<f64>::from_path("swim.toml")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        let text = match Format::of(path)? {
            Format::Json => self.to_json()?,
            Format::Toml => self.to_toml()?,
        };
        atomic::replace(path, text.as_bytes())
            .map_err(|source| FileError::Io { path: path.into(), source })
    }
}

/// Writes the fields of a model file.
impl<T: Real> Serialize for Tabular<T> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        ModelFile::of(self).serialize(serializer)
    }
}

/// Reads the fields of a model file and validates them.
impl<'de, T: Real> Deserialize<'de> for Tabular<T> {
    fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
        ModelFile::deserialize(deserializer)?.into_model().map_err(Z::Error::custom)
    }
}
