//! Exact values of tabular models.

use std::time::Duration;

use super::solve::{SolveOptions, solve};
use super::{Evaluator, PlanningError, class_optimum};
use crate::model::{Exact, Tabular};
use crate::sequence::{ActionSequence, BurstPolicy};
use crate::{Fault, Real};

/// The [`Exact`] values of a tabular model: policies by [`Evaluator`], the optimum by
/// [`solve`](mod@super::solve), families by [`class_optimum`].
///
/// Brackets of V* and class optima are computed at the first question and kept.
///
/// # Example
/// ```
/// use sporadic::model::{Exact, gallery};
/// use sporadic::planning::TabularExact;
/// let balance = gallery::river_balance::<f64>(6, 0.1, 0.99)?;
/// let mut exact = TabularExact::new(&balance);
/// let (lower, upper) = exact.optimum(None)?;
/// assert!(lower <= 44.7503 && 44.7503 <= upper);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Debug)]
pub struct TabularExact<'m, T: Real> {
    evaluator: Evaluator<'m, T>,
    options: SolveOptions,
    bracket: Option<(Vec<f64>, Vec<f64>)>,
    class: Option<(Vec<ActionSequence>, Vec<f64>)>,
}

/// The gap asked of the solver, times 1 - gamma, as a share of the largest reward: five digits.
const GAP: f64 = 1e-5;
/// When the solver stops whatever the gap is.
const TIME_LIMIT: Duration = Duration::from_secs(60);

impl<'m, T: Real> TabularExact<'m, T> {
    /// Exact values of `model`, whose optimum is bracketed to five digits of the largest possible
    /// value, or as well as it can be in a minute.
    pub fn new(model: &'m Tabular<T>) -> Self {
        let (low, high) = model.reward_range();
        let size = low.as_f64().abs().max(high.as_f64().abs());
        let gap = GAP * if size > 0.0 { size } else { 1.0 } / (1.0 - model.gamma().as_f64());
        let options = SolveOptions::default().with_gap(gap).with_time_limit(TIME_LIMIT);
        Self { evaluator: Evaluator::new(model), options, bracket: None, class: None }
    }

    /// Sets how hard the solver tries.
    pub fn with_options(self, options: SolveOptions) -> Self {
        Self { options, bracket: None, ..self }
    }

    /// Gives bounds on V* that are known already, one pair per state, instead of having them
    /// computed.
    pub fn with_bracket(self, lower: Vec<f64>, upper: Vec<f64>) -> Self {
        Self { bracket: Some((lower, upper)), ..self }
    }

    /// How hard the solver tries.
    pub fn options(&self) -> &SolveOptions {
        &self.options
    }

    fn at(&self, values: &[f64], start: Option<&usize>) -> Result<f64, Fault> {
        let model = self.evaluator.model();
        let expected = model.num_states();
        if values.len() != expected {
            return Err(PlanningError::Length {
                what: "the list of values",
                expected,
                found: values.len(),
            }
            .into());
        }
        Ok(match start {
            Some(&s) => {
                *values.get(s).ok_or(PlanningError::State { state: s, num_states: expected })?
            }
            None => {
                let starts = model.initial_distribution().iter();
                starts.zip(values).map(|(p, v)| p.as_f64() * v).sum()
            }
        })
    }
}

impl<T: Real> Exact<usize> for TabularExact<'_, T> {
    fn value(
        &mut self,
        policy: &dyn BurstPolicy<usize>,
        start: Option<&usize>,
    ) -> Result<f64, Fault> {
        let values: Vec<f64> =
            self.evaluator.values(policy)?.iter().map(|value| value.as_f64()).collect();
        self.at(&values, start)
    }

    fn optimum(&mut self, start: Option<&usize>) -> Result<(f64, f64), Fault> {
        if self.bracket.is_none() {
            let solution = solve(self.evaluator.model(), &self.options)?;
            self.bracket = Some((solution.lower, solution.upper));
        }
        let Some((lower, upper)) = &self.bracket else { return Ok((f64::NAN, f64::NAN)) };
        Ok((self.at(lower, start)?, self.at(upper, start)?))
    }

    fn class(
        &mut self,
        family: &[ActionSequence],
        start: Option<&usize>,
    ) -> Result<Option<f64>, Fault> {
        let known = self.class.as_ref().is_some_and(|(known, _)| known == family);
        if !known {
            let best = class_optimum(self.evaluator.model(), family)?;
            let values = best.values.iter().map(|value| value.as_f64()).collect();
            self.class = Some((family.to_vec(), values));
        }
        self.class.as_ref().map(|(_, values)| self.at(values, start)).transpose()
    }

    fn is_cheap(&self) -> bool {
        self.evaluator.is_fast()
    }

    #[cfg(feature = "serde")]
    fn description(&self) -> Option<String> {
        self.evaluator.model().to_json().ok()
    }
}
