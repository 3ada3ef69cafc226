//! Chapter 10: snapshot tests of learning curves.
//!
//! Equal seeds give equal [curves](crate::simulation::Curve), so a test can pin one and notice every
//! change of the code that changes what an agent learns. A curve prints as a table that a person can
//! review, and the crate `insta` keeps it in a file beside the test:
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/snapshots.rs")]
//! ```
//!
//! `cargo insta test --accept`, or `INSTA_UPDATE=always cargo test`, writes the file, which goes into
//! the repository:
//!
//! ```text
#![doc = include_str!(
    "../../examples/guide/snapshots/experiments__guide__snapshots__the_learning_curve_has_not_changed.snap"
)]
//! ```
//!
//! When the curve changes, the test fails, and `cargo insta review` shows the old lines beside the
//! new ones: the first line that differs says after how many episodes the runs part, the column says
//! in what, the last line by how much. Accept the change if you meant it.
//!
//! Short runs of a few hundred episodes in small models are enough: they take milliseconds and
//! notice nearly every change. `with_points` chooses the number of lines and the precision of the
//! format the digits: `format!("{curve:.4}")`. A [group](crate::experiment::Group) of an experiment,
//! run in memory or loaded from its folder, gives the mean curve of its runs:
//! `insta::assert_snapshot!(outcome.groups()[0].curve().with_points(5))`.
//!
//! The same seed, the same version of this crate and the same `Cargo.lock` give the same curve, to
//! the last bit, on every x86-64 processor and for any number of threads: sums have one order,
//! nothing that decides is fused, and logarithms and powers come from the crate `libm`. The promise
//! ends where your own environment, features or agent call `f64::ln` and the like or multiply
//! matrices with `*`, and where a time limit stops a computation. On other architectures the same
//! curve is likely, because Rust never fuses operations by itself, but it is not tested: if a test
//! is to pass there too, pin six significant digits.
