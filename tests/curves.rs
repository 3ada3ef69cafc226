//! Learning curves under snapshot: a change of the code that changes what an agent learns turns the
//! curve of that name red. `cargo insta review` shows where and by how much. A combination that is
//! refused has the sentence that refuses it in place of a curve.
#![cfg(feature = "cli")]

use std::process::Command;

use nalgebra::{Const, Dyn};
use rand_pcg::Pcg64;
use sporadic::agents::{Candidates, LsviUcb, LsviUcbParams, Replanning, TabularLsviUcb};
use sporadic::dim::{Dimensional, FeatureDim};
use sporadic::estimators::{
    ErrorBounds, EstimateError, Estimator, Exploratory, TabularEstimator, Transition, plug_in,
};
use sporadic::experiment::{Experiment, Outcome, Runner, Spec};
use sporadic::features::{Dynamics, OneHot, Psi, RandomLinear};
use sporadic::kinds::{OracleKind, Registry, agents};
use sporadic::model::{Action, gallery};
use sporadic::oracles::{Choice, Exhaustive, OracleError, SequenceObjective, SequenceOracle};
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Curve, Regret, Returns, Simulation, Streams};
use sporadic::{Fault, Real, kind};

/// The mean curve of an experiment with one world and one agent, or why it is refused.
fn learn(setting: &str, model: &str, agent: &str) -> String {
    let spec = format!("points = 6\n{setting}\n[[models]]\n{model}\n[[agents]]\n{agent}\n");
    let registry = Registry::builtin().with_oracle::<HillClimbing>();
    let plan = Spec::from_toml(&spec).and_then(|spec| spec.expand(&registry, ".".as_ref()));
    match plan {
        Ok(plan) => text(&Runner::new().run_in_memory(&plan).unwrap()),
        Err(refusal) => format!("refused: {refusal}\n"),
    }
}

fn text(outcome: &Outcome) -> String {
    format!("{:.4}", outcome.groups()[0].curve())
}

/// One test, and one snapshot of its name, for each line.
macro_rules! curves {
    ($setting:expr; $($name:ident: $model:expr, $agent:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(learn($setting, $model, $agent));
        }
    )*};
}

// The paper's eight settings, with its 1012 sequences.
curves! { "episodes = 120\nseeds = 1";
    paper_river_swim_005: "model = 'river-swim'\nbeta = 0.05", "agent = 'lsvi-ucb'";
    paper_river_swim_01: "model = 'river-swim'\nbeta = 0.1", "agent = 'lsvi-ucb'";
    paper_river_swim_02: "model = 'river-swim'\nbeta = 0.2", "agent = 'lsvi-ucb'";
    paper_river_swim_05: "model = 'river-swim'\nbeta = 0.5", "agent = 'lsvi-ucb'";
    paper_river_balance_005: "model = 'river-balance'\nbeta = 0.05", "agent = 'lsvi-ucb'";
    paper_river_balance_01: "model = 'river-balance'\nbeta = 0.1", "agent = 'lsvi-ucb'";
    paper_river_balance_02: "model = 'river-balance'\nbeta = 0.2", "agent = 'lsvi-ucb'";
    paper_river_balance_05: "model = 'river-balance'\nbeta = 0.5", "agent = 'lsvi-ucb'";
}

const RUNS: &str = "episodes = 120\nseeds = 2";
const SMALL: &str = "model = 'river-balance'\nstates = 4\nbeta = 0.3\ngamma = 0.8";

fn with(more: &str) -> String {
    format!("agent = 'lsvi-ucb'\nhorizon = 10\nrho = 1\n{more}")
}

/// A learner that plans for fewer sightings than an episode has.
fn short(more: &str) -> String {
    format!("agent = 'lsvi-ucb'\nhorizon = 3\nrho = 1\n{more}")
}

// One learner in one world with every oracle.
curves! { RUNS;
    oracle_exhaustive: SMALL, &with("oracle = 'words:4'");
    oracle_runs: SMALL, &with("oracle = 'runs:2,3'");
    oracle_periodic: SMALL, &with("oracle = 'periodic:1,3'");
    oracle_truncated: SMALL, &with("oracle = 'truncated:4'");
    oracle_beam: SMALL, &with("oracle = 'beam:4,8'");
    oracle_branch_and_bound: SMALL, &with("oracle = 'branch-and-bound:0.3,100'");
    oracle_adaptive: SMALL, &with("oracle = 'adaptive'");
    oracle_portfolio: SMALL, &with("oracle = 'runs:1,2+beam:2,4'");
    oracle_portfolio_of_families: SMALL, &with("oracle = 'runs:1,2+words:2'");
    oracle_of_a_user: SMALL, &with("oracle = 'hill-climbing'");
}

// What is known of psi, with a family, with the pool and with a search.
curves! { RUNS;
    psi_exact: SMALL, &with("oracle = 'runs:1,2'");
    psi_exact_by_model: SMALL, &with("oracle = 'runs:1,2'\ncontinuation = 'model'");
    psi_estimated: SMALL, &with("oracle = 'runs:1,2'\npsi = 'estimated:500'");
    psi_estimated_normalized:
        SMALL, &with("oracle = 'runs:1,2'\npsi = 'estimated:500'\nmap = 'normalized'");
    psi_estimated_norm_corrected:
        SMALL, &with("oracle = 'runs:1,2'\npsi = 'estimated:500'\nmap = 'norm-corrected'");
    psi_estimated_search: SMALL, &with("oracle = 'beam:2,4'\npsi = 'estimated:500'");
    psi_estimated_search_by_model:
        SMALL, &with("oracle = 'beam:2,4'\npsi = 'estimated:500'\ncontinuation = 'model'");
    psi_online: SMALL, &with("oracle = 'runs:1,2'\npsi = 'online'");
    psi_online_by_model:
        SMALL, &with("oracle = 'runs:1,2'\npsi = 'online'\ncontinuation = 'model'");
    psi_online_bonus: SMALL, &with("oracle = 'runs:1,2'\npsi = 'online'\npsi_bonus = 0.1");
    psi_online_normalized: SMALL,
        &with("oracle = 'runs:1,2'\npsi = 'online'\nmap = 'normalized'\npsi_error = 0.01");
    psi_online_pool: SMALL, &with("oracle = 'adaptive'\npsi = 'online'");
    psi_online_pool_by_model:
        SMALL, &with("oracle = 'adaptive'\npsi = 'online'\ncontinuation = 'model'");
    psi_online_pool_bonus: SMALL, &with("oracle = 'adaptive'\npsi = 'online'\npsi_bonus = 0.1");
    psi_online_pool_normalized: SMALL,
        &with("oracle = 'adaptive'\npsi = 'online'\nmap = 'normalized'\npsi_error = 0.01");
    psi_online_search: SMALL, &with("oracle = 'beam:2,4'\npsi = 'online'");
    psi_online_search_by_model:
        SMALL, &with("oracle = 'beam:2,4'\npsi = 'online'\ncontinuation = 'model'");
    psi_online_search_bonus:
        SMALL, &with("oracle = 'beam:2,4'\npsi = 'online'\npsi_bonus = 0.1");
}

// When to plan, and what to play from the H-th sighting on.
curves! { RUNS;
    replan_family: SMALL, &with("oracle = 'runs:1,2'\nreplan = 'growth:1.5'");
    replan_search: SMALL, &with("oracle = 'beam:2,4'\nreplan = 'growth:1.5'");
    replan_pool: SMALL, &with("oracle = 'adaptive'\nreplan = 'growth:1.5'");
    replan_online: SMALL, &with("oracle = 'runs:1,2'\nreplan = 'growth:1.5'\npsi = 'online'");
    beyond_constant: SMALL, &short("oracle = 'runs:1,2'\nbeyond = 'constant'");
    beyond_reuse_last: SMALL, &short("oracle = 'runs:1,2'\nbeyond = 'reuse-last'");
    beyond_reuse_first: SMALL, &short("oracle = 'runs:1,2'\nbeyond = 'reuse-first'");
    beyond_search: SMALL, &short("oracle = 'beam:2,4'\nbeyond = 'reuse-first'");
    beyond_pool: SMALL, &short("oracle = 'adaptive'\nbeyond = 'constant'");
}

const SCHEDULE: &str = "model = 'river-balance'\nstates = 4\nbeta = '0,0.2,0.6'\ngamma = 0.8";

// Reveal probabilities that depend on the age.
curves! { RUNS;
    schedule_family: SCHEDULE, &with("oracle = 'runs:1,2'");
    schedule_search: SCHEDULE, &with("oracle = 'beam:2,4'");
    schedule_by_model: SCHEDULE, &with("oracle = 'runs:1,2'\ncontinuation = 'model'");
    schedule_estimated: SCHEDULE, &with("oracle = 'runs:1,2'\npsi = 'estimated:500'");
    schedule_online: SCHEDULE, &with("oracle = 'runs:1,2'\npsi = 'online'");
    schedule_certainty:
        SCHEDULE, "agent = 'certainty-equivalence'\noracle = 'runs:1,2'\nestimates = 'em'";
}

// The pool as an oracle of the general learner, which takes long.
curves! { "episodes = 40\nseeds = 2";
    psi_estimated_pool: SMALL, &with("oracle = 'adaptive'\npsi = 'estimated:500'");
    schedule_pool: SCHEDULE, &with("oracle = 'adaptive'");
}

const EVERY_ROUND: &str = "episodes = 240\nseeds = 2\nfeedback = 'every-round'";
const SENSING: &str = "model = 'sensing-cost'\ncost = 0.1\ngamma = 0.8";

// Every kind of agent.
curves! { EVERY_ROUND;
    agent_lsvi_ucb: SENSING, "agent = 'lsvi-ucb'\noracle = 'words:2'\nhorizon = 10\nrho = 1";
    agent_epsilon_greedy:
        SENSING, "agent = 'epsilon-greedy'\noracle = 'words:2'\nhorizon = 10\nepsilon = 0.1";
    agent_one_step: SENSING, "agent = 'one-step'\nhorizon = 10\nrho = 1";
    agent_certainty_equivalence: SENSING, "agent = 'certainty-equivalence'\noracle = 'words:2'";
    agent_certainty_equivalence_em:
        SENSING, "agent = 'certainty-equivalence'\noracle = 'words:2'\nestimates = 'em'";
    agent_certainty_equivalence_solve:
        SENSING, "agent = 'certainty-equivalence'\noracle = 'words:2'\nplan = 'solve'";
    agent_amrl_q: SENSING, "agent = 'amrl-q'";
    agent_dyna_atmq: SENSING, "agent = 'dyna-atmq'";
    agent_observe_then_plan: SENSING, "agent = 'observe-then-plan'";
    agent_class_optimal: SENSING, "agent = 'class-optimal'\noracle = 'words:2'";
    agent_optimal: SENSING, "agent = 'optimal'";
    agent_fixed: SENSING, "agent = 'fixed'\nsequence = '1(0)'";
    agent_uniform: SENSING, "agent = 'uniform'";
}

#[test]
fn every_agent_kind_has_a_curve() {
    let rows = include_str!("curves.rs");
    for info in Registry::builtin().agent_infos() {
        let row = format!("agent_{}:", info.name.replace('-', "_"));
        assert!(rows.contains(&row), "{} has no curve here", info.name);
    }
}

/// The best of its neighbours until none is better: change, insert or remove one action.
#[derive(Clone, Copy)]
struct Climb;

impl<T: Real> SequenceOracle<T> for Climb {
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        let (actions, mut evaluated) = (objective.num_actions(), 0);
        let mut score = |word: &[Action]| {
            evaluated += 1;
            objective.value(&ActionSequence::new(word[..word.len() - 1].to_vec(), [word[3]]))
        };
        let mut word = vec![0; 4];
        let mut value = score(&word);
        while let Some((better, at)) = (0..4)
            .flat_map(|i| (0..actions).map(move |a| (i, a)))
            .map(|(i, a)| {
                let mut next = word.clone();
                next[i] = a;
                let at = score(&next);
                (next, at)
            })
            .find(|(_, at)| *at > value)
        {
            (word, value) = (better, at);
        }
        let sequence = ActionSequence::new(word[..3].to_vec(), [word[3]]);
        let upper_bound = objective.upper_bound(&[]);
        Ok(Choice { sequence, value, upper_bound, evaluated })
    }
}

kind! {
    /// Climbs from action 0 forever.
    pub struct HillClimbing("hill-climbing") {}
}

impl OracleKind for HillClimbing {
    fn build(&self, _: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        Ok(Box::new(Climb))
    }
}

/// An estimator of a user's own: counts with one more transition of each sort.
struct Laplace {
    counts: TabularEstimator<f64, Dyn>,
}

impl Laplace {
    fn new(states: usize, actions: usize, gamma: f64) -> Self {
        let mut counts = TabularEstimator::new(states, actions, gamma).unwrap();
        for (state, action, next) in itertools::iproduct!(0..states, 0..actions, 0..states) {
            counts.observe(&Transition { state, action, next, burst: next == 0 });
        }
        Self { counts }
    }
}

impl Dimensional for Laplace {
    type Dim = Dyn;

    fn dim(&self) -> Dyn {
        self.counts.dim()
    }
}

impl Estimator<f64> for Laplace {
    type State = usize;

    fn observe(&mut self, t: &Transition<usize>) {
        self.counts.observe(t);
    }

    fn observe_reveal(&mut self, a: Action, burst: bool) {
        self.counts.observe_reveal(a, burst);
    }

    fn samples(&self) -> u64 {
        self.counts.samples()
    }

    fn estimate(&self) -> Result<Dynamics<f64, Dyn>, EstimateError> {
        self.counts.estimate()
    }

    fn error_bounds(&self, confidence: f64) -> ErrorBounds<f64> {
        self.counts.error_bounds(confidence)
    }
}

#[test]
fn psi_from_an_estimator_of_a_user() {
    let model = gallery::river_balance::<f64>(4, 0.3, 0.8).unwrap();
    let (source, mut rng) = (Exploratory::uniform(&model), Pcg64::new(5, 1));
    let mut estimator = Laplace::new(4, 2, 0.8);
    (0..500).for_each(|_| estimator.observe(&source.sample(&mut rng)));
    let psi = plug_in(OneHot::new(4, 2), estimator.estimate().unwrap()).unwrap();
    let candidates = Candidates::new(&psi, 4, runs(2, 1, 2)).unwrap();
    let params = LsviUcbParams::default().with_horizon(10).with_rho(1.0);
    let mut agent = TabularLsviUcb::new(candidates, params).unwrap();
    let mut regret = Regret::of(&model).unwrap();
    Simulation::new(&model, Streams::new(1)).run(0..240, &mut agent, &mut regret).unwrap();
    insta::assert_snapshot!(format!("{:.4}", regret.curve().unwrap().with_points(6)));
}

/// Algorithm 1 on a random linear MDP with continuous states.
fn continuous<T: Real, D: FeatureDim>(dim: D, gamma: f64) -> String {
    let beta = [0.3, 0.6].map(T::of);
    let gamma = T::of(gamma);
    let world = RandomLinear::new(dim, beta.to_vec(), gamma, &mut Pcg64::new(3, 1)).unwrap();
    let dynamics = world.linear_model(10).dynamics(&beta, gamma).unwrap();
    let params = LsviUcbParams::default()
        .with_horizon(6)
        .with_rho(T::of(0.3))
        .with_replanning(Replanning::DeterminantGrowth(T::of(1.3)));
    let psi = Psi::new(&world, dynamics).unwrap();
    let mut agent = LsviUcb::new(psi, Exhaustive::new(runs(2, 1, 2)), params).unwrap();
    let mut returns = Returns::new();
    Simulation::new(&world, Streams::new(1)).run(0..300, &mut agent, &mut returns).unwrap();
    assert!(agent.error().is_none());
    format!("{:.4}", returns.curve().with_points(6))
}

#[test]
fn linear_single_precision() {
    insta::assert_snapshot!(continuous::<f32, _>(Const::<3>, 0.8));
}

#[test]
fn linear_double_precision() {
    let fixed = continuous::<f64, _>(Const::<3>, 0.8);
    assert_eq!(fixed, continuous::<f64, _>(Dyn(3), 0.8));
    insta::assert_snapshot!(fixed);
}

/// The same curve in memory, from a folder, and from a simulation with an observer.
#[test]
fn every_way_of_running_gives_one_curve() {
    let river = gallery::river_balance::<f64>(4, 0.3, 0.8).unwrap();
    let experiment = || {
        Experiment::new("ways")
            .with_episodes(60)
            .with_seeds(1)
            .with_points(60)
            .with_world("river", river.clone())
            .with_agent(agents::LsviUcb {
                oracle: "runs:1,2".into(),
                horizon: 10,
                rho: 1.0,
                ..agents::LsviUcb::default()
            })
    };
    let folder = tempfile::tempdir().unwrap();
    let in_memory = experiment().run().unwrap();
    experiment().run_in(folder.path()).unwrap();
    let loaded = Outcome::load(folder.path()).unwrap();
    assert_eq!(text(&in_memory), text(&loaded));

    let family: Vec<_> = runs(2, 1, 2).collect();
    let params = LsviUcbParams::default().with_horizon(10).with_rho(1.0);
    let params = params.with_reward_range(0.0, 1.0);
    let mut agent = TabularLsviUcb::for_model(&river, family.clone(), params).unwrap();
    let mut regret = Regret::of(&river).unwrap().with_class(&family);
    Simulation::new(&river, Streams::new(1)).run(0..60, &mut agent, &mut regret).unwrap();
    assert_eq!(text(&in_memory), format!("{:.4}", regret.curve().unwrap()));
}

#[test]
fn unknown_columns_are_left_out() {
    let curve = Curve {
        episodes: vec![10, 2_000],
        average: vec![-0.001, 123.456],
        value: vec![None, Some(1.0)],
        regret: vec![Some(1.0), Some(2.0)],
        regret_upper: vec![Some(1.004), Some(2.01)],
        ..Curve::default()
    };
    insta::assert_snapshot!(curve, @r"
    episodes  mean return  policy value  regret  at most
          10         0.00             -    1.00     1.00
        2000       123.46          1.00    2.00     2.01
    ");
    let rounded = Curve { value: vec![None; 2], ..curve };
    insta::assert_snapshot!(format!("{rounded:.1}"), @r"
    episodes  mean return  regret
          10          0.0     1.0
        2000        123.5     2.0
    ");
}

#[test]
fn lines_have_at_most_80_characters() {
    let extremes = [f64::MIN, -1e9, -999_999_999.0, -1e-300, 0.0, 1e8, f64::MAX, f64::NAN];
    let known: Vec<Option<f64>> = extremes.map(Some).to_vec();
    let curve = Curve {
        episodes: vec![u64::from(u32::MAX); 8],
        average: extremes.to_vec(),
        value: known.clone(),
        regret: known.clone(),
        regret_upper: known.iter().rev().copied().collect(),
        class_regret: known,
        ..Curve::default()
    };
    for text in (0..=17).map(|digits| format!("{curve:.digits$}")) {
        let widths: Vec<usize> = text.lines().map(str::len).collect();
        assert!(widths.iter().all(|&width| width == widths[0] && width <= 80), "{text}");
    }
}

#[test]
fn points_are_evenly_spaced_with_the_last() {
    let whole = Curve {
        episodes: (1..=10).collect(),
        average: vec![0.0; 10],
        regret: vec![Some(0.0); 4],
        ..Curve::default()
    };
    let points = |n| whole.with_points(n).episodes;
    assert_eq!(points(5), [2, 4, 6, 8, 10]);
    assert_eq!(points(3), [4, 7, 10]);
    assert_eq!((points(0), points(99)), (vec![], whole.episodes.clone()));
    let cut = whole.with_points(5);
    assert_eq!((cut.average.len(), cut.regret.len()), (5, 2));
}

#[test]
fn means_need_the_same_points() {
    let run = |episodes: &[u64], value: Option<f64>| Curve {
        episodes: episodes.into(),
        average: vec![value.unwrap_or(9.0); episodes.len()],
        value: vec![value; episodes.len()],
        ..Curve::default()
    };
    let mean = Curve::mean(&[run(&[1, 2], Some(1.0)), run(&[1, 2], Some(2.0))]).unwrap();
    assert_eq!((mean.average, mean.value), (vec![1.5; 2], vec![Some(1.5); 2]));
    let unknown = Curve::mean(&[run(&[1, 2], Some(1.0)), run(&[1, 2], None)]).unwrap();
    assert_eq!((unknown.average, unknown.value), (vec![5.0; 2], vec![None; 2]));
    assert_eq!(Curve::mean(&[run(&[1, 2], None), run(&[1, 3], None)]), None);
    assert_eq!(Curve::mean(&[]), None);
}

/// The table that `sporadic reproduce --quick` prints.
#[test]
fn reproduce_quick() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sporadic"));
    command.args(["reproduce", "--quick", "--out"]).arg(folder.path());
    let printed = command.output().unwrap();
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    insta::assert_snapshot!(String::from_utf8(printed.stdout).unwrap());
}
