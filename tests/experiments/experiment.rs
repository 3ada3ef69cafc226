//! Experiments from Rust, without the command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use nalgebra::Const;
use rand_pcg::Pcg64;
use sporadic::agents::{Agent, Resume, Segment};
use sporadic::belief::AugmentedState;
use sporadic::experiment::{
    Damage, Experiment, ExperimentError, Outcome, Plan, Progress, Runner, Spec,
};
use sporadic::features::RandomLinear;
use sporadic::kinds::{AgentKind, BoxedAgent, OracleKind, Realm, Registry, Site, Table, agents};
use sporadic::model::{Action, Environment, Tabular, gallery};
use sporadic::oracles::{Choice, Exhaustive, OracleError, SequenceObjective, SequenceOracle};
use sporadic::planning::{TabularExact, class_optimum};
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Regret, Returns, Simulation, Streams};
use sporadic::{Fault, kind};
use tempfile::tempdir;

const SPEC: &str = "
    episodes = 50
    seeds = 3
    points = 5
    models = [{model = 'river-swim', gamma = 0.9, beta = [0.1, 0.5]}]
    agents = [{agent = 'fixed', sequence = '(1)'}, {agent = 'uniform'}]
";

fn plan(spec: &str, registry: &Registry) -> Plan {
    Spec::from_toml(spec).unwrap().expand(registry, "".as_ref()).unwrap()
}

/// The files of a folder.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.file_name().unwrap().to_string_lossy().into(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn a_cell_is_the_plain_simulation() {
    let (dir, registry) = (tempdir().unwrap(), Registry::builtin());
    Runner::new().run(&plan(SPEC, &registry), dir.path()).unwrap();
    for group in Outcome::load(dir.path()).unwrap().groups() {
        let swim = gallery::river_swim(6, group.beta().unwrap(), 0.9).unwrap();
        for (run, curve) in group.runs.iter().enumerate() {
            let streams = Streams::new(1).with_run(run as u64);
            let site = Site::new(&swim, streams, 50, registry.oracles());
            let (name, table) = (&group.cell.agent.name, &group.cell.agent.parameters);
            let mut agent = registry.tabular().build_agent(name, table, &site).unwrap();
            let mut returns = Returns::new();
            Simulation::new(&swim, streams).run(0..50, &mut agent, &mut returns).unwrap();
            let means: Vec<f64> = returns.running_mean().collect();
            assert_eq!(curve.episodes, [10, 20, 30, 40, 50]);
            let at: Vec<f64> =
                curve.episodes.iter().map(|&n| means[usize::try_from(n).unwrap() - 1]).collect();
            assert_eq!(curve.average, at);
        }
    }
}

#[test]
fn runs_meet_the_same_world_whatever_the_agent() {
    let plan = plan(SPEC, &Registry::builtin());
    let streams: Vec<_> = plan.cells().map(|cell| cell.streams()).collect();
    assert_eq!(streams[0..3], streams[3..6]);
    assert_ne!(streams[0], streams[1]);
}

/// From values in memory and from a specification in a folder: the same curves.
#[test]
fn values_and_specifications_give_the_same_curves() {
    let dir = tempdir().unwrap();
    let values = Experiment::new("values")
        .with_episodes(50)
        .with_seeds(3)
        .with_points(5)
        .with_world("river-swim", gallery::river_swim(6, 0.1, 0.9).unwrap())
        .with_agent(agents::Fixed { sequence: "(1)".parse().unwrap() })
        .with_agent(agents::Uniform {});
    let spec = SPEC.replace("[0.1, 0.5]", "0.1");
    Runner::new().run(&plan(&spec, &Registry::builtin()), dir.path()).unwrap();
    let (values, spec) = (values.run().unwrap(), Outcome::load(dir.path()).unwrap());
    assert_eq!((values.groups().len(), spec.groups().len()), (2, 2));
    for (a, b) in values.groups().iter().zip(spec.groups()) {
        assert_eq!((&a.runs, &a.reference), (&b.runs, &b.reference));
        // The same tables have the same fingerprint, however they were given.
        assert_eq!(a.cell.world.fingerprint, b.cell.world.fingerprint);
    }
}

#[test]
fn the_learner_improves_on_chance() {
    let (dir, registry) = (tempdir().unwrap(), Registry::builtin());
    let plan = plan(
        "episodes = 400\nseeds = 2\npoints = 4\n[[models]]\nmodel = 'river-swim'\nstates = 4\ngamma = 0.9\n\
         [[agents]]\nagent = 'lsvi-ucb'\noracle = 'runs:2,3'\nhorizon = 20\nrho = 2\n[[agents]]\nagent = 'uniform'",
        &registry,
    );
    Runner::new().run(&plan, dir.path()).unwrap();
    let outcome = Outcome::load(dir.path()).unwrap();
    let (learner, chance) = (&outcome.groups()[0], &outcome.groups()[1]);
    let model = gallery::river_swim(4, 0.1, 0.9).unwrap();
    let family: Vec<_> = runs(2, 2, 3).collect();
    let class = class_optimum(&model, &family).unwrap().values[0];
    let bounds = learner.reference.bounds.unwrap();
    assert_eq!(learner.reference.class, Some(class));
    assert!(bounds.lower <= bounds.upper && class <= bounds.upper);
    assert!(learner.regret_bound.is_some() && chance.regret_bound.is_none());
    assert!(learner.average[3].mean > 2.0 * chance.average[3].mean);
    assert!(learner.value[3].mean > 0.9 * class);
    assert!(chance.value.is_empty() && chance.regret(class).is_empty());
    // The regret is that of all episodes, though four points are kept.
    let expected = [0, 1].map(|run| {
        let streams = Streams::new(1).with_run(run);
        let site = Site::new(&model, streams, 400, registry.oracles());
        let (name, table) = (&learner.cell.agent.name, &learner.cell.agent.parameters);
        let mut agent = registry.tabular().build_agent(name, table, &site).unwrap();
        let best = vec![class; model.num_states()];
        let mut regret =
            Regret::new(TabularExact::new(&model).with_bracket(best.clone(), best).unwrap());
        Simulation::new(&model, streams).run(0..400, &mut agent, &mut regret).unwrap();
        let curve = regret.curve().unwrap();
        [100, 200, 300, 400].map(|n: usize| curve.regret_upper[n - 1].unwrap())
    });
    for (i, regret) in learner.regret(class).iter().enumerate() {
        let mean = 0.5 * (expected[0][i] + expected[1][i]);
        assert!((regret.mean - mean).abs() < 1e-9 * mean, "{} {mean}", regret.mean);
    }
    assert_eq!(learner.regret(class).len(), 4);
}

/// On many states a policy takes long to evaluate: that is done at the points kept, and regret, which
/// needs all of them, is left out.
#[test]
fn many_states_have_values_but_no_regret() {
    let plan = plan(
        "episodes = 6\nseeds = 2\npoints = 2\n[[models]]\nmodel = 'river-swim'\nstates = 600\ngamma = 0.8\n\
         [[agents]]\nagent = 'fixed'\nsequence = '(1)'",
        &Registry::builtin(),
    );
    let outcome = Runner::new().run_in_memory(&plan).unwrap();
    let group = &outcome.groups()[0];
    assert_eq!(group.value.len(), 2);
    assert!(group.regret(1.0).is_empty());
    assert!(group.runs.iter().all(|run| run.mean_policy_value == [None, None]));
}

/// A world on the unit interval, which no table holds.
type Drift = RandomLinear<f64, Const<3>>;

kind! {
    /// A random linear world.
    struct DriftKind("drift") {
        /// The reveal probability of action 1
        reveal: f64 = 0.1,
    }
}

impl sporadic::kinds::ModelKind for DriftKind {
    type World = Drift;
    fn build(&self) -> Result<Drift, Fault> {
        Ok(Drift::new(Const, vec![0.2, self.reveal], 0.9, &mut Pcg64::new(1, 1))?)
    }
}

/// Plays action 1 more and more often while it pays.
struct Player {
    threshold: f64,
    paid: u64,
    rounds: u64,
}

impl<S> Agent<S, f64> for Player {
    fn begin_episode(&mut self, _: &S) {}
    fn act(&mut self, _: &AugmentedState<S>) -> Action {
        self.rounds += 1;
        usize::from(!self.rounds.is_multiple_of(2 + self.paid))
    }
    fn observe(&mut self, segment: &Segment<S, f64>) {
        self.paid += u64::from(segment.reward() > self.threshold);
    }
}

impl Resume for Player {
    type State = (u64, u64);
    fn state(&self) -> (u64, u64) {
        (self.paid, self.rounds)
    }
    fn restore(&mut self, (paid, rounds): (u64, u64)) -> Result<(), Fault> {
        (self.paid, self.rounds) = (paid, rounds);
        Ok(())
    }
}

kind! {
    /// Plays action 1 more and more often while it pays.
    struct WinMore("win-more") {
        /// What a segment must pay
        threshold: f64 = 0.5,
    }
}

impl<W: Environment<Scalar = f64>> AgentKind<W> for WinMore {
    fn build<'a>(&self, _: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> {
        Ok(Box::new(Player { threshold: self.threshold, paid: 0, rounds: 0 }.resumable()))
    }
}

kind! {
    /// The constant sequences.
    struct Constants("constants") {}
}

impl OracleKind for Constants {
    fn build(&self, actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        Ok(Box::new(Exhaustive::new((0..actions).map(ActionSequence::constant))))
    }
}

/// Our kinds, and those of a user with tables and a continuous world.
pub(crate) fn registry() -> Registry {
    let drift = Realm::<Drift>::new()
        .with_model::<DriftKind>()
        .with_agent::<WinMore>()
        .with_agent::<agents::Uniform>();
    Registry::builtin().with_agent::<WinMore>().with_oracle::<Constants>().with_realm(drift)
}

/// One of every kind, a user's among them, in a tabular and in a continuous world.
const EVERYONE: &str = "
    episodes = 50
    seeds = 1
    points = 1
    models = [{model = 'river-swim', states = 3, gamma = 0.8, beta = 0.5}]
    agents = [
        {agent = 'lsvi-ucb', oracle = 'runs:1,2', horizon = 8, rho = [0.5, 2]},
        {agent = 'lsvi-ucb', oracle = ['beam:3,4', 'constants'], horizon = 8, rho = [0.5, 2]},
        {agent = 'lsvi-ucb', oracle = 'branch-and-bound:0.1,50', horizon = 8, rho = [0.5, 2]},
        {agent = 'epsilon-greedy', oracle = 'runs:1,2', horizon = 8, epsilon = 0.5},
        {agent = 'one-step', horizon = 8},
        {agent = 'certainty-equivalence', oracle = 'runs:1,2'},
        {agent = 'class-optimal', oracle = 'runs:1,2'},
        {agent = 'optimal'},
        {agent = 'fixed', sequence = '(1)'},
        {agent = 'uniform'},
        {agent = 'win-more', threshold = [0.1, 0.6]},
    ]
";

const CONTINUOUS: &str = "
    episodes = 50
    seeds = 3
    points = 5
    models = [{model = 'drift', reveal = [0.1, 0.2]}]
    agents = [{agent = 'uniform'}, {agent = 'win-more'}]
";

/// Counts episodes, notes damages, and asks to stop after `limit` episodes, if there is a limit.
#[derive(Default)]
struct Log {
    limit: Option<u64>,
    /// Episodes in all, behind it, and those of them that were played now.
    total: AtomicU64,
    done: AtomicU64,
    fresh: AtomicU64,
    stop: AtomicBool,
    damages: Mutex<Vec<String>>,
}

impl Progress for Log {
    fn start(&self, episodes: u64) {
        self.total.store(episodes, Ordering::Relaxed);
    }
    fn advance(&self, episodes: u64, fresh: bool) {
        let now = if fresh { episodes } else { 0 };
        self.done.fetch_add(episodes, Ordering::Relaxed);
        let played = self.fresh.fetch_add(now, Ordering::Relaxed) + now;
        self.stop.fetch_or(self.limit.is_some_and(|limit| played >= limit), Ordering::Relaxed);
    }
    fn damaged(&self, path: &Path, damage: &Damage) {
        assert!(path.parent().is_some_and(|folder| folder.ends_with("checkpoints")));
        self.damages.lock().unwrap().push(damage.to_string());
    }
}

/// Stopped again and again, also between the points of a curve, it ends with the files of a run that
/// was left alone.
#[test]
fn interrupted_experiments_end_with_the_same_files() {
    for spec in [EVERYONE, CONTINUOUS] {
        let (dir, straight) = (tempdir().unwrap(), tempdir().unwrap());
        let plan = plan(spec, &registry());
        Runner::new().run(&plan, straight.path()).unwrap();
        let cells = usize::try_from(plan.len()).unwrap();
        let (mut stops, mut saved) = (0, 0);
        loop {
            let log = Log { limit: Some(35), ..Log::default() };
            let runner = Runner::new().with_threads(2).with_progress(&log).with_stop(&log.stop);
            match runner.run(&plan, dir.path()) {
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
        for folder in ["cells", "checkpoints", "references"] {
            assert!(files(&straight.path().join(folder)) == files(&dir.path().join(folder)));
        }
        Outcome::load(dir.path()).unwrap().write(dir.path()).unwrap();
        assert!(dir.path().join("report.html").exists());
    }
}

#[test]
fn a_world_without_tables_has_returns_and_no_optimum() {
    let outcome = Runner::new().run_in_memory(&plan(CONTINUOUS, &registry())).unwrap();
    let groups = outcome.groups();
    assert_eq!(groups.len(), 4);
    for group in groups {
        assert_eq!(group.reference, sporadic::experiment::Reference::default());
        assert_eq!(group.average.len(), 5);
        assert!(group.value.is_empty());
    }
    let summary = serde_json::to_value(outcome.summary()).unwrap();
    let row = &summary["groups"][0];
    assert_eq!(row["model"], "drift");
    assert_eq!(row["agent"]["agent"], "uniform");
    assert!(row["average"]["mean"].as_f64().unwrap() > 0.0);
    assert!(row["lower"].is_null() && row["regret"].is_null());
}

/// An agent under the name of one of ours is another agent.
#[test]
fn a_foreign_agent_never_shares_an_id_with_ours() {
    kind! {
        /// Under the name of one of ours.
        struct Impostor("uniform", 2) {}
    }
    impl AgentKind<Tabular<f64>> for Impostor {
        fn build<'a>(
            &self,
            site: &Site<'a, Tabular<f64>>,
        ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
            agents::Uniform {}.build(site)
        }
    }
    let world = || gallery::river_swim(3, 0.5, 0.8).unwrap();
    let ids = |experiment: Experiment<Tabular<f64>>| -> Vec<String> {
        let plan = experiment.with_seeds(1).with_world("w", world()).plan().unwrap();
        plan.cells().map(|cell| cell.id()).collect()
    };
    let ours = ids(Experiment::new("e").with_agent(agents::Uniform {}));
    // This test belongs to our crate: only a version can tell its kinds from ours.
    assert_ne!(ours, ids(Experiment::new("e").with_agent(Impostor {})));
    let closures = |version| {
        let experiment = Experiment::new("e").with_version(version);
        ids(experiment.with_agent_fn("uniform", (), |(), site| agents::Uniform {}.build(site)))
    };
    assert_ne!(ours, closures(1));
    assert_ne!(closures(1), closures(2));
}

kind! {
    /// An oracle that finds no sequence.
    struct Mute("mute") {}
}

impl SequenceOracle<f64> for Mute {
    fn maximize(&mut self, _: &mut dyn SequenceObjective<f64>) -> Result<Choice<f64>, OracleError> {
        Err(OracleError::EmptyFamily)
    }
}

impl OracleKind for Mute {
    fn build(&self, _: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        Ok(Box::new(Mute {}))
    }
}

#[test]
fn an_oracle_without_an_answer_ends_the_cell() {
    let registry = Registry::builtin().with_oracle::<Mute>();
    let spec =
        SPEC.replace("agent = 'uniform'", "agent = 'lsvi-ucb', oracle = 'mute', horizon = 5");
    let error = Runner::new().run_in_memory(&plan(&spec, &registry)).unwrap_err().to_string();
    assert!(error.ends_with("the family has no sequences"), "{error}");
}

#[test]
fn a_cell_whose_lambda_is_lost_ends_with_that_error() {
    for agent in ["lsvi-ucb", "epsilon-greedy"] {
        for (lambda, fine) in [("0.01", true), ("1e-18", false)] {
            let spec = format!(
                "episodes = 20\nseeds = 1\npoints = 2\n[[models]]\nmodel = 'river-swim'\ngamma = 0.9\n\
                 beta = 0.5\n[[agents]]\nagent = '{agent}'\noracle = 'runs:1,2'\nhorizon = 20\n\
                 lambda = {lambda}\n"
            );
            let result = Runner::new().run_in_memory(&plan(&spec, &Registry::builtin()));
            assert_eq!(result.is_ok(), fine, "{agent} {lambda}");
            if let Err(error) = result {
                let source = std::error::Error::source(&error).map(ToString::to_string);
                let sentence = format!("{error} {}", source.unwrap_or_default());
                assert!(sentence.contains("Lambda^-1 has lost its accuracy"), "{sentence}");
            }
        }
    }
}

#[test]
fn a_saved_state_of_another_model_is_refused() {
    let registry = Registry::builtin();
    let swim = gallery::river_swim::<f64>(3, 0.5, 0.8).unwrap();
    let site = Site::new(&swim, Streams::new(1), 50, registry.oracles());
    let table: Table = serde_json::from_str(r#"{"oracle": "beam:3,4", "horizon": 8}"#).unwrap();
    let make = || registry.tabular().build_agent("lsvi-ucb", &table, &site).unwrap();
    let mut agent = make();
    Simulation::new(&swim, Streams::new(1)).run(0..5, &mut agent, &mut ()).unwrap();
    let saved = agent.memory().unwrap().save().unwrap();
    let wrong = saved.replacen("\"ends\":[{\"state\":", "\"ends\":[{\"state\":7", 1);
    assert_ne!(saved, wrong);
    let mut other = make();
    let error = other.memory().unwrap().restore(&wrong).unwrap_err().to_string();
    assert!(error.contains("state 7"), "{error}");
    let mut other = make();
    other.memory().unwrap().restore(&saved).unwrap();
    assert_eq!(other.memory().unwrap().save().unwrap(), saved);
}

kind! {
    /// Saves a state that cannot be restored.
    struct Forgetful("forgetful") {}
}

impl<S> Agent<S, f64> for Forgetful {
    fn begin_episode(&mut self, _: &S) {}
    fn act(&mut self, _: &AugmentedState<S>) -> Action {
        1
    }
    fn observe(&mut self, _: &Segment<S, f64>) {}
}

impl Resume for Forgetful {
    type State = f64;
    fn state(&self) -> f64 {
        f64::INFINITY
    }
    fn restore(&mut self, _: f64) -> Result<(), Fault> {
        Ok(())
    }
}

impl<W: Environment<Scalar = f64>> AgentKind<W> for Forgetful {
    fn build<'a>(&self, _: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> {
        Ok(Box::new(Forgetful {}.resumable()))
    }
}

/// JSON has no infinity: it is saved as null, which is no number. The run starts again, and says so.
#[test]
fn a_checkpoint_that_cannot_be_restored_is_reported() {
    let (dir, registry) = (tempdir().unwrap(), Registry::builtin().with_agent::<Forgetful>());
    let spec = "episodes = 50\nseeds = 1\npoints = 50\n[[models]]\nmodel = 'river-swim'\n[[agents]]\nagent = 'forgetful'";
    let plan = plan(spec, &registry);
    let log = Log { limit: Some(1), ..Log::default() };
    let stopped = Runner::new().with_stop(&log.stop).with_progress(&log).run(&plan, dir.path());
    assert!(matches!(stopped, Err(ExperimentError::Stopped { finished: 0, total: 1 })));
    assert_eq!(log.damages.into_inner().unwrap(), [""; 0]);
    let log = Log::default();
    Runner::new().with_progress(&log).run(&plan, dir.path()).unwrap();
    let told = log.damages.into_inner().unwrap().join("\n");
    let expected = "the agent does not take back what it saved: invalid type: null, expected f64";
    assert!(told.starts_with(expected), "{told}");
    let alone = Runner::new().run_in_memory(&plan).unwrap();
    assert_eq!(Outcome::load(dir.path()).unwrap().groups()[0].runs, alone.groups()[0].runs);
}

#[test]
fn progress_arrives_at_the_end() {
    let dir = tempdir().unwrap();
    let plan = plan(SPEC, &Registry::builtin());
    for _ in 0..2 {
        let log = Log::default();
        Runner::new().with_progress(&log).run(&plan, dir.path()).unwrap();
        assert_eq!((log.total.into_inner(), log.done.into_inner()), (12 * 50, 12 * 50));
    }
}

/// Each cell is run by one of them: shards, processes and threads that share a folder share the work.
#[test]
fn runners_in_one_folder_share_the_cells() {
    let (dir, alone) = (tempdir().unwrap(), tempdir().unwrap());
    let plan = plan(&SPEC.replace("episodes = 50", "episodes = 2000"), &Registry::builtin());
    Runner::new().run(&plan, alone.path()).unwrap();
    let logs: [Log; 3] = Default::default();
    std::thread::scope(|scope| {
        for log in &logs {
            scope.spawn(|| {
                let runner = Runner::new().with_threads(1).with_progress(log);
                runner.run(&plan, dir.path()).unwrap();
                assert_eq!(log.done.load(Ordering::Relaxed), 12 * 2000);
            });
        }
    });
    let fresh: u64 = logs.iter().map(|log| log.fresh.load(Ordering::Relaxed)).sum();
    assert_eq!(fresh, 12 * 2000, "no episode was played twice");
    for folder in ["cells", "checkpoints"] {
        assert!(files(&dir.path().join(folder)) == files(&alone.path().join(folder)));
    }
}
