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
//! Round what you pin. Matrix products may differ in the last bit between processors, so never pin all sixteen digits. A difference in the last
//! bit can also change which sequence is best, and then the whole curve; that is rare where the bonus is positive. Short runs of a few hundred episodes in small models are enough: they
//! take milliseconds and notice nearly every change.
