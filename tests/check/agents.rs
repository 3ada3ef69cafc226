//! `check::agent` on every built-in agent, in the settings that change what it keeps or how it
//! decides.

use nalgebra::{Const, Dyn};
use rand_pcg::Pcg64;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sporadic::Real;
use sporadic::agents::{
    AdaptiveLsviUcb, Agent, AmrlQ, AmrlQParams, BeyondHorizon, CertaintyEquivalence,
    CertaintyPlanner, Continuation, DynaAtmq, DynaAtmqParams, EmCertaintyEquivalence,
    EpsilonGreedy, Feedback, FixedPolicy, FixedSequence, LsviUcb, LsviUcbParams, ObserveThenPlan,
    ObserveThenPlanParams, OneStepLsviUcb, OnlineLsviUcb, OnlineTabularLsviUcb, Replanning, Resume,
    TabularLsviUcb, UniformRandom,
};
use sporadic::check;
use sporadic::dim::{Dimension, FeatureDim};
use sporadic::estimators::{EstimatedMap, MomentEstimator};
use sporadic::features::{Dynamics, OneHot, Psi, RandomLinear, TabularPsi};
use sporadic::model::gallery::{self, FROZEN_LAKE_4X4, Ice, frozen_lake};
use sporadic::model::{Environment, Tabular, intermittent};
use sporadic::oracles::{
    Adaptive, Beam, BranchAndBound, Exhaustive, Periodic, Portfolio, SequenceOracle, Truncated,
};
use sporadic::planning::Stationary;
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Ending, Simulation, Streams};

/// The agent passes, and it is saved.
#[track_caller]
fn passes<M, A>(name: &str, world: &Simulation<'_, M>, episodes: usize, make: impl Fn() -> A)
where
    M: Environment,
    A: Agent<M::State, M::Scalar> + Resume<State: Serialize + DeserializeOwned>,
{
    let findings = check::agent(world, episodes, || make().resumable());
    assert!(findings.is_empty(), "{name}:\n{findings}");
}

fn model<T: Real>(beta: f64) -> Tabular<T> {
    gallery::river_balance(4, T::of(beta), T::of(0.9)).unwrap()
}

fn family() -> impl Iterator<Item = ActionSequence> + Clone {
    runs(2, 2, 3)
}

fn params<T: Real>() -> LsviUcbParams<T> {
    LsviUcbParams::default().with_horizon(12).with_rho(T::of(2.0))
}

/// Parameters that change when an agent plans, what it does beyond its horizon, and what it takes
/// for values there.
fn settings<T: Real>() -> [(&'static str, LsviUcbParams<T>); 4] {
    let seldom = Replanning::DeterminantGrowth(T::of(1.2));
    [
        ("default", params()),
        ("planning seldom", params().with_replanning(seldom)),
        ("constant beyond the horizon", params().with_beyond_horizon(BeyondHorizon::Constant)),
        ("values from the model", params().with_continuation(Continuation::Model)),
    ]
}

#[test]
fn agents_that_do_not_learn_psi_or_values() {
    let (model, streams) = (model::<f64>(0.4), Streams::new(4));
    let world = Simulation::new(&model, Streams::new(9));
    passes("uniform", &world, 60, || UniformRandom::new(2, streams.agent()));
    passes("fixed sequence", &world, 20, || FixedSequence::new("1(01)".parse().unwrap()));
    let policy = || Stationary::new(family().take(4).collect());
    passes("fixed policy", &world, 20, || FixedPolicy::new(policy()));
    passes("one step", &world, 60, || OneStepLsviUcb::new(4, 2, 0.9, params()).unwrap());
    let greedy = || {
        let learner = TabularLsviUcb::for_model(&model, family(), params()).unwrap();
        EpsilonGreedy::new(learner.candidates().clone(), params(), 0.3, streams.agent()).unwrap()
    };
    passes("epsilon-greedy", &world, 60, greedy);
    for planner in [CertaintyPlanner::Family(family().collect()), CertaintyPlanner::Solve] {
        let counts = || CertaintyEquivalence::for_model(&model, family()).unwrap();
        let make = || counts().with_planner(planner.clone()).unwrap();
        passes("certainty equivalence", &world, 40, make);
        let make = || EmCertaintyEquivalence::for_model(&model, planner.clone()).unwrap();
        passes("certainty equivalence by EM", &world, 40, make);
    }
}

#[test]
fn published_agents_under_both_endings() {
    let model = frozen_lake::<f64>(&FROZEN_LAKE_4X4, Ice::SemiSlippery, 0.05, 0.95).unwrap();
    let rng = || Streams::new(3).agent();
    for ending in [Ending::Discounted, Ending::Absorbing { step_limit: 40 }] {
        let world = Simulation::new(&model, Streams::new(3)).with_feedback(Feedback::EveryRound);
        let world = world.with_ending(ending);
        let amrl = || AmrlQ::for_model(&model, AmrlQParams::default(), rng()).unwrap();
        passes("amrl-q", &world, 60, amrl);
        let params = DynaAtmqParams { updates: 3, ..DynaAtmqParams::default() };
        let dyna = || DynaAtmq::for_model(&model, params, rng()).unwrap();
        passes("dyna-atmq", &world, 60, dyna);
        for observe in [20, 50] {
            let learns_end = ending != Ending::Discounted;
            let params = ObserveThenPlanParams { observe, gap: 0.05, learns_end };
            let plan = || ObserveThenPlan::for_model(&model, params, rng()).unwrap();
            passes("observe-then-plan", &world, 60, plan);
        }
    }
}

fn tabular<T>()
where
    T: Real + Serialize + DeserializeOwned,
{
    for beta in [0.0, 0.05, 0.4, 1.0] {
        let model = model::<T>(beta);
        let world = Simulation::new(&model, Streams::new(9));
        for (name, params) in settings::<T>() {
            let make = || TabularLsviUcb::for_model(&model, family(), params).unwrap();
            passes(&format!("family, {name}, beta {beta}"), &world, 60, make);
            let make = || AdaptiveLsviUcb::for_model(&model, 64, params).unwrap();
            passes(&format!("pool, {name}, beta {beta}"), &world, 60, make);
        }
    }
}

#[test]
fn learners_in_tables_in_double_precision() {
    tabular::<f64>();
}

#[test]
fn learners_in_tables_in_single_precision() {
    tabular::<f32>();
}

#[test]
fn the_general_learner_with_every_oracle() {
    let model = model::<f64>(0.4);
    let world = Simulation::new(&model, Streams::new(9));
    let one_hot = OneHot::of(&model);
    let psi = Psi::new(one_hot, Dynamics::one_hot(&model, one_hot)).unwrap();
    let fixed = OneHot::with_dim(4, 2, Const::<8>).unwrap();
    let fixed = Psi::new(fixed, Dynamics::one_hot(&model, fixed)).unwrap();
    for (name, params) in settings::<f64>().into_iter().take(3) {
        let oracle = || Exhaustive::new(runs(2, 1, 2));
        passes(name, &world, 60, || LsviUcb::new(&psi, oracle(), params).unwrap());
        passes(name, &world, 60, || LsviUcb::new(&fixed, oracle(), params).unwrap());
    }
    let table = TabularPsi::new(model.clone());
    let oracles: [(_, fn() -> Box<dyn SequenceOracle<f64>>); 6] = [
        ("periodic", || Box::new(Periodic { prefix: 1, period: 2 })),
        ("truncated", || Box::new(Truncated::new(4))),
        ("beam", || Box::new(Beam { width: 2, depth: 4 })),
        ("branch and bound", || Box::new(BranchAndBound::new(0.1).with_nodes(100))),
        ("adaptive", || Box::new(Adaptive { size: 60 })),
        ("portfolio", || {
            let both = Portfolio::new().with(Periodic { prefix: 1, period: 2 });
            Box::new(both.with(Beam { width: 2, depth: 4 }))
        }),
    ];
    let params = params().with_horizon(6).with_rho(1.0);
    for (name, oracle) in oracles {
        passes(name, &world, 20, || LsviUcb::new(&psi, oracle(), params).unwrap());
        passes(name, &world, 20, || LsviUcb::new(&table, oracle(), params).unwrap());
    }
}

fn continuous<T, D>(dim: D)
where
    T: Real + Serialize + DeserializeOwned,
    D: Dimension + FeatureDim,
    f64: Serialize,
{
    let (beta, gamma) = (vec![T::of(0.3), T::of(0.6)], T::of(0.8));
    let env = RandomLinear::<T, _>::new(dim, beta.clone(), gamma, &mut Pcg64::new(3, 1)).unwrap();
    let world = Simulation::new(&env, Streams::new(5));
    let psi = Psi::new(&env, env.linear_model(12).dynamics(&beta, gamma).unwrap()).unwrap();
    let params = LsviUcbParams::default().with_horizon(6).with_rho(T::of(0.5));
    for growth in [None, Some(1.2), Some(2.0)] {
        let growth = growth.map(|growth| Replanning::DeterminantGrowth(T::of(growth)));
        let params = params.with_replanning(growth.unwrap_or(Replanning::EveryEpisode));
        let oracle = || Exhaustive::new(runs(2, 1, 2));
        let name = format!("{growth:?}");
        passes(&name, &world, 40, || LsviUcb::new(&psi, oracle(), params).unwrap());
    }
}

#[test]
fn the_general_learner_on_continuous_states() {
    continuous::<f64, _>(Const::<3>);
    continuous::<f32, _>(Const::<3>);
    continuous::<f64, _>(Dyn(4));
}

#[test]
fn learners_that_estimate_psi() {
    for beta in [0.15, 0.5, 1.0] {
        let model = gallery::river_swim::<f64>(3, beta, 0.9).unwrap();
        let world = Simulation::new(&model, Streams::new(9));
        for (by_model, growth) in [(false, 1.0), (false, 1.4), (true, 1.2)] {
            let name = format!("online, beta {beta}, by model {by_model}");
            let way = if by_model { Continuation::Model } else { Continuation::Regression };
            let params = params().with_continuation(way);
            let normalized = EstimatedMap::Normalized { epsilon: 0.01 };
            let map = if growth > 1.0 && !by_model { normalized } else { EstimatedMap::PlugIn };
            let make = || {
                let agent = OnlineTabularLsviUcb::for_model(&model, family(), params).unwrap();
                agent.with_growth(growth).with_map(map).unwrap()
            };
            passes(&name, &world, 60, make);
            let pool = || OnlineTabularLsviUcb::for_model_with_pool(&model, 24, params).unwrap();
            passes(&name, &world, 60, pool);
            let params = params.with_horizon(6);
            let oracle = Beam { width: 2, depth: 4 };
            let general = || OnlineLsviUcb::for_model(&model, oracle, params).unwrap();
            passes(&name, &world, 20, general);
        }
    }
    let rng = &mut Pcg64::new(4, 4);
    let env = RandomLinear::<f64, _>::new(Const::<3>, vec![0.3, 0.6], 0.7, rng).unwrap();
    let params = LsviUcbParams::default().with_horizon(5).with_rho(0.5);
    let make = || {
        let nothing = MomentEstimator::new(&env, 2, 0.7).unwrap();
        OnlineLsviUcb::new(nothing, Exhaustive::new(runs(2, 1, 1)), params).unwrap()
    };
    passes("continuous states", &Simulation::new(&env, Streams::new(1)), 25, make);
}

#[test]
fn learners_under_a_schedule_of_reveals() {
    let swim = gallery::river_swim::<f64>(3, 0.5, 0.9).unwrap();
    for (early, way) in [(0.0, Continuation::Regression), (0.7, Continuation::Model)] {
        let model = intermittent(&swim, [early, 0.0, 0.8]).unwrap();
        let world = Simulation::new(&model, Streams::new(9));
        let params = params().with_horizon(6).with_continuation(way);
        let family = || runs(2, 1, 2);
        let exact = || TabularLsviUcb::for_model(&model, family(), params).unwrap();
        passes("exact psi", &world, 60, exact);
        for map in [EstimatedMap::PlugIn, EstimatedMap::NormCorrected { epsilon: 0.1 }] {
            let make = || {
                let agent = OnlineTabularLsviUcb::for_model(&model, family(), params).unwrap();
                agent.with_map(map).unwrap().with_error_bonus(0.1).unwrap()
            };
            passes("online", &world, 60, make);
        }
        let oracle = || Exhaustive::new(family());
        let make = || OnlineLsviUcb::for_model(&model, oracle(), params).unwrap();
        passes("online, general", &world, 20, make);
        let planner = || CertaintyPlanner::Family(family().collect());
        let make = || EmCertaintyEquivalence::for_model(&model, planner()).unwrap();
        passes("certainty equivalence", &world, 60, make);
        let params = params.with_continuation(Continuation::Regression);
        let make = || {
            let moments = MomentEstimator::new(OneHot::<Dyn>::of(&model), 2, 0.9).unwrap();
            OnlineLsviUcb::new(moments.with_ages(3), oracle(), params).unwrap()
        };
        passes("online by moments", &world, 20, make);
    }
}
