//! What curves are compared with: the optimum within the family, and the best there is.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::plan::Job;
use super::store::{self, Store};
use super::{Damage, ExperimentError, LearnerError, Progress};
use crate::model::Tabular;
use crate::planning::class_optimum;
use crate::planning::solve::{SolveOptions, solve};

/// Optimal values at the start of an episode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The optimum within the agent's family; nothing for an agent without one.
    pub class: Option<f64>,
    /// A value that a known policy attains.
    pub lower: f64,
    /// A value that no policy exceeds.
    pub upper: f64,
}

/// How hard to look for the best there is. Bounds that the time limit cut short are valid, but may
/// differ from one attempt to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// The largest difference between upper and lower bound wished for, times 1 - gamma, as a share
    /// of the largest reward.
    pub gap: f64,
    /// When to stop looking, whatever the gap.
    pub time_limit: Duration,
}

impl Default for Effort {
    /// Five digits, and at most a minute: seconds for the paper's models.
    fn default() -> Self {
        Self { gap: 1e-5, time_limit: Duration::from_secs(60) }
    }
}

impl Effort {
    /// The same for the solver.
    pub(super) fn options(self, model: &Tabular<f64>) -> SolveOptions {
        let (low, high) = model.reward_range();
        let size = low.abs().max(high.abs());
        let gap = self.gap * if size > 0.0 { size } else { 1.0 } / (1.0 - model.gamma());
        SolveOptions::default().with_gap(gap).with_time_limit(self.time_limit)
    }

    /// The bounds on V* of one model.
    fn bounds(self, model: &Tabular<f64>) -> Result<(f64, f64), LearnerError> {
        let solution = solve(model, &self.options(model))?;
        let start = model.initial_distribution();
        let at_start = |values: &[f64]| start.iter().zip(values).map(|(p, v)| p * v).sum();
        Ok((at_start(&solution.lower), at_start(&solution.upper)))
    }
}

/// The optima for a cell, taken from the folder if they have been computed before.
///
/// # Errors
/// [`ExperimentError`] if the solver refuses the model, or the folder cannot be written.
pub fn reference(dir: &Path, job: &Job, effort: Effort) -> Result<Reference, ExperimentError> {
    reference_with(dir, job, effort, &())
}

/// The optima for a cell, taken from the folder if they have been computed before; `progress` is told
/// of files that are damaged, whose content is then computed again.
///
/// # Errors
/// As [`reference`].
pub fn reference_with(
    dir: &Path,
    job: &Job,
    effort: Effort,
    progress: &dyn Progress,
) -> Result<Reference, ExperimentError> {
    let store = Store::new(dir);
    let start = job.model.initial_distribution();
    let path = |what: &str| store.path("references", &format!("{}-{what}", job.cell.fingerprint));
    let (lower, upper) = known_or(&path("bounds"), || effort.bounds(&job.model), job, progress)?;
    let class = job.cell.agent.family().map(|family| {
        let optimum = || -> Result<f64, LearnerError> {
            let members = family.members(job.model.num_actions())?;
            let best = class_optimum(&job.model, &members)?;
            Ok(start.iter().zip(&best.values).map(|(p, v)| p * v).sum())
        };
        let name = family.to_string().replace([':', ','], "-");
        known_or(&path(&name), optimum, job, progress)
    });
    Ok(Reference { class: class.transpose()?, lower, upper })
}

/// What the file says about the model with this fingerprint.
#[derive(Debug, Serialize, Deserialize)]
struct Known<V> {
    /// The name of the file, without its ending: a file under the name of another is not believed.
    about: String,
    value: V,
}

/// What the file says or, if there is none, what `compute` finds, which then goes into it.
fn known_or<V: Serialize + DeserializeOwned>(
    path: &Path,
    compute: impl FnOnce() -> Result<V, LearnerError>,
    job: &Job,
    progress: &dyn Progress,
) -> Result<V, ExperimentError> {
    let about = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let about = about.unwrap_or_default();
    let known = |progress: &dyn Progress| -> Result<Option<V>, ExperimentError> {
        let known = store::read_whole::<Known<V>>(path, progress)?;
        Ok(known.and_then(|known| {
            if known.about == about {
                return Some(known.value);
            }
            progress.damaged(path, &Damage::Name { found: known.about });
            None
        }))
    };
    if let Some(value) = known(&())? {
        return Ok(value);
    }
    // Bounds that the time limit cut short may differ between two processes: only one computes them.
    let _lock = store::wait(path, &AtomicBool::new(false))?;
    if let Some(value) = known(progress)? {
        return Ok(value);
    }
    let value = compute().map_err(|source| ExperimentError::Cell { id: job.id.clone(), source })?;
    let known = Known { about, value };
    store::write(path, &known)?;
    Ok(known.value)
}
