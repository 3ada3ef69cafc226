//! Models by name.

use super::Kind;
use super::parameter::{ParameterError, Table};
use crate::Fault;
use crate::model::Environment;

/// A [`Kind`] that builds a world.
///
/// A tabular model needs no parameters for its discount factor and reveal probabilities: `gamma` and `beta` can be
/// set for every one of them. A kind that has parameters of these names says what their defaults are. The world can be made
/// by its name alone if every parameter has a default.
///
/// # Example
/// A machine that wears out, with a price on the command line.
/// ```
/// use sporadic::{Fault, kind};
/// use sporadic::kinds::ModelKind;
/// use sporadic::model::Tabular;
///
/// kind! {
///     /// A machine that wears out until it is repaired.
///     pub struct Machine("machine") {
///         /// What an inspection costs
///         price: f64 = 0.1,
///     }
/// }
///
/// impl ModelKind for Machine {
///     type World = Tabular<f64>;
///     fn build(&self) -> Result<Tabular<f64>, Fault> {
///         let wear = [[0.9, 0.1], [0.0, 1.0]];
///         Ok(Tabular::builder(0.95)
///             .states(["good", "worn"])
///             .action("run", 0.0, [1.0, 0.2], wear)
///             .action("inspect", 1.0, [1.0 - self.price, 0.2 - self.price], wear)
///             .action("repair", 0.5, [0.0, 0.0], [[1.0, 0.0], [1.0, 0.0]])
///             .build()?)
///     }
/// }
/// ```
pub trait ModelKind: Kind {
    /// The type of world.
    type World: Environment + Send + Sync;

    /// The world.
    ///
    /// # Errors
    /// Whatever keeps it from being made.
    fn build(&self) -> Result<Self::World, Fault>;

    /// Refuses parameters out of range before anything is made. Worth writing where the error of
    /// [`build`](Self::build) would not name the parameter, but the entry of a table that was computed from it.
    ///
    /// # Errors
    /// [`ParameterError`] that names the parameter.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
}

/// Builds a world of one kind from a table; who made the kind, and all its parameters.
pub(crate) type ReadModel<W> = fn(&Table) -> Result<(W, Table), ModelFault>;

/// Why a model was not made.
pub(crate) enum ModelFault {
    Parameter(ParameterError),
    Build(Fault),
}

impl From<ParameterError> for ModelFault {
    fn from(fault: ParameterError) -> Self {
        Self::Parameter(fault)
    }
}

pub(crate) fn read_model<K: ModelKind>(table: &Table) -> Result<(K::World, Table), ModelFault> {
    let kind = K::from_table(table)?;
    kind.check()?;
    let world = kind.build().map_err(ModelFault::Build)?;
    Ok((world, kind.to_table()))
}
