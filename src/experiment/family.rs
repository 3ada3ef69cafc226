//! Families of sequences by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::sequence::{ActionSequence, periodic, runs, words};

/// The most members of a family; a larger one is refused before any member is made.
pub const MAX_MEMBERS: f64 = 1e6;

/// The most actions that the prefixes and periods of a family have together.
pub const MAX_ACTIONS: f64 = 2e7;

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
    /// The members are too long to be held in memory.
    #[error(
        "the members of {family} have about {actions:.0e} actions together for {num_actions} actions, above the limit of 2e7"
    )]
    TooLong {
        /// The family.
        family: Family,
        /// About how many actions its members have together.
        actions: f64,
        /// The number of actions.
        num_actions: usize,
    },
}

impl Family {
    /// The members over `num_actions` actions, in the order in which ties are broken.
    ///
    /// # Errors
    /// [`FamilyError::TooMany`] if there are more than [`MAX_MEMBERS`], [`FamilyError::TooLong`] if
    /// they have more than [`MAX_ACTIONS`] together.
    pub fn members(&self, num_actions: usize) -> Result<Vec<ActionSequence>, FamilyError> {
        self.check(num_actions)?;
        Ok(match *self {
            // Of one action there is only the constant sequence, however long prefix and period may be.
            _ if num_actions == 1 => vec![ActionSequence::constant(0)],
            Self::Runs { prefix, run } => runs(num_actions, prefix, run).collect(),
            Self::Periodic { prefix, period } => periodic(num_actions, prefix, period).collect(),
            Self::Words { length } => words(num_actions, length).collect(),
        })
    }

    /// Refuses a family that is too large to go through, and gives a bound on the number of its members.
    pub(super) fn check(self, num_actions: usize) -> Result<usize, FamilyError> {
        if num_actions == 1 {
            return Ok(1);
        }
        let (members, length) = (self.count(num_actions as f64), self.length());
        // No part of the count is negative, so it is infinite where it overflows, never NaN.
        if members > MAX_MEMBERS {
            return Err(FamilyError::TooMany { family: self, members, num_actions });
        }
        let actions = members * length;
        if actions > MAX_ACTIONS {
            return Err(FamilyError::TooLong { family: self, actions, num_actions });
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to a million
        let members = members.ceil() as usize;
        Ok(members)
    }

    /// The number of members over a >= 2 actions, in floating point, where nothing overflows. For
    /// `periodic` a bound: prefixes and primitive periods in canonical form number a^P times at most
    /// a + ... + a^L.
    fn count(self, a: f64) -> f64 {
        match self {
            Self::Runs { prefix, run } => {
                a * (a - 1.0) * prefix as f64 * (run as f64).mul_add(run as f64, 1.0) + a
            }
            Self::Periodic { prefix, period } => {
                let (prefix, period) = (prefix as f64, period as f64);
                a.powf(prefix) * (a.powf(period) - 1.0) * a / (a - 1.0)
            }
            Self::Words { length } => a.powf(length as f64),
        }
    }

    /// The most actions in the prefix and period of a member.
    fn length(self) -> f64 {
        match self {
            Self::Runs { prefix, run } => prefix as f64 + 2.0 * run as f64,
            Self::Periodic { prefix, period } => prefix as f64 + period as f64,
            Self::Words { length } => length as f64,
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
        let long: Family = "runs:100000,1".parse().unwrap();
        assert!(matches!(long.members(2), Err(FamilyError::TooLong { .. })));
        for text in ["periodic:18446744073709551615,1", "periodic:1,18446744073709551615"] {
            let huge: Family = text.parse().unwrap();
            assert!(matches!(huge.members(2), Err(FamilyError::TooMany { .. })), "{text}");
        }
    }

    #[test]
    fn the_bound_on_the_number_of_members_holds() {
        for text in ["runs:5,10", "runs:1,1", "periodic:0,5", "periodic:3,3", "words:1", "words:7"]
        {
            let family: Family = text.parse().unwrap();
            for num_actions in 2..4 {
                let members = family.members(num_actions).unwrap();
                let bound = family.check(num_actions).unwrap();
                let is_exact = !matches!(family, Family::Periodic { .. });
                assert!(members.len() <= bound, "{text}");
                assert!(!is_exact || members.len() == bound, "{text}");
                let longest = members.iter().map(|m| m.prefix().len() + m.period().len()).max();
                assert!(longest.unwrap() as f64 <= family.length(), "{text}");
            }
        }
    }

    #[test]
    fn one_action_has_one_sequence() {
        for text in ["runs:5,10", "periodic:3,4", "words:6", "words:18446744073709551615"] {
            let members = text.parse::<Family>().unwrap().members(1).unwrap();
            assert_eq!(members, [ActionSequence::constant(0)], "{text}");
        }
    }
}
