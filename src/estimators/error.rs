//! What can go wrong in estimation.

use thiserror::Error;

use crate::features::{DynamicsError, PsiError};
use crate::model::Action;
use crate::{CustomError, DiscountError, Fault, Number};

/// Why there is no estimate.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EstimateError {
    /// A feature was not finite, or so large that its square is not.
    #[error("sample {sample}: coordinate {coordinate} of {features} is {}", Number(*.value))]
    Feature {
        /// The sample, counted from 0.
        sample: u64,
        /// Which features: `phi(s, a)` or `phi(s', b)` for an action b.
        features: String,
        /// The coordinate.
        coordinate: usize,
        /// Its value.
        value: f64,
    },
    /// An action that is not one.
    #[error("sample {sample}: action {action} of {num_actions}")]
    Action {
        /// The sample, counted from 0.
        sample: u64,
        /// The action.
        action: Action,
        /// The number of actions.
        num_actions: usize,
    },
    /// A state that the model does not have.
    #[error("sample {sample}: state {state} of {num_states}")]
    State {
        /// The sample, counted from 0.
        sample: u64,
        /// The state.
        state: usize,
        /// The number of states.
        num_states: usize,
    },
    /// The data do not determine the matrices: X^T X + lambda I has no Cholesky factor.
    #[error(
        "the Gram matrix with ridge {} is singular: pivot {index} is {}; \
         explore every feature direction or take a positive ridge",
        Number(*.ridge), Number(*.pivot)
    )]
    Singular {
        /// Which pivot, so which feature direction, failed first.
        index: usize,
        /// Its value.
        pivot: f64,
        /// The ridge lambda.
        ridge: f64,
    },
    /// A setting out of range.
    #[error("{name} = {} is not {needed}", Number(*.value))]
    Setting {
        /// Its name.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What would be accepted.
        needed: &'static str,
    },
    /// A list with a wrong number of entries.
    #[error("{what} has {found} entries where {expected} are needed")]
    Length {
        /// Which list.
        what: &'static str,
        /// How many entries it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// gamma outside (0, 1).
    #[error(transparent)]
    Discount(#[from] DiscountError),
    /// The estimates do not make dynamics.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// An error of an estimator of one's own.
    #[error(transparent)]
    Custom(CustomError),
    /// Two estimators that cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
}

impl EstimateError {
    /// An error of an estimator of one's own.
    pub fn custom(error: impl Into<Fault>) -> Self {
        Self::Custom(CustomError::new(error))
    }
}

/// Why two estimators do not merge: they were not made alike.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("estimators with {what} {} and {} do not merge", Number(*.left), Number(*.right))]
pub struct MergeError {
    /// The setting.
    pub what: &'static str,
    /// Its value in the estimator merged into.
    pub left: f64,
    /// Its value in the other.
    pub right: f64,
}

impl MergeError {
    /// Refuses two settings that are not equal to the last bit.
    pub(super) fn check(what: &'static str, left: f64, right: f64) -> Result<(), Self> {
        if left.to_bits() == right.to_bits() { Ok(()) } else { Err(Self { what, left, right }) }
    }
}

/// Why estimated dynamics give no psi.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PlugInError {
    /// Repeating `word` for ever, the series of psi diverges.
    #[error(
        "psi diverges: gamma (1 - beta) M-hat over the word {word:?} has spectral radius {radius} \
         per action; take more samples or the norm-corrected map"
    )]
    Divergent {
        /// The actions.
        word: Vec<Action>,
        /// The spectral radius of their product, to the power 1 / length.
        radius: f64,
    },
    /// The theorem does not cover so large an error.
    #[error(
        "an error of epsilon = {} is above {}, the largest that the theorem covers",
        Number(*.epsilon), Number(*.largest)
    )]
    TooLarge {
        /// The bound on the error of the matrices.
        epsilon: f64,
        /// The largest allowed: (1 - gamma) / (2 sqrt(d)).
        largest: f64,
    },
    /// An error bound that is negative or not finite.
    #[error("the error bound {} is not a finite nonnegative number", Number(*.value))]
    Bound {
        /// The value given.
        value: f64,
    },
    /// Features and matrices of different dimensions.
    #[error(transparent)]
    Dimension(PsiError),
    /// The matrices became something that is no dynamics.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
}

impl From<PsiError> for PlugInError {
    fn from(error: PsiError) -> Self {
        match error {
            PsiError::Divergent { period: word, radius } => Self::Divergent { word, radius },
            PsiError::Dimension { .. } => Self::Dimension(error),
        }
    }
}
