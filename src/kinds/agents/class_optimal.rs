//! `class-optimal`.

use crate::agents::{FixedPolicy, Resume as _};
use crate::kinds::{AgentKind, BoxedAgent, OracleChoice, ParameterError, Site};
use crate::model::Tabular;
use crate::planning::class_optimum;
use crate::{Fault, kind};

kind! {
    /// Knows the model and plays the best policy within a family.
    pub struct ClassOptimal("class-optimal") {
        /// The family
        oracle: OracleChoice = "runs:5,10".into(),
    }
}

impl AgentKind<Tabular<f64>> for ClassOptimal {
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        let best = class_optimum(site.world(), &site.family(&self.oracle)?)?;
        Ok(Box::new(FixedPolicy::new(best.policy).resumable()))
    }

    fn check(&self, site: &Site<'_, Tabular<f64>>) -> Result<(), ParameterError> {
        site.family(&self.oracle).map(|_| ())
    }

    fn oracle(&self) -> Option<&OracleChoice> {
        Some(&self.oracle)
    }
}
