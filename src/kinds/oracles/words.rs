//! `words`.

use super::{at_least_1, members};
use crate::kinds::{OracleKind, ParameterError};
use crate::oracles::{Exhaustive, SequenceOracle};
use crate::sequence::{ActionSequence, words};
use crate::{Fault, kind};

kind! {
    /// The family of all words of LENGTH actions, the last action held forever.
    pub struct Words("words") {
        /// The number of actions
        length: usize,
    }
}

impl OracleKind for Words {
    fn build(&self, num_actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        Ok(Box::new(Exhaustive::new(self.family(num_actions)?.unwrap_or_default())))
    }

    fn family(&self, num_actions: usize) -> Result<Option<Vec<ActionSequence>>, Fault> {
        let length = self.length as f64;
        members(
            num_actions,
            |a| libm::pow(a, length),
            length,
            || words(num_actions, self.length).collect(),
        )
    }

    fn check(&self) -> Result<(), ParameterError> {
        at_least_1("length", self.length)
    }
}
