//! Exact values of burst-dependent policies.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error::{PlanningError, check_actions, check_coverage};
use super::magnitude::{finite, unit_of};
use super::segments::{backward, stationary_values, value_of};
use super::tails::Tails;
use super::{BurstPolicy, Segments};
use crate::Real;
use crate::model::Tabular;
use crate::sequence::ActionSequence;

/// Up to this many states the stationary equation is solved directly, above by iteration.
const DIRECT: usize = 512;

/// Computes the exact value of a burst-dependent policy: the expected discounted reward from each
/// state, seen at the start.
///
/// From its horizon on the policy is stationary, V = R + T V, solved once; before, each sighting
/// is one step back: V_u = R_u + T_u V_(u+1).
///
/// # Errors
/// [`PlanningError::Uncovered`] if the policy has no sequence for a state of the model,
/// [`PlanningError::Action`] if it plays an action that the model does not have,
/// [`PlanningError::Overflow`] if values may be too large for the scalar, and
/// [`PlanningError::Size`] if on more than 512 states the sequences have so many different tails that a
/// value per tail and state takes more than 1 GiB.
///
/// # Complexity
/// With n states, a policy of horizon H and m distinct (state, sequence) pairs: m evaluations of
/// psi, one elimination of n^3 / 3, and H steps of n^2. Above 512 states no n x n matrix is formed:
/// at most about 37 / (1 - gamma) sweeps over the transitions of one action per distinct tail of the
/// policy's sequences, until the change is below rounding, and a vector of n values per tail.
///
/// # Example
/// ```
/// use sporadic::model::gallery;
/// use sporadic::planning::{Stationary, evaluate};
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let v = evaluate(&swim, &Stationary::new(vec!["(1)".parse()?; 6]))?;
/// assert_eq!(format!("{:.4}", v[0]), "37.8547");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate<T: Real>(
    model: &Tabular<T>,
    policy: &(impl BurstPolicy<usize> + ?Sized),
) -> Result<Vec<T>, PlanningError> {
    check_coverage(policy, model.num_states())?;
    if model.num_states() > DIRECT {
        return evaluate_by_sweeps(model, policy, policy.horizon().max(1));
    }
    Ok(Evaluator::new(model).direct(policy)?.to_vec())
}

/// Computes the exact values of many policies on one model, as [`evaluate`] does for one, and keeps
/// what was computed for each sequence.
///
/// # Example
/// ```
/// use sporadic::model::gallery;
/// use sporadic::planning::{Evaluator, Stationary};
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let mut evaluator = Evaluator::new(&swim);
/// let left = evaluator.values(&Stationary::new(vec!["(0)".parse()?; 6]))?[0];
/// let right = evaluator.values(&Stationary::new(vec!["(1)".parse()?; 6]))?[0];
/// assert!(left < right);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Evaluator<'m, T: Real> {
    model: &'m Tabular<T>,
    segments: Segments<'m, T>,
    /// For each state (T(s, .), R(s)) of the sequence looked up last.
    rows: Vec<Vec<T>>,
    system: Vec<T>,
    values: Vec<T>,
    next: Vec<T>,
}

impl<'m, T: Real> Evaluator<'m, T> {
    /// Makes an evaluator on `model`.
    pub fn new(model: &'m Tabular<T>) -> Self {
        let zeros = vec![T::zero(); model.num_states()];
        let (segments, rows) = (Segments::new(model), Vec::new());
        Self { model, segments, rows, system: Vec::new(), values: zeros.clone(), next: zeros }
    }

    /// The model.
    pub fn model(&self) -> &'m Tabular<T> {
        self.model
    }

    /// Whether a policy costs about H |S|^2 once its sequences have been met. On more than 512
    /// states it takes sweeps over all transitions every time.
    pub fn is_fast(&self) -> bool {
        self.model.num_states() <= DIRECT
    }

    /// The exact value of `policy` from each state.
    ///
    /// # Errors
    /// As for [`evaluate`].
    pub fn values(
        &mut self,
        policy: &(impl BurstPolicy<usize> + ?Sized),
    ) -> Result<&[T], PlanningError> {
        check_coverage(policy, self.model.num_states())?;
        if self.is_fast() {
            return self.direct(policy);
        }
        self.values = evaluate_by_sweeps(self.model, policy, policy.horizon().max(1))?;
        Ok(&self.values)
    }

    fn direct(
        &mut self,
        policy: &(impl BurstPolicy<usize> + ?Sized),
    ) -> Result<&[T], PlanningError> {
        let (n, last) = (self.model.num_states(), policy.horizon().max(1));
        let unit = self.segments.unit()?;
        self.rows.resize(n, vec![T::zero(); n + 1]);
        let mut known: Vec<Option<&ActionSequence>> = vec![None; n];
        for u in (1..=last).rev() {
            for (s, row) in self.rows.iter_mut().enumerate() {
                let sequence = policy.sequence(u, &s);
                // Mostly the very sequence of the sighting after: no need to look it up again.
                let borrowed = match &sequence {
                    Cow::Borrowed(sequence) => Some(*sequence),
                    Cow::Owned(_) => None,
                };
                let same = |a: &ActionSequence| known[s].is_some_and(|b| std::ptr::eq(a, b));
                if !borrowed.is_some_and(same) {
                    let segment = self.segments.get(s, &sequence)?;
                    row[..n].copy_from_slice(&segment.next);
                    row[n] = segment.reward;
                    known[s] = borrowed;
                }
            }
            if u == last {
                let rows = self.rows.iter().map(|row| (row[n], &row[..n]));
                stationary_values(rows, &mut self.system, &mut self.values);
            } else {
                for (row, value) in self.rows.iter().zip(&mut self.next) {
                    *value = value_of(row[n], &row[..n], &self.values);
                }
                std::mem::swap(&mut self.values, &mut self.next);
            }
        }
        self.values.iter_mut().for_each(|v| *v *= unit);
        finite(self.model, &self.values)?;
        Ok(&self.values)
    }
}

/// The value of a policy on many states, where a matrix over pairs of states is too much: sweeps for
/// the stationary part, then one step back per sighting before.
fn evaluate_by_sweeps<T: Real>(
    model: &Tabular<T>,
    policy: &(impl BurstPolicy<usize> + ?Sized),
    last: usize,
) -> Result<Vec<T>, PlanningError> {
    let (n, unit) = (model.num_states(), unit_of(model)?);
    let tails = Tails::new(model, |s| policy.sequence(last, &s).into_owned())?;
    let mut values = tails.values(model, unit, || false).unwrap_or_default();
    for u in (1..last).rev() {
        let mut groups: BTreeMap<ActionSequence, Vec<usize>> = BTreeMap::new();
        for s in 0..n {
            groups.entry(policy.sequence(u, &s).into_owned()).or_default().push(s);
        }
        let mut out = vec![T::zero(); n];
        for (seq, states) in groups {
            check_actions(&seq, model.num_actions())?;
            let k = backward(model, &seq, &values, unit, || false).unwrap_or_default();
            states.into_iter().for_each(|s| out[s] = k[s]);
        }
        values = out;
    }
    values.iter_mut().for_each(|v| *v *= unit);
    finite(model, &values)?;
    Ok(values)
}
