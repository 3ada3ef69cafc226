//! The history of a learner whose features change: what Lambda and the sums are redone from.

use std::collections::HashMap;

use crate::Real;
use crate::agents::{AgentError, Segment};
use crate::sequence::ActionSequence;

/// The segments learnt from, added up by the state they started in and the sequence that was being played.
///
/// psi depends on state and sequence alone, so that Lambda and the sums of lines 4 and 6 follow from this for any
/// psi, however often it is rebuilt.
#[derive(Debug, Clone)]
pub(super) struct History<S, T> {
    entries: Vec<HistoryEntry<S, T>>,
    /// Where the entries of a sequence are.
    places: HashMap<ActionSequence, Vec<usize>>,
}

/// The segments from one state under one sequence.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HistoryEntry<S, T> {
    pub(super) state: S,
    pub(super) sequence: ActionSequence,
    /// How many there are, those that ended their episodes included.
    pub(super) count: u64,
    /// The sum of min {R, H}.
    pub(super) reward: T,
    /// The states in which they ended, with how often.
    pub(super) ends: Vec<(S, u64)>,
}

impl<S: Clone + PartialEq, T: Real> History<S, T> {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), places: HashMap::new() }
    }

    /// Adds a segment that earned `target` = min {R, H} under `sequence`.
    pub(super) fn add(&mut self, segment: &Segment<S, T>, sequence: &ActionSequence, target: T) {
        let entry = self.entry(segment.start(), sequence);
        entry.count += 1;
        entry.reward += target;
        if let Some(next) = segment.next() {
            match entry.ends.iter_mut().find(|(state, _)| state == next) {
                Some((_, count)) => *count += 1,
                None => entry.ends.push((next.clone(), 1)),
            }
        }
    }

    fn entry(&mut self, state: &S, sequence: &ActionSequence) -> &mut HistoryEntry<S, T> {
        let fresh = self.entries.len();
        let places = match self.places.get_mut(sequence) {
            Some(places) => places,
            None => self.places.entry(sequence.clone()).or_default(),
        };
        let known = places.iter().find(|&&i| self.entries[i].state == *state);
        let i = known.copied().unwrap_or(fresh);
        if i == fresh {
            places.push(fresh);
            self.entries.push(HistoryEntry {
                state: state.clone(),
                sequence: sequence.clone(),
                count: 0,
                reward: T::zero(),
                ends: Vec::new(),
            });
        }
        &mut self.entries[i]
    }

    /// All that was learnt, in the order in which it was first met.
    pub(super) fn entries(&self) -> &[HistoryEntry<S, T>] {
        &self.entries
    }

    /// The history with these entries.
    ///
    /// # Errors
    /// [`AgentError::Saved`] if the numbers of an entry contradict each other.
    pub(super) fn from_entries(entries: Vec<HistoryEntry<S, T>>) -> Result<Self, AgentError> {
        let mut places: HashMap<ActionSequence, Vec<usize>> = HashMap::new();
        for (i, entry) in entries.iter().enumerate() {
            let ended =
                entry.ends.iter().try_fold(0_u64, |sum, (_, count)| sum.checked_add(*count));
            let possible = ended.is_some_and(|ended| ended <= entry.count);
            if !possible || entry.count == 0 || entry.count > u64::MAX / 16 {
                let (what, value) = ("a number of segments of", entry.count as f64);
                let needed = "at least 1, and at least as many as ended in states";
                return Err(AgentError::Saved { what, value, needed });
            }
            if !entry.reward.is_finite() {
                let (what, value) = ("a sum of rewards of", entry.reward.as_f64());
                return Err(AgentError::Saved { what, value, needed: "finite" });
            }
            places.entry(entry.sequence.clone()).or_default().push(i);
        }
        Ok(Self { entries, places })
    }
}
