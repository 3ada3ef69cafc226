//! Frozen Lake with a price on seeing where one stands.

use std::fmt;
use std::str::FromStr;

use crate::Real;
use crate::model::{ModelError, Tabular, acno};

/// The standard map of 4 by 4 tiles.
pub const FROZEN_LAKE_4X4: [&str; 4] = ["SFFF", "FHFH", "FFFH", "HFFG"];

/// The standard map of 8 by 8 tiles.
pub const FROZEN_LAKE_8X8: [&str; 8] = [
    "SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG",
];

/// How one moves on the ice of [`frozen_lake`].
///
/// It is written `deterministic`, `slippery` or `semi-slippery`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Ice {
    /// One tile in the direction of the action.
    Deterministic,
    /// One tile in the direction of the action or in one of the two at right angles to it, each with
    /// probability 1/3.
    Slippery,
    /// One tile in the direction of the action or two, each with probability 1/2; but if the next tile is a
    /// hole or the goal, that tile (Krale et al.).
    SemiSlippery,
}

impl Ice {
    /// Every kind of ice.
    pub const ALL: [Self; 3] = [Self::Deterministic, Self::Slippery, Self::SemiSlippery];
}

impl fmt::Display for Ice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Deterministic => "deterministic",
            Self::Slippery => "slippery",
            Self::SemiSlippery => "semi-slippery",
        })
    }
}

impl FromStr for Ice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|ice| ice.to_string() == text);
        found.ok_or_else(|| "deterministic, slippery or semi-slippery".into())
    }
}

/// Frozen Lake (Gymnasium) on `map`, where seeing the tile one stands on costs `cost`.
///
/// A map has rows of equal length with the letters `S` start, `F` frozen, `H` hole, `G` goal; the
/// standard ones are [`FROZEN_LAKE_4X4`] and [`FROZEN_LAKE_8X8`]. The actions `left`, `down`, `right` and
/// `up` move as [`Ice`] says; at the edge one stays. Holes and the goal are absorbing. The state of the
/// tile in row i and column j, both from 1, is called `i-j`.
///
/// A round that enters the goal earns 1 in the source. Rewards of this crate depend on state and action
/// alone, so r(s, a) is the probability of entering the goal: every expected value is the same.
/// [`acno`] adds `left+look` and so on, which cost `cost` more and show the tile.
///
/// # Errors
/// [`ModelError::Parameter`] if the rows differ in length, there is not exactly one start, or another
/// letter is found (the value is then its code); or if `cost` is not finite.
/// [`ModelError::Empty`] if there is no row, [`ModelError::Discount`] if gamma is not in (0, 1).
///
/// # Example
/// ```
/// use sporadic::model::gallery::{FROZEN_LAKE_4X4, Ice, frozen_lake};
/// let lake = frozen_lake(&FROZEN_LAKE_4X4, Ice::SemiSlippery, 0.05, 0.95)?;
/// let right = lake.action("right")?;
/// // One tile or two, each with probability 1/2.
/// assert_eq!(lake.row(0, right).collect::<Vec<_>>(), [(1, 0.5), (2, 0.5)]);
/// assert_eq!(lake.reward(lake.state("4-3")?, right), 1.0);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn frozen_lake<T: Real>(
    map: &[&str],
    ice: Ice,
    cost: T,
    gamma: T,
) -> Result<Tabular<T>, ModelError> {
    let lake = Lake::new(map)?;
    let n = lake.tiles.len();
    let start = (0..n).map(|s| if lake.tiles[s] == b'S' { T::one() } else { T::zero() });
    let names = (0..n).map(|s| format!("{}-{}", s / lake.columns + 1, s % lake.columns + 1));
    let mut builder = Tabular::builder(gamma)
        .name(format!("frozen-lake-{}x{}", map.len(), lake.columns))
        .states(names)
        .initial(start.collect::<Vec<T>>());
    for (direction, name) in ["left", "down", "right", "up"].into_iter().enumerate() {
        let rows: Vec<Vec<(usize, f64)>> = (0..n).map(|s| lake.moves(s, direction, ice)).collect();
        // Staying at the goal earns nothing.
        let goes = |(s, row): (usize, &Vec<(usize, f64)>)| -> T {
            let enters = row.iter().filter(|(t, _)| *t != s && lake.tiles[*t] == b'G');
            // A sum of nothing is -0 by itself.
            T::of(enters.fold(0.0, |sum, (_, p)| sum + p))
        };
        let rewards: Vec<T> = rows.iter().enumerate().map(goes).collect();
        let rows =
            rows.into_iter().map(|row| row.into_iter().map(|(t, p)| (t, T::of(p))).collect());
        builder = builder.sparse_action(name, T::zero(), rewards, rows);
    }
    acno(&builder.build()?, cost)
}

/// A map that has been checked.
struct Lake {
    columns: usize,
    tiles: Vec<u8>,
}

impl Lake {
    fn new(map: &[&str]) -> Result<Self, ModelError> {
        let refuse = |parameter, value: usize, needed| {
            Err(ModelError::Parameter { parameter, value: value as f64, needed })
        };
        let columns = map.first().map_or(0, |row| row.len());
        if columns == 0 {
            return Err(ModelError::Empty { what: "state" });
        }
        if let Some(odd) = map.iter().find(|row| row.len() != columns) {
            return refuse("the length of a row", odd.len(), "that of the first row");
        }
        let tiles: Vec<u8> = map.iter().flat_map(|row| row.bytes()).collect();
        if let Some(&odd) = tiles.iter().find(|tile| !b"SFHG".contains(tile)) {
            return refuse("a tile", usize::from(odd), "one of the letters S, F, H and G");
        }
        let starts: Vec<usize> = (0..tiles.len()).filter(|&s| tiles[s] == b'S').collect();
        match starts.len() {
            1 => Ok(Self { columns, tiles }),
            found => refuse("the number of tiles S", found, "1"),
        }
    }

    /// The tile next to `s` to the left, below, to the right or above; `s` itself at the edge.
    fn neighbour(&self, s: usize, direction: usize) -> usize {
        let (column, last) = (s % self.columns, self.columns - 1);
        match direction {
            0 if column > 0 => s - 1,
            1 if s + self.columns < self.tiles.len() => s + self.columns,
            2 if column < last => s + 1,
            3 if s >= self.columns => s - self.columns,
            _ => s,
        }
    }

    fn is_end(&self, s: usize) -> bool {
        b"HG".contains(&self.tiles[s])
    }

    /// Where an action in `direction` leads, with probabilities.
    fn moves(&self, s: usize, direction: usize, ice: Ice) -> Vec<(usize, f64)> {
        let next = self.neighbour(s, direction);
        match ice {
            _ if self.is_end(s) => vec![(s, 1.0)],
            Ice::Deterministic => vec![(next, 1.0)],
            Ice::Slippery => [3, 0, 1]
                .map(|turn| (self.neighbour(s, (direction + turn) % 4), 1.0 / 3.0))
                .to_vec(),
            Ice::SemiSlippery if self.is_end(next) => vec![(next, 1.0)],
            Ice::SemiSlippery => vec![(next, 0.5), (self.neighbour(next, direction), 0.5)],
        }
    }
}
