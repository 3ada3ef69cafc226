//! `measuring-value`.

use crate::kinds::ModelKind;
use crate::model::{Tabular, gallery};
use crate::{Fault, kind};

kind! {
    /// Three states in which a look at a price tells whether to go on or back (Krale et al.).
    pub struct MeasuringValue("measuring-value") {
        /// The price of a look
        cost: f64 = 0.1,
        /// The discount factor
        gamma: f64 = 0.99,
    }
}

impl ModelKind for MeasuringValue {
    type World = Tabular<f64>;

    fn build(&self) -> Result<Tabular<f64>, Fault> {
        Ok(gallery::measuring_value(self.cost, self.gamma)?)
    }
}
