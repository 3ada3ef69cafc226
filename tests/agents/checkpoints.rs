//! What agents refuse to be restored from, and what they forget.

use crate::common::learners::small;
use rand_pcg::Pcg64;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sporadic::Fault;
use sporadic::agents::{
    Agent, AgentError, Candidates, CertaintyEquivalence, EpsilonGreedy, LsviUcb, LsviUcbParams,
    OneStepLsviUcb, Resume, Segment, TabularLsviUcb, UniformRandom,
};
use sporadic::belief::AugmentedState;
use sporadic::features::TabularPsi;
use sporadic::model::gallery;
use sporadic::oracles::Beam;
use sporadic::sequence::runs;
use sporadic::simulation::{Simulation, Streams};

fn params() -> LsviUcbParams<f64> {
    LsviUcbParams::default().with_horizon(12).with_rho(2.0)
}

type Change = fn(&mut serde_json::Value);

/// A state with a change made to its text.
fn altered<M: Serialize + DeserializeOwned>(
    state: &M,
    change: impl Fn(&mut serde_json::Value),
) -> M {
    let mut value = serde_json::to_value(state).unwrap();
    change(&mut value);
    serde_json::from_value(value).unwrap()
}

#[test]
fn states_of_other_agents_are_refused() {
    let (model, family, candidates) = small();
    let world = Simulation::new(&model, Streams::new(9));
    let (one, two) = (Streams::new(1).agent(), Streams::new(2).agent());
    let said = |result: Result<(), Fault>| result.unwrap_err().to_string();

    let mut agent = UniformRandom::new(2, one.clone());
    world.run(0..1, &mut agent, &mut ()).unwrap();
    let mut other = UniformRandom::new(2, two.clone());
    let error = Resume::restore(&mut other, agent.state()).unwrap_err();
    let error = error.downcast_ref::<AgentError>();
    assert!(matches!(error, Some(AgentError::Generator { drawn: 1.. })), "{error:?}");
    assert_eq!(other, UniformRandom::new(2, two.clone()));

    let greedy = |rng: &Pcg64, params| {
        EpsilonGreedy::new(candidates.clone(), params, 0.5, rng.clone()).unwrap()
    };
    let mut agent = greedy(&one, params());
    world.run(0..5, &mut agent, &mut ()).unwrap();
    let (mut short, mut elsewhere) =
        (greedy(&one, params().with_horizon(9)), greedy(&two, params()));
    let before = short.state();
    assert_eq!(
        said(Resume::restore(&mut short, agent.state())),
        "the saved state has 44 choices, but this agent has 32"
    );
    assert_eq!(short.state(), before);
    assert!(
        said(Resume::restore(&mut elsewhere, agent.state()))
            .ends_with("a generator with another seed")
    );

    let mut agent = OneStepLsviUcb::new(4, 2, 0.9, params()).unwrap();
    world.run(0..5, &mut agent, &mut ()).unwrap();
    let state = agent.state();
    let mut wide = OneStepLsviUcb::new(4, 3, 0.9, params()).unwrap();
    assert_eq!(
        said(Resume::restore(&mut wide, state.clone())),
        "the saved state has 8 rewards, but this agent has 12"
    );
    for (field, value, reason) in [
        ("plan", 7.0, "the action 7, which is not an action of this agent"),
        ("visits", -1.0, "a count -1, which is not 0 or more"),
    ] {
        let wrong = altered(&state, |state| {
            state[field][0] = if field == "plan" { 7.into() } else { value.into() };
        });
        assert_eq!(
            said(Resume::restore(&mut agent, wrong)),
            format!("the saved state has {reason}")
        );
    }
    assert_eq!(agent.state(), state);

    let certainty =
        |states| CertaintyEquivalence::new(states, 2, 0.9, (0.0, 1.0), family.clone()).unwrap();
    let mut agent = certainty(4);
    world.run(0..5, &mut agent, &mut ()).unwrap();
    let state = agent.state();
    assert!(
        said(Resume::restore(&mut certainty(5), state.clone()))
            .contains("pairs of state and action")
    );
    let changes: [(Change, &str); 5] = [
        (|state| state["news"] = u64::MAX.into(), "one that can be counted"),
        (|state| state["bursts"][0] = u64::MAX.into(), "those of their action at most"),
        (|state| state["counts"][0][1] = u64::MAX.into(), "next states numbering"),
        (|state| state["planned_at"] = u64::MAX.into(), "its last plan after round"),
        (|state| state["policy"][2] = "0(7)".into(), "takes action 7"),
    ];
    for (change, reason) in changes {
        let error = said(Resume::restore(&mut agent, altered(&state, change)));
        assert!(error.contains(reason), "{error}");
    }
    assert_eq!(agent.state(), state);
}

#[test]
fn states_of_other_general_learners_are_refused() {
    let (model, ..) = small();
    let psi = TabularPsi::new(model.clone());
    let larger = TabularPsi::new(gallery::river_balance::<f64>(5, 0.4, 0.9).unwrap());
    let make = |psi, params| LsviUcb::new(psi, Beam { width: 1, depth: 2 }, params).unwrap();
    let mut agent = make(&psi, params());
    Simulation::new(&model, Streams::new(9)).run(0..5, &mut agent, &mut ()).unwrap();
    let state = agent.state();
    assert_eq!(state.states().count(), agent.num_ends());
    let refused = |mut agent: LsviUcb<_, &TabularPsi<f64>, _>, state, reason| {
        let before = agent.state();
        let error = Resume::restore(&mut agent, state).unwrap_err();
        assert_eq!(error.to_string(), format!("the saved state has {reason}"));
        assert_eq!(agent.state(), before);
    };
    let torn = altered(&state, |state| state["ends"][0]["sum"] = serde_json::json!([1.0]));
    refused(
        make(&larger, params()),
        state.clone(),
        "256 entries of the inverse, but this agent has 400",
    );
    let last = |state: &serde_json::Value| state["ends"][0]["answers"][0].clone();
    let strange = altered(&state, |state| state["ends"][0]["answers"][0][0] = "(2)".into());
    let error = Resume::restore(&mut make(&psi, params()), strange).unwrap_err();
    assert!(error.to_string().contains("(2)"), "{error}");
    let many = altered(&state, |state| {
        let answer = last(state);
        state["ends"][0]["answers"] = vec![answer; 12].into();
    });
    let reason = "answers for a state, in number 12, which is not at most one for each stage";
    refused(make(&psi, params()), many, reason);
    // Files of learners that did not keep answers are read.
    let old = altered(&state, |state| {
        let ends = state["ends"].as_array_mut().unwrap();
        ends.iter_mut().for_each(|end| drop(end.as_object_mut().unwrap().remove("answers")));
    });
    Resume::restore(&mut make(&psi, params()), old).unwrap();
    refused(make(&psi, params().with_horizon(9)), state, "11 stages, but this agent has 8");
    refused(make(&psi, params()), torn, "1 features, but this agent has 16");
}

/// An episode that was left in the middle leaves no trace in what is restored.
#[test]
fn an_abandoned_episode_is_forgotten() {
    let swim = gallery::river_swim::<f64>(3, 0.5, 0.9).unwrap();
    let candidates = Candidates::one_hot(&TabularPsi::new(swim.clone()), runs(2, 1, 2)).unwrap();
    let make = || TabularLsviUcb::new(candidates.clone(), LsviUcbParams::default()).unwrap();
    let world = Simulation::new(&swim, Streams::new(4));
    let mut whole = make();
    world.run(0..20, &mut whole, &mut ()).unwrap();
    let saved = whole.state();
    let mut other = make();
    other.begin_episode(&0);
    let a = other.act(&AugmentedState::new(0));
    other.observe(&Segment::new(0, [a], 0.5, Some(1)));
    Resume::restore(&mut other, saved).unwrap();
    world.run(20..40, &mut whole, &mut ()).unwrap();
    world.run(20..40, &mut other, &mut ()).unwrap();
    assert_eq!(whole.state(), other.state());
}
