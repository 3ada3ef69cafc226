//! `truncated`.

use super::{at_least_1, members};
use crate::kinds::{OracleKind, ParameterError};
use crate::oracles::{self, SequenceOracle};
use crate::{Fault, kind};

kind! {
    /// A search that scores every word of DEPTH actions, the last action held forever, and bounds
    /// what longer sequences could add.
    pub struct Truncated("truncated") {
        /// The number of actions
        depth: usize,
    }
}

impl OracleKind for Truncated {
    fn build(&self, num_actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        let depth = self.depth as f64;
        members(num_actions, |a| libm::pow(a, depth), depth, Vec::new)?;
        Ok(Box::new(oracles::Truncated::new(self.depth)))
    }

    fn check(&self) -> Result<(), ParameterError> {
        at_least_1("depth", self.depth)
    }
}
