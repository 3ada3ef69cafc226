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
        let (prefix, period) = (self.prefix as f64, self.period as f64);
        // Prefixes and primitive periods in canonical form number a^P times at most a + ... + a^L.
        let count = |a: f64| libm::pow(a, prefix) * (libm::pow(a, period) - 1.0) * a / (a - 1.0);
        let members_of = || periodic(num_actions, self.prefix, self.period).collect();
        members(num_actions, count, prefix + period, members_of)
    }

    fn check(&self) -> Result<(), ParameterError> {
        at_least_1("period", self.period)
    }
}
