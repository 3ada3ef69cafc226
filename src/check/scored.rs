//! An objective under observation.

use crate::Real;
use crate::model::Action;
use crate::oracles::SequenceObjective;
use crate::sequence::ActionSequence;

/// An objective that keeps what it was asked.
pub(super) struct Scored<'a, T> {
    pub(super) objective: &'a mut dyn SequenceObjective<T>,
    /// Sequences and their values.
    pub(super) values: Vec<(ActionSequence, T)>,
    /// A sequence with an action that does not exist.
    pub(super) illegal: Option<ActionSequence>,
}

impl<T: Real> SequenceObjective<T> for Scored<'_, T> {
    fn num_actions(&self) -> usize {
        self.objective.num_actions()
    }

    fn value(&mut self, seq: &ActionSequence) -> T {
        self.values(std::slice::from_ref(seq))[0]
    }

    fn values(&mut self, seqs: &[ActionSequence]) -> Vec<T> {
        if let Some(illegal) = seqs.iter().find(|seq| seq.max_action() >= self.num_actions()) {
            self.illegal = Some(illegal.clone());
            return vec![T::zero(); seqs.len()];
        }
        let values = self.objective.values(seqs);
        self.values.extend(seqs.iter().cloned().zip(values.iter().copied()));
        values
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> T {
        self.objective.upper_bound(prefix)
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        self.objective.suggest(prefix)
    }

    fn improve(&mut self, seq: &ActionSequence, size: (usize, usize)) -> Option<ActionSequence> {
        self.objective.improve(seq, size)
    }
}
