//! `epsilon-greedy`.

use super::{check_learner, check_tabular, params, short_horizon, suited};
use crate::agents::{self, BeyondHorizon, Candidates, Resume as _};
use crate::features::TabularPsi;
use crate::kinds::{AgentKind, BoxedAgent, OracleChoice, ParameterError, Site, Table};
use crate::model::Tabular;
use crate::{Fault, kind};

kind! {
    /// Algorithm 1 without its bonus that plays a random sequence now and then.
    pub struct EpsilonGreedy("epsilon-greedy") {
        /// The family that candidates come from
        oracle: OracleChoice = "runs:5,10".into(),
        /// H, the number of sightings planned for
        horizon: usize = 100,
        /// lambda, the regulariser
        lambda: f64 = 0.01,
        /// How often a random sequence is played
        epsilon: f64 = 0.1,
        /// What is played from the H-th sighting on: constant, reuse-last or reuse-first
        beyond: BeyondHorizon = BeyondHorizon::ReuseFirst,
    }
}

impl AgentKind<Tabular<f64>> for EpsilonGreedy {
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        let model = site.world();
        let params = params(model, self.horizon, self.lambda, self.beyond);
        let psi = TabularPsi::new(model.clone());
        let candidates = Candidates::one_hot(&psi, site.family(&self.oracle)?)?;
        let agent = agents::EpsilonGreedy::new(candidates, params, self.epsilon, site.rng())?;
        Ok(Box::new(agent.resumable()))
    }

    fn suited(model: &Tabular<f64>) -> Table {
        suited(model, false)
    }

    fn advice(&self, model: &Tabular<f64>) -> Vec<String> {
        short_horizon(model, self.horizon)
    }

    fn check(&self, site: &Site<'_, Tabular<f64>>) -> Result<(), ParameterError> {
        check_learner(self.horizon, self.lambda, 0.0)?;
        if !(0.0..=1.0).contains(&self.epsilon) {
            return Err(ParameterError::new("epsilon", self.epsilon, "in [0, 1]"));
        }
        let members = site.family(&self.oracle)?.len();
        check_tabular(site, &self.oracle, members, self.horizon)
    }

    fn oracle(&self) -> Option<&OracleChoice> {
        Some(&self.oracle)
    }
}
