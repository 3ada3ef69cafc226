//! Reinforcement learning when the state is seen only sporadically.

pub mod dim;
pub mod model;
mod scalar;

pub use scalar::Real;
