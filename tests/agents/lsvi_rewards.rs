//! The range of rewards: taken from the model, and kept to.

use sporadic::agents::{
    Agent, AgentError, CertaintyEquivalence, EpsilonGreedy, LsviUcb, LsviUcbParams, OneStepLsviUcb,
    Segment, TabularLsviUcb,
};
use sporadic::belief::AugmentedState;
use sporadic::features::TabularPsi;
use sporadic::model::{Tabular, gallery};
use sporadic::oracles::Exhaustive;
use sporadic::sequence::runs;
use sporadic::simulation::{Simulation, Streams};

/// Two states; rewards in [-1, 3].
fn model() -> Tabular<f64> {
    Tabular::builder(0.8)
        .action("stay", 0.5, [-1.0, 3.0], [[1.0, 0.0], [0.0, 1.0]])
        .action("move", 0.5, [0.0, 0.5], [[0.0, 1.0], [1.0, 0.0]])
        .build()
        .unwrap()
}

fn params() -> LsviUcbParams<f64> {
    LsviUcbParams::default().with_horizon(10).with_rho(1.0)
}

#[test]
fn the_range_is_that_of_the_model() {
    let (model, swim) = (model(), gallery::river_swim::<f64>(3, 0.5, 0.8).unwrap());
    let mut agent = TabularLsviUcb::for_model(&model, runs(2, 1, 2), params()).unwrap();
    assert_eq!(agent.params().reward_range(), (-1.0, 3.0));
    // What was declared stays, and rewards within [0, 1] are left as they are.
    let declared = params().with_reward_range(-2.0, 4.0).with_rewards_of(&model);
    assert_eq!(declared.reward_range(), (-2.0, 4.0));
    assert_eq!(params().with_rewards_of(&swim).reward_range(), (0.0, 1.0));

    Simulation::new(&model, Streams::new(1)).run(0..300, &mut agent, &mut ()).unwrap();
    assert!(agent.error().is_none());
    // To stay in the second state is worth 3 / (1 - gamma), and nothing is worth more.
    assert!(agent.values().iter().all(|v| (-5.0..=15.0 + 1e-9).contains(v)), "{agent:?}");
    assert!(agent.values()[1] > 14.0, "{:?}", agent.values());
}

/// Every learner of Algorithm 1's kind, with the paper's range on a model that leaves it.
fn learners() -> Vec<(&'static str, Box<dyn Agent<usize, f64>>)> {
    let (psi, family) = (TabularPsi::new(model()), || runs(2, 1, 2));
    let candidates = sporadic::agents::Candidates::one_hot(&psi, family()).unwrap();
    let general = LsviUcb::new(psi, Exhaustive::new(family()), params()).unwrap();
    let rng = Streams::new(1).agent();
    let greedy = EpsilonGreedy::new(candidates.clone(), params(), 0.1, rng).unwrap();
    let certainty = CertaintyEquivalence::new(2, 2, 0.8, (0.0, 1.0), family()).unwrap();
    vec![
        ("tabular", Box::new(TabularLsviUcb::new(candidates, params()).unwrap())),
        ("general", Box::new(general)),
        ("greedy", Box::new(greedy)),
        ("one step", Box::new(OneStepLsviUcb::new(2, 2, 0.8, params()).unwrap())),
        ("certainty equivalence", Box::new(certainty)),
    ]
}

#[test]
fn rewards_outside_the_range_are_told() {
    for (name, mut agent) in learners() {
        assert!(agent.fault().is_none());
        Simulation::new(&model(), Streams::new(1)).run(0..20, &mut agent, &mut ()).unwrap();
        let fault = agent.fault().unwrap_or_else(|| panic!("{name} says nothing"));
        let Some(AgentError::Reward { low, high, .. }) = fault.downcast_ref() else {
            panic!("{name}: {fault}")
        };
        assert_eq!((*low, *high), (0.0, 1.0), "{name}");
        assert!(fault.to_string().ends_with("times the declared range [0, 1]"), "{name}: {fault}");
    }
}

#[test]
fn a_reward_that_is_not_a_number_is_told_and_not_learnt_from() {
    for (name, mut agent) in learners() {
        for reward in [f64::NAN, 0.5] {
            agent.begin_episode(&0);
            let a = agent.act(&AugmentedState::new(0));
            agent.observe(&Segment::new(0, [a], reward, None));
            agent.end_episode();
        }
        agent.begin_episode(&0);
        let fault = agent.fault().unwrap().to_string();
        assert!(fault.starts_with("the reward NaN of 1 rounds of the sequence"), "{name}: {fault}");
        assert_eq!(fault.contains("from state 0"), name != "general", "{fault}");
    }
}

/// A sum of rewards at the end of the range is not outside of it for its rounding.
#[test]
fn sums_at_the_end_of_the_range_are_accepted() {
    let params = params().with_reward_range(0.1, 0.3);
    let family = || ["(0)".parse().unwrap()];
    let psi = TabularPsi::new(model());
    let candidates = sporadic::agents::Candidates::one_hot(&psi, family()).unwrap();
    let mut agent = TabularLsviUcb::new(candidates, params).unwrap();
    for rounds in [1, 7, 100, 4_001] {
        for reward in [0.1, 0.3] {
            agent.begin_episode(&0);
            let sum = (0..rounds).fold(0.0, |sum, _| sum + reward);
            agent.observe(&Segment::new(0, vec![0; rounds], sum, None));
            agent.end_episode();
        }
    }
    assert_eq!(agent.error(), None);
}
