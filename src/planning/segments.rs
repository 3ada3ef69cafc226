//! Segments between two sightings: the expected reward R(s, a) and the distribution T(s, a, .) of the
//! state seen next.

use std::collections::HashMap;

use num_traits::Num;

use super::error::{PlanningError, check_actions};
use super::magnitude::{check_against, finite, largest_of, largest_reward, power_of_two, unit_of};
use crate::Real;
use crate::belief::AugmentedState;
use crate::features::{SequenceFeatures, TabularPsi, geometric_sum};
use crate::model::Tabular;
use crate::sequence::ActionSequence;

/// The expected segments of a tabular model, computed when first asked for and kept: for a state s and a sequence a, the expected reward R(s, a) until
/// the next sighting and the discounted distribution T(s, a, .) of the state seen there, so that
/// K(s, a) = R(s, a) + sum over s' of T(s, a, s') V(s').
///
/// Both are read off psi.
///
/// # Complexity
/// One psi and one pass over the transitions per new (s, a); memory |S| + 1 each.
///
/// # Example
/// ```
/// use sporadic::model::gallery;
/// use sporadic::planning::Segments;
/// let swim = gallery::river_swim::<f64>(6, 1.0, 0.99)?;
/// let mut segments = Segments::new(&swim);
/// let (reward, next) = segments.segment(0, &"(1)".parse()?)?;
/// assert_eq!(reward, 0.0);
/// assert!((next[1] - 0.99 * 0.6).abs() < 1e-12); // seen after one step
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Segments<'m, T: Real> {
    model: &'m Tabular<T>,
    /// What rewards are divided by, or why the model's values cannot be computed.
    unit: Result<T, PlanningError>,
    psi: TabularPsi<T>,
    /// Where in `rows` a sequence has its segments, one per state.
    places: HashMap<ActionSequence, usize>,
    rows: Vec<Vec<Option<Segment<T>>>>,
}

/// R(s, a), divided by the model's unit, and T(s, a, .) for one pair.
#[derive(Debug, Clone)]
pub(super) struct Segment<T> {
    pub(super) reward: T,
    pub(super) next: Vec<T>,
}

impl<T: Real> Segment<T> {
    /// K = R + T V.
    pub(super) fn value(&self, values: &[T]) -> T {
        value_of(self.reward, &self.next, values)
    }
}

/// `reward` + the sum of `next`(s) `values`(s) over the states s.
pub(super) fn value_of<T: Num + Copy>(reward: T, next: &[T], values: &[T]) -> T {
    next.iter().zip(values).fold(reward, |sum, (&p, &v)| sum + p * v)
}

impl<'m, T: Real> Segments<'m, T> {
    /// Makes an empty store of segments of `model`.
    pub fn new(model: &'m Tabular<T>) -> Self {
        let psi = TabularPsi::new(model.clone());
        Self { model, unit: unit_of(model), psi, places: HashMap::new(), rows: Vec::new() }
    }

    /// The model.
    pub fn model(&self) -> &'m Tabular<T> {
        self.model
    }

    /// R(s, seq) and T(s, seq, .).
    ///
    /// # Errors
    /// [`PlanningError::Action`] if `seq` takes an action that the model does not have,
    /// [`PlanningError::Overflow`] if the model's values may be too large.
    ///
    /// # Panics
    /// If `s` is not a state.
    pub fn segment(&mut self, s: usize, seq: &ActionSequence) -> Result<(T, &[T]), PlanningError> {
        let unit = self.unit()?;
        let segment = self.get(s, seq)?;
        Ok((segment.reward * unit, &segment.next))
    }

    /// R(x, seq) and T(x, seq, .) from psi at the augmented state x.
    pub(super) fn at_age(
        &self,
        x: &AugmentedState<usize>,
        seq: &ActionSequence,
    ) -> Result<(T, Vec<T>), PlanningError> {
        let unit = self.unit()?;
        check_actions(seq, self.model.num_actions())?;
        let segment = read_off(self.model, self.psi.psi_at(x, seq).as_slice(), unit);
        Ok((segment.reward * unit, segment.next))
    }

    /// The power of two that rewards of [`get`](Self::get) are divided by.
    pub(super) fn unit(&self) -> Result<T, PlanningError> {
        self.unit.clone()
    }

    pub(super) fn get(
        &mut self,
        s: usize,
        seq: &ActionSequence,
    ) -> Result<&Segment<T>, PlanningError> {
        let unit = self.unit()?;
        let place = if let Some(&place) = self.places.get(seq) {
            place
        } else {
            check_actions(seq, self.model.num_actions())?;
            self.places.insert(seq.clone(), self.rows.len());
            self.rows.push(vec![None; self.model.num_states()]);
            self.rows.len() - 1
        };
        Ok(self.rows[place][s].get_or_insert_with(|| {
            let psi = self.psi.psi(&s, seq);
            read_off(self.model, psi.as_slice(), unit)
        }))
    }
}

/// R and T of one-hot psi: R = <reward half, 2 r / (1 - gamma)>, and the continuation half holds
/// half the discounted chance of a sighting right after (s', a). Rewards are divided by `unit`.
pub(super) fn read_off<T: Real>(model: &Tabular<T>, psi: &[T], unit: T) -> Segment<T> {
    let (n, m) = (model.num_states(), model.num_actions());
    let two = T::of(2.0);
    let scale = two / (T::one() - model.gamma());
    let mut segment = Segment { reward: T::zero(), next: vec![T::zero(); n] };
    for s in 0..n {
        for a in 0..m {
            let i = s * m + a;
            segment.reward += scale * psi[i] * (model.reward(s, a) / unit);
            let seen = two * psi[n * m + i];
            if seen != T::zero() {
                for (t, p) in model.row(s, a) {
                    segment.next[t] += seen * p;
                }
            }
        }
    }
    segment
}

/// The solution of V = R + T V, given R(s) and T(s, .) of each state; `system` is scratch.
///
/// V is the sum of T^k R over k, and the rows of T sum to gamma at most.
pub(super) fn stationary_values<'a, T: Real>(
    rows: impl IntoIterator<Item = (T, &'a [T])>,
    system: &mut Vec<T>,
    values: &mut [T],
) {
    let n = values.len();
    system.clear();
    for (reward, next) in rows {
        system.extend_from_slice(next);
        system.push(reward);
    }
    geometric_sum(system, n);
    for (value, row) in values.iter_mut().zip(system.chunks_exact(n + 1)) {
        *value = row[n];
    }
}

/// Computes K(s, seq) at every state s: the value of playing `seq` until the next sighting, where `values`
/// takes over.
///
/// Goes backward from the end of the sequence, so all states cost one sparse sweep per action: this
/// suits large state spaces. The period is repeated until what is left out is below
/// rounding.
///
/// # Errors
/// [`PlanningError`] if `seq` takes an unknown action, `values` is not one number per state, or
/// max |r| / (1 - gamma) + max |`values`| is too large for the scalar.
///
/// # Complexity
/// log(rounding) / log(gamma (1 - beta)) sweeps over the transitions of one action.
///
/// # Example
/// ```
/// use sporadic::model::gallery;
/// use sporadic::planning::sequence_values;
/// let chain = gallery::river_swim::<f64>(10_000, 0.5, 0.9)?;
/// let k = sequence_values(&chain, &"(1)".parse()?, &vec![0.0; 10_000])?;
/// assert!(k[9_999] > k[9_998]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sequence_values<T: Real>(
    model: &Tabular<T>,
    seq: &ActionSequence,
    values: &[T],
) -> Result<Vec<T>, PlanningError> {
    let n = model.num_states();
    check_actions(seq, model.num_actions())?;
    if values.len() != n {
        return Err(PlanningError::Length { what: "the value", expected: n, found: values.len() });
    }
    // A sum of NaN and anything is NaN, where a maximum would drop it.
    let given = values
        .iter()
        .map(|v| v.as_f64().abs())
        .fold(0.0_f64, |x, y| if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) });
    check_against(model, largest_of::<T>(), given)?;
    let unit = T::of(power_of_two(largest_reward(model).as_f64().max(given)));
    let scaled: Vec<T> = values.iter().map(|&v| v / unit).collect();
    let mut k = backward(model, seq, &scaled, unit, || false).unwrap_or_default();
    k.iter_mut().for_each(|k| *k *= unit);
    finite(model, &k)?;
    Ok(k)
}

/// K(., seq) from `values`, both in units of `unit`; `None` if `late` says so between two actions.
pub(super) fn backward<T: Real>(
    model: &Tabular<T>,
    seq: &ActionSequence,
    values: &[T],
    unit: T,
    late: impl Fn() -> bool,
) -> Option<Vec<T>> {
    let n = model.num_states();
    let mut k = vec![T::zero(); n];
    let (mut blind, mut seen) = (k.clone(), k.clone());
    for h in (0..length_that_matters(model, seq)).rev() {
        if late() {
            return None;
        }
        let a = seq.action(h);
        let (see, stay) = (model.seen_at(a, h + 1), model.blind_at(a, h + 1));
        model.pull_back(&k, a, &mut blind);
        model.pull_back(values, a, &mut seen);
        for s in 0..n {
            k[s] = model.reward(s, a) / unit + see * seen[s] + stay * blind[s];
        }
    }
    Some(k)
}

/// The number of actions of `seq` until the weight of the rest is far below rounding.
fn length_that_matters<T: Real>(model: &Tabular<T>, seq: &ActionSequence) -> usize {
    let gamma = model.gamma().as_f64();
    let enough = T::epsilon().as_f64() * (1.0 - gamma) / 16.0;
    let mut weight = 1.0;
    seq.iter()
        .zip(1..)
        .take_while(|&(a, age)| {
            let go_on = weight > enough;
            weight *= model.blind_at(a, age).as_f64();
            go_on
        })
        .count()
}
