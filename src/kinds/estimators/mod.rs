//! The estimators, by name.

mod em;
mod ridge;
mod tabular;

pub use em::Em;
pub use ridge::Ridge;
pub use tabular::Tabular;

use super::{BoxedEstimator, ParameterError};
use crate::Fault;
use crate::estimators::{BlockBootstrap, SufficientStatistics};
use nalgebra::Dyn;

/// As many blocks as make the bootstrap's quantiles steady.
const BLOCKS: usize = 32;

/// An estimator whose memory is a sum, with bounds by resampling beside its own.
fn with_bootstrap<E>(empty: E) -> Result<BoxedEstimator, Fault>
where
    E: SufficientStatistics<f64, Dim = Dyn, State = usize> + Clone + 'static,
{
    Ok(Box::new(BlockBootstrap::new(empty, BLOCKS)?))
}

fn check_lambda(lambda: f64) -> Result<(), ParameterError> {
    if lambda >= 0.0 && lambda.is_finite() {
        return Ok(());
    }
    Err(ParameterError::new("lambda", lambda, "finite and at least 0"))
}
