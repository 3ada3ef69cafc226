//! Errors of a user's own types inside the library's error enums.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::Fault;

/// An error of any type, shared so that it can be cloned: what an oracle, an estimator or features of
/// one's own may fail with.
///
/// Two of them are equal if they are clones of one.
///
/// # Example
/// ```
/// use sporadic::CustomError;
/// let error = CustomError::new("the annealing schedule is empty");
/// assert_eq!(error.to_string(), "the annealing schedule is empty");
/// assert_eq!(error, error.clone());
/// let parse = CustomError::new("x".parse::<u8>().unwrap_err());
/// assert!(parse.get().is::<std::num::ParseIntError>());
/// ```
#[derive(Debug, Clone)]
pub struct CustomError(Arc<dyn Error + Send + Sync>);

impl CustomError {
    /// Wraps an error, or a message.
    pub fn new(error: impl Into<Fault>) -> Self {
        Self(Arc::from(error.into()))
    }

    /// The error.
    pub fn get(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl fmt::Display for CustomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for CustomError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

impl PartialEq for CustomError {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
