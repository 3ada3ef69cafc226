//! The discount factor.

use thiserror::Error;

use crate::{Number, Real};

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

impl<T: Real> Discount<T> {
    /// Takes a number strictly between 0 and 1.
    ///
    /// # Errors
    /// [`DiscountError`] for any other number, NaN included.
    pub fn new(gamma: T) -> Result<Self, DiscountError> {
        // Written so that NaN, which compares false, is refused.
        if gamma > T::zero() && gamma < T::one() {
            Ok(Self(gamma))
        } else {
            Err(DiscountError { gamma: gamma.as_f64() })
        }
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
}
