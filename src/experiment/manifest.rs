//! What a folder holds: the cells and their models, so that it can be read without the spec.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::plan::{Experiment, Job};
use super::run::Record;
use super::store::{self, Store};
use super::{Cell, ExperimentError, Progress};
use crate::model::Tabular;

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Manifest {
    version: String,
    name: String,
    cells: Vec<Cell>,
}

/// A finished experiment: its cells in order, each with its record.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The experiment.
    pub experiment: Experiment,
    /// The records, in the order of its jobs.
    pub records: Vec<Record>,
}

/// Writes what the folder is about, before any result.
///
/// # Errors
/// [`ExperimentError::Occupied`] if the folder holds cells that are not part of the experiment.
pub(super) fn write(
    experiment: &Experiment,
    store: &Store,
    progress: &dyn Progress,
) -> Result<(), ExperimentError> {
    let path = store.manifest();
    if let Some(found) = store::read_whole::<Manifest>(&path, progress)? {
        check_version(&found, store.root())?;
        check_cells(found, experiment, store.root())?;
    }
    let mut written = HashSet::new();
    for job in experiment.jobs() {
        if written.insert(&job.cell.fingerprint) {
            write_model(job, store, progress)?;
        }
    }
    for folder in ["cells", "checkpoints"] {
        let path = store.root().join(folder);
        std::fs::create_dir_all(&path).map_err(|source| ExperimentError::Io { path, source })?;
    }
    let cells = experiment.jobs().iter().map(|job| job.cell.clone()).collect();
    let manifest = Manifest { version: VERSION.into(), name: experiment.name().into(), cells };
    store::write(&path, &manifest)
}

/// Writes the model of a job under the fingerprint of its text.
fn write_model(job: &Job, store: &Store, progress: &dyn Progress) -> Result<(), ExperimentError> {
    let hash = &job.cell.fingerprint;
    let path = store.path("models", hash);
    match store::read_model(&path, hash) {
        Ok(Some(_)) => return Ok(()),
        Ok(None) => {}
        Err(ExperimentError::Damaged { path, source }) => progress.damaged(&path, &source),
        Err(fault) => return Err(fault),
    }
    let text = job.model.to_json().map_err(|fault| ExperimentError::Content {
        path: path.clone(),
        message: fault.to_string(),
    })?;
    store::write_text(&path, &text)
}

/// Refuses an experiment that lacks cells of the folder: one folder, one experiment, which may grow.
fn check_cells(found: Manifest, new: &Experiment, path: &Path) -> Result<(), ExperimentError> {
    let ids: HashSet<&str> = new.jobs().iter().map(|job| job.id.as_str()).collect();
    let total = found.cells.len();
    let mut missing = found.cells.iter().map(Cell::id).filter(|id| !ids.contains(id.as_str()));
    let Some(id) = missing.next() else { return Ok(()) };
    let missing = 1 + missing.count();
    Err(ExperimentError::Occupied { path: path.into(), name: found.name, missing, total, id })
}

fn read(store: &Store) -> Result<Option<Manifest>, ExperimentError> {
    store::read(&store.manifest())
}

fn check_version(manifest: &Manifest, path: &Path) -> Result<(), ExperimentError> {
    if manifest.version == VERSION {
        return Ok(());
    }
    let (path, found) = (path.into(), manifest.version.clone());
    Err(ExperimentError::Version { path, found, ours: VERSION })
}

fn expect(store: &Store) -> Result<Manifest, ExperimentError> {
    let manifest =
        read(store)?.ok_or_else(|| ExperimentError::NoExperiment { path: store.root().into() })?;
    check_version(&manifest, store.root())?;
    Ok(manifest)
}

/// Reads a finished experiment from its folder.
///
/// # Errors
/// [`ExperimentError`] if there is none, or cells are missing.
pub fn load(dir: &Path) -> Result<Finished, ExperimentError> {
    let store = Store::new(dir);
    let manifest = expect(&store)?;
    let mut models: HashMap<String, Arc<Tabular<f64>>> = HashMap::new();
    let (mut jobs, mut records, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for cell in manifest.cells {
        let id = cell.id();
        let model = if let Some(model) = models.get(&cell.fingerprint) {
            Arc::clone(model)
        } else {
            let path = store.path("models", &cell.fingerprint);
            let message =
                "this model is missing; run the same sweep again, it mends the folder".into();
            let model = store::read_model(&path, &cell.fingerprint)?
                .ok_or(ExperimentError::Content { path, message })?;
            let model = Arc::new(model);
            models.insert(cell.fingerprint.clone(), Arc::clone(&model));
            model
        };
        match store::read::<Record>(&store.path("cells", &id))? {
            Some(record) if record.cell.id() == id => records.push(record),
            _ => missing.push(id.clone()),
        }
        jobs.push(Job { cell, id, model });
    }
    match missing.first() {
        Some(id) => Err(ExperimentError::Unfinished {
            missing: missing.len(),
            total: jobs.len(),
            id: id.clone(),
        }),
        None => Ok(Finished { experiment: Experiment::from_jobs(manifest.name, jobs), records }),
    }
}

/// Brings the finished cells of other folders, in which shards were run, into `dir`.
///
/// # Errors
/// [`ExperimentError`] if a folder holds another experiment, or none, or a file of it is damaged.
pub fn merge(dir: &Path, shards: &[impl AsRef<Path>]) -> Result<(), ExperimentError> {
    let store = Store::new(dir);
    for shard in shards {
        let other = Store::new(shard.as_ref());
        let manifest = expect(&other)?;
        match read(&store)? {
            Some(ours) if ours != manifest => {
                let (path, other) = (dir.into(), other.root().into());
                return Err(ExperimentError::Different { path, other });
            }
            Some(_) => (),
            None => {
                for hash in manifest.cells.iter().map(|cell| &cell.fingerprint) {
                    let is_whole = |path: &Path| Ok(store::read_model(path, hash)?.is_some());
                    copy(&other.path("models", hash), &store.path("models", hash), is_whole)?;
                }
                let is_whole = |path: &Path| Ok(store::read::<Manifest>(path)?.is_some());
                copy(&other.manifest(), &store.manifest(), is_whole)?;
            }
        }
        for cell in &manifest.cells {
            let id = cell.id();
            let is_whole = |path: &Path| Ok(store::read::<Record>(path)?.is_some());
            copy(&other.path("cells", &id), &store.path("cells", &id), is_whole)?;
        }
    }
    Ok(())
}

/// Copies a file that is there, and not yet here or damaged here.
fn copy(
    from: &Path,
    to: &Path,
    is_whole: impl Fn(&Path) -> Result<bool, ExperimentError>,
) -> Result<(), ExperimentError> {
    if is_whole(to).unwrap_or(false) || !is_whole(from)? {
        return Ok(());
    }
    match store::bytes(from)? {
        Some(bytes) => store::replace(to, &bytes),
        None => Ok(()),
    }
}
