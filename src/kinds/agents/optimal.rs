//! `optimal`.

use crate::agents::{FixedPolicy, Resume as _};
use crate::kinds::{AgentKind, BoxedAgent, Site};
use crate::model::Tabular;
use crate::planning::TabularExact;
use crate::planning::solve::solve;
use crate::{Fault, kind};

kind! {
    /// Knows the model and plays the policy of the certified solver.
    pub struct Optimal("optimal") {}
}

impl AgentKind<Tabular<f64>> for Optimal {
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        // Without a time limit: an agent must not depend on the speed of the machine.
        let options = TabularExact::new(site.world()).options().clone().with_time_limit(None);
        let best = solve(site.world(), &options)?;
        Ok(Box::new(FixedPolicy::new(best.policy).resumable()))
    }
}
