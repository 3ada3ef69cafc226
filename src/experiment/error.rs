//! What can go wrong with an experiment.

use std::path::PathBuf;

use thiserror::Error;

use super::Damage;
use super::limits::{MAX_ALL_POINTS, MAX_CELLS};
use crate::kinds::{ModelFault, ParameterError};
use crate::model::file::{Position, known};
use crate::simulation::MAX_GAMMA;
use crate::{Fault, Number};

/// Why an experiment was refused before it was run. Names the field and the value.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The file could not be read.
    #[error(transparent)]
    Io(std::io::Error),
    /// The content of this file is at fault.
    #[error("{}: {source}", .path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<SpecError>,
    },
    /// The text is no TOML, or a field is missing, unknown or of the wrong type.
    #[error("{place}{message}")]
    Syntax {
        /// Line, column and field, as far as known.
        place: String,
        /// What was found and what was expected, in the parser's words.
        message: String,
    },
    /// A value out of range.
    #[error("{field} = {value}: must be {needed}")]
    Field {
        /// The field.
        field: String,
        /// The value given.
        value: String,
        /// What it must be.
        needed: String,
    },
    /// A parameter of a kind, or the name of one.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A list without entries.
    #[error("{field} is empty: an experiment needs at least one of them")]
    Empty {
        /// The field.
        field: &'static str,
    },
    /// A model that cannot be made.
    #[error("{field}: {source}")]
    Model {
        /// The field, as in `models[0]`.
        field: String,
        /// What is wrong with it.
        source: Fault,
    },
    /// An agent that cannot play in one of several models.
    #[error("{source} (in {model})")]
    Agent {
        /// The model, as in `models[0]`.
        model: String,
        /// What is wrong with the agent there.
        source: ParameterError,
    },
    /// Episodes that would hardly ever end.
    #[error(
        "{field}: gamma = {} makes episodes of {} rounds on average: where episodes are played, gamma must be \
         at most {}",
        Number(*.gamma), Number((1.0 / (1.0 - .gamma)).round()), Number(MAX_GAMMA)
    )]
    LongEpisodes {
        /// The world.
        field: String,
        /// The discount factor.
        gamma: f64,
    },
    /// More cells than are handled at once.
    #[error(
        "models x agents x seeds = {worlds} x {agents} x {seeds} cells are above the limit of {MAX_CELLS}"
    )]
    Cells {
        /// How many models, each with every combination of its values.
        worlds: usize,
        /// How many agents, each with every combination of its values.
        agents: usize,
        /// How many seeds.
        seeds: u64,
    },
    /// More points of curves than are handled at once.
    #[error(
        "cells x points = {cells} x {points} are above the limit of {MAX_ALL_POINTS}: ask for fewer points"
    )]
    Points {
        /// How many cells.
        cells: u64,
        /// How many points each of them has.
        points: u64,
    },
    /// Two cells that are the same.
    #[error("{}, so that some cells occur twice", same(.first, .second))]
    Twice {
        /// The model or agent of the first of them.
        first: String,
        /// The model or agent of the second.
        second: String,
    },
}

impl SpecError {
    /// An agent that cannot play in `model`, which is named if there are others.
    pub(super) fn agent(source: ParameterError, model: &str, models: usize) -> Self {
        if models < 2 { source.into() } else { Self::Agent { model: model.into(), source } }
    }

    pub(super) fn model(fault: ModelFault, place: &str) -> Self {
        match fault {
            ModelFault::Parameter(fault) => Self::Parameter(fault.within(place)),
            ModelFault::Build(source) => Self::Model { field: place.into(), source },
        }
    }
}

/// Why an experiment stopped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// The experiment was refused before it was run.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A file could not be read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A file is not what this crate writes.
    #[error("{}: {message}", .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A file is not as this crate wrote it.
    #[error("{} is damaged: {source}; run the same sweep again, it mends the folder", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Damage,
    },
    /// The folder holds another experiment.
    #[error(
        "{} holds the experiment {name:?}, and {missing} of its {total} cells, {id} among them, are not part of this one: \
         choose another folder, or remove that one (a folder can gain seeds, models, agents and parameters; other episodes, \
         points or random seeds make another experiment)",
        .path.display()
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// The name of the experiment in it.
        name: String,
        /// How many of its cells are not part of the experiment that was to be run.
        missing: u64,
        /// Of how many.
        total: u64,
        /// One of them.
        id: String,
    },
    /// The run was asked to stop.
    #[error(
        "stopped with {finished} of {total} cells finished; those under way are saved, and the same run goes on from there"
    )]
    Stopped {
        /// How many cells are finished.
        finished: usize,
        /// Of how many.
        total: usize,
    },
    /// The folder holds results of another version of this crate.
    #[error(
        "{} was made by version {found} and this is version {ours}: results of two versions do not mix, so take another folder",
        .path.display()
    )]
    Version {
        /// The folder.
        path: PathBuf,
        /// The version that made it.
        found: String,
        /// This version.
        ours: &'static str,
    },
    /// There is no experiment in the folder.
    #[error("{} holds no experiment: there is no manifest.json in it", .path.display())]
    NoExperiment {
        /// The folder.
        path: PathBuf,
    },
    /// Shards of different experiments.
    #[error("{} holds another experiment than {}", .other.display(), .path.display())]
    Different {
        /// The folder to merge into.
        path: PathBuf,
        /// The folder to merge from.
        other: PathBuf,
    },
    /// Cells that have not been run yet.
    #[error(
        "{missing} of {total} cells are not finished, {id} among them: run the sweep again, it continues"
    )]
    Unfinished {
        /// How many.
        missing: usize,
        /// Of how many.
        total: usize,
        /// One of them.
        id: String,
    },
    /// A cell that cannot be run.
    #[error("cell {id}: {source}")]
    Cell {
        /// The cell's id.
        id: String,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The threads could not be started.
    #[error("the threads could not be started: {message}")]
    Threads {
        /// What the operating system said.
        message: String,
    },
}

/// Says that two cells are the same: of one place in the spec, because a list names a value twice.
fn same(first: &str, second: &str) -> String {
    if first == second {
        format!("a list of {first} names a value twice")
    } else {
        format!("{first} and {second} are the same")
    }
}

/// `line 3, column 7, field seeds: `, as far as known.
pub(super) fn place(text: &str, offset: Option<usize>, field: &str) -> String {
    let mut parts = Vec::new();
    if let Some(offset) = offset {
        parts.push(Position::of(text, offset).to_string());
    }
    let field = known(field);
    if !field.is_empty() {
        parts.push(format!("field {field}"));
    }
    if parts.is_empty() { String::new() } else { format!("{}: ", parts.join(", ")) }
}
