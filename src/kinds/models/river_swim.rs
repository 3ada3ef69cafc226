//! `river-swim`.

use crate::kinds::ModelKind;
use crate::model::{Tabular, gallery};
use crate::{Fault, kind};

kind! {
    /// A chain with a small reward at one end and a large one upstream (RiverSwim).
    pub struct RiverSwim("river-swim") {
        /// The number of states
        states: usize = 6,
        /// The reveal probability of every action
        beta: f64 = 0.1,
        /// The discount factor
        gamma: f64 = 0.99,
    }
}

impl ModelKind for RiverSwim {
    type World = Tabular<f64>;

    fn build(&self) -> Result<Tabular<f64>, Fault> {
        Ok(gallery::river_swim(self.states, self.beta, self.gamma)?)
    }
}
