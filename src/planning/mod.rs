//! Values: of sequences, of policies, of the best sequences in a family, of the best there are.
//!
//! | question | paper | here | answer |
//! |---|---|---|---|
//! | value of a sequence until the next sighting, then V | K = R + PV | [`sequence_values`] | exact |
//! | value of a policy on augmented states | Q, V on X | [`bellman`] | to a stated error |
//! | value of a burst-dependent policy | V of pi | [`evaluate`], [`Evaluator`] | exact |
//! | best value with sequences of a family | max over A^seq | [`class_optimum`] | exact |
//! | best value there is | V* | [`solve`](mod@solve) | certified bracket |
//!
//! All of it is for tabular models, whose numbers may be any finite reals.

pub mod bellman;
mod class;
mod error;
mod evaluate;
mod exact;
mod kernel;
mod policy;
pub mod pomdp;
pub mod solve;

pub use class::{ClassOptimum, class_optimum};
pub use error::PlanningError;
pub use evaluate::{Evaluator, evaluate};
pub use exact::TabularExact;
pub use kernel::{Segments, sequence_values};
pub use policy::{Staged, Stationary};

pub use crate::sequence::BurstPolicy;
