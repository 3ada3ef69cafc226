//! Exact regret: of the known model, of plans, and of agents without a policy.

use crate::common::learners::small;
use sporadic::agents::{
    Agent, EpsilonGreedy, FixedPolicy, LsviUcbParams, TabularLsviUcb, UniformRandom,
};
use sporadic::planning::solve::{SolveOptions, solve};
use sporadic::planning::{TabularExact, class_optimum, evaluate};
use sporadic::simulation::{Regret, Simulation, Streams};

fn params() -> LsviUcbParams<f64> {
    LsviUcbParams::default().with_horizon(30).with_rho(2.0)
}

#[test]
fn the_known_model_has_no_regret_within_the_class() {
    let (model, family, _) = small();
    let best = class_optimum(&model, &family).unwrap();
    let mut agent = FixedPolicy::new(best.policy);
    let exact = TabularExact::new(&model).with_bracket(best.values, vec![10.0; 4]).unwrap();
    let mut regret = Regret::new(exact).with_class(&family);
    Simulation::new(&model, Streams::new(1)).run(0..100, &mut agent, &mut regret).unwrap();
    let curve = regret.curve().unwrap();
    let zero = |regret: &[Option<f64>]| regret.iter().all(|r| r.unwrap().abs() < 1e-9);
    assert!(zero(&curve.regret) && zero(&curve.class_regret) && curve.class_regret.len() == 100);
    let upper = &curve.regret_upper;
    assert!(upper[99] > upper[0] && upper[0] > Some(0.0));
}

#[test]
fn the_solver_s_policy_has_a_regret_within_its_bracket() {
    let (model, ..) = small();
    let solution = solve(&model, &SolveOptions::default().with_gap(0.05)).unwrap();
    let exact = TabularExact::new(&model).with_bracket(solution.lower, solution.upper).unwrap();
    let mut agent = FixedPolicy::new(solution.policy);
    let mut regret = Regret::new(exact);
    Simulation::new(&model, Streams::new(1)).run(0..10, &mut agent, &mut regret).unwrap();
    let curve = regret.curve().unwrap();
    let (lower, upper) = (curve.regret[9].unwrap(), curve.regret_upper[9].unwrap());
    assert!(lower <= 1e-6 && (0.0..=0.5 + 1e-6).contains(&upper), "{lower} {upper}");
}

#[test]
fn values_of_plans_are_those_of_evaluate() {
    let (model, _, candidates) = small();
    let mut agent = TabularLsviUcb::new(candidates, params()).unwrap();
    let mut regret =
        Regret::new(TabularExact::new(&model).with_bracket(vec![0.0; 4], vec![0.0; 4]).unwrap());
    let world = Simulation::new(&model, Streams::new(2));
    for k in 0..40 {
        world.run(k..k + 1, &mut agent, &mut regret).unwrap();
        let episode = regret.episodes().last().unwrap();
        let exact = evaluate(&model, agent.plan()).unwrap()[episode.start];
        assert!((episode.value.unwrap() - exact).abs() < 1e-10);
    }
}

#[test]
fn random_agents_show_no_policy() {
    let (model, _, candidates) = small();
    let streams = Streams::new(1);
    let mut agents: Vec<Box<dyn Agent<usize, f64>>> = vec![
        Box::new(UniformRandom::new(2, streams.agent())),
        Box::new(EpsilonGreedy::new(candidates, params(), 0.5, streams.agent()).unwrap()),
    ];
    for agent in &mut agents {
        let mut regret = Regret::new(
            TabularExact::new(&model).with_bracket(vec![1.0; 4], vec![1.0; 4]).unwrap(),
        );
        Simulation::new(&model, streams).run(0..3, agent, &mut regret).unwrap();
        let curve = regret.curve().unwrap();
        assert!(curve.value == [None; 3] && curve.regret.is_empty());
        assert_eq!(curve.average.len(), 3);
    }
    let refused = |lower: Vec<f64>, upper: Vec<f64>| {
        TabularExact::new(&model).with_bracket(lower, upper).unwrap_err().to_string()
    };
    assert_eq!(
        refused(vec![1.0; 3], vec![1.0; 4]),
        "the list of lower bounds has 3 entries, but there are 4 states"
    );
    assert_eq!(
        refused(vec![1.0, 1.0, 2.0, 1.0], vec![1.5; 4]),
        "the bounds 2 <= V* <= 1.5 of state 2 cannot both hold"
    );
    assert_eq!(
        refused(vec![1.0; 4], vec![1.0, f64::NAN, 1.0, 1.0]),
        "the bounds 1 <= V* <= NaN of state 1 cannot both hold"
    );
}
