//! Which rewards an agent is shown.

use std::fmt;
use std::str::FromStr;

/// Which rewards an agent is shown, and when.
///
/// Written `at-sightings` or `every-round`. An agent that needs more than it is given is refused:
/// [`SimulationError::Feedback`](crate::simulation::SimulationError::Feedback).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Feedback {
    /// The paper's: at a sighting and at the end of an episode, the sum of the rewards since the last
    /// sighting.
    #[default]
    AtSightings,
    /// That of work on active measuring: besides, after every round its reward, by
    /// [`Agent::observe_reward`](super::Agent::observe_reward).
    EveryRound,
}

impl fmt::Display for Feedback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AtSightings => "at-sightings",
            Self::EveryRound => "every-round",
        })
    }
}

impl FromStr for Feedback {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "at-sightings" => Ok(Self::AtSightings),
            "every-round" => Ok(Self::EveryRound),
            _ => Err(format!("{text:?} is not at-sightings or every-round")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for feedback in [Feedback::AtSightings, Feedback::EveryRound] {
            assert_eq!(feedback.to_string().parse(), Ok(feedback));
        }
        assert!("always".parse::<Feedback>().is_err());
        assert!(Feedback::AtSightings < Feedback::EveryRound);
    }
}
