//! Many cells at once.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use super::learner::{self, Learner};
use super::lock::{Attempt, Lock};
use super::limits;
use super::plan::{Experiment, Job};
use super::run::{CellRun, Record};
use super::store::{self, Store};
use super::{Cell, Damage, ExperimentError, LearnerError, Progress, Shard, manifest};
use crate::model::Tabular;

/// How long to wait before looking again at cells that other processes are running.
const PAUSE: Duration = Duration::from_millis(100);

/// Never set: a run without [`Runner::with_stop`] is not asked to stop.
static NEVER: AtomicBool = AtomicBool::new(false);

type Factory<'a> =
    dyn Fn(&Cell, &Tabular<f64>) -> Result<Box<dyn Learner>, LearnerError> + Sync + 'a;

/// Runs the cells of an experiment, as many at a time as there are threads, and writes each as it
/// is finished. What an earlier attempt finished is not done again, and what it had in the middle is
/// taken up where it was; the files in the end are those of an undisturbed run, byte for byte. Runners
/// in several processes may work in one folder: they share the cells.
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
    stop: &'a AtomicBool,
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
        let (progress, agents) = (&(), &learner::build);
        Self { threads: 0, shard, checkpoint, stop: &NEVER, progress, agents }
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

    /// Ends the run with [`ExperimentError::Stopped`] soon after `stop` is set, between two episodes:
    /// the cells under way are saved, and the next run goes on from there.
    ///
    /// # Example
    /// ```
    /// use std::sync::atomic::AtomicBool;
    /// use sporadic::experiment::{ExperimentError, Runner, Spec};
    /// # let folder = tempfile::tempdir()?;
    /// # let out = folder.path();
    /// let spec = Spec::from_toml(
    ///     "episodes = 40\nseeds = 2\n[[models]]\nmodel = 'river-swim'\n[[agents]]\nagent = 'uniform'",
    /// )?;
    /// // Something else would set it later: a signal, a clock, a button.
    /// let stop = AtomicBool::new(true);
    /// let stopped = Runner::new().with_stop(&stop).run(&spec.expand(".".as_ref())?, out);
    /// assert!(matches!(stopped, Err(ExperimentError::Stopped { finished: 0, total: 2 })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_stop(self, stop: &'a AtomicBool) -> Self {
        Self { stop, ..self }
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
        let jobs: Vec<&Job> = self.shard.of(experiment.jobs()).collect();
        // Two processes that start with different specs must not both find an empty folder.
        let Some(lock) = store::wait(&store.manifest(), self.stop)? else {
            return Err(ExperimentError::Stopped { finished: 0, total: jobs.len() });
        };
        manifest::write(experiment, &store, self.progress)?;
        drop(lock);
        self.progress.start(jobs.iter().map(|job| job.cell.episodes).sum());
        let pool = ThreadPoolBuilder::new()
            .num_threads(limits::threads(self.threads, jobs.len()))
            .build()
            .map_err(|fault| ExperimentError::Threads { message: fault.to_string() })?;
        let done = pool.install(|| self.run_all(jobs, &store));
        store::tidy(out);
        done
    }

    /// Runs the cells that nobody else runs, then waits for the others.
    fn run_all(&self, jobs: Vec<&Job>, store: &Store) -> Result<(), ExperimentError> {
        let (total, mut finished, mut open) = (jobs.len(), 0, jobs);
        loop {
            let outcomes: Vec<Outcome> = open
                .par_iter()
                .with_max_len(1)
                .map(|job| self.run_cell(job, store))
                .collect::<Result<_, _>>()?;
            let is_finished = |outcome: &&Outcome| matches!(outcome, Outcome::Finished);
            finished += outcomes.iter().filter(is_finished).count();
            let is_busy = |outcome: &Outcome| matches!(outcome, Outcome::Busy(_));
            let mut busy = outcomes.iter().map(is_busy);
            open.retain(|_| busy.next().unwrap_or(false));
            if finished + open.len() < total || self.is_stopped() && !open.is_empty() {
                return Err(ExperimentError::Stopped { finished, total });
            }
            let holder = outcomes.iter().find_map(|outcome| match outcome {
                Outcome::Busy(holder) => Some(holder.as_str()),
                _ => None,
            });
            let Some(holder) = holder else { return Ok(()) };
            self.progress.waiting(open.len(), holder);
            thread::sleep(PAUSE);
        }
    }

    fn run_cell(&self, job: &Job, store: &Store) -> Result<Outcome, ExperimentError> {
        if self.is_stopped() {
            return Ok(Outcome::Stopped);
        }
        // Only who holds the lock tells of damage, so that it is told once.
        if !is_finished(job, store, &())? {
            let _lock = match Lock::take(&store.lock(&job.id))? {
                Attempt::Taken(lock) => lock,
                Attempt::Busy(holder) => return Ok(Outcome::Busy(holder)),
            };
            // Its last holder may have finished it in the meantime.
            if !is_finished(job, store, self.progress)? {
                return self.finish_cell(job, store);
            }
        }
        self.progress.advance(job.cell.episodes, false);
        // Also after a crash between the last line of `finish_cell` and the one before it.
        store::remove(&store.path("checkpoints", &job.id))?;
        self.progress.cell(&job.id);
        Ok(Outcome::Finished)
    }

    /// Runs a cell from its checkpoint or its beginning to its end, or until it is asked to stop.
    fn finish_cell(&self, job: &Job, store: &Store) -> Result<Outcome, ExperimentError> {
        let agent = || {
            (self.agents)(&job.cell, &job.model)
                .map_err(|source| ExperimentError::Cell { id: job.id.clone(), source })
        };
        let run = CellRun::new(job, agent, store, self.progress)?;
        self.progress.advance(run.done(), false);
        let advance = |n| self.progress.advance(n, true);
        let Some(record) = run.finish(store, self.checkpoint, self.stop, advance)? else {
            return Ok(Outcome::Stopped);
        };
        store::write(&store.path("cells", &job.id), &record)?;
        store::remove(&store.path("checkpoints", &job.id))?;
        self.progress.cell(&job.id);
        Ok(Outcome::Finished)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Whether the folder has the result of this cell.
fn is_finished(job: &Job, store: &Store, progress: &dyn Progress) -> Result<bool, ExperimentError> {
    let path = store.path("cells", &job.id);
    let Some(record) = store::read_whole::<Record>(&path, progress)? else { return Ok(false) };
    let found = record.cell.id();
    if found != job.id {
        progress.damaged(&path, &Damage::Name { found });
        return Ok(false);
    }
    Ok(true)
}

/// What became of a cell.
#[derive(Debug)]
enum Outcome {
    /// Its result is in the folder.
    Finished,
    /// Another process, which is described, is running it.
    Busy(String),
    /// The run was asked to stop before the cell was finished.
    Stopped,
}
