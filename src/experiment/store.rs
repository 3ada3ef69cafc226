//! The folder of an experiment: what is in it, and how it gets there.
//!
//! ```text
//! manifest.json           the version, the name and every cell
//! models/HASH.json        every model, as it was
//! cells/ID.json           a finished cell
//! checkpoints/ID.json     a cell in the middle, until it is finished
//! references/HASH-*.json  optima that curves are compared with
//! ```
//! A file appears under its name when it is complete and on the disk, never before.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ExperimentError;
use crate::atomic;

/// A folder.
#[derive(Debug, Clone)]
pub(super) struct Store {
    root: PathBuf,
}

impl Store {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.into() }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn path(&self, folder: &str, id: &str) -> PathBuf {
        self.root.join(folder).join(format!("{id}.json"))
    }

    pub(super) fn manifest(&self) -> PathBuf {
        self.root.join("manifest.json")
    }
}

/// Reads JSON; nothing if there is no such file.
pub(super) fn read<V: DeserializeOwned>(path: &Path) -> Result<Option<V>, ExperimentError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(ExperimentError::Io { path: path.into(), source }),
    };
    let content = |fault: serde_json::Error| ExperimentError::Content {
        path: path.into(),
        message: fault.to_string(),
    };
    serde_json::from_str(&text).map(Some).map_err(content)
}

/// Writes JSON on one line, whole or not at all.
pub(super) fn write<V: Serialize>(path: &Path, value: &V) -> Result<(), ExperimentError> {
    let content = |fault: serde_json::Error| ExperimentError::Content {
        path: path.into(),
        message: fault.to_string(),
    };
    let mut text = serde_json::to_string(value).map_err(content)?;
    text.push('\n');
    // Several shards write the same manifest and models: all but the first need not.
    if fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    replace(path, text.as_bytes())
}

/// Puts `bytes` under the name `path`: a reader finds what was there or all of it, and after a crash
/// of the machine too.
///
/// # Errors
/// [`ExperimentError::Io`] that names the file.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), ExperimentError> {
    let fail = |source| ExperimentError::Io { path: path.into(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    atomic::replace(path, bytes).map_err(fail)?;
    // The new name is safe when the folder is. Not every system can do it, and none needs it for
    // what a reader sees.
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Removes a file that may not be there.
pub(super) fn remove(path: &Path) -> Result<(), ExperimentError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(ExperimentError::Io { path: path.into(), source })
        }
        _ => Ok(()),
    }
}

/// Removes what killed writers left behind in the folder of a finished experiment, into which nobody
/// writes any more.
pub fn tidy(dir: &Path) {
    for folder in ["", "models", "cells", "checkpoints", "references"] {
        sweep_up(&dir.join(folder), |_| true);
    }
}

/// Removes what killed writers left behind of the files in `folder` whose id `is_ours`.
pub(super) fn sweep_up(folder: &Path, is_ours: impl Fn(&str) -> bool) {
    // Left-overs harm nobody: what cannot be listed or removed stays.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if let Some(target) = atomic::target(name)
            && is_ours(target.strip_suffix(".json").unwrap_or(target))
        {
            let _ = fs::remove_file(&path);
        }
    }
}
