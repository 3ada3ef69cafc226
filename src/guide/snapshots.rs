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
    "../../examples/guide/snapshots/guide__snapshots__the_learning_curve_has_not_changed.snap"
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
//! Round what you pin. Matrix products may differ in the last bit between processors, so never pin all sixteen digits. A difference in the last
//! bit can also change which sequence is best, and then the whole curve; that is rare where the bonus is positive. Short runs of a few hundred episodes in small models are enough: they
//! take milliseconds and notice nearly every change.
