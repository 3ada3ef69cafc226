//! Reinforcement learning when the state is seen only sporadically.

pub mod belief;
pub mod dim;
pub mod features;
pub mod model;
pub mod oracles;
mod scalar;
pub mod sequence;

pub use scalar::Real;
