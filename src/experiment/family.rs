//! Families of sequences by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::sequence::{ActionSequence, periodic, runs, words};

/// More candidates than this are refused before any is made.
pub const MAX_MEMBERS: f64 = 1e6;

/// A finite family of action sequences, written in one word.
///
/// | text | members | see |
/// |---|---|---|
/// | `runs:P,L` | `b^p (c^i b^j)`, p <= P, i, j <= L; `runs:5,10` is the paper's | [`runs`] |
/// | `periodic:P,L` | a prefix of at most P actions, then a period of at most L | [`periodic`] |
/// | `words:L` | L actions, the last one held | [`words`] |
///
/// # Example
/// ```
/// use sporadic::experiment::Family;
/// let family: Family = "runs:5,10".parse()?;
/// assert_eq!(family.members(2)?.len(), 1012);
/// let fault = "runs:5".parse::<Family>().unwrap_err();
/// assert_eq!(
///     fault.to_string(),
///     "\"runs:5\" is no family of sequences: write runs:5,10, periodic:3,4 or words:6, with lengths of at least 1"
/// );
/// # Ok::<(), sporadic::experiment::FamilyError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Family {
    /// A^seq of the paper's experiments.
    Runs {
        /// The longest prefix.
        prefix: usize,
        /// The longest run.
        run: usize,
    },
    /// Every short prefix with every short period.
    Periodic {
        /// The longest prefix.
        prefix: usize,
        /// The longest period.
        period: usize,
    },
    /// Every word, its last action held forever.
    Words {
        /// The length.
        length: usize,
    },
}

/// Why a text names no usable family.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FamilyError {
    /// The text is of none of the forms.
    #[error(
        "{text:?} is no family of sequences: write runs:5,10, periodic:3,4 or words:6, with lengths of at least 1"
    )]
    Syntax {
        /// The text.
        text: String,
    },
    /// The family is too large to go through.
    #[error(
        "{family} has about {members:.0e} members for {num_actions} actions, above the limit of 1e6"
    )]
    TooMany {
        /// The family.
        family: Family,
        /// About how many members it has.
        members: f64,
        /// The number of actions.
        num_actions: usize,
    },
}

impl Family {
    /// The members over `num_actions` actions, in the order in which ties are broken.
    ///
    /// # Errors
    /// [`FamilyError::TooMany`] if there are more than [`MAX_MEMBERS`].
    pub fn members(&self, num_actions: usize) -> Result<Vec<ActionSequence>, FamilyError> {
        self.check(num_actions)?;
        Ok(match *self {
            // With one action there is no pair of them, but there is the constant sequence.
            Self::Runs { .. } if num_actions == 1 => vec![ActionSequence::constant(0)],
            Self::Runs { prefix, run } => runs(num_actions, prefix, run).collect(),
            Self::Periodic { prefix, period } => periodic(num_actions, prefix, period).collect(),
            Self::Words { length } => words(num_actions, length).collect(),
        })
    }

    /// Refuses a family that is too large to go through.
    pub(super) fn check(self, num_actions: usize) -> Result<(), FamilyError> {
        let members = self.bound(num_actions as f64);
        // Written so that what is no number is too large.
        if members <= MAX_MEMBERS {
            return Ok(());
        }
        Err(FamilyError::TooMany { family: self, members, num_actions })
    }

    /// At least the number of members.
    fn bound(self, a: f64) -> f64 {
        match self {
            Self::Runs { prefix, run } => {
                a * a * prefix as f64 * (run as f64).mul_add(run as f64, 1.0)
            }
            Self::Periodic { prefix, period } => a.powf((prefix + period) as f64),
            Self::Words { length } => a.powf(length as f64),
        }
    }
}

impl FromStr for Family {
    type Err = FamilyError;

    fn from_str(text: &str) -> Result<Self, FamilyError> {
        let refuse = || FamilyError::Syntax { text: text.into() };
        let (kind, numbers) = text.split_once(':').ok_or_else(refuse)?;
        let numbers: Result<Vec<usize>, _> = numbers.split(',').map(|n| n.trim().parse()).collect();
        match (kind, numbers.map_err(|_| refuse())?.as_slice()) {
            ("runs", &[prefix @ (1..), run @ (1..)]) => Ok(Self::Runs { prefix, run }),
            ("periodic", &[prefix, period @ (1..)]) => Ok(Self::Periodic { prefix, period }),
            ("words", &[length @ (1..)]) => Ok(Self::Words { length }),
            _ => Err(refuse()),
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Self::Runs { prefix, run } => format!("runs:{prefix},{run}"),
            Self::Periodic { prefix, period } => format!("periodic:{prefix},{period}"),
            Self::Words { length } => format!("words:{length}"),
        })
    }
}

impl From<Family> for String {
    fn from(family: Family) -> Self {
        family.to_string()
    }
}

impl TryFrom<String> for Family {
    type Error = FamilyError;

    fn try_from(text: String) -> Result<Self, FamilyError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_prints_as_it_reads() {
        for text in ["runs:5,10", "periodic:0,3", "words:6"] {
            assert_eq!(text.parse::<Family>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "runs", "runs:", "runs:0,3", "runs:1,2,3", "words:0", "words:-1", "all:3"]
        {
            assert!(text.parse::<Family>().is_err(), "{text}");
        }
        let large: Family = "words:40".parse().unwrap();
        assert!(matches!(large.members(2), Err(FamilyError::TooMany { .. })));
        assert!("words:99999999999".parse::<Family>().unwrap().members(3).is_err());
    }

    #[test]
    fn one_action_has_one_sequence() {
        for text in ["runs:5,10", "periodic:3,4", "words:6"] {
            let members = text.parse::<Family>().unwrap().members(1).unwrap();
            assert_eq!(members, [ActionSequence::constant(0)], "{text}");
        }
    }
}
