//! The decision process: what a simulator needs, what a planner needs, and models ready to use.

mod builder;
pub mod check;
pub mod draw;
mod environment;
mod error;
mod exact;
#[cfg(feature = "serde")]
pub mod file;
pub mod gallery;
mod reductions;
mod tabular;

pub use builder::TabularBuilder;
pub use check::{CheckError, check_determinism};
pub use environment::{Action, Environment};
pub use error::ModelError;
pub use exact::Exact;
#[cfg(feature = "serde")]
pub use file::FileError;
pub use reductions::{acno, intermittent};
pub use tabular::Tabular;
