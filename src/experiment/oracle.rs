//! Oracles by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::family::Family;
use crate::Number;

/// Where the sequences of Algorithm 1 come from, written in one word.
///
/// | text | searches | see |
/// |---|---|---|
/// | `runs:P,L`, `periodic:P,L`, `words:L` | a finite family, all of it | [`Family`] |
/// | `beam:W,D` | all sequences: the W most promising prefixes of each length up to D, which is at most 1000 | [`Beam`](crate::oracles::Beam) |
/// | `branch-and-bound:G` | all sequences, until no other is better by more than G, or for 1000 prefixes | [`BranchAndBound`](crate::oracles::BranchAndBound) |
/// | `branch-and-bound:G,N` | the same for N prefixes | [`BranchAndBound`](crate::oracles::BranchAndBound) |
///
/// G is in the units of the learner, whose rewards lie in [0, 1]. A family is gone through by
/// [`TabularLsviUcb`](crate::agents::TabularLsviUcb), in a fraction of a millisecond per episode; a search asks
/// [`LsviUcb`](crate::agents::LsviUcb), with [bounds](crate::agents::LsviUcb::with_bounds), H - 1 times
/// per state and episode, which takes hundreds of times as long: give it a short horizon.
///
/// # Example
/// ```
/// use sporadic::experiment::Oracle;
/// let oracle: Oracle = "beam:16,40".parse()?;
/// assert_eq!(oracle, Oracle::Beam { width: 16, depth: 40 });
/// let fault = "crystal:1".parse::<Oracle>().unwrap_err();
/// assert!(fault.to_string().starts_with("\"crystal:1\" is no oracle: write runs:5,10,"));
/// # Ok::<(), sporadic::experiment::ParseOracleError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Oracle {
    /// All of a finite family.
    Family(Family),
    /// A few prefixes at a time.
    Beam {
        /// How many prefixes of each length are kept.
        width: usize,
        /// How long prefixes grow.
        depth: usize,
    },
    /// Best-first search.
    BranchAndBound {
        /// It may stop this far from the optimum.
        gap: f64,
        /// It stops after this many prefixes in any case.
        nodes: usize,
    },
}

/// How many prefixes a search may look at unless it is told, and at most; and the longest prefix of a beam.
const NODES: usize = 1_000;
const MAX_NODES: usize = 1_000_000;
const MAX_DEPTH: usize = 1_000;

/// A text that names no oracle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{text:?} is no oracle: write runs:5,10, periodic:3,4, words:6, beam:16,40 (width, depth) or \
     branch-and-bound:0.1,1000 (gap, prefixes, which may be left out), with a positive gap, numbers \
     of at least 1, a depth of at most 1000, and at most a million prefixes"
)]
pub struct ParseOracleError {
    /// The text.
    pub text: String,
}

impl Oracle {
    /// The family, if it is one.
    pub fn family(self) -> Option<Family> {
        match self {
            Self::Family(family) => Some(family),
            _ => None,
        }
    }
}

impl From<Family> for Oracle {
    fn from(family: Family) -> Self {
        Self::Family(family)
    }
}

impl FromStr for Oracle {
    type Err = ParseOracleError;

    fn from_str(text: &str) -> Result<Self, ParseOracleError> {
        let refuse = || ParseOracleError { text: text.into() };
        let (kind, rest) = text.split_once(':').ok_or_else(refuse)?;
        let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
        let whole = |part: &str| part.parse::<usize>().ok().filter(|&n| n >= 1);
        let oracle = match (kind.trim(), parts.as_slice()) {
            ("beam", &[width, depth]) => {
                let (width, depth) = whole(width).zip(whole(depth)).ok_or_else(refuse)?;
                Self::Beam { width, depth }
            }
            ("branch-and-bound", &[gap, ref nodes @ ..]) if nodes.len() <= 1 => {
                let gap = gap.parse().ok().filter(|&gap: &f64| gap > 0.0 && gap.is_finite());
                let nodes = nodes.first().map_or(Some(NODES), |nodes| whole(nodes));
                let (gap, nodes) = gap.zip(nodes).ok_or_else(refuse)?;
                Self::BranchAndBound { gap, nodes }
            }
            _ => Self::Family(text.parse().map_err(|_| refuse())?),
        };
        let prefixes = match oracle {
            Self::Family(_) => 0, // counted when the number of actions is known
            Self::Beam { width, depth } => width.saturating_mul(depth),
            Self::BranchAndBound { nodes, .. } => nodes,
        };
        let too_deep = matches!(oracle, Self::Beam { depth, .. } if depth > MAX_DEPTH);
        if prefixes > MAX_NODES || too_deep { Err(refuse()) } else { Ok(oracle) }
    }
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Family(family) => family.fmt(f),
            Self::Beam { width, depth } => f.pad(&format!("beam:{width},{depth}")),
            Self::BranchAndBound { gap, nodes: NODES } => {
                f.pad(&format!("branch-and-bound:{}", Number(gap)))
            }
            Self::BranchAndBound { gap, nodes } => {
                f.pad(&format!("branch-and-bound:{},{nodes}", Number(gap)))
            }
        }
    }
}

impl From<Oracle> for String {
    fn from(oracle: Oracle) -> Self {
        oracle.to_string()
    }
}

impl TryFrom<String> for Oracle {
    type Error = ParseOracleError;

    fn try_from(text: String) -> Result<Self, ParseOracleError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_oracle_prints_as_it_reads() {
        for text in [
            "runs:5,10",
            "periodic:0,3",
            "words:6",
            "beam:16,40",
            "branch-and-bound:0.1",
            "branch-and-bound:0.1,20000",
        ] {
            assert_eq!(text.parse::<Oracle>().unwrap().to_string(), text);
        }
        let long: Oracle = "branch-and-bound:0.1,1000".parse().unwrap();
        assert_eq!(long, "branch-and-bound:0.1".parse().unwrap());
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "beam",
            "beam:3",
            "beam:0,3",
            "beam:3,0",
            "beam:1,2,3",
            "beam:100000,100000",
            "beam:1,1001",
            "beam:18446744073709551615,18446744073709551615",
            "branch-and-bound",
            "branch-and-bound:",
            "branch-and-bound:0",
            "branch-and-bound:-1",
            "branch-and-bound:nan",
            "branch-and-bound:inf",
            "branch-and-bound:0.1,0",
            "branch-and-bound:0.1,2,3",
            "branch-and-bound:0.1,1000001",
            "words:0",
            "all:3",
        ] {
            assert!(text.parse::<Oracle>().is_err(), "{text}");
        }
    }
}
