//! Planning with a known model.

pub mod solve;
