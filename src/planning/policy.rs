//! Burst-dependent policies.

use std::borrow::Cow;

use super::PlanningError;
use crate::sequence::{ActionSequence, BurstPolicy};

/// The same sequence at every sighting of a state.
///
/// # Example
/// ```
/// use sporadic::planning::Stationary;
/// let policy = Stationary::new(vec!["(1)".parse()?, "0(1)".parse()?]);
/// assert_eq!(policy.sequences().len(), 2);
/// # Ok::<(), sporadic::sequence::ParseSequenceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stationary {
    sequences: Vec<ActionSequence>,
}

impl Stationary {
    /// One sequence per state.
    pub fn new(sequences: Vec<ActionSequence>) -> Self {
        Self { sequences }
    }

    /// The sequences, one per state.
    pub fn sequences(&self) -> &[ActionSequence] {
        &self.sequences
    }
}

impl BurstPolicy<usize> for Stationary {
    fn horizon(&self) -> usize {
        1
    }

    fn sequence(&self, _: usize, s: &usize) -> Cow<'_, ActionSequence> {
        Cow::Borrowed(&self.sequences[*s])
    }
}

/// Rows of sequences, one row per sighting; after the last row one of them is played for good.
///
/// # Example
/// ```
/// use sporadic::planning::{BurstPolicy, Staged};
/// let left: Vec<_> = vec!["(0)".parse()?; 2];
/// let right: Vec<_> = vec!["(1)".parse()?; 2];
/// let policy = Staged::new(vec![left, right], 1)?; // left, right, then left for good
/// assert_eq!(policy.sequence(2, &0).to_string(), "(1)");
/// assert_eq!(policy.sequence(9, &0).to_string(), "(0)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Staged {
    stages: Vec<Vec<ActionSequence>>,
    repeat: usize,
}

impl Staged {
    /// `stages[u - 1][s]` at sighting u of state s; `stages[repeat - 1]` when they are used up.
    ///
    /// # Errors
    /// [`PlanningError`] if there is no stage, stages differ in length, or there is no stage
    /// `repeat` (counted from 1).
    pub fn new(stages: Vec<Vec<ActionSequence>>, repeat: usize) -> Result<Self, PlanningError> {
        let expected = stages.first().ok_or(PlanningError::NoStage)?.len();
        if let Some(odd) = stages.iter().find(|row| row.len() != expected) {
            return Err(PlanningError::Length { what: "a stage", expected, found: odd.len() });
        }
        if repeat == 0 || repeat > stages.len() {
            return Err(PlanningError::Stage { stage: repeat, stages: stages.len() });
        }
        Ok(Self { stages, repeat })
    }
}

impl BurstPolicy<usize> for Staged {
    fn horizon(&self) -> usize {
        self.stages.len() + 1
    }

    fn sequence(&self, u: usize, s: &usize) -> Cow<'_, ActionSequence> {
        let row = self.stages.get(u - 1).unwrap_or(&self.stages[self.repeat - 1]);
        Cow::Borrowed(&row[*s])
    }
}
