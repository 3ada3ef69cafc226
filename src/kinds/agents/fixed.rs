//! `fixed`.

use crate::agents::{FixedSequence, Resume as _};
use crate::kinds::{AgentKind, BoxedAgent, ParameterError, SequenceChoice, Site};
use crate::model::Environment;
use crate::{Fault, kind};

kind! {
    /// Plays one sequence, started afresh at every sighting.
    pub struct Fixed("fixed") {
        /// The sequence, such as 111(01), or with names of actions: look (rest)
        sequence: SequenceChoice,
    }
}

impl<W: Environment> AgentKind<W> for Fixed {
    fn build<'a>(&self, site: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> {
        Ok(Box::new(FixedSequence::new(self.sequence.resolve(site.world())?).resumable()))
    }

    fn check(&self, site: &Site<'_, W>) -> Result<(), ParameterError> {
        self.sequence.resolve(site.world()).map(drop)
    }
}
