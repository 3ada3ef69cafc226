//! `one-step`.

use super::{check_learner, params, smaller, suited, too_short};
use crate::agents::size::{check_counts, check_plan};
use crate::agents::{BeyondHorizon, OneStepLsviUcb, Resume as _};
use crate::kinds::{AgentKind, BoxedAgent, ParameterError, Site, Table};
use crate::model::Tabular;
use crate::{Fault, kind};

kind! {
    /// Plain LSVI-UCB, as if every state were seen.
    pub struct OneStep("one-step") {
        /// H, the number of rounds planned for
        horizon: usize = 100,
        /// lambda, the regulariser
        lambda: f64 = 0.01,
        /// rho, the size of the bonus
        rho: f64 = 50.0,
    }
}

impl AgentKind<Tabular<f64>> for OneStep {
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        let model = site.world();
        let beyond = BeyondHorizon::ReuseFirst;
        let params = params(model, self.horizon, self.lambda, beyond).with_rho(self.rho);
        Ok(Box::new(OneStepLsviUcb::for_model(model, params)?.resumable()))
    }

    fn suited(model: &Tabular<f64>) -> Table {
        suited(model, true)
    }

    fn advice(&self, model: &Tabular<f64>) -> Vec<String> {
        too_short(self.horizon, 1.0 / (1.0 - model.gamma()), "rounds")
    }

    fn check(&self, site: &Site<'_, Tabular<f64>>) -> Result<(), ParameterError> {
        check_learner(self.horizon, self.lambda, self.rho)?;
        let (states, actions) = (site.world().num_states(), site.world().num_actions());
        check_counts(states, actions).map_err(smaller("agent", "one-step"))?;
        check_plan(self.horizon, states).map_err(smaller("horizon", self.horizon))
    }
}
