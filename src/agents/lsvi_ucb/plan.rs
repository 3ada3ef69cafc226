//! The burst-dependent policy of an episode.

use std::borrow::Cow;
use std::sync::Arc;

use super::BeyondHorizon;
use crate::planning::BurstPolicy;
use crate::sequence::ActionSequence;

/// What Algorithm 1 plays in an episode: for each sighting u and state s a candidate, by number.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    family: Arc<[ActionSequence]>,
    num_states: usize,
    beyond: BeyondHorizon,
    /// The candidate at sighting u of state s, at `(u - 1) * num_states + s`.
    pub(super) stages: Vec<u32>,
}

impl Plan {
    pub(super) fn new(
        family: Arc<[ActionSequence]>,
        num_states: usize,
        horizon: usize,
        beyond: BeyondHorizon,
    ) -> Self {
        Self { family, num_states, beyond, stages: vec![0; (horizon - 1) * num_states] }
    }

    /// The number in the family of the sequence played at sighting `u` (from 1) of state `s`.
    ///
    /// # Panics
    /// If `s` is not a state or `u` is 0.
    #[inline]
    pub fn index(&self, u: usize, s: usize) -> usize {
        assert!(s < self.num_states, "state {s} of {}", self.num_states);
        let n = self.num_states;
        let last = self.stages.len() / n; // H - 1
        let stage = match self.beyond {
            _ if u <= last => u,
            BeyondHorizon::Constant => return 0,
            BeyondHorizon::ReuseLast => last,
            BeyondHorizon::ReuseFirst => 1,
        };
        self.stages[(stage - 1) * n + s] as usize
    }

    /// Replaces what is played at each sighting, whatever the state, by the candidates `j`.
    #[allow(clippy::cast_possible_truncation)] // candidates are numbered by u32
    pub(super) fn play(&mut self, j: impl Iterator<Item = usize>) {
        for (stage, j) in self.stages.chunks_exact_mut(self.num_states).zip(j) {
            stage.fill(j as u32);
        }
    }

    /// The family that the numbers refer to.
    pub fn family(&self) -> &[ActionSequence] {
        &self.family
    }
}

impl BurstPolicy<usize> for Plan {
    fn horizon(&self) -> usize {
        self.stages.len() / self.num_states + 1
    }

    fn sequence(&self, u: usize, s: &usize) -> Cow<'_, ActionSequence> {
        Cow::Borrowed(&self.family[self.index(u, *s)])
    }
}
