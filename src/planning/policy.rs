//! Burst-dependent policies.

use std::borrow::Cow;
use std::ops::Index;

use super::PlanningError;
use crate::sequence::{ActionSequence, BurstPolicy};

/// A stationary burst-dependent policy on a tabular model: one sequence per state, played at every
/// sighting of that state.
///
/// [`solve`](super::solve::solve) and [`class_optimum`](super::class_optimum) answer with one.
/// `policy[s]` is the sequence of state s.
///
/// # Example
/// ```
/// use sporadic::planning::Stationary;
/// let policy = Stationary::new(vec!["(1)".parse()?, "0(1)".parse()?]);
/// assert_eq!(policy.sequences().len(), 2);
/// assert_eq!(policy[1].to_string(), "0(1)");
/// # Ok::<(), sporadic::sequence::ParseSequenceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Stationary {
    sequences: Vec<ActionSequence>,
}

impl Stationary {
    /// A policy from one sequence per state.
    pub fn new(sequences: Vec<ActionSequence>) -> Self {
        Self { sequences }
    }

    /// The sequences, one per state.
    pub fn sequences(&self) -> &[ActionSequence] {
        &self.sequences
    }

    /// The sequences, one per state, without a copy.
    pub fn into_sequences(self) -> Vec<ActionSequence> {
        self.sequences
    }
}

impl From<Vec<ActionSequence>> for Stationary {
    fn from(sequences: Vec<ActionSequence>) -> Self {
        Self::new(sequences)
    }
}

impl Index<usize> for Stationary {
    type Output = ActionSequence;

    fn index(&self, s: usize) -> &ActionSequence {
        &self.sequences[s]
    }
}

impl BurstPolicy<usize> for Stationary {
    fn horizon(&self) -> usize {
        1
    }

    fn sequence(&self, _: usize, s: &usize) -> Cow<'_, ActionSequence> {
        Cow::Borrowed(&self.sequences[*s])
    }

    fn covers(&self, s: &usize) -> bool {
        *s < self.sequences.len()
    }
}

/// A burst-dependent policy on a tabular model in stages: the u-th stage, one sequence per state, is
/// played at the u-th sighting of an episode; after the last stage one of them is repeated for good.
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
    /// A policy that plays `stages[u - 1][s]` if the u-th sighting is of state s, and
    /// `stages[repeat - 1][s]` after the last stage.
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

    fn covers(&self, s: &usize) -> bool {
        *s < self.stages[0].len()
    }
}
