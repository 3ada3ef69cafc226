//! `runs`.

use super::{at_least_1, members};
use crate::kinds::{OracleKind, ParameterError};
use crate::oracles::{Exhaustive, SequenceOracle};
use crate::sequence::{ActionSequence, runs};
use crate::{Fault, kind};

kind! {
    /// The family b^p (c^i b^j) with p <= PREFIX and i, j <= RUN; runs:5,10 is the paper's.
    pub struct Runs("runs") {
        /// The longest prefix
        prefix: usize,
        /// The longest run
        run: usize,
    }
}

impl OracleKind for Runs {
    fn build(&self, num_actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        Ok(Box::new(Exhaustive::new(self.family(num_actions)?.unwrap_or_default())))
    }

    fn family(&self, num_actions: usize) -> Result<Option<Vec<ActionSequence>>, Fault> {
        let (prefix, run) = (self.prefix as f64, self.run as f64);
        let count = |a: f64| a * (a - 1.0) * prefix * (run * run + 1.0) + a;
        let members_of = || runs(num_actions, self.prefix, self.run).collect();
        members(num_actions, count, prefix + 2.0 * run, members_of)
    }

    fn check(&self) -> Result<(), ParameterError> {
        at_least_1("prefix", self.prefix)?;
        at_least_1("run", self.run)
    }
}
