//! Learners in worlds with schedules.

use sporadic::agents::{
    Agent, Candidates, CertaintyEquivalence, LsviUcb, LsviUcbParams, TabularLsviUcb,
};
use sporadic::features::TabularPsi;
use sporadic::model::{Reveal, Tabular, gallery, intermittent};
use sporadic::oracles::{Beam, Exhaustive, FeatureObjective};
use sporadic::planning::{class_optimum, evaluate};
use sporadic::sequence::{ActionSequence, runs, words};
use sporadic::simulation::{Returns, Simulation, Streams};

fn world() -> Tabular<f64> {
    let balance = gallery::river_balance::<f64>(6, 0.1, 0.9).unwrap();
    intermittent(&balance, Reveal::every(4).unwrap()).unwrap()
}

#[test]
fn candidates_keep_both_halves() {
    let family: Vec<_> = words(2, 5).collect();
    let aged = Candidates::one_hot(&TabularPsi::new(world()), family.clone()).unwrap();
    assert_eq!(aged.dim(), 24);
    let constant = gallery::river_balance::<f64>(6, 0.1, 0.9).unwrap();
    let plain = Candidates::one_hot(&TabularPsi::new(constant), family).unwrap();
    assert_eq!(plain.dim(), 12);
}

/// Algorithm 1 ends near the class optimum of the scheduled world.
#[test]
fn algorithm_one_learns_a_schedule() {
    let model = world();
    let family: Vec<_> = runs(2, 3, 6).collect();
    let best = class_optimum(&model, &family).unwrap().values[0];
    let params = LsviUcbParams::default().with_horizon(10).with_rho(1.0).with_lambda(0.01);
    let mut agent = TabularLsviUcb::for_model(&model, family, params).unwrap();
    Simulation::new(&model, Streams::new(3)).run(0..2_500, &mut agent, &mut ()).unwrap();
    let value = evaluate(&model, agent.policy().unwrap()).unwrap()[0];
    assert!(value > 0.93 * best, "{value} of {best}");
}

/// Where the state is seen in every fourth round, the counts say so exactly.
#[test]
fn certainty_equivalence_counts_by_age() {
    let model = world();
    let family: Vec<_> = runs(2, 2, 4).collect();
    let mut agent = CertaintyEquivalence::for_model(&model, family).unwrap();
    let mut returns = Returns::new();
    Simulation::new(&model, Streams::new(5)).run(0..400, &mut agent, &mut returns).unwrap();
    let played = (0..2).filter(|&a| agent.beta_at(a, 4) > 0.0).count();
    assert!(played > 0);
    for a in 0..2 {
        for age in 1..4 {
            let beta = agent.beta_at(a, age);
            assert!(beta <= 0.0 || (beta - 0.5).abs() < 1e-12, "{beta}"); // 1/2 if never tried
        }
        let beta = agent.beta_at(a, 4);
        assert!(beta >= 1.0 || (beta - 0.5).abs() < 1e-12);
    }
    let estimate = agent.estimate().unwrap();
    assert_eq!(estimate.ages(), 4);
}

/// The general learner takes any oracle; branch by branch it must find what enumeration finds.
#[test]
fn oracles_agree_on_a_scheduled_model() {
    use sporadic::oracles::{BranchAndBound, SequenceOracle};
    let model = world();
    let psi = TabularPsi::new(model);
    let v: Vec<f64> = (0..6).map(f64::from).collect();
    let mut objective = FeatureObjective::planning(&psi, 0, &v).unwrap();
    let all = Exhaustive::new(words(2, 8).collect::<Vec<ActionSequence>>())
        .maximize(&mut objective)
        .unwrap();
    let bb = BranchAndBound::new(1e-6).maximize(&mut objective).unwrap();
    let beam = Beam::new(16, 12).maximize(&mut objective).unwrap();
    // From the fourth action on nothing matters: the state has been seen.
    assert!((all.value - bb.value).abs() < 1e-5 && bb.upper_bound >= all.value - 1e-9);
    assert!(beam.value <= bb.upper_bound + 1e-9 && beam.value >= all.value - 1e-5);
}

/// The general learner and the tabular one have the same values in a world with schedules.
#[test]
fn the_general_learner_agrees_with_the_tabular() {
    let model = world();
    let family: Vec<_> = runs(2, 2, 4).collect();
    let params = LsviUcbParams::default().with_horizon(10).with_rho(0.5).with_lambda(0.01);
    let mut tabular = TabularLsviUcb::for_model(&model, family.clone(), params).unwrap();
    let mut general = LsviUcb::for_model(&model, Exhaustive::new(family), params).unwrap();
    let simulation = Simulation::new(&model, Streams::new(3));
    simulation.run(0..60, &mut tabular, &mut ()).unwrap();
    simulation.run(0..60, &mut general, &mut ()).unwrap();
    assert!(general.error().is_none());
    for (s, value) in tabular.values().iter().enumerate() {
        let (_, other) = general.choose(1, &s).unwrap();
        assert!((value - other).abs() < 1e-7 * value, "{s}: {value} {other}");
    }
}
