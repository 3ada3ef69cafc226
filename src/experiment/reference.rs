//! What curves are compared with: the optimum within the agent's family, and the best there is.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::plan::{Job, Plan};
use super::store::{self, Store};
use super::{Damage, ExperimentError, Progress};
use crate::Fault;

/// A lower and an upper bound on the optimal value, in the mean over the states in which episodes
/// start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// A value that a known policy attains.
    pub lower: f64,
    /// A value that no policy exceeds.
    pub upper: f64,
}

/// Optimal values at the start of an episode, as far as they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The optimum within the agent's family; `None` for an agent without one.
    pub class: Option<f64>,
    /// Bounds on the optimum; `None` in a world without exact values.
    pub bounds: Option<Bounds>,
}

/// Computes the references of the group of `job`, or takes them from the folder if they have been
/// computed before; `progress` is told of files that are damaged, whose content is then computed
/// again.
pub(super) fn compute(
    plan: &Plan,
    job: &Job,
    store: Option<&Store>,
    progress: &dyn Progress,
) -> Result<Reference, ExperimentError> {
    let fail = |source: Fault| ExperimentError::Cell { id: job.id.clone(), source };
    let (part, group) = (plan.part(job.part), job.group);
    let family = part.family_name(group);
    let Some(store) = store else {
        let class = part.class(group).map_err(fail)?;
        return Ok(Reference { class, bounds: part.optimum(group).map_err(fail)? });
    };
    let path = |what: &str| path(store, job, what);
    let bounds = known_or(&path("bounds"), || part.optimum(group), progress);
    let class = match family {
        Some(family) => known_or(&path(&family), || part.class(group), progress),
        None => Ok(None),
    };
    let named = |fault| match fault {
        Unknown::Folder(fault) => fault,
        Unknown::Fault(fault) => fail(fault),
    };
    Ok(Reference { class: class.map_err(named)?, bounds: bounds.map_err(named)? })
}

/// The references of a group that are in the folder.
pub(super) fn load(
    store: &Store,
    job: &Job,
    family: Option<&str>,
) -> Result<Reference, ExperimentError> {
    let bounds = expect(&path(store, job, "bounds"))?;
    let class = match family {
        Some(family) => expect(&path(store, job, family))?,
        None => None,
    };
    Ok(Reference { class, bounds })
}

/// What the file says.
fn expect<V: DeserializeOwned>(path: &Path) -> Result<V, ExperimentError> {
    let known = store::read::<Known<V>>(path)?;
    let known = known.filter(|known| known.about == about(path));
    known.map(|known| known.value).ok_or_else(|| ExperimentError::Content {
        path: path.into(),
        message: "this optimum is missing; run the same sweep again, it mends the folder".into(),
    })
}

fn path(store: &Store, job: &Job, what: &str) -> std::path::PathBuf {
    store.path("references", &format!("{}-{what}", job.cell.world.fingerprint))
}

/// What a file says of the world with this fingerprint.
#[derive(Debug, Serialize, Deserialize)]
struct Known<V> {
    /// The name of the file, without its ending: a file under the name of another is not believed.
    about: String,
    value: V,
}

fn read<V: DeserializeOwned>(
    path: &Path,
    progress: &dyn Progress,
) -> Result<Option<V>, ExperimentError> {
    let about = about(path);
    let known = store::read_whole::<Known<V>>(path, progress)?;
    Ok(known.and_then(|known| {
        if known.about == about {
            return Some(known.value);
        }
        progress.damaged(path, &Damage::Name { found: known.about });
        None
    }))
}

fn about(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

enum Unknown {
    Folder(ExperimentError),
    Fault(Fault),
}

/// What the file says or, if there is none, what `compute` finds, which then goes into it.
fn known_or<V: Serialize + DeserializeOwned>(
    path: &Path,
    compute: impl FnOnce() -> Result<V, Fault>,
    progress: &dyn Progress,
) -> Result<V, Unknown> {
    if let Some(value) = read(path, &()).map_err(Unknown::Folder)? {
        return Ok(value);
    }
    // Bounds that the time limit cut short may differ between two processes: only one computes them.
    let _lock = store::wait(path, &AtomicBool::new(false)).map_err(Unknown::Folder)?;
    if let Some(value) = read(path, progress).map_err(Unknown::Folder)? {
        return Ok(value);
    }
    let known = Known { about: about(path), value: compute().map_err(Unknown::Fault)? };
    store::write(path, &known).map_err(Unknown::Folder)?;
    Ok(known.value)
}
