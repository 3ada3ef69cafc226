//! The optimum within a finite family of sequences.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::Stationary;
use super::error::{PlanningError, check_actions};
use super::magnitude::{finite, unit_of};
use super::segments::{Segment, backward, read_off, stationary_values};
use super::tails::Tails;
use crate::Real;
use crate::features::{SequenceFeatures, TOGETHER, TabularPsi};
use crate::model::Tabular;
use crate::sequence::ActionSequence;

/// Up to this many bytes the segments of all states and members are stored; above, K is computed
/// member by member in every round.
const MOST_BYTES: usize = 1 << 29;

/// Members whose psi is then computed between two looks at the clock.
const CHUNK: usize = 1024;

/// The largest values that policies with sequences of a family have, and such a policy; see
/// [`class_optimum`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClassOptimum<T> {
    /// The fixed point V(s) = max over the family of K(s, a); if the time was up before, a lower
    /// bound on it that `policy` attains.
    pub values: Vec<T>,
    /// The index in the family of a maximising sequence, per state; the first of equals.
    pub best: Vec<usize>,
    /// The policy that plays those sequences; its value is `values`.
    pub policy: Stationary,
    /// How many rounds of policy iteration it took.
    pub rounds: usize,
    /// No state's optimum within the family exceeds its entry of `values` by more: 0, up to
    /// rounding, unless the time was up.
    pub gap: T,
}

/// Computes the fixed point of V = max over a finite family of K, and maximising sequences.
///
/// Policy iteration: evaluate the current sequences exactly, take the best for each state, repeat
/// until none is better by more than rounding. In exact arithmetic each policy is strictly better
/// than the one before. In rounded arithmetic it may not be, so the iteration also ends when a policy
/// comes up a second time; there are finitely many, so it ends.
///
/// # Errors
/// [`PlanningError`] if the family is empty, takes an action that the model does not have, or if the
/// model's values may be too large for the scalar.
///
/// # Complexity
/// One psi per state and member, then |S|^2 |family| per round; a handful of rounds. If |S|^2 |family|
/// numbers take more than 512 MiB they are not stored: a round is then one
/// [`sequence_values`](super::sequence_values) per member, and memory goes with |S|.
///
/// # Example
/// The optimum of the paper's second experiment within its 1012 candidates.
/// ```
/// use sporadic::model::gallery;
/// use sporadic::planning::class_optimum;
/// use sporadic::sequence::runs;
/// let balance = gallery::river_balance::<f64>(6, 0.1, 0.99)?;
/// let best = class_optimum(&balance, &runs(2, 5, 10).collect::<Vec<_>>())?;
/// assert_eq!(format!("{:.6}", 0.01 * best.values[0]), "0.384052");
/// assert_eq!(best.policy[0].to_string(), "1(111000)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn class_optimum<T: Real>(
    model: &Tabular<T>,
    family: &[ActionSequence],
) -> Result<ClassOptimum<T>, PlanningError> {
    class_optimum_within(model, family, None)
}

/// Computes [`class_optimum`], or bounds on it if the time limit is reached before.
///
/// What is returned is valid whatever ended the iteration: `policy` is worth at least `values`, and no
/// policy with sequences of the family is worth more than `values` + `gap`. If the time is up before
/// any policy has been evaluated, `values` is r_min / (1 - gamma).
///
/// # Errors
/// As for [`class_optimum`].
///
/// # Example
/// ```
/// use std::time::Duration;
/// use sporadic::model::gallery;
/// use sporadic::planning::class_optimum_within;
/// use sporadic::sequence::runs;
/// let balance = gallery::river_balance::<f64>(6, 0.1, 0.99)?;
/// let best = class_optimum_within(&balance, &runs(2, 5, 10).collect::<Vec<_>>(), Duration::ZERO)?;
/// assert!(best.values[0] <= 38.405 && 38.405 <= best.values[0] + best.gap);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn class_optimum_within<T: Real>(
    model: &Tabular<T>,
    family: &[ActionSequence],
    limit: impl Into<Option<Duration>>,
) -> Result<ClassOptimum<T>, PlanningError> {
    let deadline = limit.into().and_then(|limit| Instant::now().checked_add(limit));
    if family.is_empty() {
        return Err(PlanningError::EmptyFamily);
    }
    for seq in family {
        check_actions(seq, model.num_actions())?;
    }
    let problem = Problem { model, family, unit: unit_of(model)?, deadline };
    let (n, size) = (model.num_states(), size_of::<T>());
    let bytes = n.saturating_mul(n + 1).saturating_mul(family.len()).saturating_mul(size);
    if bytes > MOST_BYTES {
        return problem.iterate(&Sweeps);
    }
    match problem.segments() {
        Some(segments) => problem.iterate(&segments),
        None => Ok(problem.nothing_known()),
    }
}

/// A model and a family to optimise over, with rewards in units of `unit`.
struct Problem<'a, T> {
    model: &'a Tabular<T>,
    family: &'a [ActionSequence],
    unit: T,
    deadline: Option<Instant>,
}

/// Evaluates policies and members of the family. Each answer is `None` if the time is up before.
trait Evaluation<T: Real> {
    /// The value of the policy that plays member `best[s]` from each sighting of s.
    fn policy(&self, problem: &Problem<T>, best: &[usize])
    -> Option<Result<Vec<T>, PlanningError>>;

    /// Calls `each` with every member and its K(s, .) at the states s it is given for, such that each
    /// state meets the members in order.
    fn members(
        &self,
        problem: &Problem<T>,
        values: &[T],
        each: impl FnMut(usize, usize, T),
    ) -> Option<()>;
}

impl<T: Real> Problem<'_, T> {
    fn late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// r_min / (1 - gamma) and r_max / (1 - gamma), in units.
    fn trivial(&self) -> (T, T) {
        let (low, high) = self.model.reward_range();
        let left = T::one() - self.model.gamma();
        (low / self.unit / left, high / self.unit / left)
    }

    fn nothing_known(&self) -> ClassOptimum<T> {
        let (n, (low, high)) = (self.model.num_states(), self.trivial());
        self.answer(vec![low; n], vec![0; n], 0, high - low)
    }

    fn answer(&self, values: Vec<T>, best: Vec<usize>, rounds: usize, gap: T) -> ClassOptimum<T> {
        ClassOptimum {
            values: values.into_iter().map(|v| v * self.unit).collect(),
            policy: best.iter().map(|&j| self.family[j].clone()).collect::<Vec<_>>().into(),
            best,
            rounds,
            gap: gap * self.unit,
        }
    }

    fn iterate(&self, evaluation: &impl Evaluation<T>) -> Result<ClassOptimum<T>, PlanningError> {
        let n = self.model.num_states();
        // Better by less than this is rounding.
        let (low, high) = self.trivial();
        let rounding = T::of(64.0) * T::epsilon() * low.abs().max(high.abs());
        let mut known = self.nothing_known();
        let mut top = high;
        let mut best = vec![0; n];
        let mut met = HashSet::new();
        for rounds in 1.. {
            let Some(values) = evaluation.policy(self, &best) else { break };
            let values = values?;
            let least = values.iter().fold(values[0], |least, &v| least.min(v));
            known = self.answer(values.clone(), best.clone(), rounds, top - least);
            let mut record: Vec<T> = values.iter().map(|&v| v + rounding).collect();
            let mut better = best.clone();
            let mut rise = T::zero();
            let done = evaluation.members(self, &values, |s, j, k| {
                rise = rise.max(k - values[s]);
                if k > record[s] {
                    (record[s], better[s]) = (k, j);
                }
            });
            if done.is_none() {
                break;
            }
            met.insert(best.clone());
            if better == best || met.contains(&better) {
                known.gap = T::zero();
                if let Some(first) = self.first_of_equals(evaluation, &values, best, rounding) {
                    known = self.answer(values, first, rounds, T::zero());
                }
                break;
            }
            // V + rise / (1 - gamma) is not raised by any member, so it bounds the optimum.
            let above = rise / (T::one() - self.model.gamma());
            top = top.min(values.iter().fold(values[0], |most, &v| most.max(v)) + above);
            known.gap = known.gap.min(above * self.unit);
            best = better;
        }
        Ok(known)
    }

    /// Among members that are equal to `best` up to rounding the first, for the iteration may have
    /// arrived at a later one; `None` if the time is up before.
    fn first_of_equals(
        &self,
        evaluation: &impl Evaluation<T>,
        values: &[T],
        mut best: Vec<usize>,
        rounding: T,
    ) -> Option<Vec<usize>> {
        evaluation.members(self, values, |s, j, k| {
            if j < best[s] && k >= values[s] - rounding {
                best[s] = j;
            }
        })?;
        Some(best)
    }

    /// The segments of every state and member; `None` if the time is up before.
    fn segments(&self) -> Option<Stored<T>> {
        let psi = TabularPsi::new(self.model.clone());
        let n = self.model.num_states();
        let width = 2 * n * self.model.num_actions();
        let mut segments = vec![Vec::with_capacity(self.family.len()); n];
        let each = |column: &[T]| read_off(self.model, column, self.unit);
        if n > TOGETHER {
            for (s, row) in segments.iter_mut().enumerate() {
                if self.late() {
                    return None;
                }
                let batch = psi.batch(&s, self.family);
                row.extend(batch.as_slice().chunks_exact(width).map(each));
            }
            return Some(Stored { segments });
        }
        for members in self.family.chunks(CHUNK) {
            if self.late() {
                return None;
            }
            let table = psi.table(members);
            for (i, column) in table.as_slice().chunks_exact(width).enumerate() {
                segments[i / members.len()].push(each(column));
            }
        }
        Some(Stored { segments })
    }
}

/// Evaluation by stored segments: that of member j from state s is `segments[s][j]`.
struct Stored<T> {
    segments: Vec<Vec<Segment<T>>>,
}

impl<T: Real> Evaluation<T> for Stored<T> {
    fn policy(
        &self,
        problem: &Problem<T>,
        best: &[usize],
    ) -> Option<Result<Vec<T>, PlanningError>> {
        if problem.late() {
            return None;
        }
        let chosen = self.segments.iter().zip(best).map(|(members, &j)| &members[j]);
        let rows = chosen.map(|segment| (segment.reward, &*segment.next));
        let mut values = vec![T::zero(); best.len()];
        stationary_values(rows, &mut Vec::new(), &mut values);
        Some(finite(problem.model, &values).map(|()| values))
    }

    fn members(
        &self,
        problem: &Problem<T>,
        values: &[T],
        mut each: impl FnMut(usize, usize, T),
    ) -> Option<()> {
        for (s, members) in self.segments.iter().enumerate() {
            if problem.late() {
                return None;
            }
            members.iter().enumerate().for_each(|(j, segment)| each(s, j, segment.value(values)));
        }
        Some(())
    }
}

/// Evaluation by sweeps over the transitions, with nothing stored.
struct Sweeps;

impl<T: Real> Evaluation<T> for Sweeps {
    fn policy(
        &self,
        problem: &Problem<T>,
        best: &[usize],
    ) -> Option<Result<Vec<T>, PlanningError>> {
        let tails = match Tails::new(problem.model, |s| problem.family[best[s]].clone()) {
            Ok(tails) => tails,
            Err(refused) => return Some(Err(refused)),
        };
        let values = tails.values(problem.model, problem.unit, || problem.late())?;
        Some(finite(problem.model, &values).map(|()| values))
    }

    fn members(
        &self,
        problem: &Problem<T>,
        values: &[T],
        mut each: impl FnMut(usize, usize, T),
    ) -> Option<()> {
        for (j, seq) in problem.family.iter().enumerate() {
            let k = backward(problem.model, seq, values, problem.unit, || problem.late())?;
            k.into_iter().enumerate().for_each(|(s, k)| each(s, j, k));
        }
        Some(())
    }
}
