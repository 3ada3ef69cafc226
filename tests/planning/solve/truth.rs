//! Values known from elsewhere.

use crate::common::published::{RIVER_BALANCE_OPTIMUM, RIVER_BALANCE_SEEN, RIVER_SWIM};
use sporadic::model::gallery;

use super::reference::exhaustive;
use super::solved;

const BETAS: [f64; 6] = [0.0, 0.05, 0.1, 0.2, 0.5, 1.0];

/// (1 - gamma) V* lies within half a unit of the sixth digit of `table`.
fn assert_row(lower: &[f64], upper: &[f64], table: [f64; 6]) {
    for (s, known) in table.into_iter().enumerate() {
        let (low, high) = (0.01 * lower[s], 0.01 * upper[s]);
        assert!(low <= known + 5e-7 && known - 5e-7 <= high, "s{}: [{low}, {high}]", s + 1);
    }
}

#[test]
fn river_swim_needs_no_looking() {
    for beta in BETAS {
        let swim = gallery::river_swim(6, beta, 0.99).unwrap();
        let found = solved(&swim, 1e-5);
        assert_row(&found.lower, &found.upper, RIVER_SWIM);
        assert!(found.policy.sequences().iter().all(|sequence| sequence.to_string() == "(1)"));
    }
}

#[test]
fn river_balance_seen_is_solved_exactly() {
    let balance = gallery::river_balance(6, 1.0, 0.99).unwrap();
    let found = solved(&balance, 1e-6);
    assert_row(&found.lower, &found.upper, RIVER_BALANCE_SEEN);
}

#[test]
fn river_balance_agrees_with_general_solvers() {
    for (beta, low, high) in RIVER_BALANCE_OPTIMUM {
        let balance = gallery::river_balance(6, beta, 0.99).unwrap();
        for gap in [1e-1, 1e-3, 1e-5] {
            let found = solved(&balance, gap);
            let (lower, upper) = (found.lower[0], found.upper[0]);
            assert!(lower <= high + 5e-5 && low - 5e-5 <= upper, "beta {beta}: [{lower}, {upper}]");
        }
    }
}

#[test]
fn river_balance_is_symmetric() {
    for beta in BETAS {
        let found = solved(&gallery::river_balance(6, beta, 0.99).unwrap(), 1e-3);
        for s in 0..6 {
            assert!(found.lower[s] <= found.upper[5 - s]);
        }
    }
}

#[test]
fn measuring_is_worth_its_price_or_not() {
    for gamma in [0.9, 0.99, 0.9999] {
        for cost in [0.0, 0.05, 0.1, 0.15, 0.2, 0.5] {
            let model = gallery::measuring_value(cost, gamma).unwrap();
            let found = solved(&model, 1e-4);
            let blind = 0.8 * gamma;
            let looking = (0.8 * gamma - cost) / (1.0 - 0.2 * gamma * gamma);
            let (s0, known) = (model.state("s0").unwrap(), blind.max(looking));
            let (lower, upper) = (found.lower[s0], found.upper[s0]);
            assert!(lower <= known && known <= upper, "{gamma} {cost}: {known} [{lower}, {upper}]");
            // Undiscounted the source has max(.8, 1 - 1.25 cost).
            let source = (1.0 - 1.25 * cost).max(0.8);
            assert!((known - source).abs() < 3.0 * (1.0 - gamma));
            if looking > blind + 1e-3 {
                assert_eq!(found.policy[s0].first(), model.action("a0+look").unwrap());
            }
        }
    }
}

#[test]
fn sensing_for_nothing_has_the_published_cost() {
    let found = solved(&gallery::sensing_cost(0.0, 0.5).unwrap(), 1e-7);
    for (s, cost) in [0.568_182, 0.795_455].into_iter().enumerate() {
        assert!(-found.upper[s] <= cost + 5e-7 && cost - 5e-7 <= -found.lower[s]);
    }
}

#[test]
fn sensing_at_a_price_agrees_with_brute_force() {
    let mut before = vec![f64::INFINITY; 2];
    for k in [0.0, 0.01, 0.05, 0.1, 0.125, 0.2, 0.5, 2.0] {
        let model = gallery::sensing_cost(k, 0.5).unwrap();
        let found = solved(&model, 1e-7);
        let (low, high) = exhaustive(&model, 12);
        for s in 0..2 {
            assert!(high[s] - low[s] < 1e-3);
            assert!(found.lower[s] <= high[s] + 1e-12 && low[s] - 1e-12 <= found.upper[s]);
            assert!(found.lower[s] <= before[s], "a higher price cannot help");
        }
        before = found.upper;
        if k > 1.0 {
            // Never worth it: the blind variants have even numbers.
            let blind = |a: usize| a.is_multiple_of(2);
            assert!(found.policy.sequences().iter().all(|p| p.iter().take(40).all(blind)));
        }
    }
}
