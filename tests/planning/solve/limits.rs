//! Limits, bad options, and what is reported.

use std::time::Duration;

use crate::common::published::RIVER_BALANCE_OPTIMUM;
use sporadic::model::{Reveal, Tabular, gallery, intermittent};
use sporadic::planning::PlanningError;
use sporadic::planning::solve::{
    Solution, SolveError, SolveOptions, Termination, solve, solve_with,
};

use super::reference::policy_value;
use super::scales::widened;
use super::solved;

/// Valid, though not tight: the truth at `s1` lies between, and the policy is worth the lower bound.
fn assert_valid(model: &Tabular<f64>, found: &Solution<f64>, truth: f64) {
    assert!(found.lower[0] <= truth + 1e-3 && truth - 1e-3 <= found.upper[0]);
    for (value, lower) in policy_value(model, found.policy.sequences()).iter().zip(&found.lower) {
        assert!(value >= lower && value - lower <= 2.0 * found.report.rounding);
    }
}

#[test]
fn out_of_time_returns_what_there_is() {
    let model = gallery::river_balance(6, 0.05, 0.99).unwrap();
    for micros in [0, 300, 3_000, 15_000] {
        let limit = Duration::from_micros(micros);
        let options = SolveOptions::default().with_gap(1e-9).with_time_limit(limit);
        let found = solve(&model, &options).unwrap();
        let out_of_time = found.report.termination == Termination::TimeLimit;
        assert_eq!(out_of_time, found.gap() > 1e-9, "{}", found.report);
        assert!(found.gap() < 100.0);
        assert_valid(&model, &found, RIVER_BALANCE_OPTIMUM[0].1);
    }
}

#[test]
fn out_of_memory_returns_what_there_is() {
    let model = gallery::river_balance(6, 0.05, 0.99).unwrap();
    for bytes in [0, 30_000, 100_000] {
        let options = SolveOptions::default().with_gap(1e-6).with_memory_limit(bytes);
        let found = solve(&model, &options).unwrap();
        assert_eq!(found.report.termination, Termination::MemoryLimit, "{}", found.report);
        assert!(found.report.bytes <= bytes + 16_384, "{} of {bytes}", found.report.bytes);
        assert_valid(&model, &found, RIVER_BALANCE_OPTIMUM[0].1);
    }
}

#[test]
fn limited_precision_is_reported() {
    let model = gallery::sensing_cost(0.1, 0.5).unwrap();
    let fine = solved(&model, 1e-9);
    let found = solve(&model, &SolveOptions::default().with_gap(1e-16)).unwrap();
    assert_eq!(found.report.termination, Termination::Precision, "{}", found.report);
    assert!(found.gap() < 1e-12);
    assert_valid(&model, &found, fine.lower[0]);
}

#[test]
fn bad_gaps_and_huge_rewards_are_refused() {
    let model = gallery::river_swim(6, 0.5, 0.99).unwrap();
    for gap in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = solve(&model, &SolveOptions::default().with_gap(gap)).unwrap_err();
        assert!(matches!(error, SolveError::Gap { .. }));
        assert!(error.to_string().contains(&gap.to_string()));
    }
    let huge = Tabular::builder(0.99)
        .action("a", 0.5, [1e307, 0.0], [[1.0, 0.0], [0.0, 1.0]])
        .build()
        .unwrap();
    let error = solve(&huge, &SolveOptions::default()).unwrap_err();
    assert!(matches!(error, SolveError::Planning(PlanningError::Overflow { .. })));
    assert!(error.to_string().contains("is 1e307: with gamma = 0.99"), "{error}");
}

#[test]
fn degenerate_models_are_solved() {
    for reveal in [Reveal::constant(0.0), Reveal::from([0.0, 0.3, 1.0, 0.0])] {
        let lone = Tabular::builder(0.5).action("a", reveal, [-3.0], [[1.0]]).build().unwrap();
        let found = solved(&lone, 1e-9);
        assert!(found.lower[0] <= -6.0 && -6.0 <= found.upper[0]);
        assert_eq!(found.policy[0].to_string(), "(0)");
    }

    let nothing = Tabular::builder(0.99)
        .action("a", 0.3, [0.0, 0.0], [[0.5, 0.5], [0.1, 0.9]])
        .action("b", 0.0, [0.0, 0.0], [[0.0, 1.0], [1.0, 0.0]])
        .build()
        .unwrap();
    let found = solved(&nothing, 1e-9);
    assert!(found.lower.iter().chain(&found.upper).all(|x| x.abs() < 1e-300));

    solved(&gallery::river_swim(6, 0.1, 0.99).unwrap(), 1e6);
}

/// The bounds of the same numbers in double precision overlap: rounding was outward.
#[test]
fn single_precision_is_rounded_outward() {
    let model = gallery::river_balance::<f32>(6, 0.2, 0.99).unwrap();
    let found = solve(&model, &SolveOptions::default()).unwrap();
    assert_eq!(found.report.termination, Termination::GapReached);
    let off = (f64::from(found.lower[0]) - RIVER_BALANCE_OPTIMUM[2].1).abs();
    assert!(found.gap() <= 1e-3 && off < 2e-3, "{}", found.lower[0]);
    let aged = gallery::river_balance::<f32>(6, 0.2, 0.9).unwrap();
    let aged = intermittent(&aged, Reveal::every(4).unwrap()).unwrap();
    for (model, gap) in [(model, 1e-7), (aged, 1e-4)] {
        let options = SolveOptions::default().with_gap(gap);
        let wide = solve(&widened(&model), &options).unwrap();
        let fine = solve(&model, &options).unwrap();
        for s in 0..6 {
            let (lower, upper) = (f64::from(fine.lower[s]), f64::from(fine.upper[s]));
            assert!(lower <= wide.upper[s] && wide.lower[s] <= upper);
        }
        // Neighbouring numbers of `f32` near 57 are 3.8e-6 apart.
        let precise = fine.report.termination == Termination::Precision && fine.gap() <= 1e-5;
        assert!(gap > 1e-5 || precise, "{}", fine.report);
    }
}

#[test]
fn progress_is_reported_as_it_happens() {
    let model = gallery::river_balance(6, 0.2, 0.99).unwrap();
    let mut points = Vec::new();
    let found = solve_with(&model, &SolveOptions::default(), |p| points.push(*p)).unwrap();
    let report = &found.report;
    assert_eq!(points, report.history);
    assert!(points.is_sorted_by(|x, y| x.seconds <= y.seconds && y.gap <= x.gap));
    assert!(points.last().unwrap().gap <= found.gap() && points.last().unwrap().gap >= found.gap());
    assert!(report.nodes > 0 && report.programs > 0 && report.pivots > report.programs);
    let table = report.to_string();
    assert!(table.starts_with("gap reached after"));
    let widths: Vec<usize> = table.lines().skip(1).map(str::len).collect();
    assert_eq!(widths.len(), points.len() + 1);
    assert!(widths.iter().all(|w| *w == widths[0]), "{table}");
}

#[cfg(feature = "serde")]
#[test]
fn solutions_survive_a_file() {
    let model = gallery::river_balance(6, 0.5, 0.99).unwrap();
    let found = solved(&model, 1e-3);
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Solution<f64>>(&text).unwrap(), found);
    let options: SolveOptions = serde_json::from_str(r#"{"gap": 0.5}"#).unwrap();
    assert_eq!(options, SolveOptions::default().with_gap(0.5));
}
