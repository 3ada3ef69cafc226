//! Agents that learn psi on the way: beside exact psi, and under attack.

use nalgebra::Const;
use rand_pcg::Pcg64;
use sporadic::Real;
use sporadic::agents::{
    AdaptiveLsviUcb, Agent, CertaintyEquivalence, CertaintyPlanner, Continuation,
    EmCertaintyEquivalence, LsviUcb, LsviUcbParams, OnlineLsviUcb, OnlineTabularLsviUcb, Resume,
    Segment, TabularLsviUcb,
};
use sporadic::estimators::{EmEstimator, MomentEstimator};
use sporadic::features::{Dynamics, OneHot, Psi, RandomLinear};
use sporadic::model::{Tabular, gallery};
use sporadic::oracles::Exhaustive;
use sporadic::planning::{class_optimum, evaluate};
use sporadic::sequence::runs;
use sporadic::simulation::{Regret, Returns, Simulation, Streams};

fn params() -> LsviUcbParams<f64> {
    LsviUcbParams::default().with_horizon(20).with_rho(5.0)
}

fn online(model: &Tabular<f64>, params: LsviUcbParams<f64>) -> OnlineTabularLsviUcb<f64> {
    OnlineTabularLsviUcb::for_model(model, runs(2, 2, 3), params).unwrap()
}

fn mean_return(
    model: &Tabular<f64>,
    episodes: std::ops::Range<u64>,
    agent: &mut dyn Agent<usize, f64>,
) -> f64 {
    let mut returns = Returns::new();
    Simulation::new(model, Streams::new(3)).run(episodes, agent, &mut returns).unwrap();
    assert!(agent.fault().is_none(), "{:?}", agent.fault());
    returns.mean().unwrap()
}

#[test]
fn psi_learnt_on_the_way_is_nearly_as_good_as_exact_psi() {
    for beta in [0.2, 0.5] {
        let model = gallery::river_balance::<f64>(4, beta, 0.9).unwrap();
        for continuation in [Continuation::Regression, Continuation::Model] {
            let params = params().with_continuation(continuation);
            let mut exact = TabularLsviUcb::for_model(&model, runs(2, 2, 3), params).unwrap();
            let mut agent = online(&model, params);
            let told = mean_return(&model, 0..1_500, &mut exact);
            let learnt = mean_return(&model, 0..1_500, &mut agent);
            assert!(learnt > 0.95 * told, "{beta} {continuation:?}: {learnt} of {told}");
        }
    }
}

#[test]
fn a_pool_learns_psi_as_well() {
    let model = gallery::river_balance::<f64>(4, 0.2, 0.9).unwrap();
    for continuation in [Continuation::Regression, Continuation::Model] {
        let params = params().with_continuation(continuation);
        let mut exact = AdaptiveLsviUcb::for_model(&model, 64, params).unwrap();
        let mut agent = OnlineTabularLsviUcb::for_model_with_pool(&model, 64, params).unwrap();
        let told = mean_return(&model, 0..1_000, &mut exact);
        let learnt = mean_return(&model, 0..1_000, &mut agent);
        assert!(learnt > 0.95 * told, "{continuation:?}: {learnt} of {told}");
    }
}

#[test]
fn a_bonus_for_errors_makes_values_larger() {
    let model = gallery::river_swim::<f64>(3, 0.4, 0.9).unwrap();
    let values = |c: f64| {
        // So small a rho that values stay below the clip, at which nothing is larger.
        let params = params().with_rho(1e-3);
        let mut agent = online(&model, params).with_error_bonus(c).unwrap();
        agent.begin_episode(&0);
        for _ in 0..400 {
            agent.observe(&Segment::new(0, [1], 0.0, Some(1)));
            agent.observe(&Segment::new(1, [0], 0.0, Some(0)));
        }
        agent.observe(&Segment::new(0, [0], 0.0, None));
        agent.end_episode();
        agent.begin_episode(&0);
        agent.learner().values()
    };
    let (none, some) = (values(0.0), values(0.5));
    assert!(none.iter().zip(&some).all(|(a, b)| a <= b) && none != some, "{none:?} {some:?}");
    assert!(online(&model, params()).with_error_bonus(-1.0).is_err());
    assert!(online(&model, params()).with_error_bonus(f64::NAN).is_err());
}

#[test]
fn an_action_that_never_reveals_is_no_trap() {
    // Sequences of action 1 alone show nothing for ever.
    let model =
        gallery::river_swim::<f64>(4, 0.5, 0.95).unwrap().with_betas(vec![0.5, 0.0]).unwrap();
    let params = LsviUcbParams::default().with_horizon(20).with_rho(10.0);
    let mut values = Regret::of(&model).unwrap();
    let mut agent = online(&model, params);
    Simulation::new(&model, Streams::new(1)).run(0..1_500, &mut agent, &mut values).unwrap();
    let last = values.episodes().last().unwrap().value.unwrap();
    let mut values = Regret::of(&model).unwrap();
    let mut exact = TabularLsviUcb::for_model(&model, runs(2, 2, 3), params).unwrap();
    Simulation::new(&model, Streams::new(1)).run(0..1_500, &mut exact, &mut values).unwrap();
    let told = values.episodes().last().unwrap().value.unwrap();
    assert!(last >= 0.98 * told, "{last} of {told}");
}

#[test]
fn both_learners_make_the_same_of_the_same_history() {
    // The tabular learner and the general one, as two roads to Lambda and the sums.
    let model = gallery::river_swim::<f64>(3, 0.4, 0.9).unwrap();
    for continuation in [Continuation::Regression, Continuation::Model] {
        let params = params().with_continuation(continuation);
        let mut tabular = online(&model, params);
        let oracle = Exhaustive::new(runs(2, 2, 3));
        let mut general = OnlineLsviUcb::for_model(&model, oracle, params).unwrap();
        let world = Simulation::new(&model, Streams::new(2));
        for k in 0..40 {
            world.run(k..k + 1, &mut tabular, &mut ()).unwrap();
            world.run(k..k + 1, &mut general, &mut ()).unwrap();
            for s in 0..3 {
                let (_, value) = general.learner().choose(1, &s).unwrap();
                let other = tabular.learner().values()[s];
                assert!(
                    (value - other).abs() < 1e-7 * other.abs().max(1.0),
                    "{k} {s}: {value} {other}"
                );
            }
        }
    }
}

#[test]
fn exact_psi_by_two_roads_with_the_models_continuation() {
    let model = gallery::river_balance::<f64>(4, 0.3, 0.9).unwrap();
    let params = params().with_continuation(Continuation::Model);
    let mut tabular = TabularLsviUcb::for_model(&model, runs(2, 2, 3), params).unwrap();
    let mut general = LsviUcb::for_model(&model, Exhaustive::new(runs(2, 2, 3)), params).unwrap();
    let world = Simulation::new(&model, Streams::new(2));
    world.run(0..60, &mut tabular, &mut ()).unwrap();
    world.run(0..60, &mut general, &mut ()).unwrap();
    for s in 0..4 {
        let (_, value) = general.choose(1, &s).unwrap();
        assert!((value - tabular.values()[s]).abs() < 1e-7 * value, "{s}");
    }
    // Without a model there is none.
    let psi = Psi::new(OneHot::of(&model), Dynamics::one_hot(&model, OneHot::of(&model))).unwrap();
    assert!(LsviUcb::new(psi, Exhaustive::new(runs(2, 1, 1)), params).is_err());
}

#[test]
fn states_that_another_agent_saved_are_refused() {
    let swim = |n| gallery::river_swim::<f64>(n, 0.5, 0.9).unwrap();
    let mut agent = online(&swim(3), params());
    Simulation::new(&swim(3), Streams::new(1)).run(0..5, &mut agent, &mut ()).unwrap();
    let state = agent.state();
    assert!(online(&swim(4), params()).restore(state.clone()).is_err());
    assert!(online(&swim(3), params().with_horizon(7)).restore(state.clone()).is_err());
    let mut few = OnlineTabularLsviUcb::for_model(&swim(3), runs(2, 1, 1), params()).unwrap();
    assert!(few.restore(state.clone()).is_err());
    let pool = OnlineTabularLsviUcb::for_model_with_pool(&swim(3), 24, params());
    assert!(pool.unwrap().restore(state).is_err());
}

#[test]
fn one_state_many_actions_unreachable_states_and_single_precision() {
    let alone = Tabular::builder(0.5).action("a", 0.5, vec![1.0], [[1.0]]).build().unwrap();
    assert!(
        mean_return(
            &alone,
            0..50,
            &mut OnlineTabularLsviUcb::for_model(&alone, runs(1, 1, 1), params()).unwrap()
        ) > 0.0
    );
    // Nine actions that reveal in nine ways, and a state that is never reached.
    let mut many = Tabular::builder(0.9);
    for a in 0..9 {
        let rows = [[0.5, 0.5, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0]];
        many = many.action(
            a.to_string(),
            f64::from(a) / 8.0,
            vec![0.1 * f64::from(a), 0.0, 1.0],
            rows,
        );
    }
    let many = many.initial(vec![1.0, 0.0, 0.0]).build().unwrap();
    let mut agent = OnlineTabularLsviUcb::for_model(&many, runs(9, 1, 1), params()).unwrap();
    assert!(mean_return(&many, 0..200, &mut agent) > 0.0);
    for gamma in [0.01, 0.9, 0.995] {
        let (double, single) = (last_share::<f64>(gamma), last_share::<f32>(gamma));
        println!("{gamma}: {single} and {double}");
        assert!(single > 0.9 && double > 0.9, "gamma {gamma}: {single} in f32, {double} in f64");
    }
}

/// The value of the policy after some hundred episodes on RiverSwim, as a share of the best of the family.
fn last_share<T: Real>(gamma: f64) -> f64 {
    let swim = gallery::river_swim::<T>(3, T::of(0.5), T::of(gamma)).unwrap();
    let family: Vec<_> = runs(2, 1, 2).collect();
    let params = LsviUcbParams::default().with_horizon(20).with_rho(T::of(0.1 / (1.0 - gamma)));
    let mut agent = OnlineTabularLsviUcb::for_model(&swim, family.clone(), params).unwrap();
    Simulation::new(&swim, Streams::new(1)).run(0..1_000, &mut agent, &mut ()).unwrap();
    assert!(agent.fault().is_none(), "{gamma}: {:?}", agent.fault());
    let value = evaluate(&swim, agent.policy().unwrap()).unwrap()[0];
    value.as_f64() / class_optimum(&swim, &family).unwrap().values[0].as_f64()
}

#[test]
fn a_reward_out_of_range_is_told_and_the_agent_goes_on() {
    let swim = gallery::river_swim::<f64>(3, 0.5, 0.9).unwrap();
    let nothing = EmEstimator::new(3, 2, 0.9).unwrap();
    let low = params().with_reward_range(0.0, 0.5);
    let mut agent = OnlineTabularLsviUcb::new(nothing, runs(2, 1, 1), low).unwrap();
    Simulation::new(&swim, Streams::new(1)).run(0..200, &mut agent, &mut ()).unwrap();
    assert!(agent.fault().unwrap().to_string().contains("declared range [0, 0.5]"));
}

#[test]
fn a_linear_world_on_an_interval_is_learnt() {
    // phi and gamma are known, the action matrices are not: within 5% of exact psi.
    let world = RandomLinear::<f64, _>::new(Const::<4>, vec![0.2, 0.6], 0.8, &mut Pcg64::new(4, 4))
        .unwrap();
    let params = LsviUcbParams::default().with_horizon(8).with_rho(0.5);
    let family = || Exhaustive::new(runs(2, 1, 1));
    let run = |agent: &mut dyn Agent<f64, f64>| {
        let mut returns = Returns::new();
        Simulation::new(&world, Streams::new(1)).run(0..300, agent, &mut returns).unwrap();
        assert!(agent.fault().is_none(), "{:?}", agent.fault());
        returns.mean().unwrap()
    };
    let dynamics = world.linear_model(20).dynamics(&[0.2, 0.6], 0.8);
    let exact =
        run(&mut LsviUcb::new(Psi::new(&world, dynamics.unwrap()).unwrap(), family(), params)
            .unwrap());
    let nothing = MomentEstimator::new(&world, 2, 0.8).unwrap();
    let online = run(&mut OnlineLsviUcb::new(nothing, family(), params).unwrap());
    assert!(online > 0.95 * exact, "{online} of {exact}");
}

#[test]
fn certainty_equivalence_with_em_learns_where_single_actions_are_rare() {
    let model = gallery::river_swim::<f64>(4, 0.15, 0.95).unwrap();
    let last = |agent: &mut dyn Agent<usize, f64>| {
        let mut values = Regret::of(&model).unwrap();
        Simulation::new(&model, Streams::new(2)).run(0..600, agent, &mut values).unwrap();
        assert!(agent.fault().is_none());
        values.episodes().last().unwrap().value.unwrap()
    };
    let best = class_optimum(&model, &runs(2, 2, 3).collect::<Vec<_>>()).unwrap().values[0];
    for planner in [CertaintyPlanner::Family(runs(2, 2, 3).collect()), CertaintyPlanner::Solve] {
        let em = last(&mut EmCertaintyEquivalence::for_model(&model, planner.clone()).unwrap());
        assert!(em > 0.9 * best, "{planner:?}: {em} of {best}");
        let counts = CertaintyEquivalence::for_model(&model, runs(2, 2, 3)).unwrap();
        last(&mut counts.with_planner(planner).unwrap());
    }
    assert!(EmCertaintyEquivalence::for_model(&model, CertaintyPlanner::Family(vec![])).is_err());
}

/// In the workbench: every choice of psi runs, is resumed, and is refused in plain words where it makes no sense.
mod workbench {
    use sporadic::experiment::Experiment;
    use sporadic::kinds::agents::{CertaintyEquivalence, LsviUcb};
    use sporadic::kinds::{EstimatesChoice, Kind, MapChoice, PlanChoice, PsiChoice};
    use sporadic::kinds::{Registry, Site, Table};
    use sporadic::model::gallery;
    use sporadic::simulation::Streams;

    #[test]
    fn every_choice_of_psi_runs() {
        let small =
            || LsviUcb { oracle: "words:3".into(), horizon: 5, rho: 1.0, ..LsviUcb::default() };
        let mut experiment = Experiment::new("psi")
            .with_episodes(12)
            .with_seeds(2)
            .with_world("swim", gallery::river_swim::<f64>(3, 0.4, 0.8).unwrap());
        for psi in [PsiChoice::Exact, PsiChoice::Estimated(50), PsiChoice::Online] {
            for oracle in ["words:3", "adaptive:16", "beam:2,3"] {
                experiment =
                    experiment.with_agent(LsviUcb { psi, oracle: oracle.into(), ..small() });
            }
        }
        for map in [MapChoice::NormCorrected, MapChoice::Normalized] {
            experiment = experiment
                .with_agent(LsviUcb { psi: PsiChoice::Estimated(50), map, ..small() })
                .with_agent(LsviUcb {
                    psi: PsiChoice::Online,
                    map,
                    psi_error: Some(0.1),
                    ..small()
                });
        }
        let continuation = sporadic::agents::Continuation::Model;
        for psi in [PsiChoice::Exact, PsiChoice::Estimated(50), PsiChoice::Online] {
            experiment = experiment.with_agent(LsviUcb { psi, continuation, ..small() });
        }
        for (estimates, plan) in [
            (EstimatesChoice::Counts, PlanChoice::Solve),
            (EstimatesChoice::Em, PlanChoice::Family),
            (EstimatesChoice::Em, PlanChoice::Solve),
        ] {
            experiment = experiment.with_agent(CertaintyEquivalence {
                oracle: "words:3".into(),
                estimates,
                plan,
            });
        }
        let outcome = experiment.run().unwrap();
        assert_eq!(outcome.groups().len(), 9 + 4 + 3 + 3);
        let averages: Vec<String> = outcome
            .groups()
            .iter()
            .map(|group| format!("{:.3}", group.average.last().unwrap().mean))
            .collect();
        insta::assert_snapshot!(averages.join(" "));
    }

    #[test]
    fn what_was_implied_before_keeps_its_identity() {
        let table = LsviUcb::default().to_table();
        assert!(
            ["psi", "map", "continuation", "psi_error"]
                .iter()
                .all(|name| !table.contains_key(*name))
        );
        let online = LsviUcb { psi: PsiChoice::Online, ..LsviUcb::default() }.to_table();
        assert_eq!(online["psi"], "online");
        assert_eq!(LsviUcb::from_table(&online).unwrap().psi, PsiChoice::Online);
        assert!(!CertaintyEquivalence::default().to_table().contains_key("plan"));
    }

    #[test]
    fn contradictions_are_refused() {
        let (registry, swim) =
            (Registry::builtin(), gallery::river_swim::<f64>(3, 0.4, 0.8).unwrap());
        let site = Site::new(&swim, Streams::new(1), 10, registry.oracles());
        let refused = |pairs: &[(&str, serde_json::Value)]| {
            let table: Table =
                pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            match registry.tabular().build_agent("lsvi-ucb", &table, &site) {
                Ok(_) => panic!("{table:?} was accepted"),
                Err(fault) => fault.to_string(),
            }
        };
        insta::assert_snapshot!(
            [
                refused(&[("psi", "estimated:0".into())]),
                refused(&[("psi", "guessed".into())]),
                refused(&[("map", "normalized".into())]),
                refused(&[("psi", "online".into()), ("map", "normalized".into())]),
                refused(&[("psi", "online".into()), ("psi_error", 0.1.into())]),
                refused(&[("psi_bonus", 1.0.into())]),
                refused(&[
                    ("psi", "online".into()),
                    ("psi_bonus", 1.0.into()),
                    ("oracle", "adaptive".into())
                ]),
                refused(&[
                    ("psi", "estimated:9".into()),
                    ("continuation", "model".into()),
                    ("oracle", "beam:2,3".into())
                ]),
                refused(&[
                    ("psi", "estimated:9".into()),
                    ("continuation", "model".into()),
                    ("map", "normalized".into())
                ]),
            ]
            .join("\n")
        );
    }
}
