//! Chapter 10: snapshot tests of learning curves.
//!
//! Equal seeds give equal curves, for any number of threads. So a curve can be pinned in a test, and a change of the code that
//! changes the curve is noticed. With the crate `insta` the test has ten lines:
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/snapshots.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/snapshots.txt")]
//! ```
//!
//! `cargo insta review` shows the difference when the curve changes, and accepts it if it was meant to.
//!
//! The same seed, the same version of this crate and the same `Cargo.lock` give the same curve, to
//! the last bit, on every x86-64 processor and for any number of threads: sums have one order,
//! nothing that decides is fused, and logarithms and powers come from the crate `libm`. The promise
//! ends where your own environment, features or agent call `f64::ln` and the like or multiply
//! matrices with `*`, and where a time limit stops a computation. On other architectures the same
//! curve is likely, because Rust never fuses operations by itself, but it is not tested: if a test
//! is to pass there too, pin six significant digits. Short runs of a few hundred episodes in small
//! models are enough: they take milliseconds and notice nearly every change.
