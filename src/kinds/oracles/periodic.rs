//! `periodic`.

use super::{at_least_1, members};
use crate::kinds::{OracleKind, ParameterError};
use crate::oracles::{Exhaustive, SequenceOracle};
use crate::sequence::{ActionSequence, periodic};
use crate::{Fault, kind};

kind! {
    /// The family of every prefix of at most PREFIX actions with every period of at most PERIOD.
    pub struct Periodic("periodic") {
        /// The longest prefix
        prefix: usize,
        /// The longest period
        period: usize,
    }
}

impl OracleKind for Periodic {
    fn build(&self, num_actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        Ok(Box::new(Exhaustive::new(self.family(num_actions)?.unwrap_or_default())))
    }

    fn family(&self, num_actions: usize) -> Result<Option<Vec<ActionSequence>>, Fault> {
        let length = self.prefix as f64 + self.period as f64;
        let bound = if num_actions == 1 { 1.0 } else { (num_actions as f64).powf(length) };
        members(bound, num_actions, || {
            if num_actions == 1 {
                return vec![ActionSequence::constant(0)];
            }
            periodic(num_actions, self.prefix, self.period).collect()
        })
    }

    fn check(&self) -> Result<(), ParameterError> {
        at_least_1("period", self.period)
    }
}
