//! A tabular model with a parameter.

use sporadic::Fault;
use sporadic::kind;
use sporadic::kinds::ModelKind;
use sporadic::model::Tabular;

kind! {
    /// A machine that wears out until it is repaired; an inspection tells.
    pub struct Machine("machine") {
        /// What an inspection costs
        price: f64 = 0.1,
    }
}

impl ModelKind for Machine {
    type World = Tabular<f64>;

    fn build(&self) -> Result<Tabular<f64>, Fault> {
        let wear = [[0.9, 0.1], [0.0, 1.0]];
        Ok(Tabular::builder(0.95)
            .states(["good", "worn"])
            .action("run", 0.0, [1.0, 0.2], wear)
            .action("inspect", 1.0, [1.0 - self.price, 0.2 - self.price], wear)
            .action("repair", 0.5, [0.0, 0.0], [[1.0, 0.0], [1.0, 0.0]])
            .build()?)
    }
}
