//! The scalar type: `f32` or `f64`.

use nalgebra::RealField;
use num_traits::{FromPrimitive, ToPrimitive};

/// A real scalar `T` that models, features and agents compute with: `f32` or `f64`.
///
/// It is nalgebra's `RealField` plus `Copy` and conversions from and to `f64`, which is what
/// random draws, reports and files use whatever `T` is.
///
/// # Example
/// ```
/// use sporadic::Real;
/// fn half<T: Real>(x: T) -> T {
///     x * T::of(0.5)
/// }
/// assert_eq!(half(3.0_f32), 1.5);
/// ```
pub trait Real: RealField + Copy + FromPrimitive + ToPrimitive + Default {
    /// The scalar nearest to `x`.
    fn of(x: f64) -> Self;

    /// This scalar as an `f64`, without loss.
    fn as_f64(self) -> f64;

    /// The machine epsilon of this type: the gap between 1 and the next larger number.
    fn epsilon() -> Self;
}

impl Real for f64 {
    fn of(x: f64) -> Self {
        x
    }

    fn as_f64(self) -> f64 {
        self
    }

    fn epsilon() -> Self {
        f64::EPSILON
    }
}

impl Real for f32 {
    #[allow(clippy::cast_possible_truncation)]
    fn of(x: f64) -> Self {
        x as f32
    }

    fn as_f64(self) -> f64 {
        f64::from(self)
    }

    fn epsilon() -> Self {
        f32::EPSILON
    }
}
