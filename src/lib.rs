//! Reinforcement learning when the state is seen only sporadically.

pub mod agents;
pub mod belief;
pub mod dim;
pub mod features;
pub mod model;
pub mod oracles;
pub mod planning;
mod scalar;
pub mod sequence;
pub mod simulation;

pub use scalar::Real;
