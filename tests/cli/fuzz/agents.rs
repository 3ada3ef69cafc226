//! Damaged agents: what they have saved, changed at random, is refused or played on with.

use sporadic::agents::Agent;
use sporadic::kinds::{Registry, Site, Table};
use sporadic::model::{Tabular, gallery};
use sporadic::simulation::{Ending, Feedback, Setting, Simulation, Streams};

use super::{attack, cases, one_line};

/// Every agent, with parameters that keep it small.
const AGENTS: [(&str, &str); 14] = [
    ("lsvi-ucb", r#"{"horizon": 6, "oracle": "words:2"}"#),
    ("lsvi-ucb", r#"{"horizon": 6, "oracle": "beam:2,2"}"#),
    ("lsvi-ucb", r#"{"horizon": 6, "oracle": "branch-and-bound:0.5,20"}"#),
    ("lsvi-ucb", r#"{"horizon": 6, "oracle": "adaptive:12", "rho": 1.0}"#),
    ("epsilon-greedy", r#"{"horizon": 6, "oracle": "words:2"}"#),
    ("one-step", r#"{"horizon": 6}"#),
    ("certainty-equivalence", r#"{"oracle": "words:2"}"#),
    ("amrl-q", "{}"),
    ("dyna-atmq", r#"{"particles": 5, "updates": 2}"#),
    ("observe-then-plan", "{}"),
    ("class-optimal", r#"{"oracle": "words:2"}"#),
    ("optimal", "{}"),
    ("uniform", "{}"),
    ("fixed", r#"{"sequence": "(1)"}"#),
];

const STREAMS: Streams = Streams { seed: 1, run: 0 };

/// What every agent can learn from.
const EVERY_ROUND: Setting = Setting { feedback: Feedback::EveryRound, ending: Ending::Discounted };

type Player<'a> = Box<dyn Agent<usize, f64> + 'a>;

/// Agents in a small world.
struct Arena {
    world: Tabular<f64>,
    registry: Registry,
}

impl Arena {
    fn new() -> Self {
        let world = gallery::river_swim(3, 0.5, 0.8).unwrap();
        Self { world, registry: Registry::builtin() }
    }

    fn agent(&self, i: usize) -> Player<'_> {
        let (name, table) = AGENTS[i];
        let table: Table = serde_json::from_str(table).unwrap();
        let site = Site::new(&self.world, STREAMS, 20, self.registry.oracles());
        let site = site.with_setting(EVERY_ROUND);
        self.registry.tabular().build_agent(name, &table, &site).unwrap()
    }

    fn play(&self, episodes: std::ops::Range<u64>, agent: &mut Player<'_>) {
        let simulation = Simulation::new(&self.world, STREAMS).with_setting(EVERY_ROUND);
        simulation.run(episodes, agent, &mut ()).unwrap();
    }
}

#[test]
fn saved_agents() {
    let arena = Arena::new();
    for info in arena.registry.tabular().agents() {
        let is_listed = AGENTS.iter().any(|(name, _)| *name == info.name);
        assert!(is_listed, "{} needs a line in AGENTS", info.name);
    }
    let saved: Vec<String> = (0..AGENTS.len())
        .map(|i| {
            let mut agent = arena.agent(i);
            arena.play(0..8, &mut agent);
            agent.memory().expect("something to save").save().unwrap()
        })
        .collect();
    attack(
        "saved agents",
        cases(400),
        move |m| {
            let i = m.below(saved.len());
            format!("{i}|{}", m.text(&saved[i]))
        },
        move |input| {
            let (i, text) = input.split_once('|').unwrap();
            let i: usize = i.parse().unwrap();
            let mut agent = arena.agent(i);
            if one_line(agent.memory().unwrap().restore(text)).is_none() {
                return false;
            }
            arena.play(8..11, &mut agent);
            let again = one_line(agent.memory().unwrap().save());
            if let Some(fault) = agent.fault() {
                one_line(Err::<(), _>(fault));
            }
            again.unwrap_or_else(|| panic!("{}", AGENTS[i].0));
            true
        },
    );
}
