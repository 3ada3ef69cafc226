//! `branch-and-bound`.

use super::MAX_PREFIXES;
use crate::kinds::{OracleKind, ParameterError};
use crate::oracles::{self, SequenceOracle};
use crate::{Fault, kind};

kind! {
    /// A search over all sequences until none can be better by more than GAP, or for PREFIXES prefixes.
    pub struct BranchAndBound("branch-and-bound") {
        /// How far from the optimum it may stop, in the units of the learner, whose rewards lie in [0, 1]
        gap: f64,
        /// After how many prefixes it stops in any case
        prefixes: usize = 1000,
    }
}

impl OracleKind for BranchAndBound {
    fn build(&self, _: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        Ok(Box::new(oracles::BranchAndBound::new(self.gap).with_nodes(self.prefixes)))
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.gap <= 0.0 {
            return Err(ParameterError::new("gap", self.gap, "positive"));
        }
        if (1..=MAX_PREFIXES).contains(&self.prefixes) {
            return Ok(());
        }
        let needed = format!("at least 1 and at most {MAX_PREFIXES}");
        Err(ParameterError::new("prefixes", self.prefixes, needed))
    }
}
