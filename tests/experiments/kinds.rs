//! What holds for every built-in kind. The kinds are those of the registry: a new one is tested here without a line of its
//! own, unless it has a parameter without a default, whose value then stands in `value`.

use std::ops::Range;

use nalgebra::Dyn;
use sporadic::estimators::{Exploratory, Transition, beta_distance, matrix_distance};
use sporadic::experiment::Spec;
use sporadic::features::{Dynamics, OneHot, TabularPsi};
use sporadic::kinds::{BoxedAgent, KindInfo, Parameter, Registry, Site, Table};
use sporadic::model::{Action, Tabular, gallery};
use sporadic::oracles::{Choice, FeatureObjective, SequenceOracle};
use sporadic::simulation::{Ending, Feedback, Observer, Setting, Simulation, Step, Streams};

/// What every agent can learn from.
const EVERY_ROUND: Setting = Setting { feedback: Feedback::EveryRound, ending: Ending::Discounted };

/// The value of a parameter that has no default, or a smaller one than its default where that takes long.
fn value(parameter: &Parameter) -> Option<serde_json::Value> {
    match parameter.name {
        "oracle" => Some("words:2".into()),
        "horizon" => Some(6.into()),
        "sequence" => Some("1(0)".into()),
        "prefix" | "run" | "period" | "length" | "width" | "depth" => Some(3.into()),
        "gap" => Some(0.1.into()),
        _ => None,
    }
}

fn table(info: &KindInfo) -> Table {
    for parameter in info.parameters.iter().filter(|p| p.default.is_none()) {
        let known = value(parameter).is_some();
        assert!(
            known,
            "{}: {} has no default, so it needs a value here",
            info.name, parameter.name
        );
    }
    let values = info.parameters.iter().filter_map(|p| Some((p.name.to_owned(), value(p)?)));
    values.collect()
}

/// The actions of some episodes.
#[derive(Default, PartialEq, Debug)]
struct Actions(Vec<Action>);

impl<S> Observer<S, f64> for Actions {
    fn step(&mut self, step: &Step<'_, S, f64>) {
        self.0.push(step.action);
    }
}

fn play(
    world: &Tabular<f64>,
    episodes: Range<u64>,
    agent: &mut BoxedAgent<'_, Tabular<f64>>,
) -> Actions {
    let mut actions = Actions::default();
    let simulation = Simulation::new(world, Streams::new(3)).with_setting(EVERY_ROUND);
    simulation.run(episodes, agent, &mut actions).unwrap();
    actions
}

/// A sweep that was killed gives the same files even if its agents cannot be saved: they play from the start again.
/// So it takes this test to see that a checkpoint is worth something.
#[test]
fn every_agent_continues_from_what_it_saved() {
    let (registry, world) = (Registry::builtin(), gallery::sensing_cost::<f64>(0.1, 0.8).unwrap());
    let site = Site::new(&world, Streams::new(3), 40, registry.oracles()).with_setting(EVERY_ROUND);
    for info in registry.tabular().agents() {
        let name = info.name;
        let make = || registry.tabular().build_agent(name, &table(info), &site).unwrap();
        let (mut whole, mut restored) = (make(), make());
        play(&world, 0..20, &mut whole);
        let saved = whole
            .memory()
            .unwrap_or_else(|| panic!("{name}: build it with `.resumable()`"))
            .save()
            .unwrap();
        restored.memory().unwrap().restore(&saved).unwrap();
        assert_eq!(play(&world, 20..40, &mut whole), play(&world, 20..40, &mut restored), "{name}");
        let save =
            |agent: &mut BoxedAgent<'_, Tabular<f64>>| agent.memory().unwrap().save().unwrap();
        assert_eq!(save(&mut whole), save(&mut restored), "{name}");
        assert!(whole.fault().is_none(), "{name}");
    }
}

/// Learners are saved without their oracle and ask it again: what it answers must depend on the question alone.
#[test]
fn every_oracle_answers_the_same_question_alike() {
    let (registry, world) =
        (Registry::builtin(), gallery::river_balance::<f64>(4, 0.3, 0.8).unwrap());
    let psi = TabularPsi::new(world.clone());
    for info in registry.oracles().infos() {
        let mut named = table(info);
        named.insert("oracle".into(), info.name.into());
        let resolved = registry.oracles().resolve_value(&named.into()).unwrap();
        let build = || resolved.build(world.num_actions()).unwrap();
        let ask = |oracle: &mut dyn SequenceOracle<f64>, s: usize| -> Choice<f64> {
            let mut k = FeatureObjective::planning(&psi, s, &[1.0, 2.0, 3.0, 0.5]).unwrap();
            oracle.maximize(&mut k).unwrap()
        };
        let mut oracle = build();
        let first: Vec<_> = (0..4).map(|s| ask(&mut *oracle, s)).collect();
        for (s, first) in first.iter().enumerate().rev() {
            for again in [ask(&mut *oracle, s), ask(&mut *build(), s)] {
                assert_eq!(
                    (&again.sequence, again.value.to_bits()),
                    (&first.sequence, first.value.to_bits()),
                    "{}",
                    info.name
                );
                assert!(again.upper_bound >= again.value, "{}", info.name);
            }
        }
        // The kind and what it builds are of one mind about the family.
        let family = resolved.family(world.num_actions()).unwrap();
        let built = oracle.family(world.num_actions()).map(std::borrow::Cow::into_owned);
        assert_eq!(family, built, "{}", info.name);
        if let Some(family) = family {
            assert!(first.iter().all(|choice| family.contains(&choice.sequence)), "{}", info.name);
        }
    }
}

#[test]
fn every_model_can_be_made_by_its_name_alone_and_played() {
    let registry = Registry::builtin();
    for info in registry.model_infos() {
        let spec = format!(
            "episodes = 3\nseeds = 1\n[[models]]\nmodel = '{}'\n[[agents]]\nagent = 'uniform'",
            info.name
        );
        let plan = Spec::from_toml(&spec).unwrap().expand(&registry, ".".as_ref());
        assert_eq!(
            plan.unwrap_or_else(|fault| panic!("{}: {fault}", info.name)).cells().count(),
            1
        );
    }
}

/// With enough samples every estimator is near the truth; a sample that cannot be used is told, not lost.
#[test]
fn every_estimator_finds_the_truth_and_tells_what_it_cannot_use() {
    let (registry, world) = (Registry::builtin(), gallery::river_swim::<f64>(3, 0.3, 0.8).unwrap());
    let sampler = Exploratory::uniform(&world);
    let exploration = sampler.exploration().unwrap();
    let truth = Dynamics::<f64, Dyn>::one_hot(&world, OneHot::of(&world));
    for info in registry.estimators().infos() {
        let resolved = registry.estimators().resolve(info.name).unwrap();
        let mut estimator = resolved.build(&world, exploration).unwrap();
        let mut rng = Streams::new(1).world(0);
        (0..20_000).for_each(|_| estimator.observe(&sampler.sample(&mut rng)));
        assert_eq!(estimator.samples(), 20_000, "{}", info.name);
        let estimated = estimator.estimate().unwrap();
        // An entry's standard deviation is at most sqrt(1/4 / (20,000 / 6)) < 0.009, beta's at most 0.005: six of them.
        let error = matrix_distance(&estimated, &truth);
        assert!(error < 0.15, "{}: {error}", info.name);
        let error = beta_distance(&estimated, &truth);
        assert!(error < 0.03, "{}: {error}", info.name);
        let mut deceived = resolved.build(&world, exploration).unwrap();
        deceived.observe(&Transition { state: 0, action: 2, next: 0, burst: true });
        assert!(deceived.estimate().is_err(), "{}: there is no action 2", info.name);
    }
}
