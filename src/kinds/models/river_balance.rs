//! `river-balance`.

use crate::kinds::ModelKind;
use crate::model::{Tabular, gallery};
use crate::{Fault, kind};

kind! {
    /// A chain that pays in its middle and drifts outward (RiverBalance).
    pub struct RiverBalance("river-balance") {
        /// The number of states
        states: usize = 6,
        /// The reveal probability of every action
        beta: f64 = 0.1,
        /// The discount factor
        gamma: f64 = 0.99,
    }
}

impl ModelKind for RiverBalance {
    type World = Tabular<f64>;

    fn build(&self) -> Result<Tabular<f64>, Fault> {
        Ok(gallery::river_balance(self.states, self.beta, self.gamma)?)
    }
}
