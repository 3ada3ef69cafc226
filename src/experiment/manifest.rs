//! What a folder holds, so that it can be read without the program that filled it.
//!
//! `manifest.json` lists the groups of an experiment with all that a report says of their worlds. It is written before the
//! first cell is run, so [`Outcome::load`] can tell what is missing, and it is what a second experiment in the same folder is
//! compared with: that may have more cells, not fewer.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::outcome::Group;
use super::plan::{Job, Plan};
use super::run::Record;
use super::store::{self, Store};
use super::{Cell, ExperimentError, Outcome, Progress, Reference, reference};

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Manifest {
    version: String,
    name: String,
    /// The text that the experiment was read from; empty if it was made from values.
    spec: String,
    groups: Vec<GroupEntry>,
}

/// A combination of world and agent, with what a report needs to know of the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct GroupEntry {
    /// Its first run.
    pub(super) cell: Cell,
    pub(super) seeds: u64,
    pub(super) model_name: String,
    pub(super) gamma: f64,
    pub(super) betas: Vec<f64>,
    /// Those at the ages 1, 2, ... before the one that `betas` are of; empty if they do not depend on the age.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) early_betas: Vec<Vec<f64>>,
    /// A hash of the agent's family of sequences.
    pub(super) family: Option<String>,
    /// What theory says of the agent's regret over all episodes.
    pub(super) regret_bound: Option<f64>,
}

impl GroupEntry {
    pub(super) fn of(plan: &Plan, job: &Job) -> Self {
        let (part, group) = (plan.part(job.part), job.group);
        Self {
            cell: job.cell.without_run(),
            seeds: part.seeds(),
            model_name: part.model_name(group),
            gamma: part.gamma(group),
            betas: part.betas(group),
            early_betas: part.early_betas(group),
            family: part.family_name(group),
            regret_bound: part.regret_bound(group),
        }
    }

    /// The cells, in the order of their runs.
    fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        (0..self.seeds).map(|run| Cell { run, ..self.cell.clone() })
    }
}

/// Writes what the folder is about, before any result.
///
/// # Errors
/// [`ExperimentError::Occupied`] if the folder holds cells that are not part of the experiment.
pub(super) fn write(
    plan: &Plan,
    store: &Store,
    progress: &dyn Progress,
) -> Result<(), ExperimentError> {
    let path = store.manifest();
    let first_runs = plan.groups().map(|(part, group)| {
        let cell = plan.part(part).cell(group, 0);
        Job { part, group, id: cell.id(), cell }
    });
    let first_runs: Vec<Job> = first_runs.collect();
    let groups: Vec<GroupEntry> = first_runs.iter().map(|job| GroupEntry::of(plan, job)).collect();
    if let Some(found) = store::read_whole::<Manifest>(&path, progress)? {
        check_version(&found, store.root())?;
        check_cells(&found, &groups, store.root())?;
    }
    let mut written = HashSet::new();
    for job in &first_runs {
        if written.insert(&job.cell.world.fingerprint) {
            write_model(plan, job, store, progress)?;
        }
    }
    for folder in ["cells", "checkpoints"] {
        let path = store.root().join(folder);
        std::fs::create_dir_all(&path).map_err(|source| ExperimentError::Io { path, source })?;
    }
    let (name, spec) = (plan.name().into(), plan.spec().into());
    store::write(&path, &Manifest { version: VERSION.into(), name, spec, groups })
}

/// Writes the tables of a job's world, if it has any, under their fingerprint.
fn write_model(
    plan: &Plan,
    job: &Job,
    store: &Store,
    progress: &dyn Progress,
) -> Result<(), ExperimentError> {
    let Some(text) = plan.part(job.part).description(job.group) else { return Ok(()) };
    let path = store.path("models", &job.cell.world.fingerprint);
    if let Some(bytes) = store::bytes(&path)?
        && bytes != text.as_bytes()
    {
        let found = super::cell::fingerprint(&bytes);
        let written = job.cell.world.fingerprint.clone();
        progress.damaged(&path, &super::Damage::Checksum { written, found });
    }
    store::write_text(&path, &text)
}

/// Whether there are tables under this name, which is their fingerprint. A world without tables has none.
fn is_model(path: &Path, fingerprint: &str) -> Result<bool, ExperimentError> {
    let Some(bytes) = store::bytes(path)? else { return Ok(false) };
    let (found, written) = (super::cell::fingerprint(bytes), fingerprint.to_owned());
    if found == written {
        return Ok(true);
    }
    let source = super::Damage::Checksum { written, found };
    Err(ExperimentError::Damaged { path: path.into(), source })
}

/// Refuses an experiment that lacks cells of the folder: one folder, one experiment, which may grow.
fn check_cells(found: &Manifest, new: &[GroupEntry], path: &Path) -> Result<(), ExperimentError> {
    let seeds: HashMap<String, u64> =
        new.iter().map(|group| (group.cell.id(), group.seeds)).collect();
    let (mut total, mut missing, mut example) = (0, 0, None);
    for group in &found.groups {
        let kept = seeds.get(&group.cell.id()).copied().unwrap_or(0).min(group.seeds);
        total += group.seeds;
        missing += group.seeds - kept;
        if kept < group.seeds && example.is_none() {
            example = group.cells().nth(usize::try_from(kept).unwrap_or(0)).map(|cell| cell.id());
        }
    }
    let Some(id) = example else { return Ok(()) };
    let (path, name) = (path.into(), found.name.clone());
    Err(ExperimentError::Occupied { path, name, missing, total, id })
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

impl Outcome {
    /// Reads a finished experiment from its folder.
    ///
    /// # Errors
    /// [`ExperimentError`] if there is none, or cells are missing, or a file is damaged.
    pub fn load(dir: &Path) -> Result<Self, ExperimentError> {
        let store = Store::new(dir);
        let manifest = expect(&store)?;
        let (mut groups, mut missing, mut total) = (Vec::new(), Vec::new(), 0);
        for entry in &manifest.groups {
            let first = entry.cell.clone();
            let job = Job { part: 0, group: 0, id: first.id(), cell: first };
            is_model(
                &store.path("models", &job.cell.world.fingerprint),
                &job.cell.world.fingerprint,
            )?;
            // An optimum is there once a cell of its group is: what is told is what is missing first.
            let is_begun = store.path("cells", &job.id).exists();
            let reference = if is_begun {
                reference::load(&store, &job, entry.family.as_deref())?
            } else {
                Reference::default()
            };
            let mut group = Group::new(entry, reference);
            for cell in entry.cells() {
                let id = cell.id();
                total += 1;
                match store::read::<Record>(&store.path("cells", &id))? {
                    Some(record) if record.cell.id() == id => {
                        // A time is no result: one that is missing or damaged is left out.
                        let seconds = store::read(&store.path("times", &id)).ok().flatten();
                        group.push(record.curve, seconds);
                    }
                    _ => missing.push(id),
                }
            }
            groups.push(group);
        }
        match missing.first() {
            Some(id) => {
                Err(ExperimentError::Unfinished { missing: missing.len(), total, id: id.clone() })
            }
            None => Ok(Self::new(manifest.name, manifest.spec, groups)),
        }
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
                let is_whole = |path: &Path| Ok(store::read::<Manifest>(path)?.is_some());
                copy(&other.manifest(), &store.manifest(), is_whole)?;
            }
        }
        for group in &manifest.groups {
            let hash = &group.cell.world.fingerprint;
            let is_whole = |path: &Path| is_model(path, hash);
            copy(&other.path("models", hash), &store.path("models", hash), is_whole)?;
            let family = group.family.iter().map(String::as_str);
            for what in family.chain(["bounds"]) {
                let name = format!("{hash}-{what}");
                let is_whole = |path: &Path| Ok(store::read::<serde_json::Value>(path)?.is_some());
                copy(&other.path("references", &name), &store.path("references", &name), is_whole)?;
            }
            for cell in group.cells() {
                let id = cell.id();
                let is_whole = |path: &Path| Ok(store::read::<Record>(path)?.is_some());
                copy(&other.path("cells", &id), &store.path("cells", &id), is_whole)?;
                let is_whole = |path: &Path| Ok(matches!(store::read::<f64>(path), Ok(Some(_))));
                copy(&other.path("times", &id), &store.path("times", &id), is_whole)?;
            }
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
