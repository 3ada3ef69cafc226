//! The inner loops of planning, compiled for the vector unit that the processor has.
//!
//! Each is a struct with its arguments because that is what [`pulp::Arch::dispatch`] takes. Those in
//! `exact` decide. Those in `single` compute upper bounds in single precision. `pulp` may fuse there or
//! not, which the slack of the bounds covers: which candidate is chosen does not depend on it.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

mod exact;
mod single;

pub(super) use exact::{Coefficients, FitQuadratic, LargestExcess, Scores};
pub(super) use single::{
    BoundExcess, COLUMNS, SINGLE_LANES, SingleCoefficients, SingleLanes, SinglePoint, Subset,
};

/// Candidates side by side where they are scored in T: lane l of every array is candidate l of the block, and no
/// operation mixes lanes, so that a candidate's numbers do not depend on its neighbours.
pub(in crate::agents::lsvi_ucb) const LANES: usize = 8;
pub(in crate::agents::lsvi_ucb) type Lanes<T> = [T; LANES];
/// Points of a trajectory are filled up with zeros to a multiple of this many numbers.
pub(super) const STRIDE: usize = 4;

/// The larger of two numbers; `b` if one of them is not a number.
#[inline(always)]
fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}
