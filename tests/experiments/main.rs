//! Kinds, experiments, reports, and the programs in `examples`.

#[allow(dead_code)] // each program uses a part of it
#[path = "../common/mod.rs"]
mod common;

mod examples;
#[cfg(feature = "experiment")]
mod experiment;
#[cfg(feature = "experiment")]
mod guide;
#[cfg(feature = "experiment")]
mod refused_specs;
#[cfg(feature = "experiment")]
mod report;
#[cfg(feature = "experiment")]
mod report_outcome;
mod size_limits;
