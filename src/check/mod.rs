//! Checks of environments, features, oracles, estimators and agents of one's own.
//!
//! The library relies on properties that no compiler verifies. Each function here tests those of
//! one trait, by exact comparison where that is possible and by seeded simulation otherwise, and
//! returns [`Findings`]: what is wrong and where, in words. Nothing found is no proof; the same
//! call gives the same findings every time.
//!
//! | you bring | check | among its claims |
//! |---|---|---|
//! | [`Environment`] | [`environment`] | the seed decides everything; rewards are in their range |
//! | [`Exact`] | [`exact`] | values agree with simulated returns; none is above the bound on V\* |
//! | [`FeatureMap`] | [`features`], [`linear_mdp`] | norms; the linear MDP assumption |
//! | [`SequenceFeatures`] | [`sequence_features`], [`psi_definition`] | norms; the definition |
//! | [`SequenceOracle`] | [`oracle`] | values and bounds; equal questions have equal answers |
//! | [`Estimator`] | [`estimator`] | more data, smaller errors; unusable data are refused |
//! | [`Agent`] | [`agent`] | same seed, same play, also if watched, or saved and restored |
//!
//! [`Environment`]: crate::model::Environment
//! [`Exact`]: crate::model::Exact
//! [`FeatureMap`]: crate::features::FeatureMap
//! [`SequenceFeatures`]: crate::features::SequenceFeatures
//! [`SequenceOracle`]: crate::oracles::SequenceOracle
//! [`Estimator`]: crate::estimators::Estimator
//! [`Agent`]: crate::agents::Agent
//!
//! # Example
//! A test of an agent of one's own:
//! ```
//! use sporadic::agents::{Agent, Segment};
//! use sporadic::belief::AugmentedState;
//! use sporadic::check;
//! use sporadic::model::{Action, gallery};
//! use sporadic::simulation::{Simulation, Streams};
//!
//! #[derive(Default)]
//! struct Alternate(Action);
//!
//! impl<S> Agent<S, f64> for Alternate {
//!     fn begin_episode(&mut self, _: &S) {}
//!     fn act(&mut self, _: &AugmentedState<S>) -> Action {
//!         self.0 += 1;
//!         self.0 % 3
//!     }
//!     fn observe(&mut self, _: &Segment<S, f64>) {}
//! }
//!
//! let swim = gallery::river_swim::<f64>(6, 0.5, 0.9)?;
//! let world = Simulation::new(&swim, Streams::new(1));
//! let findings = check::agent(&world, 20, Alternate::default);
//! assert!(findings.to_string().contains("the agent took action 2")); // there are only 0 and 1
//! # Ok::<(), sporadic::model::ModelError>(())
//! ```
//! Once it is right, `check::agent(&world, 20, Alternate::default).assert()` is the whole test.

mod agent;
mod environment;
mod estimator;
mod exact;
mod features;
mod linear_mdp;
mod oracle;
mod psi_definition;
mod record;
mod replay;
mod scored;
mod sequence_features;

pub use agent::agent;
pub use environment::environment;
pub use estimator::estimator;
pub use exact::exact;
pub use features::features;
pub use linear_mdp::{AssumptionReport, linear_mdp};
pub use oracle::oracle;
pub use psi_definition::psi_definition;
pub use replay::MAX_ROUNDS;
#[cfg(feature = "cli")]
pub(crate) use replay::replay;
pub use sequence_features::sequence_features;

use thiserror::Error;

use crate::Real;

/// What a check has found to be wrong, one sentence each; empty if nothing.
///
/// Prints one finding per line.
///
/// # Example
/// ```
/// use sporadic::check;
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
/// check::environment(&swim, 1, 20).assert(); // in a test
/// check::environment(&swim, 1, 20).into_result()?; // elsewhere
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[error("{}", .0.join("\n"))]
#[must_use]
pub struct Findings(Vec<String>);

impl Findings {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The findings.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Panics with the findings if there are any.
    ///
    /// # Panics
    /// If something was found.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.is_empty(), "\n{self}\n");
    }

    /// Turns findings into an error.
    ///
    /// # Errors
    /// The findings, if there are any.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }

    fn add(&mut self, finding: impl Into<String>) {
        self.0.push(finding.into());
    }

    /// Adds the finding, unless the claim holds.
    fn claim(&mut self, holds: bool, finding: impl FnOnce() -> String) {
        if !holds {
            self.add(finding());
        }
    }
}

/// Whether two numbers agree up to rounding, as the results of two orders of summation do. NaN
/// agrees with nothing.
fn agree<T: Real>(x: T, y: T) -> bool {
    let scale = T::one() + x.abs().max(y.abs());
    x == y || (x - y).abs() <= T::of(1e3) * T::epsilon() * scale
}
