//! `em`.

use crate::estimators::{EmEstimator, Exploration};
use crate::kinds::{BoxedEstimator, EstimatorKind, ParameterError};
use crate::model;
use crate::{Fault, Number, kind};

kind! {
    /// Expectation maximisation, which learns from whole segments; of single transitions it makes frequencies drawn to the uniform ones.
    pub struct Em("em") {
        /// How many samples of each state and action the draw to the uniform distribution counts as
        pseudo_count: f64 = 0.5,
        /// Whether the reveal probabilities are known instead of estimated
        known_beta: bool = false,
    }
}

impl EstimatorKind for Em {
    fn build(&self, model: &model::Tabular<f64>, _: Exploration) -> Result<BoxedEstimator, Fault> {
        let em = EmEstimator::new(model.num_states(), model.num_actions(), model.gamma())?;
        let mut em = em.with_pseudo_count(self.pseudo_count)?.with_ages(model.ages());
        if self.known_beta {
            em = em.with_known_reveals(&model.schedule().reveals())?;
        }
        Ok(Box::new(em))
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.pseudo_count >= 0.0 {
            return Ok(());
        }
        Err(ParameterError::new("pseudo_count", Number(self.pseudo_count), "finite and at least 0"))
    }
}
