//! `inventory`.

use crate::kinds::ModelKind;
use crate::model::{Tabular, gallery};
use crate::{Fault, kind};

kind! {
    /// A stock of four sizes that may be sensed at a price (Kapoor and Nair).
    pub struct Inventory("inventory") {
        /// The price of a look
        cost: f64 = 0.2,
        /// The discount factor
        gamma: f64 = 0.8,
    }
}

impl ModelKind for Inventory {
    type World = Tabular<f64>;

    fn build(&self) -> Result<Tabular<f64>, Fault> {
        Ok(gallery::inventory(self.cost, self.gamma)?)
    }
}
