//! What an oracle that searches has answered for one state.

use crate::sequence::ActionSequence;

/// The answers of a planning phase for one state, the last u first, as far as there were questions. They are what the
/// learner plays, and hints for the next questions.
///
/// If V has settled, all answers that would follow are the last one.
#[derive(Debug, Clone)]
pub(super) struct Answers<T> {
    chosen: Vec<(ActionSequence, T)>,
    /// Those of the phase before, while a phase is under way.
    before: Vec<(ActionSequence, T)>,
}

impl<T: Copy> Answers<T> {
    /// The answers of a phase, or none.
    pub(super) fn new(chosen: Vec<(ActionSequence, T)>) -> Self {
        Self { chosen, before: Vec::new() }
    }

    pub(super) fn as_slice(&self) -> &[(ActionSequence, T)] {
        &self.chosen
    }

    /// Begins a planning phase.
    pub(super) fn begin(&mut self) {
        self.before = std::mem::take(&mut self.chosen);
    }

    pub(super) fn push(&mut self, sequence: ActionSequence, value: T) {
        self.chosen.push((sequence, value));
    }

    pub(super) fn clear(&mut self) {
        self.chosen.clear();
        self.before.clear();
    }

    /// The answer to the question `at`, counted from the last u.
    pub(super) fn get(&self, at: usize) -> Option<&(ActionSequence, T)> {
        get(&self.chosen, at)
    }

    /// The answer to the last question.
    pub(super) fn last(&self) -> Option<&(ActionSequence, T)> {
        self.chosen.last()
    }

    /// The sequences to try first for the next question: the answer to the last one, then what was answered to the same
    /// one in the phase before.
    pub(super) fn hints(&self) -> Vec<ActionSequence> {
        let next = [self.last(), get(&self.before, self.chosen.len())];
        next.into_iter().flatten().map(|(sequence, _)| sequence.clone()).collect()
    }
}

fn get<X>(answers: &[X], at: usize) -> Option<&X> {
    answers.get(at).or(answers.last())
}
