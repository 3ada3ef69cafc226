//! The scalar type: `f32` or `f64`.

use nalgebra::RealField;
use num_traits::{AsPrimitive, Float, ToPrimitive};

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
pub trait Real: RealField + Copy + ToPrimitive + Default {
    /// The scalar nearest to `x`.
    fn of(x: f64) -> Self;

    /// The largest scalar that is at most `x`: a lower bound stays one.
    ///
    /// # Example
    /// ```
    /// use sporadic::Real;
    /// assert!(f64::from(f32::at_most(0.1)) <= 0.1 && 0.1 <= f64::from(f32::at_least(0.1)));
    /// assert_eq!(f64::at_most(0.1), 0.1);
    /// ```
    fn at_most(x: f64) -> Self;

    /// The smallest scalar that is at least `x`: an upper bound stays one.
    fn at_least(x: f64) -> Self {
        -Self::at_most(-x)
    }

    /// This scalar as an `f64`, without loss.
    fn as_f64(self) -> f64;

    /// The machine epsilon of this type: the gap between 1 and the next larger number.
    fn epsilon() -> Self;
}

macro_rules! real {
    ($($t:ty)*) => {$(
        impl Real for $t {
            fn of(x: f64) -> Self {
                x.as_()
            }

            fn at_most(x: f64) -> Self {
                let nearest = Self::of(x);
                if nearest.as_f64() > x { nearest.next_down() } else { nearest }
            }

            fn as_f64(self) -> f64 {
                self.as_()
            }

            fn epsilon() -> Self {
                <$t as Float>::epsilon()
            }
        }
    )*};
}

real! { f32 f64 }

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn outward_rounding_is_outward_and_tight(bits: u64) {
            let x = f64::from_bits(bits);
            prop_assume!(!x.is_nan());
            let (low, high) = (f32::at_most(x), f32::at_least(x));
            prop_assert!(low.as_f64() <= x && x <= high.as_f64());
            // Both are the scalar itself, or neighbours (across 0, of which there are two).
            prop_assert!(high <= low || high <= low.next_up());
            prop_assert_eq!(f64::at_most(x).to_bits(), bits);
        }
    }
}
