//! One run of one agent in one world.

use serde::{Deserialize, Serialize};

use crate::kinds::{Identity, Table};
use crate::simulation::{Setting, Streams};

/// Everything a run depends on, and nothing else: two runs of a cell give the same numbers, on
/// whatever thread, in whatever order, in one go or in pieces.
///
/// The numbers are the same on every x86-64 processor, as long as the world and the agent compute
/// alike on all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The world.
    pub world: WorldIdentity,
    /// The agent: who made it, its kind and all its parameters.
    pub agent: Identity,
    /// How many episodes.
    pub episodes: u64,
    /// How many points of the curve are kept.
    pub points: u64,
    /// The seed of the experiment.
    pub seed: u64,
    /// The number of the run.
    pub run: u64,
    /// How the protocol is played; left out if it is the paper's way.
    #[serde(default, skip_serializing_if = "Setting::is_default")]
    pub setting: Setting,
}

/// A world: its name, what was asked for, and a hash of what it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldIdentity {
    /// The name of its kind, its file, or the name that it was given.
    pub model: String,
    /// The crate, kind and version that made it; empty for a file and for a world given by value.
    pub made_by: String,
    /// The parameters that were given, without those left to their defaults.
    pub parameters: Table,
    /// A hash of the world itself: of its tables if it has any, of some episodes otherwise. A model
    /// file that changes makes other cells.
    pub fingerprint: String,
}

impl Cell {
    /// The cell's name, the same for ever: what it is about, the run, and a hash of everything.
    ///
    /// At most 128 characters, letters, digits, hyphens and dots, so that it can be the name of a
    /// file.
    ///
    /// # Example
    /// `river-swim-b0.05-lsvi-ucb-r0-1f8a2b3c4d5e6f70`.
    pub fn id(&self) -> String {
        let beta = self.world.parameters.get("beta").and_then(serde_json::Value::as_f64);
        let beta = beta.map_or_else(String::new, |beta| format!("-b{}", short(beta)));
        let (world, agent) = (plain(&self.world.model, 40), plain(&self.agent.name, 30));
        format!("{world}{beta}-{agent}-r{}-{}", self.run, self.hash())
    }

    /// What is common to the runs of a cell that differ in luck alone.
    pub fn without_run(&self) -> Self {
        Self { run: 0, ..self.clone() }
    }

    /// The random numbers: those of a run are the same for every agent.
    pub fn streams(&self) -> Streams {
        Streams::new(self.seed).with_run(self.run)
    }

    /// The numbers of episodes after which a point of the curve is kept: evenly spread, the last
    /// one at the end.
    pub fn grid(&self) -> Vec<u64> {
        let points = self.points.clamp(1, self.episodes.max(1));
        let at = |i: u64| {
            // In 128 bits the product cannot overflow, and the quotient is at most `episodes`.
            let n = u128::from(i) * u128::from(self.episodes) / u128::from(points);
            u64::try_from(n).unwrap_or(self.episodes)
        };
        (1..=points).map(at).collect()
    }

    fn hash(&self) -> String {
        // The folder a model file lies in is no part of what is computed.
        let world = WorldIdentity { model: String::new(), ..self.world.clone() };
        let text = serde_json::to_string(&Self { world, ..self.clone() }).unwrap_or_default();
        fingerprint(&text)
    }
}

/// The last part of a path, without its ending, as small letters, digits and hyphens.
fn plain(name: &str, longest: usize) -> String {
    let stem = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    stem.chars().map(letter).take(longest).collect()
}

/// The number in at most 24 characters: 1e-300 where the usual notation has 302 of them.
fn short(number: f64) -> String {
    let usual = number.to_string();
    if usual.len() <= 12 { usual } else { format!("{number:e}") }
}

/// FNV-1a in 64 bits, in hexadecimal: names things, protects nothing.
pub(super) fn fingerprint(text: impl AsRef<[u8]>) -> String {
    let hash = text.as_ref().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(model: &str) -> WorldIdentity {
        WorldIdentity {
            model: model.into(),
            made_by: String::new(),
            parameters: Table::from_iter([("beta".to_owned(), 0.05.into())]),
            fingerprint: fingerprint("model"),
        }
    }

    fn cell(episodes: u64, points: u64) -> Cell {
        let agent = Identity {
            name: "uniform".into(),
            made_by: "sporadic/uniform@1".into(),
            parameters: Table::new(),
        };
        let world = world("dir/My River.json");
        Cell { world, agent, episodes, points, seed: 1, run: 3, setting: Setting::default() }
    }

    #[test]
    fn the_fingerprint_is_the_published_one() {
        assert_eq!(fingerprint(""), "cbf29ce484222325");
        assert_eq!(fingerprint("foobar"), "85944171f73967e8");
    }

    #[test]
    fn ids_are_stable() {
        insta::assert_snapshot!(cell(10, 5).id(), @"my-river-b0.05-uniform-r3-94cdf12830a0ff59");
        let elsewhere = Cell { world: world("My River.json"), ..cell(10, 5) };
        assert_eq!(elsewhere.id(), cell(10, 5).id());
        assert_ne!(cell(10, 5).id(), cell(11, 5).id());
    }

    #[test]
    fn the_setting_is_part_of_the_id() {
        use crate::simulation::{Ending, Feedback};
        let mut other = cell(10, 5);
        other.setting.feedback = Feedback::EveryRound;
        assert_ne!(other.id(), cell(10, 5).id());
        let text = serde_json::to_string(&other).unwrap();
        assert_eq!(serde_json::from_str::<Cell>(&text).unwrap(), other);
        other.setting.ending = Ending::Absorbing { step_limit: 7 };
        let text = serde_json::to_string(&other).unwrap();
        assert!(text.contains(r#""setting":{"feedback":"every-round","ending":"absorbing:7"}"#));
    }

    #[test]
    fn who_made_the_agent_is_part_of_the_id() {
        let mut foreign = cell(10, 5);
        foreign.agent.made_by = "mine/uniform@1".into();
        assert_ne!(foreign.id(), cell(10, 5).id());
        foreign.agent.made_by = "sporadic/uniform@2".into();
        assert_ne!(foreign.id(), cell(10, 5).id());
    }

    #[test]
    fn names_of_files_are_short() {
        let mut long = cell(10, 5);
        long.world.model = "x".repeat(1000);
        long.agent.name = "y".repeat(1000);
        long.world.parameters.insert("beta".into(), 1e-300.into());
        long.run = u64::MAX;
        assert!(long.id().len() <= 128, "{}", long.id());
    }

    #[test]
    fn the_grid_ends_at_the_end() {
        assert_eq!(cell(10, 5).grid(), [2, 4, 6, 8, 10]);
        assert_eq!(cell(3, 200).grid(), [1, 2, 3]);
        assert_eq!(cell(7, 2).grid(), [3, 7]);
        assert_eq!(cell(u64::MAX, 1).grid(), [u64::MAX]);
    }
}
