//! How the protocol may be set: when episodes end, beside which rewards agents are shown.

use std::fmt;
use std::str::FromStr;

pub use crate::agents::Feedback;

/// When an episode ends.
///
/// Written `discounted` or `absorbing:N`, where N is the step limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub enum Ending {
    /// The paper's: after every round with probability 1 - gamma, so that expected returns are discounted
    /// values.
    #[default]
    Discounted,
    /// An evaluation mode for comparison with published returns, outside the theory: when the state
    /// becomes [absorbing](crate::model::Environment::is_absorbing), or after so many rounds.
    ///
    /// Returns are then undiscounted; gamma plays no part. The agent is shown the end by a terminal
    /// segment in both cases. Exact values and certified optima are those of the discounted problem, so
    /// an experiment gives none in this mode.
    Absorbing {
        /// The most rounds of an episode, at least 1.
        step_limit: u64,
    },
}

/// How the protocol is played: part of every result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Setting {
    /// Which rewards agents are shown.
    pub feedback: Feedback,
    /// When episodes end.
    pub ending: Ending,
}

impl Setting {
    /// Whether it is the paper's protocol.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What values are multiplied by to be on the scale of rewards: 1 - gamma, or 1 where nothing is
    /// discounted.
    pub fn scale(&self, gamma: f64) -> f64 {
        match self.ending {
            Ending::Discounted => 1.0 - gamma,
            Ending::Absorbing { .. } => 1.0,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Discounted => f.pad("discounted"),
            Self::Absorbing { step_limit } => write!(f, "absorbing:{step_limit}"),
        }
    }
}

impl FromStr for Ending {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let limit = text.strip_prefix("absorbing:").and_then(|limit| limit.parse().ok());
        match limit.filter(|limit: &u64| *limit > 0) {
            Some(step_limit) => Ok(Self::Absorbing { step_limit }),
            None if text == "discounted" => Ok(Self::Discounted),
            None => Err(format!(
                "{text:?} is not discounted or absorbing:N, where N is a step limit of at least 1"
            )),
        }
    }
}

impl TryFrom<String> for Ending {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Ending> for String {
    fn from(ending: Ending) -> Self {
        ending.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for ending in [Ending::Discounted, Ending::Absorbing { step_limit: 7 }] {
            assert_eq!(ending.to_string().parse(), Ok(ending));
        }
        for wrong in ["", "absorbing", "absorbing:", "absorbing:0", "absorbing:-1", "Discounted"] {
            assert!(wrong.parse::<Ending>().is_err(), "{wrong}");
        }
    }
}
