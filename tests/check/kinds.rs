//! Every built-in kind passes its check. The kinds are those of the registry: a new one is checked
//! here without a line of its own, unless it has a parameter without a default, whose value then
//! stands in `value`. Models are listed.

use nalgebra::Dyn;
use sporadic::check;
use sporadic::estimators::Exploratory;
use sporadic::experiment::Spec;
use sporadic::features::{Dynamics, OneHot};
use sporadic::kinds::models::{
    FrozenLake4x4, FrozenLake8x8, Inventory, MeasuringValue, RandomSparse, RiverBalance, RiverSwim,
    SensingCost,
};
use sporadic::kinds::{Kind, KindInfo, ModelKind, Parameter, Registry, Site, Table};
use sporadic::model::{Tabular, gallery};
use sporadic::simulation::{Ending, Feedback, Setting, Simulation, Streams};

/// The value of a parameter that has no default, or a smaller one than its default where that takes
/// long.
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
        let (kind, name) = (info.name, parameter.name);
        assert!(value(parameter).is_some(), "{kind}: {name} has no default and needs a value here");
    }
    let values = info.parameters.iter().filter_map(|p| Some((p.name.to_owned(), value(p)?)));
    values.collect()
}

#[test]
fn every_agent_passes_and_is_saved() {
    let (registry, world) = (Registry::builtin(), gallery::sensing_cost::<f64>(0.1, 0.8).unwrap());
    // What every agent can learn from.
    let setting = Setting { feedback: Feedback::EveryRound, ending: Ending::Discounted };
    let site = Site::new(&world, Streams::new(3), 40, registry.oracles()).with_setting(setting);
    let simulation = Simulation::new(&world, Streams::new(3)).with_setting(setting);
    for info in registry.tabular().agents() {
        let make = || registry.tabular().build_agent(info.name, &table(info), &site).unwrap();
        assert!(make().memory().is_some(), "{}: build it with `.resumable()`", info.name);
        let findings = check::agent(&simulation, 40, make);
        assert!(findings.is_empty(), "{}:\n{findings}", info.name);
    }
}

#[test]
fn every_oracle_passes_and_states_its_family() {
    let registry = Registry::builtin();
    for info in registry.oracles().infos() {
        let mut named = table(info);
        named.insert("oracle".into(), info.name.into());
        let resolved = registry.oracles().resolve_value(&named.into()).unwrap();
        for actions in [1, 2, 3] {
            let findings = check::oracle(actions, || resolved.build(actions).unwrap());
            assert!(findings.is_empty(), "{}:\n{findings}", info.name);
            let built = resolved.build(actions).unwrap();
            let built = built.family(actions).map(std::borrow::Cow::into_owned);
            assert_eq!(resolved.family(actions).unwrap(), built, "{}", info.name);
        }
    }
}

#[test]
fn every_estimator_passes() {
    let (registry, world) = (Registry::builtin(), gallery::river_swim::<f64>(3, 0.3, 0.8).unwrap());
    let sampler = Exploratory::uniform(&world);
    let exploration = sampler.exploration().unwrap();
    let truth = Dynamics::<f64, Dyn>::one_hot(&world, OneHot::of(&world));
    for info in registry.estimators().infos() {
        let resolved = registry.estimators().resolve(info.name).unwrap();
        let make = || resolved.build(&world, exploration).unwrap();
        let findings = check::estimator(&truth, |rng| sampler.sample(rng), make);
        assert!(findings.is_empty(), "{}:\n{findings}", info.name);
    }
}

fn world<K: ModelKind<World = Tabular<f64>> + Default>() -> (&'static str, Tabular<f64>) {
    (<K as Kind>::NAME, K::default().build().unwrap())
}

#[test]
fn every_model_passes() {
    let worlds = [
        world::<RiverSwim>(),
        world::<RiverBalance>(),
        world::<MeasuringValue>(),
        world::<SensingCost>(),
        world::<Inventory>(),
        world::<FrozenLake4x4>(),
        world::<FrozenLake8x8>(),
        world::<RandomSparse>(),
    ];
    let names: Vec<_> = Registry::builtin().model_infos().iter().map(|info| info.name).collect();
    assert_eq!(worlds.each_ref().map(|(name, _)| *name)[..], names, "the registry's, in its order");
    for (name, world) in &worlds {
        let findings = check::environment(world, 1, 100);
        assert!(findings.is_empty(), "{name}:\n{findings}");
        // Bounds on the optimum of large models take a minute.
        if world.num_states() <= 16 {
            let findings = check::exact(world, 1, 2_000);
            assert!(findings.is_empty(), "{name}:\n{findings}");
        }
    }
}

#[test]
fn every_model_is_made_by_its_name_alone() {
    let registry = Registry::builtin();
    for info in registry.model_infos() {
        let model = format!("[[models]]\nmodel = '{}'", info.name);
        let spec = format!("episodes = 3\nseeds = 1\n{model}\n[[agents]]\nagent = 'uniform'");
        let plan = Spec::from_toml(&spec).unwrap().expand(&registry, ".".as_ref());
        let plan = plan.unwrap_or_else(|fault| panic!("{}: {fault}", info.name));
        assert_eq!(plan.len(), 1, "{}", info.name);
    }
}
