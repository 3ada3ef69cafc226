//! Estimators by name.

use std::fmt;
use std::sync::Arc;

use nalgebra::Dyn;

use super::Kind;
use super::catalog::Catalog;
use super::info::KindInfo;
use super::parameter::ParameterError;
use crate::Fault;
use crate::estimators::{Estimator, Exploration};
use crate::model::Tabular;

/// An estimator of a tabular model's dynamics in one-hot features, whatever its own type.
pub type BoxedEstimator = Box<dyn Estimator<f64, Dim = Dyn, State = usize>>;

/// A [`Kind`] that builds an estimator of a tabular model's dynamics.
///
/// What it builds is any [`Estimator`] of dynamics in one-hot features, where the pair (s, a) has the index s |A| + a:
/// one of [`estimators`](crate::estimators) with settings, or a type of your own that wraps one or counts for itself. An
/// estimator of which nothing is proved has infinite
/// [bounds](crate::estimators::BoundKind::Given), which `estimate` prints as `given` with a dash.
///
/// # Example
/// Frequencies, drawn to zero as much as the command line says:
/// `estimate river-swim --samples 1000 --estimator shrunk:2`.
/// ```
/// use sporadic::estimators::{Exploration, TabularEstimator};
/// use sporadic::kinds::{BoxedEstimator, EstimatorKind, Registry};
/// use sporadic::model::Tabular;
/// use sporadic::{Fault, kind};
///
/// kind! {
///     /// Frequencies n(s, a, s') / (n(s, a) + COUNT).
///     pub struct Shrunk("shrunk") {
///         /// How many samples the draw to zero counts as
///         count: f64 = 1.0,
///     }
/// }
///
/// impl EstimatorKind for Shrunk {
///     fn build(&self, model: &Tabular<f64>, _: Exploration) -> Result<BoxedEstimator, Fault> {
///         let (states, actions) = (model.num_states(), model.num_actions());
///         let counts = TabularEstimator::new(states, actions, model.gamma())?;
///         Ok(Box::new(counts.with_ridge(self.count)?))
///     }
/// }
///
/// let registry = Registry::builtin().with_estimator::<Shrunk>();
/// assert_eq!(registry.estimators().resolve("shrunk:1.0")?.text, "shrunk");
/// # Ok::<(), sporadic::kinds::ParameterError>(())
/// ```
pub trait EstimatorKind: Kind {
    /// The estimator before its first sample.
    ///
    /// It may know `model` or only its numbers of states and actions and its discount factor: that is the
    /// author's choice. `exploration` tells how well the distribution of the samples covers the
    /// features, which the paper's lemmas ask for.
    ///
    /// # Errors
    /// Whatever keeps it from being made.
    fn build(
        &self,
        model: &Tabular<f64>,
        exploration: Exploration,
    ) -> Result<BoxedEstimator, Fault>;

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// [`ParameterError`] that names the parameter.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
}

/// An estimator kind with its parameters, whatever its type.
trait AnyEstimator: Send + Sync + fmt::Debug {
    fn build(
        &self,
        model: &Tabular<f64>,
        exploration: Exploration,
    ) -> Result<BoxedEstimator, Fault>;
}

impl<K: EstimatorKind> AnyEstimator for K {
    fn build(
        &self,
        model: &Tabular<f64>,
        exploration: Exploration,
    ) -> Result<BoxedEstimator, Fault> {
        EstimatorKind::build(self, model, exploration)
    }
}

/// The estimators that a registry knows.
#[derive(Debug, Clone)]
pub struct Estimators(Catalog<dyn AnyEstimator>);

/// An estimator that a registry has found: its name in canonical form, who made it, and how to
/// build it.
#[derive(Debug, Clone)]
pub struct ResolvedEstimator {
    /// The estimator in one word, defaults at the end left out.
    pub text: String,
    /// Crate, kind and version.
    pub made_by: String,
    estimator: Arc<dyn AnyEstimator>,
}

impl ResolvedEstimator {
    /// The estimator before its first sample; see [`EstimatorKind::build`].
    ///
    /// # Errors
    /// Whatever keeps it from being made.
    pub fn build(
        &self,
        model: &Tabular<f64>,
        exploration: Exploration,
    ) -> Result<BoxedEstimator, Fault> {
        self.estimator.build(model, exploration)
    }
}

impl Default for Estimators {
    fn default() -> Self {
        Self(Catalog::new("estimator", "tabular"))
    }
}

impl Estimators {
    /// Adds a kind; one of the same name is replaced.
    pub(crate) fn add<K: EstimatorKind>(&mut self) {
        self.0.add::<K>(|table| {
            let kind = K::from_table(table)?;
            kind.check()?;
            let table = kind.to_table();
            Ok((Arc::new(kind), table))
        });
    }

    /// The descriptions of all kinds.
    pub fn infos(&self) -> impl Iterator<Item = &KindInfo> {
        self.0.infos()
    }

    /// Finds the estimator that a word such as `ridge:0.5` names.
    ///
    /// # Errors
    /// [`ParameterError`] that names what is wrong with it.
    pub fn resolve(&self, text: &str) -> Result<ResolvedEstimator, ParameterError> {
        let found = self.0.resolve(text)?;
        Ok(ResolvedEstimator { text: found.text, made_by: found.made_by, estimator: found.kind })
    }
}
