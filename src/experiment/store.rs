//! The folder of an experiment: what is in it, and how it gets there.
//!
//! ```text
//! manifest.json           the version, the name and every cell
//! models/HASH.json        every model, as a model file; HASH is the fingerprint of its text
//! cells/ID.json           a finished cell
//! checkpoints/ID.json     a cell in the middle, until it is finished
//! references/HASH-*.json  optima that curves are compared with
//! times/ID.json           how long a cell ran: the only files that differ between two runs of the same cells
//! *.lock                  who works on what, while someone does
//! ```
//! A file appears under its name when it is complete and on the disk, never before. Every file that is
//! read back has a checksum in it, a model in its name.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::envelope;
use super::lock::{self, Attempt, Lock};
use super::{ExperimentError, Progress};
use crate::atomic;

/// How long to wait before asking again for a lock that is held for a moment only.
const MOMENT: Duration = Duration::from_millis(10);

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

    /// The lock of a cell.
    pub(super) fn lock(&self, id: &str) -> PathBuf {
        self.root.join("checkpoints").join(format!("{id}.lock"))
    }
}

/// Reads JSON with a checksum; `None` if there is no such file.
///
/// # Errors
/// [`ExperimentError::Damaged`] if the file is not as it was written.
pub(super) fn read<V: DeserializeOwned>(path: &Path) -> Result<Option<V>, ExperimentError> {
    let Some(bytes) = bytes(path)? else { return Ok(None) };
    let value = envelope::open(&bytes).and_then(|content| Ok(serde_json::from_slice(content)?));
    value.map(Some).map_err(|source| ExperimentError::Damaged { path: path.into(), source })
}

/// Reads JSON with a checksum; `None` if there is no such file, or if it is damaged, which `progress`
/// is then told.
pub(super) fn read_whole<V: DeserializeOwned>(
    path: &Path,
    progress: &dyn Progress,
) -> Result<Option<V>, ExperimentError> {
    match read(path) {
        Err(ExperimentError::Damaged { path, source }) => {
            progress.damaged(&path, &source);
            Ok(None)
        }
        other => other,
    }
}

/// The content of a file; `None` if there is no such file.
pub(super) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, ExperimentError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(fault) if fault.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ExperimentError::Io { path: path.into(), source }),
    }
}

/// Writes JSON with a checksum on one line, whole or not at all.
pub(super) fn write<V: Serialize>(path: &Path, value: &V) -> Result<(), ExperimentError> {
    let content = |fault: serde_json::Error| ExperimentError::Content {
        path: path.into(),
        message: fault.to_string(),
    };
    write_text(path, &envelope::seal(&serde_json::to_string(value).map_err(content)?))
}

/// Writes a text, whole or not at all.
pub(super) fn write_text(path: &Path, text: &str) -> Result<(), ExperimentError> {
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

/// Takes the lock that protects the file `path`, waiting for it; `None` if `stop` is set meanwhile.
pub(super) fn wait(path: &Path, stop: &AtomicBool) -> Result<Option<Lock>, ExperimentError> {
    let path = path.with_extension("lock");
    loop {
        if let Attempt::Taken(lock) = Lock::take(&path)? {
            return Ok(Some(lock));
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        thread::sleep(MOMENT);
    }
}

/// Removes what killed processes left behind in the folder of an experiment: temporary files and
/// locks. Those of processes that live are left alone, so that it may be called at any time.
pub fn tidy(dir: &Path) {
    for folder in ["", "models", "cells", "checkpoints", "references", "times"] {
        let folder = dir.join(folder);
        atomic::remove_abandoned(&folder);
        lock::remove_abandoned(&folder);
    }
}
