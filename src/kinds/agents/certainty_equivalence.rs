//! `certainty-equivalence`.

use super::smaller;
use crate::agents::size::check_counts;
use crate::agents::{self, Resume as _};
use crate::kinds::{AgentKind, BoxedAgent, OracleChoice, ParameterError, Site};
use crate::model::Tabular;
use crate::{Fault, kind};

kind! {
    /// Estimates the model and plans as if the estimate were true.
    pub struct CertaintyEquivalence("certainty-equivalence") {
        /// The family it plans with
        oracle: OracleChoice = "runs:5,10".into(),
    }
}

impl AgentKind<Tabular<f64>> for CertaintyEquivalence {
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        let family = site.family(&self.oracle)?;
        let agent = agents::CertaintyEquivalence::for_model(site.world(), family)?;
        Ok(Box::new(agent.resumable()))
    }

    fn check(&self, site: &Site<'_, Tabular<f64>>) -> Result<(), ParameterError> {
        let (states, actions) = (site.world().num_states(), site.world().num_actions());
        check_counts(states, actions).map_err(smaller("agent", "certainty-equivalence"))?;
        site.family(&self.oracle).map(|_| ())
    }

    fn oracle(&self) -> Option<&OracleChoice> {
        Some(&self.oracle)
    }
}
