//! Reinforcement learning when the state is seen only sporadically.

pub mod agents;
pub mod belief;
pub mod dim;
pub mod estimators;
pub mod features;
pub mod model;
mod scalar;
pub mod sequence;
pub mod simulation;

pub use scalar::Real;
