//! `certainty-equivalence`.

use crate::agents::{self, Resume as _};
use crate::kinds::{AgentKind, BoxedAgent, OracleChoice, Site};
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
        let model = site.world();
        let (states, actions) = (model.num_states(), model.num_actions());
        let (family, range) = (site.family(&self.oracle)?, model.reward_range());
        let gamma = model.gamma();
        let agent = agents::CertaintyEquivalence::new(states, actions, gamma, range, family)?;
        Ok(Box::new(agent.resumable()))
    }

    fn oracle(&self) -> Option<&OracleChoice> {
        Some(&self.oracle)
    }
}
