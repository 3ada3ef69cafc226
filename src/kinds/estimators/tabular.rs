//! `tabular`.

use super::{check_lambda, with_bootstrap};
use crate::estimators::{Exploration, TabularEstimator};
use crate::kinds::{BoxedEstimator, EstimatorKind, ParameterError};
use crate::model;
use crate::{Fault, kind};

kind! {
    /// Frequencies n(s, a, s') / (n(s, a) + LAMBDA): ridge regression on one-hot features, by counting.
    pub struct Tabular("tabular") {
        /// The ridge: how strongly estimates are drawn to zero
        lambda: f64 = 1.0,
        /// Whether the reveal probabilities are known instead of estimated
        known_beta: bool = false,
    }
}

impl EstimatorKind for Tabular {
    fn build(
        &self,
        model: &model::Tabular<f64>,
        exploration: Exploration,
    ) -> Result<BoxedEstimator, Fault> {
        let actions = model.num_actions();
        let mut estimator = TabularEstimator::new(model.num_states(), actions, model.gamma())?
            .with_ridge(self.lambda)?
            .with_exploration(exploration)
            .with_ages(model.ages());
        if self.known_beta {
            estimator = estimator.with_known_reveals(&model.schedule().reveals())?;
        }
        with_bootstrap(estimator)
    }

    fn check(&self) -> Result<(), ParameterError> {
        check_lambda(self.lambda)
    }
}
