//! The estimator layer: M and beta from data, by regression and by EM.

#[allow(dead_code)] // each program uses a part of it
#[path = "../common/mod.rs"]
mod common;

#[cfg(feature = "serde")]
mod em;
mod estimates;
mod monte_carlo;
mod psi;
#[cfg(feature = "serde")]
mod schedules;
