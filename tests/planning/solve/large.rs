//! Models with many states: bounds within the time limit, and memory that goes with the transitions.

use std::time::{Duration, Instant};

use sporadic::model::{Tabular, gallery};
use sporadic::planning::solve::{Solution, SolveOptions, Termination, solve};
use sporadic::planning::{PlanningError, Stationary, class_optimum_within, evaluate};
use sporadic::sequence::{ActionSequence, runs};

/// Time limits here are below 20 s: a search that takes longer than this does not look at the clock.
const HANGS: Duration = Duration::from_secs(120);

/// Solves within so many seconds. The bounds are bounds, and the reason for the end is the true one.
fn timed(model: &Tabular<f64>, seconds: f64) -> Solution<f64> {
    let start = Instant::now();
    let options = SolveOptions::default().with_time_limit(Duration::from_secs_f64(seconds));
    let found = solve(model, &options).unwrap();
    assert!(start.elapsed() < HANGS, "{}", found.report);
    let reached = found.report.termination == Termination::GapReached;
    assert!(reached || found.report.termination == Termination::TimeLimit, "{}", found.report);
    assert_eq!(reached, found.gap() <= options.gap(), "{}", found.report);
    let trivial = 1.0 / (1.0 - model.gamma());
    for (lower, upper) in found.lower.iter().zip(&found.upper) {
        assert!(lower <= upper && *lower >= -1e-6 && *upper <= trivial + 1e-6);
    }
    assert!(found.report.bytes < options.memory_limit(), "{}", found.report);
    found
}

/// Far from its lower end a long river is worth what a short one is, measured from the upper end.
#[test]
fn long_rivers_have_the_bounds_of_short_ones() {
    let right = |n: usize| Stationary::new(vec!["(1)".parse::<ActionSequence>().unwrap(); n]);
    let short = evaluate(&gallery::river_swim(400, 0.1, 0.9).unwrap(), &right(400)).unwrap();
    for n in [1_000, 8_000] {
        let model = gallery::river_swim(n, 0.1, 0.9).unwrap();
        let found = timed(&model, 20.0);
        assert_eq!(found.report.termination, Termination::GapReached, "{}", found.report);
        for i in 1..=100 {
            let truth = short[400 - i];
            assert!(found.lower[n - i] <= truth + 1e-9 && truth <= found.upper[n - i] + 1e-9);
        }
    }
}

#[test]
fn a_hundred_thousand_states_have_bounds() {
    let model = gallery::river_swim(100_000, 0.1, 0.99).unwrap();
    let gaps = [0.0, 0.3].map(|seconds| timed(&model, seconds).gap());
    assert!(gaps[1] <= gaps[0], "more time gives no wider bounds: {gaps:?}");
}

/// On slowly mixing, rarely seen states half a second is short; the policy is worth the lower bound.
#[test]
fn lower_bounds_of_hard_models_are_attained() {
    for (n, seconds) in [(100, 0.5), (300, 0.5), (1_000, 0.5)] {
        let model = gallery::river_balance(n, 0.1, 0.99).unwrap();
        let found = timed(&model, seconds);
        let worth = evaluate(&model, &found.policy.clone()).unwrap();
        for s in 0..n {
            assert!(found.lower[s] <= worth[s] + 1e-9 && worth[s] <= found.upper[s] + 1e-9);
            assert!(worth[s] <= found.lower[s] + 2.0 * found.report.rounding + 1e-9);
        }
    }
}

#[test]
fn seen_states_are_solved_whatever_their_number() {
    let model = gallery::river_balance(2_000, 1.0, 0.9).unwrap();
    let found = timed(&model, 20.0);
    assert_eq!(found.report.termination, Termination::GapReached, "{}", found.report);
    assert!(found.gap() <= 1e-3);
}

#[test]
fn too_little_memory_for_matrices_is_said() {
    let model = gallery::river_balance(100, 0.1, 0.9).unwrap();
    let options = SolveOptions::default().with_gap(1e-9).with_memory_limit(1 << 20);
    let found = solve(&model, &options).unwrap();
    assert_eq!(found.report.termination, Termination::MemoryLimit, "{}", found.report);
    assert!(found.report.bytes <= 1 << 20, "{}", found.report);
}

/// Policies on many states are evaluated by sweeps; up to 512 states by elimination.
#[test]
fn sweeps_and_elimination_agree() {
    let sequences: Vec<ActionSequence> =
        ["(1)", "0(1)", "(110)", "0011(01)"].map(|text| text.parse().unwrap()).to_vec();
    let policy = |n: usize| {
        // The same sequences near the upper end, which is where rewards are.
        Stationary::new((0..n).map(|s| sequences[(n - s) % 4].clone()).collect())
    };
    for beta in [0.0, 0.2, 1.0] {
        let short =
            evaluate(&gallery::river_swim::<f64>(500, beta, 0.9).unwrap(), &policy(500)).unwrap();
        let long = evaluate(&gallery::river_swim(900, beta, 0.9).unwrap(), &policy(900)).unwrap();
        for i in 1..=200 {
            assert!((short[500 - i] - long[900 - i]).abs() < 1e-12);
        }
    }
}

#[test]
fn a_policy_of_too_many_sequences_is_refused_with_its_size() {
    let n = 20_000;
    let model = gallery::river_swim(n, 0.1, 0.9).unwrap();
    let own =
        |s: usize| ActionSequence::new((0..15).map(|i| (s >> i) & 1).collect::<Vec<_>>(), [0]);
    let refused = evaluate(&model, &Stationary::new((0..n).map(own).collect())).unwrap_err();
    assert!(matches!(refused, PlanningError::Size { states: 20_000, .. }), "{refused}");
}

#[test]
fn a_family_on_many_states_stops_in_time() {
    let model = gallery::river_swim(3_000, 0.5, 0.9).unwrap();
    let family: Vec<_> = runs(2, 5, 10).collect();
    for millis in [0, 300] {
        let start = Instant::now();
        let limit = Duration::from_millis(millis);
        let best = class_optimum_within(&model, &family, limit).unwrap();
        assert!(start.elapsed() < HANGS);
        assert!(best.gap >= 0.0 && best.values.iter().all(|v| (0.0..=10.0).contains(v)));
        assert!(
            best.values.iter().all(|v| v + best.gap >= 4.0),
            "the best is worth 4.1 at the end"
        );
    }
    // The same road to the end, with a family small enough.
    let few: Vec<_> = runs(2, 1, 1).collect();
    let short =
        class_optimum_within(&gallery::river_swim::<f64>(50, 0.5, 0.9).unwrap(), &few, None)
            .unwrap();
    let long =
        class_optimum_within(&gallery::river_swim(12_000, 0.5, 0.9).unwrap(), &few, None).unwrap();
    for i in 1..20 {
        assert!((short.values[50 - i] - long.values[12_000 - i]).abs() < 1e-9);
    }
}
