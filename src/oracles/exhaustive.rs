//! Every member of a finite family.

use std::borrow::Cow;

use super::choice::Best;
use super::{Choice, OracleError, SequenceObjective, SequenceOracle};
use crate::Real;
use crate::sequence::ActionSequence;

/// Scores every sequence of a finite family; the first of equals wins.
///
/// The value is the family's maximum. The upper bound is the objective's bound on all of A^N.
///
/// # Complexity
/// One call of [`values`](SequenceObjective::values) with the whole family, and one bound.
///
/// # Example
/// The family of the paper's experiments.
/// ```
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::oracles::{Exhaustive, FeatureObjective, SequenceOracle};
/// use sporadic::sequence::runs;
/// let psi = TabularPsi::new(gallery::river_swim::<f64>(6, 0.1, 0.99)?);
/// let mut objective = FeatureObjective::planning(&psi, 0, &[1.0; 6])?;
/// let choice = Exhaustive::new(runs(2, 5, 10)).maximize(&mut objective)?;
/// assert_eq!(choice.sequence.to_string(), "(1)"); // swim on
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Exhaustive {
    family: Vec<ActionSequence>,
}

impl Exhaustive {
    /// Searches this family, in this order.
    pub fn new(family: impl IntoIterator<Item = ActionSequence>) -> Self {
        Self { family: family.into_iter().collect() }
    }

    /// The family.
    pub fn family(&self) -> &[ActionSequence] {
        &self.family
    }
}

impl<T: Real> SequenceOracle<T> for Exhaustive {
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        let mut best = Best::new();
        score(objective, &self.family, &mut best)?;
        let bound = objective.upper_bound(&[]);
        best.into_choice(bound)
    }

    fn family(&self, num_actions: usize) -> Option<Cow<'_, [ActionSequence]>> {
        let fits = self.family.iter().all(|seq| seq.max_action() < num_actions);
        (fits && !self.family.is_empty()).then_some(Cow::Borrowed(&self.family))
    }
}

/// How many candidates are scored in one call: enough for a matrix product to pay, few enough to
/// stay in the caches.
const BLOCK: usize = 2048;

/// Scores sequences block by block, so that a long family is never held in memory.
pub(super) fn score_blocks<T: Real>(
    objective: &mut dyn SequenceObjective<T>,
    mut family: impl Iterator<Item = ActionSequence>,
    best: &mut Best<T>,
) -> Result<(), OracleError> {
    loop {
        let block: Vec<_> = family.by_ref().take(BLOCK).collect();
        if block.is_empty() {
            return Ok(());
        }
        score(objective, &block, best)?;
    }
}

fn score<T: Real>(
    objective: &mut dyn SequenceObjective<T>,
    family: &[ActionSequence],
    best: &mut Best<T>,
) -> Result<(), OracleError> {
    let num_actions = objective.num_actions();
    if let Some(seq) = family.iter().find(|seq| seq.max_action() >= num_actions) {
        let (sequence, action) = (seq.to_string(), seq.max_action());
        return Err(OracleError::UnknownAction { sequence, action, num_actions });
    }
    let values = objective.values(family);
    family.iter().zip(values).try_for_each(|(seq, value)| best.offer(seq, value))
}
