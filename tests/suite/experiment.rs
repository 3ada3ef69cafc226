//! Experiments from Rust, without the command line.
#![cfg(feature = "experiment")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use sporadic::agents::{Agent, LsviUcb, LsviUcbParams, Segment};
use sporadic::belief::AugmentedState;
use sporadic::experiment::{
    Effort, ExperimentError, Family, Learner, LearnerError, Progress, Runner, Spec, build, load,
    reference, summarize,
};
use sporadic::features::TabularPsi;
use sporadic::model::{Action, Tabular};
use sporadic::oracles::{Choice, OracleError, SequenceObjective, SequenceOracle};
use sporadic::planning::{BurstPolicy, TabularExact, class_optimum};
use sporadic::simulation::{Regret, Returns, Simulation};
use tempfile::tempdir;

const SPEC: &str = "
    episodes = 50
    seeds = 3
    points = 5
    [[models]]
    model = 'river-swim'
    gamma = 0.9
    beta = [0.1, 0.5]
    [[agents]]
    agent = 'fixed'
    sequence = '(1)'
    [[agents]]
    agent = 'uniform'
";

#[test]
fn a_cell_is_the_plain_simulation() {
    let dir = tempdir().unwrap();
    let experiment = Spec::from_toml(SPEC).unwrap().expand("".as_ref()).unwrap();
    Runner::new().run(&experiment, dir.path()).unwrap();
    let finished = load(dir.path()).unwrap();
    for (job, record) in experiment.jobs().iter().zip(&finished.records) {
        let mut agent = sporadic::experiment::build(&job.cell, &job.model).unwrap();
        let mut returns = Returns::new();
        let world = Simulation::new(&*job.model, job.cell.streams());
        world.run(0..50, &mut *agent, &mut returns).unwrap();
        let means: Vec<f64> = returns.running_mean().collect();
        let at: Vec<f64> =
            record.curve.episodes.iter().map(|&n| means[usize::try_from(n).unwrap() - 1]).collect();
        assert_eq!(record.curve.episodes, [10, 20, 30, 40, 50]);
        assert_eq!(record.curve.average, at);
    }
}

#[test]
fn runs_meet_the_same_world_whatever_the_agent() {
    let experiment = Spec::from_toml(SPEC).unwrap().expand("".as_ref()).unwrap();
    let streams: Vec<_> = experiment.jobs().iter().map(|job| job.cell.streams()).collect();
    assert_eq!(streams[0..3], streams[3..6]);
    assert_ne!(streams[0], streams[1]);
}

#[test]
fn the_learner_improves_on_chance() {
    let dir = tempdir().unwrap();
    let spec = Spec::from_toml(
        "episodes = 400\nseeds = 2\npoints = 4\n[[models]]\nmodel = 'river-swim'\nstates = 4\ngamma = 0.9\n\
         [[agents]]\nagent = 'lsvi-ucb'\noracle = 'runs:2,3'\nhorizon = 20\nrho = 2\n[[agents]]\nagent = 'uniform'",
    );
    let experiment = spec.unwrap().expand("".as_ref()).unwrap();
    Runner::new().run(&experiment, dir.path()).unwrap();
    let groups = summarize(&load(dir.path()).unwrap());
    let optima = reference(dir.path(), &experiment.jobs()[0], Effort::default()).unwrap();
    let model = &experiment.jobs()[0].model;
    let family: Family = "runs:2,3".parse().unwrap();
    let class = class_optimum(model, &family.members(2).unwrap()).unwrap().values[0];
    assert_eq!(optima.class, Some(class));
    assert!(optima.lower <= optima.upper && class <= optima.upper);
    let (learner, chance) = (&groups[0], &groups[1]);
    assert!(learner.average[3].mean > 2.0 * chance.average[3].mean);
    assert!(learner.value[3].mean > 0.9 * class);
    assert!(chance.value.is_empty() && chance.regret(class).is_empty());
    // The regret is that of all episodes, though four points are kept.
    let expected = experiment.jobs()[..2].iter().map(|job| {
        let mut agent = build(&job.cell, model).unwrap();
        let best = vec![class; model.num_states()];
        let mut regret = Regret::new(TabularExact::new(model).with_bracket(best.clone(), best));
        let world = Simulation::new(&**model, job.cell.streams());
        world.run(0..400, &mut *agent, &mut regret).unwrap();
        let curve = regret.curve().unwrap();
        [100, 200, 300, 400].map(|n: usize| curve[n - 1].upper)
    });
    let expected: Vec<_> = expected.collect();
    for (i, regret) in learner.regret(class).iter().enumerate() {
        let mean = 0.5 * (expected[0][i] + expected[1][i]);
        assert!((regret.mean - mean).abs() < 1e-9 * mean, "{} {mean}", regret.mean);
    }
    assert_eq!(learner.regret(class).len(), 4);
    // What is known is not computed again.
    assert_eq!(reference(dir.path(), &experiment.jobs()[0], Effort::default()).unwrap(), optima);
}

/// On many states a policy takes long to evaluate: that is done at the points kept, and regret, which
/// needs all of them, is left out.
#[test]
fn many_states_have_values_but_no_regret() {
    let dir = tempdir().unwrap();
    let spec = Spec::from_toml(
        "episodes = 6\nseeds = 2\npoints = 2\n[[models]]\nmodel = 'river-swim'\nstates = 600\ngamma = 0.8\n\
         [[agents]]\nagent = 'fixed'\nsequence = '(1)'",
    );
    let experiment = spec.unwrap().expand("".as_ref()).unwrap();
    Runner::new().run(&experiment, dir.path()).unwrap();
    let groups = summarize(&load(dir.path()).unwrap());
    assert_eq!(groups[0].value.len(), 2);
    assert!(groups[0].regret(1.0).is_empty());
    assert!(groups[0].runs.iter().all(|run| run.worth == [None, None]));
}

/// Plays one action for ever, the less rewarding one after a bad episode.
struct Sulky(Action);

impl Agent<usize, f64> for Sulky {
    fn begin_episode(&mut self, _: &usize) {}
    fn act(&mut self, _: &AugmentedState<usize>) -> Action {
        self.0
    }
    fn observe(&mut self, segment: &Segment<usize, f64>) {
        self.0 = usize::from(segment.reward() > 0.0);
    }
}

impl Learner for Sulky {}

#[test]
fn an_agent_of_ones_own_takes_part() {
    let dir = tempdir().unwrap();
    let experiment = Spec::from_toml(SPEC).unwrap().expand("".as_ref()).unwrap();
    let made = AtomicU64::new(0);
    let factory = |_: &_, _: &_| -> Result<Box<dyn Learner>, LearnerError> {
        made.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Sulky(1)))
    };
    Runner::new().with_agents(&factory).run(&experiment, dir.path()).unwrap();
    assert_eq!(made.load(Ordering::Relaxed), 12);
}

/// One of every kind.
const EVERYONE: &str = "
    episodes = 50
    seeds = 1
    points = 5
    [[models]]
    model = 'river-swim'
    states = 3
    gamma = 0.8
    beta = 0.5
    [[agents]]
    agent = 'lsvi-ucb'
    oracle = ['runs:1,2', 'beam:3,4', 'branch-and-bound:0.1,50']
    horizon = 8
    rho = [0.5, 2]
    [[agents]]
    agent = 'epsilon-greedy'
    oracle = 'runs:1,2'
    horizon = 8
    epsilon = 0.5
    [[agents]]
    agent = 'one-step'
    horizon = 8
    [[agents]]
    agent = 'certainty-equivalence'
    oracle = 'runs:1,2'
    [[agents]]
    agent = 'class-optimal'
    oracle = 'runs:1,2'
    [[agents]]
    agent = 'optimal'
    [[agents]]
    agent = 'fixed'
    sequence = '(1)'
    [[agents]]
    agent = 'uniform'
";

/// Whose third attempt to save it ends the run, as a crash would.
struct Fragile(Box<dyn Learner>, Cell<u32>);

impl Agent<usize, f64> for Fragile {
    fn begin_episode(&mut self, start: &usize) {
        self.0.begin_episode(start);
    }
    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.0.act(x)
    }
    fn observe(&mut self, segment: &Segment<usize, f64>) {
        self.0.observe(segment);
    }
    fn end_episode(&mut self) {
        self.0.end_episode();
    }
    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        self.0.policy()
    }
}

impl Learner for Fragile {
    fn save(&self) -> Result<Option<String>, LearnerError> {
        self.1.set(self.1.get() + 1);
        if self.1.get() > 2 { Err("crash".into()) } else { self.0.save() }
    }
}

/// The files of a folder.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.file_name().unwrap().to_string_lossy().into(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn every_kind_of_agent_resumes_in_the_middle_of_a_cell() {
    let (straight, broken) = (tempdir().unwrap(), tempdir().unwrap());
    let experiment = Spec::from_toml(EVERYONE).unwrap().expand("".as_ref()).unwrap();
    Runner::new().run(&experiment, straight.path()).unwrap();
    let crash = |cell: &_, model: &_| -> Result<Box<dyn Learner>, LearnerError> {
        Ok(Box::new(Fragile(build(cell, model)?, Cell::new(0))))
    };
    let cells = experiment.jobs().len();
    for i in 1..=cells {
        let shard = format!("{i}/{cells}").parse().unwrap();
        let runner = Runner::new().with_shard(shard).with_checkpoint(Duration::ZERO);
        let error = runner.with_agents(&crash).run(&experiment, broken.path()).unwrap_err();
        assert!(error.to_string().ends_with("crash"), "{error}");
    }
    assert_eq!(files(&broken.path().join("checkpoints")).len(), cells);
    let count = Count::default();
    Runner::new().with_progress(&count).run(&experiment, broken.path()).unwrap();
    assert_eq!(count.2.into_inner(), 20 * cells as u64, "what was taken up");
    assert_eq!(count.1.into_inner(), 50 * cells as u64);
    assert!(files(&straight.path().join("cells")) == files(&broken.path().join("cells")));
}

/// An oracle that never answers.
struct Mute;

impl SequenceOracle<f64> for Mute {
    fn maximize(&self, _: &mut dyn SequenceObjective<f64>) -> Result<Choice<f64>, OracleError> {
        Err(OracleError::EmptyFamily)
    }
}

#[test]
fn an_oracle_without_an_answer_ends_the_cell() {
    let dir = tempdir().unwrap();
    let experiment = Spec::from_toml(SPEC).unwrap().expand("".as_ref()).unwrap();
    let factory = |_: &_, model: &Tabular<f64>| -> Result<Box<dyn Learner>, LearnerError> {
        let psi = TabularPsi::new(model.clone());
        Ok(Box::new(LsviUcb::new(psi, Mute, 2, model.gamma(), LsviUcbParams::default())?))
    };
    let error = Runner::new().with_agents(&factory).run(&experiment, dir.path()).unwrap_err();
    assert!(error.to_string().ends_with("the family has no sequences"), "{error}");
}

#[test]
fn a_saved_state_of_another_model_is_refused() {
    let experiment = Spec::from_toml(EVERYONE).unwrap().expand("".as_ref()).unwrap();
    let job = experiment.jobs().iter().find(|job| job.cell.agent.to_string().contains("beam"));
    let job = job.unwrap();
    let mut agent = build(&job.cell, &job.model).unwrap();
    Simulation::new(&*job.model, job.cell.streams()).run(0..5, &mut *agent, &mut ()).unwrap();
    let saved = agent.save().unwrap().unwrap();
    let wrong = saved.replacen("\"ends\":[{\"state\":", "\"ends\":[{\"state\":7", 1);
    assert_ne!(saved, wrong);
    let mut other = build(&job.cell, &job.model).unwrap();
    let error = other.restore(&wrong).unwrap_err().to_string();
    assert!(error.starts_with("the saved state has state 7"), "{error}");
    other.restore(&saved).unwrap();
    assert_eq!(other.save().unwrap().unwrap(), saved);
}

/// Episodes in all, behind it, and those of them that an earlier attempt had done.
#[derive(Default)]
struct Count(AtomicU64, AtomicU64, AtomicU64);

impl Progress for Count {
    fn start(&self, episodes: u64) {
        self.0.store(episodes, Ordering::Relaxed);
    }
    fn advance(&self, episodes: u64, fresh: bool) {
        self.1.fetch_add(episodes, Ordering::Relaxed);
        self.2.fetch_add(if fresh { 0 } else { episodes }, Ordering::Relaxed);
    }
}

#[test]
fn progress_arrives_at_the_end() {
    let dir = tempdir().unwrap();
    let experiment = Spec::from_toml(SPEC).unwrap().expand("".as_ref()).unwrap();
    for _ in 0..2 {
        let count = Count::default();
        Runner::new().with_progress(&count).run(&experiment, dir.path()).unwrap();
        assert_eq!(count.0.into_inner(), 12 * 50);
        assert_eq!(count.1.into_inner(), 12 * 50);
    }
}

/// Each cell is run by one of them: shards, processes and threads that share a folder share the work.
#[test]
fn runners_in_one_folder_share_the_cells() {
    let (dir, alone) = (tempdir().unwrap(), tempdir().unwrap());
    let spec = SPEC.replace("episodes = 50", "episodes = 2000");
    let experiment = Spec::from_toml(&spec).unwrap().expand("".as_ref()).unwrap();
    Runner::new().run(&experiment, alone.path()).unwrap();
    let counts: [Count; 3] = Default::default();
    std::thread::scope(|scope| {
        for count in &counts {
            scope.spawn(|| {
                let runner = Runner::new().with_threads(1).with_progress(count);
                runner.run(&experiment, dir.path()).unwrap();
                assert_eq!(count.1.load(Ordering::Relaxed), 12 * 2000);
            });
        }
    });
    let fresh = |count: &Count| count.1.load(Ordering::Relaxed) - count.2.load(Ordering::Relaxed);
    assert_eq!(counts.iter().map(fresh).sum::<u64>(), 12 * 2000, "no episode was played twice");
    for folder in ["cells", "checkpoints"] {
        assert!(files(&dir.path().join(folder)) == files(&alone.path().join(folder)));
    }
}

/// Asks for an end after some episodes.
struct Limit<'a>(u64, AtomicU64, &'a AtomicBool);

impl Progress for Limit<'_> {
    fn advance(&self, episodes: u64, fresh: bool) {
        let played = if fresh { episodes } else { 0 };
        if self.1.fetch_add(played, Ordering::Relaxed) + played >= self.0 {
            self.2.store(true, Ordering::Relaxed);
        }
    }
}

/// Also between the points of a curve, of which there is one here, at the end.
#[test]
fn a_run_that_is_asked_to_stop_goes_on_later() {
    let (dir, straight) = (tempdir().unwrap(), tempdir().unwrap());
    let spec = EVERYONE.replace("points = 5", "points = 1");
    let experiment = Spec::from_toml(&spec).unwrap().expand("".as_ref()).unwrap();
    Runner::new().run(&experiment, straight.path()).unwrap();
    let cells = experiment.jobs().len();
    let (mut stops, mut saved) = (0, 0);
    loop {
        let stop = AtomicBool::new(false);
        let limit = Limit(35, AtomicU64::new(0), &stop);
        let runner = Runner::new().with_threads(2).with_progress(&limit).with_stop(&stop);
        match runner.run(&experiment, dir.path()) {
            Err(ExperimentError::Stopped { finished, total }) => {
                assert_eq!((finished, total), (files(&dir.path().join("cells")).len(), cells));
            }
            done => break done.unwrap(),
        }
        saved += files(&dir.path().join("checkpoints")).len();
        stops += 1;
        assert!(stops < 100, "it gets nowhere");
    }
    assert!(stops >= 5 && saved >= 3, "{stops} {saved}");
    assert!(files(&straight.path().join("cells")) == files(&dir.path().join("cells")));
    assert_eq!(files(&dir.path().join("checkpoints")).len(), 0);
}
