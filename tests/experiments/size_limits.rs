//! Sizes without sense are refused before anything is allocated, with an error that names value and limit.

use rand_pcg::Pcg64;
use sporadic::agents::{
    AgentError, Candidates, CertaintyEquivalence, FixedSequence, LsviUcb, LsviUcbParams,
    OneStepLsviUcb, TabularLsviUcb, TooLarge,
};
use sporadic::features::TabularPsi;
use sporadic::model::gallery::{
    MAX_STATES, RandomTabular, random_tabular, river_balance, river_swim,
};
use sporadic::model::{ModelError, Tabular};
use sporadic::oracles::{Beam, ObjectiveFn, OracleError, Periodic, SequenceOracle, Truncated};
use sporadic::sequence::{ActionSequence, words};
use sporadic::simulation::{Returns, Simulation, SimulationError, Streams};

const HUGE: usize = usize::MAX;

#[test]
fn models_of_the_gallery() {
    for n in [MAX_STATES + 1, 1 << 40, HUGE] {
        for model in [river_swim(n, 0.1, 0.9), river_balance(n, 0.1, 0.9)] {
            let (parameter, value, limit) = ("n", n as u128, MAX_STATES);
            assert_eq!(model, Err(ModelError::TooLarge { parameter, value, limit }));
        }
    }
    let shape = RandomTabular::<f64>::default();
    for shape in [
        RandomTabular { states: HUGE, ..shape.clone() },
        RandomTabular { actions: HUGE, ..shape.clone() },
        RandomTabular { states: 100_000, branching: 100_000, ..shape.clone() },
        RandomTabular { states: 1_000_000, actions: 1_000_000, branching: 1, ..shape },
    ] {
        let model = random_tabular(&mut Pcg64::new(1, 2), &shape);
        assert!(matches!(model, Err(ModelError::TooLarge { .. })), "{shape:?}");
    }
    let fault = river_swim::<f64>(HUGE, 0.1, 0.9).unwrap_err().to_string();
    assert_eq!(fault, "n = 18446744073709551615 is above the limit of 1000000");
}

#[test]
fn oracles_of_any_size() {
    let length = |seq: &ActionSequence| seq.period().len() as f64;
    for (prefix, period) in [(HUGE, 1), (1, HUGE), (HUGE, HUGE)] {
        let answer = Periodic { prefix, period }.maximize(&mut ObjectiveFn::new(2, length));
        assert!(matches!(answer, Err(OracleError::TooMany { .. })), "{answer:?}");
    }
    // One action has one word of each length, but a long one is too long to write down.
    let answer = Truncated::new(u32::MAX as usize).maximize(&mut ObjectiveFn::new(1, length));
    assert_eq!(answer, Err(OracleError::EmptyFamily));
    let one = Beam { width: HUGE, depth: 3 }.maximize(&mut ObjectiveFn::new(2, length));
    assert!(one.is_ok());
}

fn is_too_large<A>(agent: Result<A, AgentError>, table: &str) {
    match agent {
        Err(AgentError::TooLarge(TooLarge { what, .. })) => assert_eq!(what, table),
        Err(fault) => panic!("{fault}"),
        Ok(_) => panic!("{table} is not too large"),
    }
}

#[test]
fn learners() {
    let plan = "the plan for every sighting before H";
    let counts = "the counts of next states";
    let model = river_swim::<f64>(3, 0.5, 0.9).unwrap();
    let psi = TabularPsi::new(model.clone());
    for horizon in [1_000_000_000, HUGE] {
        let params = LsviUcbParams::default().with_horizon(horizon);
        let candidates = Candidates::one_hot(&psi, words(2, 2)).unwrap();
        is_too_large(TabularLsviUcb::new(candidates, params), plan);
        is_too_large(LsviUcb::new(&psi, Beam { width: 1, depth: 1 }, params), plan);
        is_too_large(OneStepLsviUcb::<f64>::new(3, 2, 0.9, params), plan);
    }
    let params = LsviUcbParams::default();
    for (states, actions) in [(HUGE, 1), (1 << 20, 1 << 20), (100_000, 2)] {
        is_too_large(OneStepLsviUcb::<f64>::new(states, actions, 0.9, params), counts);
        let family = [ActionSequence::constant(0)];
        let range = (0.0, 1.0);
        is_too_large(CertaintyEquivalence::new(states, actions, 0.9, range, family), counts);
    }
    // A sparse model of 20,000 states is no trouble; its features with all sequences are.
    let large = TabularPsi::new(river_swim::<f64>(20_000, 0.5, 0.9).unwrap());
    let features = "the features of every state and sequence";
    is_too_large(Candidates::one_hot(&large, words(2, 2)), features);
    is_too_large(Candidates::new(&large, 20_000, words(2, 2)), features);
    is_too_large(LsviUcb::new(&large, Beam { width: 1, depth: 1 }, params), "the matrix Lambda");
}

#[test]
fn an_episode_without_end() {
    // Nothing is ever seen, and the episode goes on for 10^10 rounds on average.
    let gamma = 0.999_999_999_9;
    let model = Tabular::builder(gamma).action("wait", 0.0, [1.0], [[1.0]]).build().unwrap();
    let world = Simulation::new(&model, Streams::new(1)).with_max_rounds(1000);
    let (mut agent, mut returns) =
        (FixedSequence::new(ActionSequence::constant(0)), Returns::new());
    let fault = world.run(0..3, &mut agent, &mut returns).unwrap_err();
    assert_eq!(fault, SimulationError::Rounds { episode: 0, limit: 1000, gamma });
    assert_eq!(
        fault.to_string(),
        "episode 0 is not over after 1000 rounds, the most that are played: with gamma = 0.9999999999 episodes have \
         9999999173 rounds on average"
    );
    assert!(returns.returns().is_empty(), "a piece of an episode was counted as one");
    // What ends in time is not affected.
    let short = model.with_gamma(0.9).unwrap();
    let play = |world: Simulation<'_, Tabular<f64>>| {
        let mut returns = Returns::new();
        let mut agent = FixedSequence::new(ActionSequence::constant(0));
        world.run(0..50, &mut agent, &mut returns).map(|()| returns)
    };
    let world = || Simulation::new(&short, Streams::new(1));
    assert_eq!(play(world().with_max_rounds(1000)), play(world()));
}

#[cfg(feature = "experiment")]
#[test]
fn any_number_of_threads_is_accepted() {
    use sporadic::experiment::{Runner, Spec};
    let spec =
        "episodes = 2\nseeds = 3\n[[models]]\nmodel = 'river-swim'\n[[agents]]\nagent = 'uniform'";
    let spec = Spec::from_toml(spec).unwrap();
    let plan = spec.expand(&sporadic::kinds::Registry::builtin(), ".".as_ref()).unwrap();
    let curves = |threads| {
        let outcome = Runner::new().with_threads(threads).run_in_memory(&plan).unwrap();
        outcome.curves_csv().unwrap()
    };
    assert_eq!(curves(usize::MAX), curves(1));
}
