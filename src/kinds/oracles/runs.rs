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
        let (a, prefix, run) = (num_actions as f64, self.prefix as f64, self.run as f64);
        members(a * a * prefix * run.mul_add(run, 1.0), num_actions, || {
            // With one action there is no pair of them, but there is the constant sequence.
            if num_actions == 1 {
                return vec![ActionSequence::constant(0)];
            }
            runs(num_actions, self.prefix, self.run).collect()
        })
    }

    fn check(&self) -> Result<(), ParameterError> {
        at_least_1("prefix", self.prefix)?;
        at_least_1("run", self.run)
    }
}
