//! `observe-then-plan`.

use super::{check_share, measuring_size};
use crate::agents::{self, ObserveThenPlanParams, Resume as _};
use crate::kinds::{AgentKind, BoxedAgent, ParameterError, Site};
use crate::model::Tabular;
use crate::simulation::Ending;
use crate::{Fault, kind};

kind! {
    /// Measures always and acts at random for a while, then plans on the model so learnt (Nam et al.).
    pub struct ObserveThenPlan("observe-then-plan") {
        /// The share of the episodes that are for observing
        observe: f64 = 0.5,
        /// How close to the optimum of the learnt model its plan must be
        gap: f64 = 0.01,
    }
}

impl AgentKind<Tabular<f64>> for ObserveThenPlan {
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a count"
        )]
        let observe = (self.observe * site.episodes() as f64).ceil() as u64;
        let learns_end = site.setting().ending != Ending::Discounted;
        let params = ObserveThenPlanParams { observe, gap: self.gap, learns_end };
        let agent = agents::ObserveThenPlan::for_model(site.world(), params, site.rng())?;
        Ok(Box::new(agent.resumable()))
    }

    fn check(&self, site: &Site<'_, Tabular<f64>>) -> Result<(), ParameterError> {
        check_share("observe", self.observe)?;
        // Parameters are finite.
        if self.gap <= 0.0 {
            return Err(ParameterError::new("gap", self.gap, "positive"));
        }
        measuring_size("observe-then-plan", site)
    }
}
