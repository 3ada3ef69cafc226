//! R, PV and K at augmented states.

use super::Segments;
use super::error::PlanningError;
use super::segments::value_of;
use crate::Real;
use crate::belief::{AugmentedState, belief};
use crate::model::Tabular;
use crate::sequence::ActionSequence;

/// The value K(x, a) = R(x, a) + PV(x, a) of a sequence a at an augmented state x, in its two parts.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SequenceValue<T> {
    /// R(x, a): the expected discounted reward until the next sighting.
    pub reward: T,
    /// PV(x, a): the expected discounted value V of the state seen there.
    pub continuation: T,
}

impl<T: Real> SequenceValue<T> {
    /// K(x, a) = R(x, a) + PV(x, a).
    pub fn total(&self) -> T {
        self.reward + self.continuation
    }
}

/// K(x, a) in its two parts: the value of playing `seq` from the augmented state `x` until the next
/// sighting, where `values` takes over.
///
/// The paper's appendix extends R, PV and K from states to augmented states: the latent state is drawn
/// from the belief b(.|x), so each of them is the mean of its values at states over that belief.
///
/// # Errors
/// [`PlanningError`] if `x` or `seq` is not the model's, `values` is not one number per state, or
/// the model's values may be too large for the scalar.
///
/// # Complexity
/// As [`Segments::segment`] per state of positive belief. For many sequences keep a [`Segments`] and
/// use [`Segments::segment_at`].
///
/// # Example
/// ```
/// use sporadic::belief::AugmentedState;
/// use sporadic::model::gallery;
/// use sporadic::planning::sequence_value_at;
/// let swim = gallery::river_swim::<f64>(6, 1.0, 0.5)?;
/// let x = AugmentedState::new(5).with_actions([1]); // at s6 with probability 0.6, at s5 with 0.4
/// let k = sequence_value_at(&swim, &x, &"(1)".parse()?, &[0.0; 6])?;
/// assert!((k.reward - 0.6).abs() < 1e-12 && k.continuation == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sequence_value_at<T: Real>(
    model: &Tabular<T>,
    x: &AugmentedState<usize>,
    seq: &ActionSequence,
    values: &[T],
) -> Result<SequenceValue<T>, PlanningError> {
    let (expected, found) = (model.num_states(), values.len());
    if found != expected {
        return Err(PlanningError::Length { what: "the value", expected, found });
    }
    let (reward, next) = Segments::new(model).segment_at(x, seq)?;
    Ok(SequenceValue { reward, continuation: value_of(T::zero(), &next, values) })
}

impl<T: Real> Segments<'_, T> {
    /// R(x, seq) and T(x, seq, .) at an augmented state: the means of R(s, seq) and T(s, seq, .) over
    /// the belief b(.|x).
    ///
    /// # Errors
    /// [`PlanningError`] if `x` or `seq` is not the model's, or its values may be too large.
    pub fn segment_at(
        &mut self,
        x: &AugmentedState<usize>,
        seq: &ActionSequence,
    ) -> Result<(T, Vec<T>), PlanningError> {
        check_augmented(self.model(), x)?;
        if self.model().ages() > 1 {
            // The sequence starts at the age of x, not at that of a sighting.
            return self.at_age(x, seq);
        }
        let mut reward = T::zero();
        let mut next = vec![T::zero(); self.model().num_states()];
        for (s, mass) in belief(self.model(), x).into_iter().enumerate() {
            if mass > T::zero() {
                let (r, t) = self.segment(s, seq)?;
                reward += mass * r;
                next.iter_mut().zip(t).for_each(|(sum, &p)| *sum += mass * p);
            }
        }
        Ok((reward, next))
    }
}

/// Refuses an augmented state with a state or an action that the model does not have.
fn check_augmented<T: Real>(
    model: &Tabular<T>,
    x: &AugmentedState<usize>,
) -> Result<(), PlanningError> {
    let (&state, num_states) = (x.state(), model.num_states());
    if state >= num_states {
        return Err(PlanningError::State { state, num_states });
    }
    let num_actions = model.num_actions();
    match x.actions().iter().position(|&a| a >= num_actions) {
        None => Ok(()),
        Some(i) => {
            let (position, action) = (i + 1, x.actions()[i]);
            Err(PlanningError::AugmentedAction { position, action, num_actions })
        }
    }
}
