//! The decision process: what a simulator needs, what a planner needs, and models ready to use.

mod builder;
pub mod draw;
mod environment;
mod error;
pub mod gallery;
mod tabular;

pub use builder::TabularBuilder;
pub use environment::{Action, Environment};
pub use error::ModelError;
pub use tabular::Tabular;
