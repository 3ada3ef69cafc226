//! `lsvi-ucb`.

use super::{check_learner, check_tabular, params, short_horizon, smaller, suited};
use crate::agents::size::{check_lambda, check_plan};
use crate::agents::{
    self, AdaptiveLsviUcb, BeyondHorizon, RegretBound, Replanning, Resume as _, TabularLsviUcb,
};
use crate::kinds::{
    AgentKind, BoxedAgent, OracleChoice, ParameterError, ParameterType as _, Site, Table,
};
use crate::model::Tabular;
use crate::{Fault, kind};

kind! {
    /// Algorithm 1, ATST-LSVI-UCB, with exact psi.
    pub struct LsviUcb("lsvi-ucb") {
        /// Where sequences come from: a family or a search
        oracle: OracleChoice = "runs:5,10".into(),
        /// H, the number of sightings planned for
        horizon: usize = 100,
        /// lambda, the regulariser
        lambda: f64 = 0.01,
        /// rho, the size of the bonus
        rho: f64 = 50.0,
        /// What is played from the H-th sighting on: constant, reuse-last or reuse-first
        beyond: BeyondHorizon = BeyondHorizon::ReuseFirst,
        /// When the planning phase runs: every-episode, as it does by default, or growth:2, when det Lambda has doubled
        replan: Option<Replanning<f64>> = None,
    }
}

impl AgentKind<Tabular<f64>> for LsviUcb {
    /// A finite family and a pool take tabular learners, whose cost per episode does not grow; any other search
    /// takes the general one.
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        let model = site.world();
        let params = params(model, self.horizon, self.lambda, self.beyond)
            .with_rho(self.rho)
            .with_replanning(self.replan.unwrap_or_default());
        let (oracle, actions) = (site.oracle(&self.oracle)?, model.num_actions());
        if let Some(family) = oracle.family(actions)? {
            return Ok(Box::new(TabularLsviUcb::for_model(model, family, params)?.resumable()));
        }
        if let Some(size) = oracle.pool() {
            return Ok(Box::new(AdaptiveLsviUcb::for_model(model, size, params)?.resumable()));
        }
        let agent = agents::LsviUcb::for_model(model, oracle.build(actions)?, params)?;
        Ok(Box::new(agent.resumable()))
    }

    fn suited(model: &Tabular<f64>) -> Table {
        suited(model, true)
    }

    fn advice(&self, model: &Tabular<f64>) -> Vec<String> {
        short_horizon(model, self.horizon)
    }

    fn check(&self, site: &Site<'_, Tabular<f64>>) -> Result<(), ParameterError> {
        check_learner(self.horizon, self.lambda, self.rho)?;
        let actions = site.world().num_actions();
        let oracle = site.oracle(&self.oracle).map_err(|fault| fault.within("oracle"))?;
        if let Some(size) = oracle.pool() {
            if let Some(rule @ Replanning::DeterminantGrowth(_)) = self.replan {
                let needed = "every-episode, because the pool plans before every episode";
                return Err(ParameterError::new("replan", rule.write(), needed));
            }
            return check_tabular(site, &self.oracle, size, self.horizon);
        }
        match oracle.family(actions) {
            Ok(Some(family)) => check_tabular(site, &self.oracle, family.len(), self.horizon),
            Ok(None) => {
                let dim = 2 * site.world().num_states() * actions;
                check_lambda(dim).map_err(smaller("oracle", &self.oracle))?;
                check_plan(self.horizon, dim).map_err(smaller("horizon", self.horizon))
            }
            Err(_) => site.family(&self.oracle).map(|_| ()),
        }
    }

    /// The theorem's, with its unknown constant at its least, 1, and with probability .95.
    fn regret_bound(&self, model: &Tabular<f64>, episodes: u64) -> Option<f64> {
        let d = model.num_states() * model.num_actions();
        let bound = RegretBound::theory(episodes, 0.05, 1.0, d, model.gamma()).ok()?;
        // The theorem is for rewards in [0, 1]; others are learnt from after they were moved there.
        let params = params(model, self.horizon, self.lambda, self.beyond);
        let (low, high) = params.reward_range();
        Some((high - low) * bound.total())
    }

    fn oracle(&self) -> Option<&OracleChoice> {
        Some(&self.oracle)
    }
}
