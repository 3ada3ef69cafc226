//! Several oracles as one.

use std::borrow::Cow;
use std::fmt;

use itertools::Itertools as _;

use super::{Choice, OracleError, SequenceObjective, SequenceOracle};
use crate::Real;
use crate::sequence::ActionSequence;

/// Several oracles as one: the best choice and the smallest upper bound of all.
///
/// Each bound holds for all of A^N, so their minimum does. The first of equal values wins.
///
/// # Example
/// A good family finds the value, a search proves how good it is.
/// ```
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::oracles::{BranchAndBound, Exhaustive, FeatureObjective, Portfolio, SequenceOracle};
/// use sporadic::sequence::runs;
/// let psi = TabularPsi::new(gallery::river_swim::<f64>(6, 0.5, 0.9)?);
/// let mut objective = FeatureObjective::planning(&psi, 0, &[0.0; 6])?;
/// let mut both = Portfolio::new()
///     .with(Exhaustive::new(runs(2, 5, 10)))
///     .with(BranchAndBound::new(1e-3));
/// assert!(both.maximize(&mut objective)?.gap() <= 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Portfolio<T> {
    oracles: Vec<Box<dyn SequenceOracle<T>>>,
}

impl<T: Real> Portfolio<T> {
    /// No oracles yet.
    pub fn new() -> Self {
        Self { oracles: Vec::new() }
    }

    /// Adds an oracle behind the others.
    pub fn with(mut self, oracle: impl SequenceOracle<T> + 'static) -> Self {
        self.oracles.push(Box::new(oracle));
        self
    }
}

impl<T> fmt::Debug for Portfolio<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Portfolio of {} oracles", self.oracles.len())
    }
}

impl<T: Real> SequenceOracle<T> for Portfolio<T> {
    /// # Errors
    /// The first error of an oracle; [`OracleError::EmptyFamily`] if there are none.
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        let mut joint: Option<Choice<T>> = None;
        for oracle in &mut self.oracles {
            let next = oracle.maximize(objective)?;
            joint = Some(match joint {
                None => next,
                Some(before) => {
                    let upper_bound = before.upper_bound.min(next.upper_bound);
                    let evaluated = before.evaluated + next.evaluated;
                    let best = if next.value > before.value { next } else { before };
                    // Rounding may put one oracle's bound slightly below another's value.
                    Choice { upper_bound: upper_bound.max(best.value), evaluated, ..best }
                }
            });
        }
        joint.ok_or(OracleError::EmptyFamily)
    }

    /// All members of all families, each once, in the order of the oracles; `None` if one of them has
    /// no family.
    fn family(&self, num_actions: usize) -> Option<Cow<'_, [ActionSequence]>> {
        let families = self.oracles.iter().map(|oracle| oracle.family(num_actions));
        let all = families.collect::<Option<Vec<_>>>()?;
        Some(all.iter().flat_map(|family| family.iter().cloned()).unique().collect())
    }
}
