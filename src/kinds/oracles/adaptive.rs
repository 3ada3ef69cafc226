//! `adaptive`.

use super::MAX_PREFIXES;
use crate::kinds::{OracleKind, ParameterError};
use crate::oracles::{self, SequenceOracle};
use crate::{Fault, kind};

kind! {
    /// A search over all sequences: a pool of SIZE at most, which grows where it is not good enough.
    pub struct Adaptive("adaptive", 2) {
        /// The most sequences
        size: usize = 256,
    }
}

impl OracleKind for Adaptive {
    fn build(&self, _: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        Ok(Box::new(oracles::Adaptive { size: self.size }))
    }

    fn pool(&self) -> Option<usize> {
        Some(self.size)
    }

    fn check(&self) -> Result<(), ParameterError> {
        if (1..=MAX_PREFIXES).contains(&self.size) {
            return Ok(());
        }
        let needed = format!("at least 1 and at most {MAX_PREFIXES}");
        Err(ParameterError::new("size", self.size, needed))
    }
}
