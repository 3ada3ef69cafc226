//! `sensing-cost`.

use crate::kinds::ModelKind;
use crate::model::{Tabular, gallery};
use crate::{Fault, kind};

kind! {
    /// Two states in which every step may pay for seeing the next (Kapoor and Nair).
    pub struct SensingCost("sensing-cost") {
        /// The price of a look
        cost: f64 = 0.1,
        /// The discount factor
        gamma: f64 = 0.5,
    }
}

impl ModelKind for SensingCost {
    type World = Tabular<f64>;

    fn build(&self) -> Result<Tabular<f64>, Fault> {
        Ok(gallery::sensing_cost(self.cost, self.gamma)?)
    }
}
