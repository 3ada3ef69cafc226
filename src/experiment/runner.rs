//! Many cells at once.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use super::learner::{self, Learner};
use super::limits;
use super::plan::{Experiment, Job};
use super::run::{CellRun, Record};
use super::store::{self, Store};
use super::{Cell, ExperimentError, LearnerError, Shard, manifest};
use crate::model::Tabular;

/// Hears how far a sweep has got. Called from all its threads.
pub trait Progress: Sync {
    /// The sweep starts: so many episodes in all.
    fn start(&self, episodes: u64) {
        let _ = episodes;
    }

    /// So many more episodes are behind it; at first, those of an earlier attempt.
    fn advance(&self, episodes: u64, fresh: bool) {
        let _ = (episodes, fresh);
    }

    /// A cell is finished.
    fn cell(&self, id: &str) {
        let _ = id;
    }
}

/// Nobody listens.
impl Progress for () {}

type Factory<'a> =
    dyn Fn(&Cell, &Tabular<f64>) -> Result<Box<dyn Learner>, LearnerError> + Sync + 'a;

/// Runs the cells of an experiment, as many at a time as there are threads, and writes each as it
/// is finished. What an earlier attempt finished is not done again, and what it had in the middle is
/// taken up where it was; the files in the end are those of an undisturbed run, byte for byte.
///
/// # Example
/// ```
/// use sporadic::experiment::{Runner, Spec, load};
/// # let folder = tempfile::tempdir()?;
/// # let out = folder.path();
/// let spec = Spec::from_toml(
///     "episodes = 40\nseeds = 2\n[[models]]\nmodel = 'river-swim'\nbeta = [0.1, 0.5]\n[[agents]]\nagent = 'uniform'",
/// )?;
/// Runner::new().with_threads(2).run(&spec.expand(".".as_ref())?, out)?;
/// assert_eq!(load(out)?.records.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Runner<'a> {
    threads: usize,
    shard: Shard,
    checkpoint: Duration,
    progress: &'a dyn Progress,
    agents: &'a Factory<'a>,
}

impl fmt::Debug for Runner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (threads, shard, checkpoint) = (&self.threads, &self.shard, &self.checkpoint);
        f.debug_struct("Runner")
            .field("threads", threads)
            .field("shard", shard)
            .field("checkpoint", checkpoint)
            .finish_non_exhaustive()
    }
}

impl Default for Runner<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Runner<'a> {
    /// All cells, on all cores, with a checkpoint every 15 seconds, in silence.
    pub fn new() -> Self {
        let checkpoint = Duration::from_secs(15);
        let shard = Shard::default();
        Self { threads: 0, shard, checkpoint, progress: &(), agents: &learner::build }
    }

    /// The same on so many threads; 0 means one per core. There are never more than there are cells, nor
    /// more than [`limits::MAX_THREADS`].
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The same for the cells of one shard.
    pub fn with_shard(self, shard: Shard) -> Self {
        Self { shard, ..self }
    }

    /// The same with a checkpoint whenever the last one is this old.
    pub fn with_checkpoint(self, interval: Duration) -> Self {
        Self { checkpoint: interval, ..self }
    }

    /// The same with someone who listens.
    pub fn with_progress(self, progress: &'a dyn Progress) -> Self {
        Self { progress, ..self }
    }

    /// The same with agents that `agents` makes, of the caller's own kind for instance.
    pub fn with_agents(self, agents: &'a Factory<'a>) -> Self {
        Self { agents, ..self }
    }

    /// Runs what is not finished yet and writes it into the folder `out`.
    ///
    /// # Errors
    /// [`ExperimentError`]; what was finished before it is kept.
    pub fn run(&self, experiment: &Experiment, out: &Path) -> Result<(), ExperimentError> {
        let store = Store::new(out);
        manifest::write(experiment, &store)?;
        let jobs: Vec<&Job> = self.shard.of(experiment.jobs()).collect();
        self.progress.start(jobs.iter().map(|job| job.cell.episodes).sum());
        let pool = ThreadPoolBuilder::new()
            .num_threads(limits::threads(self.threads, jobs.len()))
            .build()
            .map_err(|fault| ExperimentError::Threads { message: fault.to_string() })?;
        let done = pool.install(|| {
            jobs.par_iter().with_max_len(1).try_for_each(|job| self.run_cell(job, &store))
        });
        let ours: HashSet<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
        for folder in ["cells", "checkpoints"] {
            store::sweep_up(&out.join(folder), |id| ours.contains(id));
        }
        done
    }

    fn run_cell(&self, job: &Job, store: &Store) -> Result<(), ExperimentError> {
        let path = store.path("cells", &job.id);
        let finished = store::read::<Record>(&path)?;
        if finished.is_some_and(|record| record.cell == job.cell) {
            self.progress.advance(job.cell.episodes, false);
        } else {
            let agent = || {
                (self.agents)(&job.cell, &job.model)
                    .map_err(|source| ExperimentError::Cell { id: job.id.clone(), source })
            };
            let run = CellRun::new(job, agent, store)?;
            self.progress.advance(run.done(), false);
            let record = run.finish(store, self.checkpoint, |n| self.progress.advance(n, true))?;
            store::write(&path, &record)?;
        }
        // Also after a crash between the last line and this one.
        store::remove(&store.path("checkpoints", &job.id))?;
        self.progress.cell(&job.id);
        Ok(())
    }
}
