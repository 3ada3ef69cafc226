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
mod specs {
    use sporadic::experiment::{Runner, Spec};
    use sporadic::kinds::Registry;

    fn refusal(spec: &str) -> String {
        let expand = |spec: Spec| spec.expand(&Registry::builtin(), ".".as_ref());
        Spec::from_toml(spec).and_then(expand).unwrap_err().to_string()
    }

    const RIVER: &str = "[[models]]\nmodel = 'river-swim'\n";

    fn with_agents(agents: &str) -> String {
        refusal(&format!("episodes = 5\n{RIVER}{agents}"))
    }

    fn with_head(head: &str) -> String {
        refusal(&format!("{head}\n{RIVER}[[agents]]\nagent = 'uniform'\n"))
    }

    #[test]
    fn errors_name_the_agent() {
        let uniform = "[[agents]]\nagent = 'uniform'\n";
        let lines = [
            with_agents(&format!("{uniform}[[agents]]\nagent = 'lsvi-ucb'\nrho = [1, -1]\n")),
            with_agents(&format!("{uniform}[[agents]]\nagent = 'lsvi-ucb'\nlambda = 1e-400\n")),
            with_agents(&format!("{uniform}[[agents]]\nagent = 'lsvi-ucb'\nrho = -1e308\n")),
            with_agents(&format!("{uniform}[[agents]]\nagent = 'one-step'\nhorizon = 1\n")),
            with_agents(&format!("{uniform}[[agents]]\nagent = 'lsvi-ucb'\noracle = 'words:40'\n")),
            with_agents(&format!(
                "{uniform}[[agents]]\nagent = 'class-optimal'\noracle = 'runs:100000,1'\n"
            )),
            with_agents(&format!(
                "{uniform}[[agents]]\nagent = 'fixed'\nsequence = ['(0)', '(7)']\n"
            )),
            with_agents(&format!(
                "{uniform}[[agents]]\nagent = 'lsvi-ucb'\nhorizon = 4000000000\n"
            )),
            with_agents(&format!(
                "{uniform}[[agents]]\nagent = 'lsvi-ucb'\noracle = 'beam:2,2'\nhorizon = 4000000000\n"
            )),
            with_agents(&format!("{uniform}[[agents]]\nagent = 'epsilon-greedy'\nepsilon = nan\n")),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r#"
        agents[1].rho = -1: must be 0 or more, and finite
        agents[1].lambda = 0: must be positive and finite
        agents[1].rho = -1e308: must be 0 or more, and finite
        agents[1].horizon = 1: must be at least 2
        agents[1].oracle = words:40: must be a smaller family: it has about 1e12 members for 2 actions, above the limit of 1e6
        agents[1].oracle = runs:100000,1: must be a smaller family: its members have about 4e10 actions together for 2 actions, above the limit of 2e7
        agents[1].sequence = (7): must be made of the actions 0 to 1
        agents[1].horizon = 4000000000: must be smaller: the plan for every sighting before H would be 2.2e11 numbers, above the limit of 268435456
        agents[1].horizon = 4000000000: must be smaller: the plan for every sighting before H would be 9.6e10 numbers, above the limit of 268435456
        agents[1].epsilon = NaN: must be a finite number
        "#);
    }

    #[test]
    fn the_same_cell_twice() {
        let uniform = "[[agents]]\nagent = 'uniform'\n";
        let fault = with_agents(&format!("{uniform}{uniform}"));
        assert!(fault.starts_with("agents[0] and agents[1] are the same"), "{fault}");
        let fault = with_agents("[[agents]]\nagent = 'one-step'\nrho = [1, 2, 1]\n");
        assert!(fault.starts_with("a list of agents[0] names a value twice"), "{fault}");
    }

    #[test]
    fn errors_name_the_size() {
        let lines = [
            with_head("episodes = 9223372036854775807"),
            with_head("episodes = 5\nseeds = 1000000000"),
            with_head("episodes = 5\nseeds = 9223372036854775807"),
            with_head("episodes = 5\npoints = 9223372036854775807"),
            with_head("episodes = 1000000\npoints = 1000000\nseeds = 100"),
            refusal(
                "episodes = 5\n[[models]]\nmodel = 'river-swim'\nstates = 9223372036854775807\n[[agents]]\nagent = 'uniform'\n",
            ),
            refusal(
                "episodes = 5\n[[models]]\nmodel = 'river-swim'\ngamma = [0.9, 0.9999999999]\n[[agents]]\nagent = 'uniform'\n",
            ),
            refusal(
                "episodes = 5\n[[models]]\nmodel = 'sensing-cost'\ncost = 1e308\n[[agents]]\nagent = 'uniform'\n",
            ),
            refusal(
                "episodes = 5\n[[models]]\nmodel = 'river-swim'\nstates = 20000\n[[agents]]\nagent = 'lsvi-ucb'\n",
            ),
            refusal(
                "episodes = 5\n[[models]]\nmodel = 'river-swim'\nstates = 20000\n[[agents]]\nagent = 'one-step'\n",
            ),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r#"
        episodes = 9223372036854775807: must be at most 1000000000000
        models x agents x seeds = 1 x 1 x 1000000000 cells are above the limit of 250000
        models x agents x seeds = 1 x 1 x 9223372036854775807 cells are above the limit of 250000
        points = 9223372036854775807: must be at most 1000000
        cells x points = 100 x 1000000 are above the limit of 50000000: ask for fewer points
        models[0]: n = 9223372036854775807 is above the limit of 1000000
        models[0]: gamma = 0.9999999999 makes episodes of 9999999173 rounds on average: where episodes are played, gamma must be at most 0.999999
        models[0]: the reward -1e308 of action "B+look" in state "s2" is too large: with gamma = 0.5 values may be as large as inf, above the limit of 1e100
        agents[0].oracle = runs:5,10: must be smaller: the features of every state and sequence would be 1.6e12 numbers, above the limit of 268435456
        agents[0].agent = one-step: must be smaller: the counts of next states would be 8.0e8 numbers, above the limit of 268435456
        "#);
    }

    #[test]
    fn a_grid_of_lists_is_counted_before_it_is_made() {
        // 1000^6 agents: the lists are short, the product is not.
        let list =
            |make: &dyn Fn(usize) -> String| (0..1000).map(make).collect::<Vec<_>>().join(", ");
        let (numbers, whole) =
            (list(&|i| format!("0.{:03}", i + 1)), list(&|i| (i + 2).to_string()));
        let spec = format!(
            "episodes = 5\n[[models]]\nmodel = 'river-swim'\nbeta = [{numbers}]\ngamma = [{numbers}]\n[[agents]]\n\
             agent = 'lsvi-ucb'\nhorizon = [{whole}]\nlambda = [{numbers}]\nrho = [{numbers}]\n"
        );
        let fault = refusal(&spec);
        assert!(
            fault.starts_with(
                "agents[0]: 1000000000 combinations of values, above the limit of 100000"
            ),
            "{fault}"
        );
    }

    #[test]
    fn threads_are_capped() {
        let spec = "episodes = 2\nseeds = 1\n[[models]]\nmodel = 'river-swim'\n[[agents]]\nagent = 'uniform'\n";
        let all =
            Spec::from_toml(spec).unwrap().expand(&Registry::builtin(), ".".as_ref()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        Runner::new().with_threads(usize::MAX).run(&all, folder.path()).unwrap();
    }
}
