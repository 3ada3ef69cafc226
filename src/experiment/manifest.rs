//! What a folder holds: the cells and their models, so that it can be read without the spec.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::plan::{Experiment, Job};
use super::run::Record;
use super::store::{self, Store};
use super::{Cell, ExperimentError};
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
pub(super) fn write(experiment: &Experiment, store: &Store) -> Result<(), ExperimentError> {
    let path = store.manifest();
    if let Some(found) = read(store)? {
        check_version(&found, store.root())?;
    }
    let mut written = HashSet::new();
    for job in experiment.jobs() {
        if written.insert(&job.cell.fingerprint) {
            store::write(&store.path("models", &job.cell.fingerprint), &*job.model)?;
        }
    }
    for folder in ["cells", "checkpoints"] {
        let path = store.root().join(folder);
        std::fs::create_dir_all(&path).map_err(|source| ExperimentError::Io { path, source })?;
    }
    let cells = experiment.jobs().iter().map(|job| job.cell.clone()).collect();
    let manifest = Manifest { version: VERSION.into(), name: experiment.name().into(), cells };
    store::write(&path, &manifest)?;
    // Only files with the names of this experiment's models and its manifest: other shards write
    // the same, and theirs are complete under their names.
    Ok(())
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
            let message = "this model is missing".into();
            let model = store::read(&path)?.ok_or(ExperimentError::Content { path, message })?;
            let model = Arc::new(model);
            models.insert(cell.fingerprint.clone(), Arc::clone(&model));
            model
        };
        match store::read::<Record>(&store.path("cells", &id))? {
            Some(record) if record.cell == cell => records.push(record),
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
/// [`ExperimentError`] if a folder holds another experiment, or none.
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
                for cell in &manifest.cells {
                    copy(
                        &other.path("models", &cell.fingerprint),
                        &store.path("models", &cell.fingerprint),
                    )?;
                }
                copy(&other.manifest(), &store.manifest())?;
            }
        }
        for cell in &manifest.cells {
            let id = cell.id();
            copy(&other.path("cells", &id), &store.path("cells", &id))?;
        }
    }
    Ok(())
}

/// Copies a file that is there and not yet here.
fn copy(from: &Path, to: &Path) -> Result<(), ExperimentError> {
    if to.exists() || !from.exists() {
        return Ok(());
    }
    let bytes =
        std::fs::read(from).map_err(|source| ExperimentError::Io { path: from.into(), source })?;
    store::replace(to, &bytes)
}
