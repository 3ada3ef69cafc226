//! Parts of a sweep for several machines.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Shard I of N, from 1: every N-th cell, starting with the I-th.
///
/// Shards share nothing but the folder they write to, and need not share that.
///
/// # Example
/// ```
/// use sporadic::experiment::Shard;
/// let shard: Shard = "2/3".parse()?;
/// assert_eq!(shard.of(&[10, 20, 30, 40, 50]).copied().collect::<Vec<_>>(), [20, 50]);
/// assert!("4/3".parse::<Shard>().is_err());
/// # Ok::<(), sporadic::experiment::ShardError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

/// Why a text is no shard.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text:?} is no shard: write I/N with 1 <= I <= N, as in 2/8")]
pub struct ShardError {
    /// The text.
    pub text: String,
}

impl Default for Shard {
    /// The whole.
    fn default() -> Self {
        Self { index: 1, count: 1 }
    }
}

impl Shard {
    /// The members of `all` that belong to this shard.
    pub fn of<T>(self, all: &[T]) -> impl Iterator<Item = &T> {
        all.iter().skip(self.index - 1).step_by(self.count)
    }

    /// How many of `all` members belong to this shard.
    pub fn count_of(self, all: u64) -> u64 {
        let (index, count) = (self.index as u64, self.count as u64);
        if all < index { 0 } else { (all - index) / count + 1 }
    }

    /// Whether it is the whole.
    pub fn is_all(self) -> bool {
        self.count == 1
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let refuse = || ShardError { text: text.into() };
        let (index, count) = text.split_once('/').ok_or_else(refuse)?;
        let index = index.parse().map_err(|_| refuse())?;
        let count = count.parse().map_err(|_| refuse())?;
        if (1..=count).contains(&index) { Ok(Self { index, count }) } else { Err(refuse()) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}
