//! Exact values of burst-dependent policies.

use std::collections::HashMap;

use super::error::PlanningError;
use super::kernel::stationary_values;
use super::{BurstPolicy, Segments, sequence_values};
use crate::Real;
use crate::model::Tabular;
use crate::sequence::ActionSequence;

/// Up to this many states the stationary equation is solved directly, above by iteration.
const DIRECT: usize = 512;

/// The exact value of a burst-dependent policy: the expected discounted reward from each state,
/// seen at the start.
///
/// From its horizon on the policy is stationary, V = R + T V, solved once; before, each sighting
/// is one step back: V_u = R_u + T_u V_(u+1).
///
/// # Errors
/// [`PlanningError::Action`] if the policy plays an action that the model does not have.
///
/// # Complexity
/// With n states, a policy of horizon H and m distinct (state, sequence) pairs: m evaluations of
/// psi, one elimination of n^3 / 3, and H steps of n^2. Above 512 states: sweeps over the
/// transitions, one per action and distinct sequence, until the change is below rounding.
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
    let n = model.num_states();
    let last = policy.horizon().max(1);
    if n > DIRECT {
        return evaluate_by_sweeps(model, policy, last);
    }
    let mut segments = Segments::new(model);

    let mut at_last = Vec::with_capacity(n);
    for s in 0..n {
        at_last.push(segments.get(s, &policy.sequence(last, &s))?.clone());
    }
    let mut values = stationary_values(&at_last.iter().collect::<Vec<_>>());
    for u in (1..last).rev() {
        let before = (0..n).map(|s| Ok(segments.get(s, &policy.sequence(u, &s))?.value(&values)));
        values = before.collect::<Result<_, PlanningError>>()?;
    }
    Ok(values)
}

/// The same on large state spaces, where a matrix over pairs of states is too much.
fn evaluate_by_sweeps<T: Real>(
    model: &Tabular<T>,
    policy: &(impl BurstPolicy<usize> + ?Sized),
    last: usize,
) -> Result<Vec<T>, PlanningError> {
    let n = model.num_states();
    let step = |u: usize, values: &[T]| -> Result<Vec<T>, PlanningError> {
        let mut groups: HashMap<ActionSequence, Vec<usize>> = HashMap::new();
        for s in 0..n {
            groups.entry(policy.sequence(u, &s).into_owned()).or_default().push(s);
        }
        let mut out = vec![T::zero(); n];
        for (seq, states) in groups {
            let k = sequence_values(model, &seq, values)?;
            states.into_iter().for_each(|s| out[s] = k[s]);
        }
        Ok(out)
    };
    let mut values = vec![T::zero(); n];
    // The step contracts by gamma at least: a change below this leaves an error near rounding.
    let scale = model.reward_range();
    let scale = scale.0.abs().max(scale.1.abs()) / (T::one() - model.gamma());
    let enough = T::of(4.0) * T::epsilon() * scale;
    loop {
        let next = step(last, &values)?;
        let change = next.iter().zip(&values).fold(T::zero(), |c, (&a, &b)| c.max((a - b).abs()));
        values = next;
        if change <= enough {
            break;
        }
    }
    for u in (1..last).rev() {
        values = step(u, &values)?;
    }
    Ok(values)
}
