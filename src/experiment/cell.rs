//! One run of one agent in one world.

use serde::{Deserialize, Serialize};

use super::{AgentChoice, World};
use crate::simulation::Streams;

/// Everything a run depends on, and nothing else: two runs of a cell give the same numbers, on
/// whatever thread, in whatever order, in one go or in pieces.
///
/// (On one kind of processor: another may multiply matrices in another order, which shows in the
/// last bits and can in the end tip a tie.)
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The world, as it was asked for.
    pub world: World,
    /// A hash of the model itself: a model file that changes makes other cells.
    pub fingerprint: String,
    /// The agent.
    pub agent: AgentChoice,
    /// How many episodes.
    pub episodes: u64,
    /// How many points of the curve are kept.
    pub points: u64,
    /// The seed of the sweep.
    pub seed: u64,
    /// The number of the run.
    pub run: u64,
}

impl Cell {
    /// The cell's name, the same for ever: what it is about, the run, and a hash of everything.
    ///
    /// At most 128 characters, letters, digits, hyphens and dots, so that it can be the name of a file.
    ///
    /// # Example
    /// `river-swim-b0.05-lsvi-ucb-r0-1f8a2b3c4d5e6f70`.
    pub fn id(&self) -> String {
        let stem = self.world.model.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        let plain: String = stem
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .take(40)
            .collect();
        let beta = self.world.beta.map_or_else(String::new, |beta| format!("-b{}", short(beta)));
        format!("{plain}{beta}-{}-r{}-{}", self.agent.kind(), self.run, self.hash())
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
        let world = World { model: String::new(), ..self.world.clone() };
        let text = serde_json::to_string(&Self { world, ..self.clone() }).unwrap_or_default();
        fingerprint(&text)
    }
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

    fn cell(episodes: u64, points: u64) -> Cell {
        Cell {
            world: World::new("dir/My River.json").with_beta(0.05),
            fingerprint: fingerprint("model"),
            agent: AgentChoice::Uniform,
            episodes,
            points,
            seed: 1,
            run: 3,
        }
    }

    #[test]
    fn the_fingerprint_is_the_published_one() {
        assert_eq!(fingerprint(""), "cbf29ce484222325");
        assert_eq!(fingerprint("foobar"), "85944171f73967e8");
    }

    #[test]
    fn ids_are_stable() {
        insta::assert_snapshot!(cell(10, 5).id(), @"my-river-b0.05-uniform-r3-415a942ef01f1792");
        let elsewhere = Cell { world: World::new("My River.json").with_beta(0.05), ..cell(10, 5) };
        assert_eq!(elsewhere.id(), cell(10, 5).id());
        assert_ne!(cell(10, 5).id(), cell(11, 5).id());
    }

    #[test]
    fn ids_are_short_whatever_the_names_and_numbers() {
        let agent = AgentChoice::CertaintyEquivalence { oracle: "runs:1,2".parse().unwrap() };
        for beta in [5e-324, -f64::MAX, f64::MIN_POSITIVE, 0.1 + 0.2, 1e-300, 1.0] {
            let world = World::new("é".repeat(4000) + "/" + &"x".repeat(4000)).with_beta(beta);
            let (run, agent) = (u64::MAX, agent.clone());
            let cell = Cell { world, agent, episodes: u64::MAX, seed: u64::MAX, run, ..cell(1, 1) };
            assert!(cell.id().len() <= 128, "{}", cell.id());
        }
        assert_eq!(
            [0.05, 1.0, 1e-300, 0.1 + 0.2].map(short),
            ["0.05", "1", "1e-300", "3.0000000000000004e-1"]
        );
    }

    #[test]
    fn the_grid_ends_at_the_end() {
        assert_eq!(cell(10, 5).grid(), [2, 4, 6, 8, 10]);
        assert_eq!(cell(3, 200).grid(), [1, 2, 3]);
        assert_eq!(cell(7, 2).grid(), [3, 7]);
        assert_eq!(cell(u64::MAX, 1).grid(), [u64::MAX]);
    }
}
