//! `uniform`.

use crate::agents::{Resume as _, UniformRandom};
use crate::kinds::{AgentKind, BoxedAgent, Site};
use crate::model::Environment;
use crate::{Fault, kind};

kind! {
    /// Takes every action with the same probability.
    pub struct Uniform("uniform") {}
}

impl<W: Environment> AgentKind<W> for Uniform {
    fn build<'a>(&self, site: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> {
        Ok(Box::new(UniformRandom::new(site.world().num_actions(), site.rng()).resumable()))
    }
}
