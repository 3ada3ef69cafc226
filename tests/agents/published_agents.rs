//! The settings of the protocol, and the agents of neighbouring work in it.

use std::cell::RefCell;

use sporadic::agents::{
    Agent, AmrlQ, AmrlQParams, DynaAtmq, DynaAtmqParams, Feedback, FixedSequence, ObserveThenPlan,
    ObserveThenPlanParams, Resume, Segment,
};
use sporadic::belief::AugmentedState;
use sporadic::experiment::{Experiment, Outcome, Runner, Spec};
use sporadic::kinds::agents::{AmrlQ as AmrlQKind, Uniform};
use sporadic::kinds::{Registry, Site, Table};
use sporadic::model::gallery::{self, FROZEN_LAKE_4X4, FROZEN_LAKE_8X8, Ice, frozen_lake};
use sporadic::model::{Action, Environment, Tabular};
use sporadic::simulation::{
    Ending, EpisodeSummary, Observer, Setting, Simulation, SimulationError, Streams,
};

/// What an agent was told, in order.
#[derive(Default)]
struct Listener {
    told: RefCell<Vec<String>>,
    needs: Feedback,
}

impl Agent<usize, f64> for Listener {
    fn begin_episode(&mut self, start: &usize) {
        self.told.get_mut().push(format!("start {start}"));
    }
    fn act(&mut self, _: &AugmentedState<usize>) -> Action {
        2 // down in the first two rows of the lake, without a look
    }
    fn observe_reward(&mut self, reward: &f64) {
        self.told.get_mut().push(format!("reward {reward}"));
    }
    fn observe(&mut self, segment: &Segment<usize, f64>) {
        let (n, next) = (segment.actions().len(), segment.next());
        self.told.get_mut().push(format!("segment {n} {} {next:?}", segment.reward()));
    }
    fn feedback(&self) -> Feedback {
        self.needs
    }
}

fn lake(ice: Ice) -> Tabular<f64> {
    frozen_lake(&FROZEN_LAKE_4X4, ice, 0.05, 0.95).unwrap()
}

fn told(feedback: Feedback, ending: Ending) -> Vec<String> {
    let (lake, mut agent) = (lake(Ice::Deterministic), Listener::default());
    let world = Simulation::new(&lake, Streams::new(1));
    world.with_feedback(feedback).with_ending(ending).run(0..1, &mut agent, &mut ()).unwrap();
    agent.told.into_inner()
}

#[test]
fn rewards_are_told_when_they_are_to_be() {
    let ending = Ending::Absorbing { step_limit: 100 };
    // Down, down, down: into the hole in the corner.
    let end = "segment 3 0 None";
    assert_eq!(told(Feedback::AtSightings, ending), ["start 0", end]);
    assert_eq!(
        told(Feedback::EveryRound, ending),
        ["start 0", "reward 0", "reward 0", "reward 0", end]
    );
    // The step limit ends an episode as well.
    let short = Ending::Absorbing { step_limit: 2 };
    assert_eq!(told(Feedback::AtSightings, short), ["start 0", "segment 2 0 None"]);
}

#[test]
fn an_agent_that_needs_more_is_refused() {
    let lake = lake(Ice::Deterministic);
    let mut agent = Listener { needs: Feedback::EveryRound, ..Listener::default() };
    let (needed, given) = (Feedback::EveryRound, Feedback::AtSightings);
    let run = Simulation::new(&lake, Streams::new(1)).run(0..1, &mut agent, &mut ());
    assert_eq!(run, Err(SimulationError::Feedback { needed, given }));
    assert!(agent.told.get_mut().is_empty());
    // In an experiment before it is run, whether by name or by value.
    let spec = |feedback: &str| {
        let text = format!(
            "episodes = 5\nseeds = 1\n{feedback}\n[[models]]\nmodel = 'inventory'\n[[agents]]\nagent = 'amrl-q'"
        );
        Spec::from_toml(&text).unwrap().expand(&Registry::builtin(), ".".as_ref())
    };
    let error = spec("").unwrap_err().to_string();
    assert!(error.contains("agents[0]: amrl-q learns from the reward of every round"), "{error}");
    assert!(spec("feedback = 'every-round'").is_ok());
    let model = gallery::inventory(0.2, 0.8).unwrap();
    let experiment = Experiment::new("x").with_world("x", model).with_agent(AmrlQKind::default());
    assert!(experiment.plan().is_err());
}

#[test]
fn kinds_say_what_their_agents_need() {
    let registry = Registry::builtin();
    let model = gallery::inventory(0.2, 0.8).unwrap();
    let every = Setting { feedback: Feedback::EveryRound, ..Setting::default() };
    for info in registry.tabular().agents() {
        let mut table = Table::new();
        if info.name == "fixed" {
            table.insert("sequence".into(), "(0)".into());
        }
        if info.parameter("oracle").is_some() {
            table.insert("oracle".into(), "words:1".into());
        }
        let site = Site::new(&model, Streams::new(1), 10, registry.oracles()).with_setting(every);
        let agent = registry.tabular().build_agent(info.name, &table, &site).unwrap();
        let lines: Vec<String> = table.iter().map(|(k, value)| format!("{k} = {value}")).collect();
        let spec = format!(
            "episodes = 5\nseeds = 1\n[[models]]\nmodel = 'inventory'\n[[agents]]\nagent = '{}'\n{}",
            info.name,
            lines.join("\n")
        );
        let plan = Spec::from_toml(&spec).unwrap().expand(&registry, ".".as_ref());
        assert_eq!(plan.is_ok(), agent.feedback() == Feedback::AtSightings, "{}", info.name);
    }
}

#[test]
fn absorbing_states_are_those_that_nothing_is_earned_in() {
    let lake = lake(Ice::Slippery);
    let ends: Vec<usize> = (0..16).filter(|s| lake.is_absorbing(s)).collect();
    assert_eq!(ends, [5, 7, 11, 12, 15]);
    assert!(Environment::is_absorbing(&&lake, &5));
    let paying = Tabular::builder(0.9).action("stay", 0.0, [1.0], [[1.0]]).build().unwrap();
    assert!(!paying.is_absorbing(&0));
    let swim = gallery::river_swim::<f64>(6, 0.1, 0.9).unwrap();
    assert!((0..6).all(|s| !swim.is_absorbing(&s)));
}

/// Sums of rounds and rewards.
#[derive(Default)]
struct Sums(u64, f64);

impl<S> Observer<S, f64> for Sums {
    fn episode_end(&mut self, summary: &EpisodeSummary<f64>) {
        self.0 += summary.rounds;
        self.1 += summary.reward;
    }
}

#[test]
fn undiscounted_returns_are_those_computed_by_hand() {
    // a0 blindly twice: .8 in the mean, in two rounds; with a look after the first, it costs .1 more.
    let model = gallery::measuring_value(0.1, 0.5).unwrap();
    for (sequence, mean) in [("(0)", 0.8), ("1(0)", 0.7)] {
        let (mut agent, mut sums) =
            (FixedSequence::new(sequence.parse().unwrap()), Sums::default());
        Simulation::new(&model, Streams::new(1))
            .with_ending(Ending::Absorbing { step_limit: 50 })
            .run(0..10_000, &mut agent, &mut sums)
            .unwrap();
        // From s+, seen, the sequence starts again with a look: .1 more.
        let mean = if sequence == "(0)" { mean } else { mean - 0.1 };
        assert_eq!(sums.0, 20_000);
        assert!((sums.1 / 1e4 - mean).abs() < 5.0 * 0.4 / 100.0, "{sequence}: {}", sums.1 / 1e4);
    }
}

#[test]
fn states_of_another_world_are_refused() {
    let small = lake(Ice::SemiSlippery);
    let large = frozen_lake(&FROZEN_LAKE_8X8, Ice::SemiSlippery, 0.05, 0.95).unwrap();
    let rng = || Streams::new(3).agent();
    let plan = ObserveThenPlanParams { observe: 20, gap: 0.05, learns_end: false };
    let amrl = |model| AmrlQ::for_model(model, AmrlQParams::default(), rng()).unwrap();
    assert!(amrl(&large).restore(amrl(&small).state()).is_err());
    let dyna = |model| DynaAtmq::for_model(model, DynaAtmqParams::default(), rng()).unwrap();
    assert!(dyna(&large).restore(dyna(&small).state()).is_err());
    let plan = |model| ObserveThenPlan::for_model(model, plan, rng()).unwrap();
    assert!(plan(&large).restore(plan(&small).state()).is_err());
}

#[test]
fn the_setting_is_in_every_result() {
    let folder = tempfile::tempdir().unwrap();
    let spec = Spec::from_toml(
        "episodes = 40\nseeds = 2\npoints = 20\nfeedback = 'every-round'\nending = 'absorbing:30'\n\
         [[models]]\nmodel = 'frozen-lake-4x4'\nvariant = 'deterministic'\n\
         [[agents]]\nagent = 'fixed'\nsequence = '224424(0)'\n[[agents]]\nagent = 'dyna-atmq'",
    )
    .unwrap();
    assert_eq!(Spec::from_toml(&spec.to_toml()).unwrap(), spec);
    let plan = spec.expand(&Registry::builtin(), ".".as_ref()).unwrap();
    Runner::new().run(&plan, folder.path()).unwrap();
    let outcome = Outcome::load(folder.path()).unwrap();
    let summary = serde_json::to_value(outcome.summary()).unwrap();
    let row = &summary["groups"][0];
    assert_eq!(
        (row["feedback"].as_str(), row["ending"].as_str()),
        (Some("every-round"), Some("absorbing:30"))
    );
    // Six steps, no look, and the goal; exact values are those of another problem.
    assert_eq!(row["last_tenth"]["episodes"], 4);
    assert_eq!(row["last_tenth"]["average"]["mean"], 1.0);
    assert_eq!(row["last_tenth"]["rounds"]["mean"], 6.0);
    assert_eq!(row["last_tenth"]["looks"]["mean"], 0.0);
    assert!(row["lower"].is_null() && row["value"].is_null() && row["regret"].is_null());
    let csv = String::from_utf8(outcome.curves_csv().unwrap()).unwrap();
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().ends_with(
        "feedback,ending,seed,run,episodes,average,value,mean_policy_value,rounds,looks,gap"
    ));
    assert!(lines.next().unwrap().contains(",every-round,absorbing:30,1,0,2,1,,,6,0,"), "{csv}");
    let page = outcome.page().unwrap().to_html();
    assert!(page.contains("every-round") && page.contains("absorbing:30"));
    // The default leaves the identity of a cell as it was.
    let plain = Experiment::new("x").with_world("x", lake(Ice::Slippery)).with_agent(Uniform {});
    let cell = plain.plan().unwrap().cells().next().unwrap();
    assert!(!serde_json::to_string(&cell).unwrap().contains("setting"));
}

/// Mean return of the last tenth of the episodes, undiscounted, over `seeds` runs.
fn last_tenth(model: &str, agent: &str, episodes: u64, seeds: u64) -> (f64, f64) {
    let text = format!(
        "episodes = {episodes}\nseeds = {seeds}\npoints = 10\nfeedback = 'every-round'\nending = 'absorbing:10000'\n\
         [[models]]\n{model}\n[[agents]]\n{agent}"
    );
    let plan = Spec::from_toml(&text).unwrap().expand(&Registry::builtin(), ".".as_ref()).unwrap();
    let outcome = Runner::new().run_in_memory(&plan).unwrap();
    let mean = outcome.groups()[0].last_tenth().unwrap().average;
    (mean.mean, mean.half_width.unwrap())
}

#[test]
fn published_returns_are_reproduced() {
    // Krale et al., Measuring-Value; the tolerance is the half width of ours and two of their standard deviations.
    let model = |cost: f64| format!("model = 'measuring-value'\ncost = {cost}\ngamma = 0.95");
    for (cost, agent, episodes, published, spread) in [
        (0.05, "agent = 'dyna-atmq'", 500, 0.935, 0.003),
        (0.1, "agent = 'dyna-atmq'\nupdates = 625", 500, 0.862, 0.011),
        (0.05, "agent = 'amrl-q'", 1000, 0.816, 0.024),
        (0.2, "agent = 'amrl-q'", 1000, 0.780, 0.017),
        (0.05, "agent = 'observe-then-plan'\nobserve = 0.9", 1000, 0.937, 0.010),
    ] {
        let (mean, half) = last_tenth(&model(cost), agent, episodes, 10);
        assert!((mean - published).abs() <= half + 2.0 * spread, "{cost} {agent}: {mean} {half}");
    }
    // Every agent crosses the deterministic lake.
    let lake = "model = 'frozen-lake-4x4'\nvariant = 'deterministic'";
    for agent in
        ["agent = 'dyna-atmq'", "agent = 'amrl-q'", "agent = 'observe-then-plan'\nobserve = 0.9"]
    {
        assert!((last_tenth(lake, agent, 1_000, 3).0 - 1.0).abs() < 1e-9, "{agent}");
    }
}
