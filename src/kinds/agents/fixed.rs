//! `fixed`.

use crate::agents::{FixedSequence, Resume as _};
use crate::kinds::{AgentKind, BoxedAgent, ParameterError, Site};
use crate::model::Environment;
use crate::sequence::ActionSequence;
use crate::{Fault, kind};

kind! {
    /// Plays one sequence, started afresh at every sighting.
    pub struct Fixed("fixed") {
        /// The sequence, such as 111(01)
        sequence: ActionSequence,
    }
}

impl<W: Environment> AgentKind<W> for Fixed {
    fn build<'a>(&self, _: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> {
        Ok(Box::new(FixedSequence::new(self.sequence.clone()).resumable()))
    }

    fn check(&self, site: &Site<'_, W>) -> Result<(), ParameterError> {
        let actions = site.world().num_actions();
        if self.sequence.max_action() < actions {
            return Ok(());
        }
        let needed = format!("made of the actions 0 to {}", actions.saturating_sub(1));
        Err(ParameterError::new("sequence", &self.sequence, needed))
    }
}
