//! The bounds are bounds, on random models.

use std::time::Duration;

use proptest::prelude::*;
use sporadic::model::Tabular;
use sporadic::planning::solve::{SolveOptions, Termination, solve};

use crate::common::with_rewards;

use super::magnitude;
use super::reference::{exhaustive, grid, policy_value};

/// Random models with rewards of any sign and size.
fn models() -> impl Strategy<Value = Tabular<f64>> {
    let size = prop_oneof![Just(1.0), Just(1e-6), Just(300.0)];
    (crate::common::models(), size, -1.5..0.5_f64).prop_map(|(model, size, shift)| {
        with_rewards(&model, |s, a| size * (model.reward(s, a) + shift))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn bounds_bracket_what_brute_force_finds(model in models()) {
        let n = model.num_states();
        let size = magnitude(&model);
        let tiny = 1e-11 * size;
        let asked = |relative: f64| SolveOptions::default().with_gap(relative * size);
        let brief = |options: SolveOptions| options.with_time_limit(Duration::from_millis(200));
        let runs: Vec<_> = [
            brief(asked(1e-1)),
            brief(asked(1e-2)),
            brief(asked(1e-3)),
            brief(asked(1e-5)),
            asked(1e-7).with_time_limit(Duration::from_micros(300)),
            brief(asked(1e-7)).with_memory_limit(10_000),
        ]
        .into_iter()
        .map(|options| (options.gap(), solve(&model, &options).unwrap()))
        .collect();
        let best = |s: usize| runs.iter().map(|r| r.1.lower[s]).fold(f64::NEG_INFINITY, f64::max);
        let depth = [9, 9, 6][model.num_actions() - 1];
        let (low, high) = exhaustive(&model, depth);
        let above = if n == 2 { grid(&model, 60) } else { [f64::INFINITY; 2] };
        for (asked, run) in &runs {
            let reached = run.report.termination == Termination::GapReached;
            prop_assert_eq!(reached, run.gap() <= *asked);
            for s in 0..n {
                prop_assert!(run.lower[s] <= run.upper[s]);
                prop_assert!(run.upper[s] >= best(s), "another run proves more at {s}");
                prop_assert!(run.lower[s] <= high[s] + tiny && low[s] - tiny <= run.upper[s]);
                prop_assert!(n > 2 || run.lower[s] <= above[s] + tiny);
            }
        }
    }

    /// `lower` is the value of the policy less `rounding`, and that much is a matter of rounding.
    #[test]
    fn the_policy_is_worth_the_lower_bound(model in models(), relative in 1e-5..1e-1_f64) {
        let size = magnitude(&model);
        let options = SolveOptions::default()
            .with_gap(relative * size)
            .with_time_limit(Duration::from_millis(250));
        let found = solve(&model, &options).unwrap();
        let rounding = found.report.rounding;
        prop_assert!(rounding <= 1e-13 * size / (1.0 - model.gamma()) + f64::MIN_POSITIVE);
        for (s, value) in policy_value(&model, found.policy.sequences()).into_iter().enumerate() {
            let above = value - found.lower[s];
            prop_assert!(above >= 0.0 && above <= 2.0 * rounding, "{above} at {s}, {rounding}");
        }
    }

    /// Solving again changes no bit, nor does multiplying rewards by a power of two.
    #[test]
    fn solutions_are_reproducible_and_scale(model in models()) {
        let scaled = with_rewards(&model, |s, a| 1024.0 * model.reward(s, a));
        let gap = 1e-2 * magnitude(&model);
        let one = solve(&model, &SolveOptions::default().with_gap(gap)).unwrap();
        let two = solve(&model, &SolveOptions::default().with_gap(gap)).unwrap();
        let far = solve(&scaled, &SolveOptions::default().with_gap(1024.0 * gap)).unwrap();
        prop_assert_eq!(&one.lower, &two.lower);
        prop_assert_eq!((&one.upper, &one.policy), (&two.upper, &two.policy));
        prop_assert_eq!(one.policy, far.policy);
        prop_assert_eq!(one.lower.iter().map(|x| 1024.0 * x).collect::<Vec<_>>(), far.lower);
        prop_assert_eq!(one.upper.iter().map(|x| 1024.0 * x).collect::<Vec<_>>(), far.upper);
    }
}
