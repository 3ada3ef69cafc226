//! The size of values: what is too large for a scalar, and the unit that planners compute in.
//!
//! No value of a model exceeds max |r| / (1 - gamma) in size. Where that number is not well inside the
//! range of the scalar, planners refuse the model with [`PlanningError::Overflow`] before they
//! start; this is the one rule for all of them. Otherwise they divide the rewards by a power of
//! two near the largest one. The division is exact, sums of quotients can neither overflow nor
//! underflow, and results are multiplied by the unit at the end: a model whose rewards are
//! multiples of 1e-320 is planned for as accurately as one whose rewards are multiples of 1.

use nalgebra::ComplexField;

use super::error::PlanningError;
use crate::Real;
use crate::model::Tabular;

/// Refuses a model whose values may be too large for the scalar `T`.
///
/// This is the check that [`evaluate`](super::evaluate()), [`class_optimum`](super::class_optimum),
/// [`sequence_values`](super::sequence_values), [`Segments`](super::Segments) and
/// [`solve`](super::solve::solve) make before they start. The limit is a quarter of the largest
/// number of the scalar: 4.5e307 for `f64`, 8.5e37 for `f32`.
///
/// # Errors
/// [`PlanningError::Overflow`] if max |r| / (1 - gamma) exceeds the limit.
///
/// # Example
/// ```
/// use sporadic::model::Tabular;
/// use sporadic::planning::check_magnitude;
/// let lone = |reward: f64| Tabular::builder(0.99).action("a", 0.5, [reward], [[1.0]]).build();
/// assert!(check_magnitude(&lone(1e305)?).is_ok());
/// assert_eq!(
///     check_magnitude(&lone(1e308)?).unwrap_err().to_string(),
///     "the reward of action \"a\" in state \"s1\" is 1e308: with gamma = 0.99 values may exceed \
///      4.4942328371557893e307, the largest that is computed with"
/// );
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn check_magnitude<T: Real>(model: &Tabular<T>) -> Result<(), PlanningError> {
    check_against(model, largest_of::<T>(), 0.0)
}

/// Refuses a model if max |r| / (1 - gamma) + `given` exceeds `limit`, where `given` is the largest
/// size of values that the caller supplied.
pub(super) fn check_against<T: Real>(
    model: &Tabular<T>,
    limit: f64,
    given: f64,
) -> Result<(), PlanningError> {
    let largest = largest_reward(model).as_f64();
    if largest / (1.0 - model.gamma().as_f64()) + given <= limit {
        return Ok(());
    }
    let pairs = (0..model.num_states()).flat_map(|s| (0..model.num_actions()).map(move |a| (s, a)));
    let size = |&(s, a): &(usize, usize)| model.reward(s, a).as_f64().abs();
    // The first of equals; `max_by` alone gives the last.
    let (s, a) = pairs.rev().max_by(|x, y| size(x).total_cmp(&size(y))).unwrap_or_default();
    Err(PlanningError::Overflow {
        state: model.state_names()[s].clone(),
        action: model.action_names()[a].clone(),
        reward: model.reward(s, a).as_f64(),
        gamma: model.gamma().as_f64(),
        given,
        limit,
    })
}

/// The limit for values of scalar `T`: a quarter of its largest number.
pub(super) fn largest_of<T: Real>() -> f64 {
    0.25 * T::max_value().map_or(f64::MAX, Real::as_f64)
}

/// max |r|.
pub(super) fn largest_reward<T: Real>(model: &Tabular<T>) -> T {
    let (low, high) = model.reward_range();
    low.abs().max(high.abs())
}

/// The power of two that rewards and values of a model are divided by, once the model has passed
/// [`check_magnitude`].
pub(super) fn unit_of<T: Real>(model: &Tabular<T>) -> Result<T, PlanningError> {
    check_magnitude(model)?;
    Ok(T::of(power_of_two(largest_reward(model).as_f64())))
}

/// The least power of two that is at least `x`; 1 if `x` is 0.
///
/// `x` must be at most a quarter of the largest number, so that the power is finite.
pub(super) fn power_of_two(x: f64) -> f64 {
    let mut power = 1.0;
    if x <= 0.0 {
        return power;
    }
    while power < x {
        power *= 2.0;
    }
    // Half of the least positive number is 0, which is below every `x` that comes here.
    while 0.5 * power >= x {
        power *= 0.5;
    }
    power
}

/// Refuses values that are not finite.
///
/// The sizes of values are checked beforehand, so what is not finite here was divided by a pivot that
/// rounding made 0: 1 - gamma is below the precision of the scalar.
pub(super) fn finite<T: Real>(model: &Tabular<T>, values: &[T]) -> Result<(), PlanningError> {
    if values.iter().all(ComplexField::is_finite) {
        Ok(())
    } else {
        Err(PlanningError::Precision { gamma: model.gamma().as_f64(), states: model.num_states() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp)] // powers of two are exact
    fn units_are_powers_of_two_at_every_scale() {
        let powers = [1.0, 0.75, 0.5, 3.0, 1e-3, 0.0].map(power_of_two);
        assert_eq!(powers, [1.0, 1.0, 0.5, 4.0, 1.0 / 512.0, 1.0]);
        let least = f64::from_bits(1);
        assert_eq!(power_of_two(least), least);
        for x in [least, 3.0 * least, 1e-320, 1e-310, 1e-300, 1.7, 1e300, 0.25 * f64::MAX] {
            let unit = power_of_two(x);
            assert!(unit.is_finite() && 0.5 < x / unit && x / unit <= 1.0, "{x}: {unit}");
            assert_eq!(x / unit * unit, x);
        }
    }

    #[test]
    fn each_scalar_has_its_own_limit() {
        let lone = |r: f32| Tabular::builder(0.5).action("a", 0.0, [r], [[1.0]]).build().unwrap();
        assert!(check_magnitude(&lone(4e37)).is_ok());
        assert!(check_magnitude(&lone(-1e38)).is_err());
        assert!(check_against(&lone(4e37), largest_of::<f32>(), 2e38).is_err());
    }
}
