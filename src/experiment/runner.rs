//! Many cells at once.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use super::limits;
use super::lock::{Attempt, Lock};
use super::manifest::{self, GroupEntry};
use super::outcome::Group;
use super::plan::{Job, Plan};
use super::run::{Record, RunContext};
use super::store::{self, Store};
use super::{Damage, ExperimentError, Outcome, Progress, Shard, reference};

/// How long to wait before looking again at cells that other processes are running.
const PAUSE: Duration = Duration::from_millis(100);

/// Never set: a run without [`Runner::with_stop`] is not asked to stop.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Runs the cells of a plan, as many at a time as there are threads, and writes each as it is
/// finished. What an earlier attempt finished is not done again, and what it had in the middle is
/// taken up where it was; the files in the end are those of an undisturbed run, byte for byte, but for
/// how long each cell took (the folder `times` and `times.csv`). Runners in several processes may work in
/// one folder: they share the cells.
///
/// # Example
/// ```
/// use sporadic::experiment::{Outcome, Runner, Spec};
/// use sporadic::kinds::Registry;
/// # let folder = tempfile::tempdir()?;
/// # let out = folder.path();
/// let spec = Spec::from_toml(
///     "episodes = 40\nseeds = 2\n[[models]]\nmodel = 'river-swim'\nbeta = [0.1, 0.5]\n[[agents]]\nagent = 'uniform'",
/// )?;
/// let plan = spec.expand(&Registry::builtin(), ".".as_ref())?;
/// Runner::new().with_threads(2).run(&plan, out)?;
/// assert_eq!(Outcome::load(out)?.groups().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Runner<'a> {
    threads: usize,
    shard: Shard,
    checkpoint: Duration,
    stop: &'a AtomicBool,
    progress: &'a dyn Progress,
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
    /// A runner of all cells, on all cores, with a checkpoint every 15 seconds, that reports no
    /// progress.
    pub fn new() -> Self {
        let (checkpoint, shard) = (Duration::from_secs(15), Shard::default());
        Self { threads: 0, shard, checkpoint, stop: &NEVER, progress: &() }
    }

    /// Sets the number of threads; 0 means one per core. There are never more than there are cells,
    /// nor more than [`limits::MAX_THREADS`].
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Restricts the run to the cells of one shard.
    pub fn with_shard(self, shard: Shard) -> Self {
        Self { shard, ..self }
    }

    /// Sets the age of the last checkpoint of a cell at which it gets another one: at the next point of
    /// its curve or, if the points are far apart, between two of them once it is also 15 seconds old.
    pub fn with_checkpoint(self, interval: Duration) -> Self {
        Self { checkpoint: interval, ..self }
    }

    /// Reports progress to `progress`.
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
    /// use sporadic::kinds::Registry;
    /// # let folder = tempfile::tempdir()?;
    /// # let out = folder.path();
    /// let spec = Spec::from_toml(
    ///     "episodes = 40\nseeds = 2\n[[models]]\nmodel = 'river-swim'\n[[agents]]\nagent = 'uniform'",
    /// )?;
    /// let plan = spec.expand(&Registry::builtin(), ".".as_ref())?;
    /// // Something else would set it later: a signal, a clock, a button.
    /// let stop = AtomicBool::new(true);
    /// let stopped = Runner::new().with_stop(&stop).run(&plan, out);
    /// assert!(matches!(stopped, Err(ExperimentError::Stopped { finished: 0, total: 2 })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_stop(self, stop: &'a AtomicBool) -> Self {
        Self { stop, ..self }
    }

    /// Runs what is not finished yet and writes it into the folder `out`.
    ///
    /// # Errors
    /// [`ExperimentError`]; what was finished before it is kept.
    pub fn run(&self, plan: &Plan, out: &Path) -> Result<(), ExperimentError> {
        let store = Store::new(out);
        let jobs: Vec<Job> = self.jobs(plan);
        // Two processes that start with different specs must not both find an empty folder.
        let Some(lock) = store::wait(&store.manifest(), self.stop)? else {
            return Err(ExperimentError::Stopped { finished: 0, total: jobs.len() });
        };
        manifest::write(plan, &store, self.progress)?;
        drop(lock);
        let done = self.install(&jobs, || self.run_all(plan, &jobs, &store));
        store::tidy(out);
        done
    }

    /// Runs everything and keeps the results in memory.
    ///
    /// # Errors
    /// [`ExperimentError`].
    pub fn run_in_memory(&self, plan: &Plan) -> Result<Outcome, ExperimentError> {
        let jobs: Vec<Job> = self.jobs(plan);
        let total = jobs.len();
        let records: Vec<Option<Record>> = self.install(&jobs, || {
            let run = |job: &Job| {
                let context = self.context(job, None);
                plan.part(job.part).run(&job.cell, job.group, &context)
            };
            jobs.par_iter().with_max_len(1).map(run).collect::<Result<_, _>>()
        })?;
        let finished = records.iter().flatten().count();
        if finished < total {
            return Err(ExperimentError::Stopped { finished, total });
        }
        let mut groups: Vec<Group> = Vec::new();
        for (job, record) in jobs.iter().zip(records.into_iter().flatten()) {
            if job.cell.run == 0 {
                let reference = reference::compute(plan, job, None, self.progress)?;
                groups.push(Group::new(&GroupEntry::of(plan, job), reference));
            }
            if let Some(group) = groups.last_mut() {
                group.push(record.curve, Some(record.seconds));
            }
        }
        Ok(Outcome::new(plan.name().into(), plan.spec().into(), groups))
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let all: Vec<Job> = plan.jobs().collect();
        self.shard.of(&all).cloned().collect()
    }

    fn context<'b>(&'b self, job: &'b Job, store: Option<&'b Store>) -> RunContext<'b> {
        let (interval, stop, progress) = (self.checkpoint, self.stop, self.progress);
        RunContext { store, id: &job.id, interval, stop, progress }
    }

    fn install<V: Send>(
        &self,
        jobs: &[Job],
        run: impl FnOnce() -> Result<V, ExperimentError> + Send,
    ) -> Result<V, ExperimentError> {
        self.progress.start(jobs.iter().map(|job| job.cell.episodes).sum());
        let pool = ThreadPoolBuilder::new()
            .num_threads(limits::threads(self.threads, jobs.len()))
            .build()
            .map_err(|fault| ExperimentError::Threads { message: fault.to_string() })?;
        pool.install(run)
    }

    /// Runs the cells that nobody else runs, then waits for the others.
    fn run_all(&self, plan: &Plan, jobs: &[Job], store: &Store) -> Result<(), ExperimentError> {
        let mut open: Vec<&Job> = jobs.iter().collect();
        loop {
            let outcomes: Vec<CellOutcome> = open
                .par_iter()
                .with_max_len(1)
                .map(|job| self.run_cell(plan, job, store))
                .collect::<Result<_, _>>()?;
            let is_busy = |outcome: &CellOutcome| matches!(outcome, CellOutcome::Busy(_));
            let mut busy = outcomes.iter().map(is_busy);
            open.retain(|_| busy.next().unwrap_or(false));
            let stopped = outcomes.iter().any(|outcome| matches!(outcome, CellOutcome::Stopped));
            if stopped || self.is_stopped() && !open.is_empty() {
                // Also those that this run has not come to, or that others have finished.
                let is_there = |job: &&Job| store.path("cells", &job.id).exists();
                let finished = jobs.iter().filter(is_there).count();
                return Err(ExperimentError::Stopped { finished, total: jobs.len() });
            }
            let holder = outcomes.iter().find_map(|outcome| match outcome {
                CellOutcome::Busy(holder) => Some(holder.as_str()),
                _ => None,
            });
            let Some(holder) = holder else { return Ok(()) };
            self.progress.waiting(open.len(), holder);
            thread::sleep(PAUSE);
        }
    }

    fn run_cell(
        &self,
        plan: &Plan,
        job: &Job,
        store: &Store,
    ) -> Result<CellOutcome, ExperimentError> {
        if self.is_stopped() {
            return Ok(CellOutcome::Stopped);
        }
        // Only who holds the lock tells of damage, so that it is told once.
        if !is_finished(job, store, &())? {
            let _lock = match Lock::take(&store.lock(&job.id))? {
                Attempt::Taken(lock) => lock,
                Attempt::Busy(holder) => return Ok(CellOutcome::Busy(holder)),
            };
            // Its last holder may have finished it in the meantime.
            if !is_finished(job, store, self.progress)? {
                let context = self.context(job, Some(store));
                let run = plan.part(job.part).run(&job.cell, job.group, &context)?;
                let Some(record) = run else { return Ok(CellOutcome::Stopped) };
                store::write(&store.path("times", &job.id), &record.seconds)?;
                store::write(&store.path("cells", &job.id), &record)?;
                return self.close(plan, job, store);
            }
        }
        self.progress.advance(job.cell.episodes, false);
        self.close(plan, job, store)
    }

    /// Removes the checkpoint of a finished cell, also one that a crash left behind, and computes what
    /// its group is compared with.
    fn close(&self, plan: &Plan, job: &Job, store: &Store) -> Result<CellOutcome, ExperimentError> {
        store::remove(&store.path("checkpoints", &job.id))?;
        if job.cell.run == 0 {
            reference::compute(plan, job, Some(store), self.progress)?;
        }
        self.progress.cell(&job.id);
        Ok(CellOutcome::Finished)
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
enum CellOutcome {
    /// Its result is in the folder.
    Finished,
    /// Another process, which is described, is running it.
    Busy(String),
    /// The run was asked to stop before the cell was finished.
    Stopped,
}
