//! The optimum within a finite family of sequences.

use super::error::{PlanningError, check_actions};
use super::kernel::{Segment, read_off, stationary_values};
use crate::Real;
use crate::features::TabularPsi;
use crate::model::Tabular;
use crate::sequence::ActionSequence;

/// The best that can be done with sequences of a family; see [`class_optimum`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClassOptimum<T> {
    /// The fixed point V(s) = max over the family of K(s, a).
    pub values: Vec<T>,
    /// The index in the family of a maximising sequence, per state; the first of equals.
    pub best: Vec<usize>,
    /// Those sequences: a stationary policy whose value is `values`.
    pub policy: Vec<ActionSequence>,
    /// How many rounds of policy iteration it took.
    pub rounds: usize,
}

/// The fixed point of V = max over a finite family of K, with maximising sequences.
///
/// Policy iteration: evaluate the current sequences exactly, take the best for each state, repeat
/// until none is better by more than rounding. Ends, because there are finitely many policies and
/// each is strictly better than the one before.
///
/// # Errors
/// [`PlanningError`] if the family is empty or takes an action that the model does not have.
///
/// # Complexity
/// One psi per state and member, then |S|^2 |family| per round; a handful of rounds.
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
    if family.is_empty() {
        return Err(PlanningError::EmptyFamily);
    }
    for seq in family {
        check_actions(seq, model.num_actions())?;
    }
    let n = model.num_states();
    let segments = segments_of(model, family);
    let at = |s: usize, j: usize| &segments[s * family.len() + j];
    // Better by less than this is rounding: it would only turn the policy in circles.
    let (low, high) = model.reward_range();
    let rounding =
        T::of(64.0) * T::epsilon() * low.abs().max(high.abs()) / (T::one() - model.gamma());
    let mut best = vec![0; n];
    let mut rounds = 0;
    let (mut system, mut values) = (Vec::new(), vec![T::zero(); n]);
    loop {
        rounds += 1;
        let chosen = best.iter().enumerate().map(|(s, &j)| at(s, j));
        let rows = chosen.map(|segment| (segment.reward, &*segment.next));
        stationary_values(rows, &mut system, &mut values);
        let mut changed = false;
        for (s, best) in best.iter_mut().enumerate() {
            let mut record = values[s] + rounding;
            for j in 0..family.len() {
                let k = at(s, j).value(&values);
                if k > record {
                    (record, *best, changed) = (k, j, true);
                }
            }
        }
        if !changed {
            break;
        }
    }
    // Among equals the first: the iteration may have arrived at a later one.
    for (s, best) in best.iter_mut().enumerate() {
        let equal = |&j: &usize| at(s, j).value(&values) >= values[s] - rounding;
        *best = (0..*best).find(equal).unwrap_or(*best);
    }
    let policy = best.iter().map(|&j| family[j].clone()).collect();
    Ok(ClassOptimum { values, best, policy, rounds })
}

/// The segments of every state and member: state by state, as psi tables are.
fn segments_of<T: Real>(model: &Tabular<T>, family: &[ActionSequence]) -> Vec<Segment<T>> {
    let psi = TabularPsi::new(model.clone());
    let width = 2 * model.num_states() * model.num_actions();
    let table = psi.table(family);
    table.as_slice().chunks_exact(width).map(|column| read_off(model, column)).collect()
}
