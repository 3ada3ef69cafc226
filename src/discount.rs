//! The discount factor.

use num_traits::{Num, ToPrimitive};
use thiserror::Error;

use crate::Number;

/// A discount factor gamma, strictly between 0 and 1: the probability that an episode goes on after a
/// round.
///
/// # Example
/// ```
/// use sporadic::Discount;
/// assert_eq!(Discount::new(0.99)?.get(), 0.99);
/// let error = Discount::new(1.0).unwrap_err();
/// assert_eq!(error.to_string(), "gamma = 1 is not in the open interval (0, 1)");
/// # Ok::<(), sporadic::DiscountError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Discount<T>(T);

/// A number that is no discount factor.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("gamma = {} is not in the open interval (0, 1)", Number(*.gamma))]
pub struct DiscountError {
    /// The number given.
    pub gamma: f64,
}

impl<T: Num + PartialOrd + Copy + ToPrimitive> Discount<T> {
    /// Takes a number strictly between 0 and 1.
    ///
    /// # Errors
    /// [`DiscountError`] for any other number, NaN included.
    pub fn new(gamma: T) -> Result<Self, DiscountError> {
        // Written so that NaN, which compares false, is refused.
        if gamma > T::zero() && gamma < T::one() {
            Ok(Self(gamma))
        } else {
            Err(DiscountError { gamma: gamma.to_f64().unwrap_or(f64::NAN) })
        }
    }

    /// The discount factor as an `f64`.
    pub fn as_f64(self) -> Discount<f64> {
        // Every scalar has an `f64` next to it; NaN stands for none and is never met.
        Discount(self.0.to_f64().unwrap_or(f64::NAN))
    }

    /// The number gamma.
    pub fn get(self) -> T {
        self.0
    }

    /// The mean number of rounds of an episode, 1/(1 - gamma), which bounds every value of rewards
    /// in [0, 1].
    pub fn mean_rounds(self) -> T {
        T::one() / (T::one() - self.0)
    }

    /// The probability gamma (1 - beta) that the episode goes on and the state stays hidden, after an
    /// action with reveal probability `beta`.
    ///
    /// # Example
    /// ```
    /// use sporadic::Discount;
    /// let gamma = Discount::new(0.5)?;
    /// assert_eq!((gamma.blind(0.25), gamma.seen(0.25)), (0.375, 0.125));
    /// # Ok::<(), sporadic::DiscountError>(())
    /// ```
    #[inline]
    pub fn blind(self, beta: T) -> T {
        self.0 * (T::one() - beta)
    }

    /// The probability gamma beta that the episode goes on and the state is seen, after an action with
    /// reveal probability `beta`.
    #[inline]
    pub fn seen(self, beta: T) -> T {
        self.0 * beta
    }
}
