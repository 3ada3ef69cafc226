//! The planning layer: values, class optima and the certified solver.

#[allow(dead_code)] // each program uses a part of it
#[path = "../common/mod.rs"]
mod common;

mod monte_carlo;
mod schedule_optimum;
mod schedule_values;
mod solve;
mod values;
