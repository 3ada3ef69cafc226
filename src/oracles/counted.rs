//! Counting of questions to an objective.

use super::SequenceObjective;
use crate::Real;
use crate::model::Action;
use crate::sequence::ActionSequence;

/// Counts what an oracle asks of an objective.
///
/// # Example
/// ```
/// use sporadic::oracles::{Counted, ObjectiveFn, Periodic, SequenceOracle};
/// use sporadic::sequence::ActionSequence;
/// let mut objective = Counted::new(ObjectiveFn::new(2, |seq: &ActionSequence| seq.first() as f64));
/// Periodic { prefix: 1, period: 2 }.maximize(&mut objective)?;
/// assert_eq!((objective.values_asked(), objective.bounds_asked()), (8, 1));
/// # Ok::<(), sporadic::oracles::OracleError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Counted<O> {
    objective: O,
    values: usize,
    bounds: usize,
    improvements: usize,
}

impl<O> Counted<O> {
    /// Starts counting at zero.
    pub fn new(objective: O) -> Self {
        Self { objective, values: 0, bounds: 0, improvements: 0 }
    }

    /// How many sequences were scored.
    pub fn values_asked(&self) -> usize {
        self.values
    }

    /// How many prefixes were bounded.
    pub fn bounds_asked(&self) -> usize {
        self.bounds
    }

    /// How often the objective was asked to improve a sequence.
    pub fn improvements_asked(&self) -> usize {
        self.improvements
    }

    /// The objective.
    pub fn into_inner(self) -> O {
        self.objective
    }
}

impl<T: Real, O: SequenceObjective<T>> SequenceObjective<T> for Counted<O> {
    fn num_actions(&self) -> usize {
        self.objective.num_actions()
    }

    fn value(&mut self, seq: &ActionSequence) -> T {
        self.values += 1;
        self.objective.value(seq)
    }

    fn values(&mut self, seqs: &[ActionSequence]) -> Vec<T> {
        self.values += seqs.len();
        self.objective.values(seqs)
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> T {
        self.bounds += 1;
        self.objective.upper_bound(prefix)
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        self.objective.suggest(prefix)
    }

    fn hints(&self) -> &[ActionSequence] {
        self.objective.hints()
    }

    fn improve(&mut self, seq: &ActionSequence, size: (usize, usize)) -> Option<ActionSequence> {
        self.improvements += 1;
        self.objective.improve(seq, size)
    }

    fn is_familiar(&self) -> bool {
        self.objective.is_familiar()
    }
}
