//! `beam`.

use super::{MAX_DEPTH, MAX_PREFIXES, at_least_1};
use crate::kinds::{OracleKind, ParameterError};
use crate::oracles::{self, SequenceOracle};
use crate::{Fault, kind};

kind! {
    /// A search over all sequences that keeps the WIDTH most promising prefixes of each length up to
    /// DEPTH.
    pub struct Beam("beam") {
        /// How many prefixes of each length are kept
        width: usize,
        /// How long prefixes grow
        depth: usize,
    }
}

impl OracleKind for Beam {
    fn build(&self, _: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        Ok(Box::new(oracles::Beam { width: self.width, depth: self.depth }))
    }

    fn check(&self) -> Result<(), ParameterError> {
        at_least_1("width", self.width)?;
        if !(1..=MAX_DEPTH).contains(&self.depth) {
            let needed = format!("at least 1 and at most {MAX_DEPTH}");
            return Err(ParameterError::new("depth", self.depth, needed));
        }
        match self.width.saturating_mul(self.depth) {
            ..=MAX_PREFIXES => Ok(()),
            prefixes => Err(ParameterError::new(
                "width * depth",
                prefixes,
                format!("at most {MAX_PREFIXES}"),
            )),
        }
    }
}
