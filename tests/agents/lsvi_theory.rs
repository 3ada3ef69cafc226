//! What theory says of Algorithm 1, as tests.

use crate::common::learners::{family, river};
use nalgebra::Const;
use sporadic::agents::{
    Agent, BeyondHorizon, Candidates, LsviUcb, LsviUcbParams, OneStepLsviUcb, Replanning, Resume,
    Segment, TabularLsviUcb,
};
use sporadic::belief::AugmentedState;
use sporadic::features::{Dynamics, OneHot, Psi, TabularPsi};
use sporadic::model::{Tabular, draw, gallery};
use sporadic::oracles::Exhaustive;
use sporadic::planning::{class_optimum, evaluate};
use sporadic::sequence::{ActionSequence, periodic, runs};
use sporadic::simulation::{Simulation, Streams};

fn agent(
    model: &Tabular<f64>,
    family: impl IntoIterator<Item = ActionSequence>,
    params: LsviUcbParams<f64>,
) -> TabularLsviUcb<f64> {
    let candidates = Candidates::one_hot(&TabularPsi::new(model.clone()), family).unwrap();
    TabularLsviUcb::new(candidates, params).unwrap()
}

#[test]
fn bonus_in_closed_form_where_all_is_seen() {
    // beta = 1: psi(s, a) has norm kappa and one direction per (s, first action).
    let model = gallery::river_swim::<f64>(4, 1.0, 0.9).unwrap();
    let params = LsviUcbParams::default().with_horizon(20).with_lambda(0.5).with_rho(3.0);
    let mut agent = agent(&model, [0, 1].map(ActionSequence::constant), params);
    let mut visits = [0.0; 8];
    let kappa = 0.5 * (0.1_f64.powi(2) + 0.9_f64.powi(2)).sqrt();
    let mut rng = Streams::new(3).agent();
    for _ in 0..50 {
        agent.begin_episode(&0);
        let (mut s, mut u) = (0, 1);
        while u <= 20 {
            let a = agent.act(&AugmentedState::new(s));
            visits[2 * s + a] += 1.0;
            let goes_on = draw::bernoulli(0.9, &mut rng);
            let next = goes_on.then(|| draw::categorical(&[0.25, 0.5, 0.75, 1.0], &mut rng));
            agent.observe(&Segment::new(s, [a], 0.5, next));
            u += 1;
            let Some(next) = next else { break };
            s = next;
        }
        agent.end_episode();
    }
    agent.begin_episode(&0);
    for (bonus, n) in agent.bonuses().zip(visits) {
        let expected = 3.0 * kappa / (0.5 + n * kappa * kappa).sqrt();
        assert!((bonus - expected).abs() < 1e-9, "{bonus} {expected}");
    }
}

#[test]
fn where_all_is_seen_it_is_lsvi_ucb() {
    let gamma = 0.95;
    let model = gallery::river_swim::<f64>(6, 1.0, gamma).unwrap();
    let kappa = 0.5 * ((1.0 - gamma).powi(2) + gamma.powi(2)).sqrt();
    // phi is psi / kappa, so its ridge is lambda / kappa^2.
    let params = LsviUcbParams::default().with_horizon(60).with_lambda(0.1).with_rho(4.0);
    let plain = params.with_lambda(0.1 / (kappa * kappa));
    let mut ours = agent(&model, [0, 1].map(ActionSequence::constant), params);
    let mut theirs = OneStepLsviUcb::new(6, 2, gamma, plain).unwrap();
    let world = Simulation::new(&model, Streams::new(8));
    for k in 0..300 {
        world.run(k..k + 1, &mut ours, &mut ()).unwrap();
        world.run(k..k + 1, &mut theirs, &mut ()).unwrap();
        for (a, b) in ours.values().iter().zip(theirs.values()) {
            assert!((a - b).abs() < 1e-8, "episode {k}: {a} {b}");
        }
    }
}

/// Feeds an agent many segments of every state and candidate, drawn from the model.
fn well_informed(
    model: &Tabular<f64>,
    family: &[ActionSequence],
    params: LsviUcbParams<f64>,
) -> TabularLsviUcb<f64> {
    let mut agent = agent(model, family.iter().cloned(), params);
    let world = Simulation::new(model, Streams::new(4));
    // Every candidate from every state, as often as it takes: epsilon = 1.
    let candidates = agent.candidates().clone();
    let mut random =
        sporadic::agents::EpsilonGreedy::new(candidates, params, 1.0, Streams::new(4).agent())
            .unwrap();
    world
        .run_from(
            0..600_000,
            |k| usize::try_from(k).unwrap() % model.num_states(),
            &mut random,
            &mut (),
        )
        .unwrap();
    agent.restore(random.greedy().state()).unwrap();
    agent.begin_episode(&0);
    agent
}

#[test]
fn without_bonus_and_with_many_samples_values_are_exact() {
    let model = gallery::river_swim::<f64>(3, 0.4, 0.9).unwrap();
    let family: Vec<_> = runs(2, 1, 2).collect();
    let params = LsviUcbParams::default()
        .with_horizon(120)
        .with_rho(0.0)
        .with_replanning(Replanning::DeterminantGrowth(1.5));
    let agent = well_informed(&model, &family, params);
    // K to the exact class optimum: V_1 = max K_1.
    let best = class_optimum(&model, &family).unwrap();
    for (a, b) in agent.values().iter().zip(&best.values) {
        assert!((a - b).abs() < 0.01 * b, "{a} {b}");
    }
}

#[test]
fn choices_beyond_the_horizon() {
    let model = river("river_swim", 0.5);
    for beyond in [BeyondHorizon::Constant, BeyondHorizon::ReuseLast, BeyondHorizon::ReuseFirst] {
        let params = LsviUcbParams::default().with_horizon(10).with_beyond_horizon(beyond);
        let mut agent = agent(&model, family(), params);
        Simulation::new(&model, Streams::new(1)).run(0..60, &mut agent, &mut ()).unwrap();
        for s in 0..6 {
            let expected = match beyond {
                BeyondHorizon::Constant => 0,
                BeyondHorizon::ReuseLast => agent.plan().index(9, s),
                BeyondHorizon::ReuseFirst => agent.plan().index(1, s),
            };
            assert!((10..30).all(|u| agent.plan().index(u, s) == expected));
        }
    }
}

#[test]
fn planning_on_growth_plans_seldom_and_learns_as_well() {
    let model = gallery::river_swim::<f64>(4, 0.5, 0.9).unwrap();
    let family: Vec<_> = runs(2, 1, 2).collect();
    let params = LsviUcbParams::default().with_horizon(30).with_rho(2.0);
    let seldom = params.with_replanning(Replanning::DeterminantGrowth(2.0));
    let mut agent = agent(&model, family.clone(), seldom);
    let world = Simulation::new(&model, Streams::new(1));
    let mut plans = 0;
    let mut last = None;
    for k in 0..2_000 {
        world.run(k..k + 1, &mut agent, &mut ()).unwrap();
        let now = Some(agent.values());
        plans += usize::from(now != last);
        last = now;
    }
    assert!(plans < 150, "{plans}");
    let best = class_optimum(&model, &family).unwrap();
    assert_eq!(agent.plan().family()[agent.plan().index(1, 0)], best.policy[0]);
}

#[test]
fn rewards_of_another_range_are_the_same_problem() {
    let model = gallery::river_swim::<f64>(4, 0.5, 0.9).unwrap();
    let mut builder = Tabular::builder(0.9);
    for a in 0..2 {
        let rewards: Vec<_> = (0..4).map(|s| -2.0 + 4.0 * model.reward(s, a)).collect();
        let rows: Vec<Vec<_>> = (0..4).map(|s| model.row(s, a).collect()).collect();
        builder = builder.sparse_action(a.to_string(), 0.5, rewards, rows);
    }
    let shifted = builder.build().unwrap();
    let params = LsviUcbParams::default().with_horizon(30).with_rho(2.0);
    let mut plain = agent(&model, runs(2, 1, 2), params);
    let mut other = agent(&shifted, runs(2, 1, 2), params.with_reward_range(-2.0, 2.0));
    Simulation::new(&model, Streams::new(1)).run(0..100, &mut plain, &mut ()).unwrap();
    Simulation::new(&shifted, Streams::new(1)).run(0..100, &mut other, &mut ()).unwrap();
    for (a, b) in plain.values().iter().zip(other.values()) {
        assert!((-20.0 + 4.0 * a - b).abs() < 1e-6, "{a} {b}");
    }
}

#[test]
fn the_general_road_decides_as_the_tabular_one() {
    let model = gallery::river_balance::<f64>(4, 0.4, 0.9).unwrap();
    let family: Vec<_> = periodic(2, 1, 2).collect();
    let params = LsviUcbParams::default().with_horizon(20).with_rho(2.0);
    let phi = OneHot::with_dim(4, 2, Const::<8>).unwrap();
    let psi = Psi::new(phi, Dynamics::one_hot(&model, phi)).unwrap();
    let mut fast = agent(&model, family.clone(), params);
    let mut general = LsviUcb::new(psi, Exhaustive::new(family.clone()), params).unwrap();
    let world = Simulation::new(&model, Streams::new(6));
    for k in 0..120 {
        world.run(k..k + 1, &mut fast, &mut ()).unwrap();
        world.run(k..k + 1, &mut general, &mut ()).unwrap();
    }
    // Plan once more on the same history.
    Agent::<usize, f64>::begin_episode(&mut fast, &0);
    Agent::<usize, f64>::begin_episode(&mut general, &0);
    assert!(general.error().is_none() && general.num_ends() == 4);
    for u in [1, 7, 19] {
        let values = fast.values_at(u);
        for (s, value) in values.iter().enumerate() {
            let (sequence, ours) = general.choose(u, &s).unwrap();
            assert!((ours - value).abs() < 1e-8, "{ours} {value}");
            assert_eq!(sequence, family[fast.plan().index(u, s)]);
        }
    }
}

/// In single precision the learner ends with a policy as good as the best of its family.
#[test]
fn single_precision_learns() {
    let model = gallery::river_swim::<f32>(4, 0.5, 0.9).unwrap();
    let params = LsviUcbParams::default().with_rho(2.0).with_horizon(30);
    let mut agent = TabularLsviUcb::for_model(&model, runs(2, 1, 2), params).unwrap();
    Simulation::new(&model, Streams::new(1)).run(0..1_000, &mut agent, &mut ()).unwrap();
    let value = evaluate(&model, agent.plan()).unwrap()[0];
    let best = class_optimum(&model, &runs(2, 1, 2).collect::<Vec<_>>()).unwrap().values[0];
    assert!(value > 0.99 * best, "{value} of {best}");
}

#[test]
fn bad_parameters_and_families_are_refused() {
    let psi = TabularPsi::new(river("river_swim", 0.5));
    let message = |params: LsviUcbParams<f64>| params.check().unwrap_err().to_string();
    let params = LsviUcbParams::default();
    assert_eq!(message(params.with_horizon(1)), "the horizon H = 1 must be at least 2");
    assert_eq!(message(params.with_lambda(-1.0)), "lambda = -1 must be positive and finite");
    assert_eq!(message(params.with_rho(f64::NAN)), "rho = NaN must be finite and not negative");
    assert_eq!(
        message(params.with_reward_range(1.0, 1.0)),
        "the reward range (1, 1) must be finite with low < high"
    );
    assert!(params.with_replanning(Replanning::DeterminantGrowth(1.0)).check().is_err());
    assert!(Candidates::one_hot(&psi, []).is_err());
    let error = Candidates::one_hot(&psi, ["1(2)".parse().unwrap()]).unwrap_err();
    assert_eq!(error.to_string(), "the sequence 1(2) takes action 2, but there are only 2 actions");
}
