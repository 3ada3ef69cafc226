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
    bracket: Option<(Vec<T>, Vec<T>)>,
    class: Option<(Vec<ActionSequence>, Vec<T>)>,
}

/// The gap asked of the solver, times 1 - gamma, as a share of the largest reward: five digits.
const GAP: f64 = 1e-5;
/// When the solver stops whatever the gap is.
const TIME_LIMIT: Duration = Duration::from_secs(60);

impl<'m, T: Real> TabularExact<'m, T> {
    /// Makes exact values of `model`, whose optimum is bracketed to five digits of the largest possible
    /// value, or as well as it can be in a minute.
    pub fn new(model: &'m Tabular<T>) -> Self {
        let (low, high) = model.reward_range();
        let size = low.as_f64().abs().max(high.as_f64().abs());
        let gap = GAP * if size > 0.0 { size } else { 1.0 } / (1.0 - model.gamma().as_f64());
        let options = SolveOptions::default().with_gap(gap).with_time_limit(TIME_LIMIT);
        Self { evaluator: Evaluator::new(model), options, bracket: None, class: None }
    }

    /// Sets the gap that the solver aims at, and its limits.
    pub fn with_options(self, options: SolveOptions) -> Self {
        Self { options, bracket: None, ..self }
    }

    /// Sets bounds on V* that are known already, one pair per state, such as those of a
    /// [`Solution`](super::solve::Solution), instead of having them computed.
    ///
    /// # Errors
    /// [`PlanningError::Length`] if there is not one pair per state, and [`PlanningError::Bracket`] if
    /// a lower bound exceeds the upper one or one of them is not a number.
    ///
    /// # Example
    /// ```
    /// use sporadic::model::gallery;
    /// use sporadic::planning::TabularExact;
    /// use sporadic::planning::solve::{SolveOptions, solve};
    /// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
    /// let best = solve(&swim, &SolveOptions::default())?;
    /// let known = TabularExact::new(&swim).with_bracket(best.lower.clone(), best.upper.clone())?;
    /// let inverted = TabularExact::new(&swim).with_bracket(best.upper, best.lower);
    /// assert!(inverted.unwrap_err().to_string().contains("cannot both hold"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_bracket(self, lower: Vec<T>, upper: Vec<T>) -> Result<Self, PlanningError> {
        let expected = self.evaluator.model().num_states();
        for (what, bounds) in
            [("the list of lower bounds", &lower), ("the list of upper bounds", &upper)]
        {
            if bounds.len() != expected {
                return Err(PlanningError::Length { what, expected, found: bounds.len() });
            }
        }
        // Written so that NaN, which compares false, is refused.
        let holds = |(l, u): (&T, &T)| l <= u;
        if let Some(state) = lower.iter().zip(&upper).position(|pair| !holds(pair)) {
            let (lower, upper) = (lower[state].as_f64(), upper[state].as_f64());
            return Err(PlanningError::Bracket { state, lower, upper });
        }
        Ok(Self { bracket: Some((lower, upper)), ..self })
    }

    /// The gap that the solver aims at, and its limits.
    pub fn options(&self) -> &SolveOptions {
        &self.options
    }
}

/// The entry of `values` for `start` or, without a start, their mean over the initial distribution.
fn at<T: Real>(
    model: &Tabular<T>,
    values: &[T],
    start: Option<&usize>,
) -> Result<f64, PlanningError> {
    let num_states = model.num_states();
    match start {
        Some(&state) => match values.get(state) {
            Some(value) => Ok(value.as_f64()),
            None => Err(PlanningError::State { state, num_states }),
        },
        None => {
            let starts = model.initial_distribution().iter();
            Ok(starts.zip(values).map(|(p, v)| p.as_f64() * v.as_f64()).sum())
        }
    }
}

impl<T: Real> Exact<usize> for TabularExact<'_, T> {
    fn value(
        &mut self,
        policy: &dyn BurstPolicy<usize>,
        start: Option<&usize>,
    ) -> Result<f64, Fault> {
        let model = self.evaluator.model();
        Ok(at(model, self.evaluator.values(policy)?, start)?)
    }

    fn optimum(&mut self, start: Option<&usize>) -> Result<(f64, f64), Fault> {
        let model = self.evaluator.model();
        if self.bracket.is_none() {
            let solution = solve(model, &self.options)?;
            self.bracket = Some((solution.lower, solution.upper));
        }
        let Some((lower, upper)) = &self.bracket else { return Ok((f64::NAN, f64::NAN)) };
        Ok((at(model, lower, start)?, at(model, upper, start)?))
    }

    fn class(
        &mut self,
        family: &[ActionSequence],
        start: Option<&usize>,
    ) -> Result<Option<f64>, Fault> {
        let model = self.evaluator.model();
        let known = self.class.as_ref().is_some_and(|(known, _)| known == family);
        if !known {
            self.class = Some((family.to_vec(), class_optimum(model, family)?.values));
        }
        Ok(self.class.as_ref().map(|(_, values)| at(model, values, start)).transpose()?)
    }

    fn is_cheap(&self) -> bool {
        self.evaluator.is_fast()
    }

    #[cfg(feature = "serde")]
    fn description(&self) -> Option<String> {
        self.evaluator.model().to_json().ok()
    }
}
