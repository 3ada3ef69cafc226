//! Every kind of agent, oracle and estimator at full precision: curves and what was learnt.
//!
//! `.ci/portable.sh` writes this text on several processors and compares the bytes.
#![cfg(feature = "experiment")]

use std::fmt::{Debug, Write};
use std::hash::{DefaultHasher, Hash, Hasher};

use nalgebra::{Const, Dyn};
use rand_pcg::Pcg64;
use serde_json::{Value, json};
use sporadic::Real;
use sporadic::agents::{Agent, LsviUcb, LsviUcbParams, OnlineLsviUcb, Resume};
use sporadic::dim::FeatureDim;
use sporadic::estimators::{Exploratory, MomentEstimator, Reveals, stability};
use sporadic::experiment::{Experiment, Outcome, Runner};
use sporadic::features::{Psi, RandomLinear};
use sporadic::kinds::{KindInfo, Registry, Site, Table};
use sporadic::model::{Environment, Reveal, Tabular};
use sporadic::oracles::{Beam, Exhaustive};
use sporadic::planning::solve::{SolveOptions, solve};
use sporadic::sequence::runs;
use sporadic::simulation::{Ending, Feedback, Returns, Setting, Simulation, Streams};

/// What every agent can learn from.
const EVERY_ROUND: Setting = Setting { feedback: Feedback::EveryRound, ending: Ending::Discounted };
const EPISODES: u64 = 8;

/// A world of 12 states and 3 actions, large enough for products of matrices to be blocked, with
/// numbers that binary fractions round.
fn world() -> Tabular<f64> {
    let mut builder = Tabular::builder(0.8);
    for (a, beta) in [0.25, 0.5, 0.8].into_iter().enumerate() {
        let reward: Vec<f64> = (0..12).map(|s| ((5 * s + 3 * a) % 7) as f64 / 7.0).collect();
        let row = |s: usize| {
            let weights: Vec<f64> =
                (0..12).map(|y| ((s * (a + 2) + 3 * y) % 11) as f64 + 0.3).collect();
            let sum: f64 = weights.iter().sum();
            weights.into_iter().map(|w| w / sum).collect::<Vec<_>>()
        };
        builder = builder.action(format!("a{a}"), beta, reward, (0..12).map(row));
    }
    builder.build().unwrap()
}

/// Small values where there is no default or where it takes long.
fn table(info: &KindInfo) -> Table {
    let value = |name| match name {
        "oracle" => Some(json!("runs:2,2")),
        "horizon" => Some(json!(6)),
        "rho" => Some(json!(2.0)),
        "sequence" => Some(json!("1(02)")),
        "prefix" | "run" | "period" | "length" | "width" | "depth" => Some(json!(2)),
        "gap" => Some(json!(0.1)),
        "prefixes" => Some(json!(60)),
        "size" => Some(json!(8)),
        _ => None,
    };
    info.parameters.iter().filter_map(|p| Some((p.name.to_owned(), value(p.name)?))).collect()
}

/// Every kind of agent of the registry, the learner with every kind of oracle, and psi learnt.
fn agents(registry: &Registry) -> Vec<(&'static str, Table)> {
    let kinds = registry.tabular().agents().map(|info| (info.name, table(info)));
    let mut all: Vec<_> = kinds.collect();
    let mut add = |name: &str, values: Value| {
        let (name, mut parameters) = all.iter().find(|(known, _)| *known == name).unwrap().clone();
        parameters.extend(values.as_object().unwrap().clone());
        all.push((name, parameters));
    };
    for info in registry.oracles().infos() {
        let mut oracle = table(info);
        oracle.insert("oracle".into(), info.name.into());
        add("lsvi-ucb", json!({ "oracle": oracle }));
    }
    for map in ["plug-in", "norm-corrected", "normalized"] {
        add("lsvi-ucb", json!({ "psi": "estimated:300", "map": map }));
    }
    add("lsvi-ucb", json!({ "psi": "online", "replan": "growth:2" }));
    add("lsvi-ucb", json!({ "continuation": "model" }));
    add("certainty-equivalence", json!({ "estimates": "em" }));
    add("certainty-equivalence", json!({ "plan": "solve" }));
    all
}

/// Agents in a tabular world, side by side on all threads.
fn tabular(world: &Tabular<f64>, list: &[(&'static str, Table)], threads: usize) -> String {
    let (registry, mut text) = (Registry::builtin(), String::new());
    let mut experiment = Experiment::new("portable")
        .with_episodes(EPISODES)
        .with_seeds(1)
        .with_setting(EVERY_ROUND)
        .with_world("world", world.clone());
    for (agent, parameters) in list.iter().cloned() {
        let builtin = registry.clone();
        let site = Site::new(world, Streams::new(3), EPISODES, registry.oracles());
        let site = site.with_setting(EVERY_ROUND);
        let mut player = registry.tabular().build_agent(agent, &parameters, &site).unwrap();
        let simulation = Simulation::new(world, Streams::new(3)).with_setting(EVERY_ROUND);
        simulation.run(0..EPISODES, &mut player, &mut ()).unwrap();
        assert!(player.fault().is_none(), "{agent} {parameters:?}");
        let learnt = digest(&player.memory().unwrap().save().unwrap());
        writeln!(text, "{agent} {}: {learnt:x}", Value::from(parameters.clone())).unwrap();
        experiment = experiment.with_agent_fn(agent, parameters, move |parameters, site| {
            builtin.tabular().build_agent(agent, parameters, site)
        });
    }
    // A folder keeps the optimum, so that it is computed once.
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new().with_threads(threads);
    runner.run(&experiment.plan().unwrap(), folder.path()).unwrap();
    for group in Outcome::load(folder.path()).unwrap().groups() {
        let parameters = Value::from(group.cell.agent.parameters.clone());
        writeln!(text, "{} {parameters}: {:?}", group.cell.agent.name, group.reference).unwrap();
        writeln!(text, "{:?}\n{:?}", group.runs, group.average).unwrap();
    }
    text
}

/// Learners in a continuous linear world: sequences scored all at once, searched, and psi online.
fn linear<T: Real, D: FeatureDim + Debug>(dim: D, text: &mut String) {
    let (beta, gamma) = (vec![T::of(0.3), T::of(0.6)], T::of(0.8));
    let world = RandomLinear::new(dim, beta.clone(), gamma, &mut Pcg64::new(5, 4)).unwrap();
    let dynamics = world.linear_model(20).dynamics(&beta, gamma).unwrap();
    writeln!(text, "linear, {dim:?}: {:?}", stability(&dynamics)).unwrap();
    let psi = || Psi::new(&world, dynamics.clone()).unwrap();
    writeln!(text, "{:?}", psi().weights(&"01(011)".parse().unwrap()).as_slice()).unwrap();
    let params = LsviUcbParams::default().with_horizon(8).with_rho(T::of(0.5));
    let family = || Exhaustive::new(runs(2, 2, 2));
    let beam = Beam { width: 2, depth: 3 };
    let moments = MomentEstimator::new(&world, 2, gamma).unwrap();
    learn(&world, &mut LsviUcb::new(psi(), family(), params).unwrap(), text);
    learn(&world, &mut LsviUcb::new(psi(), beam, params).unwrap(), text);
    learn(&world, &mut OnlineLsviUcb::new(moments, family(), params).unwrap(), text);
}

fn learn<W, A>(world: &W, agent: &mut A, text: &mut String)
where
    W: Environment,
    A: Agent<W::State, W::Scalar> + Resume<State: Debug>,
{
    let mut returns = Returns::new();
    let simulation = Simulation::new(world, Streams::new(2));
    simulation.run(0..3 * EPISODES, agent, &mut returns).unwrap();
    assert!(agent.fault().is_none());
    let learnt = digest(&format!("{:?}", agent.state()));
    writeln!(text, "{:?} {learnt:x}", returns.returns()).unwrap();
}

/// Estimates of every estimator, and an interval.
fn estimates(world: &Tabular<f64>, text: &mut String) {
    let registry = Registry::builtin();
    let sampler = Exploratory::uniform(world);
    for info in registry.estimators().infos() {
        let kind = registry.estimators().resolve(info.name).unwrap();
        let mut estimator = kind.build(world, sampler.exploration().unwrap()).unwrap();
        let mut rng = Streams::new(1).world(0);
        (0..600).for_each(|_| estimator.observe(&sampler.sample(&mut rng)));
        let estimate = digest(&format!("{:?}", estimator.estimate().unwrap()));
        writeln!(text, "{}: {estimate:x}", info.name).unwrap();
    }
    let mut reveals = Reveals::<f64>::new(1);
    (0..100).for_each(|i| _ = reveals.observe(0, i % 3 == 0));
    writeln!(text, "{:?}", reveals.interval(0, 0.99)).unwrap();
}

/// A short number for a long text.
fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn everything(threads: usize) -> String {
    let (world, mut list) = (world(), agents(&Registry::builtin()));
    let mut text = tabular(&world, &list, threads);
    let reveals = vec![0.25.into(), Reveal::every(3).unwrap(), 0.8.into()];
    let scheduled = world.clone().with_reveals(reveals).unwrap();
    list.retain(|(_, parameters)| parameters.get("psi") == Some(&json!("online")));
    text += &tabular(&scheduled, &list, threads);
    linear::<f64, _>(Const::<8>, &mut text);
    linear::<f64, _>(Dyn(8), &mut text);
    linear::<f32, _>(Const::<8>, &mut text);
    estimates(&world, &mut text);
    let options = SolveOptions::default().with_gap(1e-3).with_time_limit(None);
    let found = solve(&world, &options).unwrap();
    writeln!(text, "{:?} {:?}", found.lower, found.upper).unwrap();
    text
}

/// All of it on as many threads as rayon takes, and again on three.
#[test]
fn numbers_do_not_depend_on_threads() {
    let text = everything(0);
    if let Some(path) = std::env::var_os("PORTABLE_NUMBERS") {
        return std::fs::write(path, text).unwrap();
    }
    let again = everything(3);
    text.lines().zip(again.lines()).for_each(|(one, other)| assert_eq!(one, other));
    assert_eq!(text.len(), again.len());
}
