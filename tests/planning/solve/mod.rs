//! The certified solver, tested from outside.

mod bounds;
mod large;
mod limits;
pub(crate) mod reference;
mod scales;
mod truth;

use sporadic::model::Tabular;
use sporadic::planning::solve::{Solution, SolveOptions, Termination, solve};

/// Solves to this gap and insists that it is reached.
pub(crate) fn solved(model: &Tabular<f64>, gap: f64) -> Solution<f64> {
    let solution = solve(model, &SolveOptions::default().with_gap(gap)).unwrap();
    assert!(solution.gap() <= gap, "{}", solution.report);
    assert_eq!(solution.report.termination, Termination::GapReached);
    solution
}

/// max |r| / (1 - gamma): the size of values.
pub(crate) fn magnitude(model: &Tabular<f64>) -> f64 {
    let (low, high) = model.reward_range();
    low.abs().max(high.abs()) / (1.0 - model.gamma())
}
