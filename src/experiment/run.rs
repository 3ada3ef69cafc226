//! One cell, from its beginning or from its checkpoint to its end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::store::{self, Store};
use super::{Cell, Damage, ExperimentError, Progress};
use crate::kinds::BoxedAgent;
use crate::model::{Environment, MAX_AGES};
use crate::simulation::{
    Curve, Ending, EpisodeSummary, Observation, Observer, Regret, Simulation, Step,
};
use crate::{Fault, Real};

/// About how long a stretch of episodes takes, after which the clock and the request to stop are
/// looked at.
const MOMENT: Duration = Duration::from_millis(20);
/// The least time between checkpoints that are not at a point of the curve.
const BETWEEN_POINTS: Duration = Duration::from_secs(15);

/// What a cell leaves behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The cell.
    pub cell: Cell,
    /// Its curve.
    pub curve: Curve,
    /// How long it ran, in seconds, all attempts together. It is no part of the cell's file, which is the same
    /// for every run of the cell.
    #[serde(skip)]
    pub seconds: f64,
}

/// A cell in the middle. The world's random numbers need no memory: episode k has its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Checkpoint {
    cell: Cell,
    done: u64,
    total: f64,
    rounds: u64,
    looks: f64,
    total_value: Option<f64>,
    curve: Curve,
    agent: String,
    /// How long it has run, in seconds.
    seconds: f64,
}

/// Where and how a cell is run.
pub(crate) struct RunContext<'a> {
    /// The folder for checkpoints, with the id of the cell; `None` in memory.
    pub(super) store: Option<&'a Store>,
    pub(super) id: &'a str,
    pub(super) interval: Duration,
    pub(super) stop: &'a AtomicBool,
    pub(super) progress: &'a dyn Progress,
}

/// Sums over the episodes, added up in their order.
#[derive(Debug)]
struct Total {
    reward: f64,
    rounds: u64,
    looks: f64,
    /// The reveal probability of each action.
    betas: Vec<f64>,
    /// Those of the ages 1, 2, ... before; empty if they do not depend on the age.
    early: Vec<Vec<f64>>,
    /// How many actions were taken since the last sighting.
    age: usize,
}

impl<S, T: Real> Observer<S, T> for Total {
    #[inline]
    fn step(&mut self, step: &Step<'_, S, T>) {
        let early = self.early.get(self.age).unwrap_or(&self.betas);
        self.looks += early[step.action];
        self.age = if matches!(step.observation, Observation::Hidden) { self.age + 1 } else { 0 };
    }

    fn episode_end(&mut self, summary: &EpisodeSummary<T>) {
        self.reward += summary.reward.as_f64();
        self.rounds += summary.rounds;
    }
}

/// A run of a cell under way.
pub(super) struct CellRun<'a, W: Environment> {
    cell: &'a Cell,
    world: &'a W,
    agent: BoxedAgent<'a, W>,
    done: u64,
    total: Total,
    /// Exact values, where the world has them.
    regret: Option<Regret<'a, W::State>>,
    curve: Curve,
    started: Instant,
    /// How long earlier attempts ran, in seconds.
    before: f64,
}

impl<'a, W: Environment> CellRun<'a, W> {
    /// A new run, or the one that a checkpoint holds.
    pub(super) fn new(
        cell: &'a Cell,
        world: &'a W,
        build: &dyn Fn() -> Result<BoxedAgent<'a, W>, Fault>,
        context: &RunContext<'_>,
    ) -> Result<Self, ExperimentError> {
        let fail = |source| ExperimentError::Cell { id: context.id.into(), source };
        let discounted = cell.setting.ending == Ending::Discounted;
        let regret = discounted.then(|| Regret::of(world)).flatten();
        let regret = regret.map(|regret| regret.with_mean_start().without_history());
        let at = |age| (0..world.num_actions()).map(|a| world.beta_at(a, age).as_f64()).collect();
        let ages = world.ages().clamp(1, MAX_AGES);
        let (betas, early) = (at(ages), (1..ages).map(at).collect());
        let total = Total { reward: 0.0, rounds: 0, looks: 0.0, betas, early, age: 0 };
        let curve = Curve::default();
        let agent = build().map_err(fail)?;
        let (done, started, before) = (0, Instant::now(), 0.0);
        let mut run = Self { cell, world, agent, done, total, regret, curve, started, before };
        let Some(store) = context.store else { return Ok(run) };
        let path = store.path("checkpoints", context.id);
        // A checkpoint is a help, not a result: one that cannot be read is as good as none.
        let Ok(Some(checkpoint)) = store::read_whole::<Checkpoint>(&path, context.progress) else {
            return Ok(run);
        };
        let found = checkpoint.cell.id();
        if found != context.id {
            context.progress.damaged(&path, &Damage::Name { found });
            return Ok(run);
        }
        match run.agent.memory().map(|memory| memory.restore(&checkpoint.agent)) {
            Some(Ok(())) => {
                (run.done, run.total.reward) = (checkpoint.done, checkpoint.total);
                (run.total.rounds, run.total.looks) = (checkpoint.rounds, checkpoint.looks);
                if let Some(regret) = &mut run.regret {
                    regret.restore_total(checkpoint.total_value);
                }
                (run.curve, run.before) = (checkpoint.curve, checkpoint.seconds);
            }
            refused => {
                // Told, because the results are those of a whole run and so do not show it.
                if let Some(Err(fault)) = refused {
                    context.progress.damaged(&path, &Damage::Agent(fault));
                }
                // What an agent is after a restore that failed is not known: it is made again.
                run.agent = build().map_err(fail)?;
            }
        }
        Ok(run)
    }

    /// Runs to the end, with a checkpoint whenever the last one is old enough. When it is asked to stop:
    /// a checkpoint, and `None`.
    pub(super) fn finish(
        mut self,
        context: &RunContext<'_>,
    ) -> Result<Option<Record>, ExperimentError> {
        context.progress.advance(self.done, false);
        let mut last = Instant::now();
        let mut stretch = 1;
        for n in self.cell.grid() {
            // In stretches of about a moment, however far apart the points are.
            while self.done < n {
                if context.stop.load(Ordering::Relaxed) {
                    self.checkpoint(context)?;
                    return Ok(None);
                }
                let (start, before) = (Instant::now(), self.done);
                self.play(n.min(before.saturating_add(stretch)), context)?;
                context.progress.advance(self.done - before, true);
                let quick = start.elapsed() < MOMENT;
                stretch = if quick { stretch.saturating_mul(2) } else { stretch / 2 + 1 };
                let interval = context.interval;
                let due = if self.done == n { interval } else { interval.max(BETWEEN_POINTS) };
                if self.done == n {
                    self.keep_point(context)?;
                }
                if self.done < self.cell.episodes && last.elapsed() >= due {
                    self.checkpoint(context)?;
                    last = Instant::now();
                }
            }
        }
        let seconds = self.seconds();
        Ok(Some(Record { cell: self.cell.clone(), curve: self.curve, seconds }))
    }

    /// Plays up to episode `n`.
    fn play(&mut self, n: u64, context: &RunContext<'_>) -> Result<(), ExperimentError> {
        let fail = |source| ExperimentError::Cell { id: context.id.into(), source };
        let world =
            Simulation::new(self.world, self.cell.streams()).with_setting(self.cell.setting);
        let played = match &mut self.regret {
            Some(regret) => {
                world.run(self.done..n, &mut *self.agent, &mut (&mut self.total, regret))
            }
            None => world.run(self.done..n, &mut *self.agent, &mut self.total),
        };
        played.map_err(|fault| fail(fault.into()))?;
        if let Some(fault) = self.agent.fault() {
            return Err(fail(fault));
        }
        self.done = n;
        self.check_values(context)
    }

    /// Keeps a point of the curve after the episodes played.
    fn keep_point(&mut self, context: &RunContext<'_>) -> Result<(), ExperimentError> {
        if let Some(regret) = &mut self.regret
            && regret.total_value().is_none()
            && let Some(policy) = self.agent.policy()
        {
            regret.evaluate(policy);
            self.check_values(context)?;
        }
        let n = self.done;
        let average = self.total.reward / n as f64;
        if !average.is_finite() {
            let fault = format!("the mean return after {n} episodes is {average}");
            return Err(ExperimentError::Cell { id: context.id.into(), source: fault.into() });
        }
        let value = self.regret.as_ref().and_then(Regret::last_value);
        let total = self.regret.as_ref().and_then(Regret::total_value);
        self.curve.episodes.push(n);
        self.curve.average.push(average);
        self.curve.value.push(value);
        self.curve.mean_policy_value.push(total.map(|total| total / n as f64));
        self.curve.rounds.push(self.total.rounds as f64 / n as f64);
        self.curve.looks.push(self.total.looks / n as f64);
        let gap = self.certifies(n).then(|| self.agent.certificate()).flatten();
        let gap = gap.map(|choice| choice.gap().as_f64()).filter(|gap| gap.is_finite());
        self.curve.gap.push(gap);
        Ok(())
    }

    /// Whether the point after `n` episodes is one at which agents are asked for a certificate: the first, the last,
    /// and those that are at least four times as far as the one before.
    fn certifies(&self, n: u64) -> bool {
        let mut next = 0;
        self.cell.grid().into_iter().take_while(|&point| point <= n).fold(false, |_, point| {
            let due = point >= next || point == self.cell.episodes;
            if due {
                next = point.saturating_mul(4);
            }
            due
        })
    }

    /// Whether all policies could be evaluated.
    fn check_values(&mut self, context: &RunContext<'_>) -> Result<(), ExperimentError> {
        match self.regret.as_mut().and_then(Regret::take_fault) {
            None => Ok(()),
            Some(fault) => {
                Err(ExperimentError::Cell { id: context.id.into(), source: Box::new(fault) })
            }
        }
    }

    /// How long the cell has run, all attempts together.
    fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }

    fn checkpoint(&mut self, context: &RunContext<'_>) -> Result<(), ExperimentError> {
        let Some(store) = context.store else { return Ok(()) };
        let seconds = self.seconds();
        let Some(memory) = self.agent.memory() else { return Ok(()) };
        let fail = |source| ExperimentError::Cell { id: context.id.into(), source };
        let checkpoint = Checkpoint {
            cell: self.cell.clone(),
            done: self.done,
            total: self.total.reward,
            rounds: self.total.rounds,
            looks: self.total.looks,
            total_value: self.regret.as_ref().and_then(Regret::total_value),
            curve: self.curve.clone(),
            seconds,
            agent: memory.save().map_err(fail)?,
        };
        store::write(&store.path("checkpoints", context.id), &checkpoint)
    }
}
