//! Exact values of sequences and policies, the best policy within a family, and bounds on V*.
//!
//! | question | paper | here | answer |
//! |---|---|---|---|
//! | value of a sequence until the next sighting, then V | K = R + PV | [`sequence_values`] | exact |
//! | R, PV and K at an augmented state | appendix | [`sequence_value_at`], [`Segments::segment_at`] | exact |
//! | value of a policy on augmented states | Q, V on X | [`bellman`] | to a stated error |
//! | value of a burst-dependent policy | V of pi | [`evaluate`], [`Evaluator`] | exact |
//! | best value with sequences of a family | max over A^seq | [`class_optimum`] | exact |
//! | best value there is | V* | [`solve`](mod@solve) | certified bracket |
//!
//! All of it is for tabular models. Rewards may be any finite reals for which values stay within the
//! range of the scalar: max |r| / (1 - gamma) at most a quarter of its largest number, see
//! [`check_magnitude`]. Everything else is refused with [`PlanningError::Overflow`], so no answer is
//! infinite or not a number.

mod augmented;
pub mod bellman;
mod class;
mod error;
mod evaluate;
mod exact;
mod magnitude;
mod policy;
pub mod pomdp;
mod segments;
pub mod solve;
mod tails;

pub use augmented::{SequenceValue, sequence_value_at};
pub use class::{ClassOptimum, class_optimum, class_optimum_within};
pub use error::PlanningError;
pub use evaluate::{Evaluator, evaluate};
pub use exact::TabularExact;
pub use magnitude::check_magnitude;
pub use policy::{Staged, Stationary};
pub use segments::{Segments, sequence_values};

pub use crate::sequence::BurstPolicy;
