//! The certified solver, tested from outside.

mod bounds;
mod large;
mod limits;
mod reference;
mod scales;
mod simulated;
mod truth;

use sporadic::model::Tabular;
use sporadic::planning::solve::{Solution, SolveOptions, solve};

/// Solves to this gap and insists that it is reached.
fn solved(model: &Tabular<f64>, gap: f64) -> Solution<f64> {
    let solution = solve(model, &SolveOptions::default().with_gap(gap)).unwrap();
    assert!(solution.gap() <= gap, "{}", solution.report);
    solution
}

/// max |r| / (1 - gamma): the size of values.
fn magnitude(model: &Tabular<f64>) -> f64 {
    let (low, high) = model.reward_range();
    low.abs().max(high.abs()) / (1.0 - model.gamma())
}
