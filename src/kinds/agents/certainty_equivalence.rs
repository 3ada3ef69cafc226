//! `certainty-equivalence`.

use super::smaller;
use crate::agents::size::check_counts;
use crate::agents::{self, CertaintyPlanner, EmCertaintyEquivalence, Resume as _};
use crate::kinds::{
    AgentKind, BoxedAgent, EstimatesChoice, OracleChoice, ParameterError, PlanChoice, Site,
};
use crate::model::Tabular;
use crate::{Fault, kind};

kind! {
    /// Estimates the model and plans as if the estimate were true.
    pub struct CertaintyEquivalence("certainty-equivalence") {
        /// The family it plans with
        oracle: OracleChoice = "runs:5,10".into(),
        /// What the model is estimated from: counts of segments of one action, or em, all segments
        estimates: EstimatesChoice = EstimatesChoice::Counts,
        /// What it plans with: the best policy within the family, or solve, the best there is
        plan: PlanChoice = PlanChoice::Family,
    }
}

impl AgentKind<Tabular<f64>> for CertaintyEquivalence {
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        let (model, family) = (site.world(), site.family(&self.oracle)?);
        let planner = match self.plan {
            PlanChoice::Family => CertaintyPlanner::Family(family.clone()),
            PlanChoice::Solve => CertaintyPlanner::Solve,
        };
        Ok(match self.estimates {
            EstimatesChoice::Counts => {
                let agent = agents::CertaintyEquivalence::for_model(model, family)?;
                Box::new(agent.with_planner(planner)?.resumable())
            }
            EstimatesChoice::Em => {
                Box::new(EmCertaintyEquivalence::for_model(model, planner)?.resumable())
            }
        })
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
