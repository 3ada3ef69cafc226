//! One cell, from its beginning or from its checkpoint to its end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::learner::Learner;
use super::plan::Job;
use super::store::{self, Store};
use super::{Cell, Damage, ExperimentError, LearnerError, Progress};
use crate::planning::{BurstPolicy, Evaluator, PlanningError};
use crate::simulation::{EpisodeSummary, Observer, Simulation};

/// About how long a stretch of episodes takes, after which the clock and the request to stop are
/// looked at.
const MOMENT: Duration = Duration::from_millis(20);
/// The least time between checkpoints that are not at a point of the curve.
const BETWEEN_POINTS: Duration = Duration::from_secs(1);

/// What a cell leaves behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The cell.
    pub cell: Cell,
    /// Its curve.
    pub curve: Curve,
}

/// The curve of a run, at some numbers of episodes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// After how many episodes.
    pub episodes: Vec<u64>,
    /// The mean return of the episodes so far.
    pub average: Vec<f64>,
    /// The exact value, at the start of an episode, of the policy played in the last of them; null
    /// for agents that play no burst-dependent policy.
    pub value: Vec<Option<f64>>,
    /// The mean of that over the episodes so far, what regret is computed from; null as above, and on
    /// more than 512 states, where only the policies at these points are evaluated.
    pub worth: Vec<Option<f64>>,
}

/// A cell in the middle. The world's random numbers need no memory: episode k has its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Checkpoint {
    cell: Cell,
    done: u64,
    total: f64,
    worth: Option<f64>,
    curve: Curve,
    agent: String,
}

/// The sum of the returns, added up in the order of the episodes.
#[derive(Debug)]
struct Total(f64);

impl Observer<usize, f64> for Total {
    fn episode_end(&mut self, summary: &EpisodeSummary<f64>) {
        self.0 += summary.reward;
    }
}

/// The exact values of the policies played: of the last, and added up in the order of the episodes.
#[derive(Debug)]
struct Worth<'a> {
    evaluator: Evaluator<'a, f64>,
    last: Option<f64>,
    total: Option<f64>,
    fault: Option<PlanningError>,
}

impl<'a> Worth<'a> {
    fn new(job: &'a Job) -> Self {
        let evaluator = Evaluator::new(&job.model);
        let total = evaluator.is_fast().then_some(0.0);
        Self { evaluator, last: None, total, fault: None }
    }

    fn evaluate(&mut self, policy: &dyn BurstPolicy<usize>) {
        let start = self.evaluator.model().initial_distribution();
        match self.evaluator.values(policy) {
            Ok(values) => self.last = Some(start.iter().zip(values).map(|(p, v)| p * v).sum()),
            Err(fault) => {
                self.fault.get_or_insert(fault);
            }
        }
    }
}

impl Observer<usize, f64> for Worth<'_> {
    fn episode_start(&mut self, _: u64, _: &usize) {
        self.last = None;
    }

    fn policy(&mut self, _: u64, policy: &dyn BurstPolicy<usize>) {
        if self.total.is_some() {
            self.evaluate(policy);
        }
    }

    fn episode_end(&mut self, _: &EpisodeSummary<f64>) {
        self.total = self.total.zip(self.last).map(|(total, last)| total + last);
    }
}

/// A run of a cell under way.
pub(super) struct CellRun<'a> {
    job: &'a Job,
    agent: Box<dyn Learner>,
    done: u64,
    total: Total,
    worth: Worth<'a>,
    curve: Curve,
}

impl<'a> CellRun<'a> {
    /// A new run, or the one that a checkpoint holds.
    pub(super) fn new(
        job: &'a Job,
        agent: impl Fn() -> Result<Box<dyn Learner>, ExperimentError>,
        store: &Store,
        progress: &dyn Progress,
    ) -> Result<Self, ExperimentError> {
        let (total, curve) = (Total(0.0), Curve::default());
        let worth = Worth::new(job);
        let mut run = Self { job, agent: agent()?, done: 0, total, worth, curve };
        let path = store.path("checkpoints", &job.id);
        // A checkpoint is a help, not a result: one that cannot be read is as good as none.
        let Ok(Some(checkpoint)) = store::read_whole::<Checkpoint>(&path, progress) else {
            return Ok(run);
        };
        if checkpoint.cell.id() != job.id {
            progress.damaged(&path, &Damage::Name { found: checkpoint.cell.id() });
        } else if run.agent.restore(&checkpoint.agent).is_ok() {
            (run.done, run.total.0) = (checkpoint.done, checkpoint.total);
            run.worth.total = checkpoint.worth;
            run.curve = checkpoint.curve;
        } else {
            run.agent = agent()?;
        }
        Ok(run)
    }

    /// How many episodes are behind it.
    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// Runs to the end, with a checkpoint whenever the last one is `interval` old, and tells
    /// `progress` of every stretch of episodes. When `stop` is set: a checkpoint, and `None`.
    pub(super) fn finish(
        mut self,
        store: &Store,
        interval: Duration,
        stop: &AtomicBool,
        progress: impl Fn(u64),
    ) -> Result<Option<Record>, ExperimentError> {
        let mut last = Instant::now();
        let mut stretch = 1;
        for n in self.job.cell.grid() {
            // In stretches of about a moment, however far apart the points are.
            while self.done < n {
                if stop.load(Ordering::Relaxed) {
                    self.checkpoint(store)?;
                    return Ok(None);
                }
                let (start, before) = (Instant::now(), self.done);
                self.play(n.min(before.saturating_add(stretch)))?;
                progress(self.done - before);
                let quick = start.elapsed() < MOMENT;
                stretch = if quick { stretch.saturating_mul(2) } else { stretch / 2 + 1 };
                let due = if self.done == n { interval } else { interval.max(BETWEEN_POINTS) };
                if self.done == n {
                    self.keep_point()?;
                }
                if self.done < self.job.cell.episodes && last.elapsed() >= due {
                    self.checkpoint(store)?;
                    last = Instant::now();
                }
            }
        }
        Ok(Some(Record { cell: self.job.cell.clone(), curve: self.curve }))
    }

    /// Plays up to episode `n`.
    fn play(&mut self, n: u64) -> Result<(), ExperimentError> {
        let world = Simulation::new(&*self.job.model, self.job.cell.streams());
        world
            .run(self.done..n, &mut *self.agent, &mut (&mut self.total, &mut self.worth))
            .map_err(|fault| self.fail(fault.into()))?;
        self.agent.check().map_err(|fault| self.fail(fault))?;
        self.done = n;
        self.check_worth()
    }

    /// Keeps a point of the curve after the episodes played.
    fn keep_point(&mut self) -> Result<(), ExperimentError> {
        if self.worth.total.is_none()
            && let Some(policy) = self.agent.policy()
        {
            self.worth.evaluate(policy);
            self.check_worth()?;
        }
        let n = self.done;
        self.curve.episodes.push(n);
        self.curve.average.push(self.total.0 / n as f64);
        self.curve.value.push(self.worth.last);
        self.curve.worth.push(self.worth.total.map(|total| total / n as f64));
        Ok(())
    }

    /// Whether all policies could be evaluated.
    fn check_worth(&mut self) -> Result<(), ExperimentError> {
        self.worth.fault.take().map_or(Ok(()), |fault| Err(self.fail(fault.into())))
    }

    fn checkpoint(&self, store: &Store) -> Result<(), ExperimentError> {
        let Some(agent) = self.agent.save().map_err(|source| self.fail(source))? else {
            return Ok(());
        };
        let checkpoint = Checkpoint {
            cell: self.job.cell.clone(),
            done: self.done,
            total: self.total.0,
            worth: self.worth.total,
            curve: self.curve.clone(),
            agent,
        };
        store::write(&store.path("checkpoints", &self.job.id), &checkpoint)
    }

    fn fail(&self, source: LearnerError) -> ExperimentError {
        ExperimentError::Cell { id: self.job.id.clone(), source }
    }
}
