//! Values, each computed in two ways.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::common::published::{RIVER_BALANCE, RIVER_SWIM, assert_known};
use crate::common::schedules::scheduled;
use crate::common::{distance, models, models_with_sequence, sequence, sequences, with_rewards};
use proptest::prelude::*;
use sporadic::Real;
use sporadic::belief::{AugmentedState, belief};
use sporadic::model::{Action, Tabular, gallery};
use sporadic::planning::{
    BurstPolicy, Evaluator, PlanningError, Segments, Staged, Stationary, bellman, class_optimum,
    evaluate, sequence_values,
};
use sporadic::sequence::{periodic, runs};

#[test]
fn class_optima_of_the_paper() {
    let family: Vec<_> = runs(2, 5, 10).collect();
    for (beta, half) in RIVER_BALANCE {
        let swim = class_optimum(&gallery::river_swim(6, beta, 0.99).unwrap(), &family).unwrap();
        assert!(swim.policy.sequences().iter().all(|seq| seq.to_string() == "(1)"));
        let model = gallery::river_balance(6, beta, 0.99).unwrap();
        let balance = class_optimum(&model, &family).unwrap();
        for s in 0..6 {
            assert_known(swim.values[s], RIVER_SWIM[s]);
            assert_known(balance.values[s], half[s.min(5 - s)]);
        }
        assert!(distance(&evaluate(&model, &balance.policy).unwrap(), &balance.values) < 1e-10);
    }
}

/// An arbitrary augmented policy: a hash of what it knows.
fn scrambled(model: &Tabular<f64>, seed: u64) -> impl Fn(&AugmentedState<usize>) -> Action {
    let m = model.num_actions();
    move |x| usize::try_from(hash(x, seed) % m as u64).unwrap()
}

/// An arbitrary function on augmented states, in [0, 1].
fn hash(x: &AugmentedState<usize>, seed: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (x, seed).hash(&mut hasher);
    hasher.finish()
}

fn unit(x: &AugmentedState<usize>, seed: u64) -> f64 {
    hash(x, seed) as f64 / u64::MAX as f64
}

/// Actions enough for the discounted weight of the rest to vanish, or 60 at most.
const DEPTH: usize = 60;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_bellman_operator_contracts(model in models(), x in proptest::collection::vec(0..8_usize, 0..5)) {
        let actions: Vec<_> = x.iter().map(|a| a % model.num_actions()).collect();
        for s in 0..model.num_states() {
            let x = AugmentedState::new(s).with_actions(actions.clone());
            let (v, u) = (
                bellman::backup(&model, &x, |x| unit(x, 1)).0,
                bellman::backup(&model, &x, |x| unit(x, 2)).0,
            );
            // |V - U| is at most 1 everywhere.
            prop_assert!((v - u).abs() <= model.gamma() + 1e-12);
            // Constants shift by exactly gamma.
            let shifted = bellman::backup(&model, &x, |x| unit(x, 1) + 1.0).0;
            prop_assert!((shifted - v - model.gamma()).abs() < 1e-12);
        }
    }

    #[test]
    fn augmented_policies_satisfy_their_equations(model in models(), seed in any::<u64>()) {
        let policy = scrambled(&model, seed);
        let v = bellman::evaluate_augmented(&model, &policy, DEPTH).unwrap();
        // Rounding, and what truncation leaves out, twice.
        let tolerance = 1e-9 + 2.0 * v.error;
        // V at any augmented state: play what the policy induces from its belief.
        let value = |x: &AugmentedState<usize>| {
            let seq = bellman::induced(&policy, x, DEPTH);
            let k = sequence_values(&model, &seq, &v.values).unwrap();
            belief(&model, x).iter().zip(&k).map(|(b, k)| b * k).sum::<f64>()
        };
        for s in 0..model.num_states() {
            let x = AugmentedState::new(s);
            // V(s) = K(s, a(s)).
            prop_assert!((value(&x) - v.values[s]).abs() <= tolerance);
            for a in 0..model.num_actions() {
                // Q(s, a) = K(s, a + a(s + a)).
                let mut next = x.clone();
                next.push(a);
                let seq = bellman::induced(&policy, &next, DEPTH).prepend(a);
                let k = sequence_values(&model, &seq, &v.values).unwrap()[s];
                let q = bellman::q(&model, &x, a, value);
                prop_assert!((k - q).abs() <= tolerance, "{k} {q}");
                // The equation of policy evaluation further down.
                let down = bellman::q(&model, &next, policy(&next), value);
                // The error is of the states: below `a` as much may be left out as this weighs.
                let played = bellman::induced(&policy, &next, DEPTH);
                let blind = |a: usize| model.gamma() * (1.0 - model.beta(a));
                let weight: f64 = played.iter().take(DEPTH).map(blind).product();
                let left_out = weight / (1.0 - model.gamma()); // rewards are at most 1
                let difference = (down - value(&next)).abs();
                prop_assert!(difference <= tolerance + left_out, "{difference} {left_out}");
            }
        }
    }

    #[test]
    fn the_class_optimum_is_a_fixed_point((model, _) in scheduled()) {
        let family: Vec<_> = periodic(model.num_actions(), 1, 3).collect();
        let best = class_optimum(&model, &family).unwrap();
        let mut record = vec![f64::NEG_INFINITY; model.num_states()];
        for seq in &family {
            let k = sequence_values(&model, seq, &best.values).unwrap();
            record.iter_mut().zip(k).for_each(|(r, k)| *r = r.max(k));
        }
        prop_assert!(distance(&record, &best.values) < 1e-9);
        let again = Evaluator::new(&model).values(&best.policy).unwrap().to_vec();
        prop_assert!(distance(&again, &best.values) < 1e-8 / (1.0 - model.gamma()));
    }

    #[test]
    fn stages_step_back_one_by_one(
        (model, seq) in models_with_sequence(),
        other in sequences(1),
    ) {
        let n = model.num_states();
        let (first, then) = (vec![seq; n], vec![other; n]);
        let staged = Staged::new(vec![first.clone(), then.clone()], 2).unwrap();
        prop_assert_eq!(staged.horizon(), 3);
        let stationary = evaluate(&model, &Stationary::new(then)).unwrap();
        let expected = sequence_values(&model, &first[0], &stationary).unwrap();
        prop_assert!(distance(&evaluate(&model, &staged).unwrap(), &expected) < 1e-9);
    }
}

#[test]
fn evaluators_give_the_values_of_each_policy() {
    for model in [
        gallery::river_balance::<f64>(6, 0.2, 0.99).unwrap(),
        gallery::river_swim::<f64>(520, 0.5, 0.8).unwrap(),
    ] {
        let n = model.num_states();
        let family: Vec<_> = runs(2, 2, 3).collect();
        let mut evaluator = Evaluator::new(&model);
        assert_eq!(evaluator.is_fast(), n <= 512);
        for k in 0..4 {
            let stage = |u: usize| {
                let pick = |s: usize| family[(7 * s + 5 * u + 3 * k) % family.len()].clone();
                if n > 512 { vec![family[k].clone(); n] } else { (0..n).map(pick).collect() }
            };
            let policy = Staged::new((0..3).map(stage).collect(), 1).unwrap();
            let alone = evaluate(&model, &policy).unwrap();
            assert_eq!(evaluator.values(&policy).unwrap(), alone);
        }
    }
}

#[test]
fn incomplete_policies_and_unknown_actions_are_refused() {
    let few = |n: usize| Stationary::new(vec![sequence("(1)"); n]);
    let message = "the policy has no sequence for state 4: it has one for 4 of 6 states";
    let swim = gallery::river_swim::<f64>(6, 0.1, 0.99).unwrap();
    assert_eq!(evaluate(&swim, &few(4)).unwrap_err().to_string(), message);
    assert_eq!(Evaluator::new(&swim).values(&few(4)).unwrap_err().to_string(), message);
    let staged = Staged::new(vec![few(4).into_sequences(); 2], 1).unwrap();
    assert_eq!(evaluate(&swim, &staged).unwrap_err().to_string(), message);
    let chain = gallery::river_swim::<f64>(600, 0.1, 0.9).unwrap();
    let uncovered = PlanningError::Uncovered { state: 0, covered: 0, num_states: 600 };
    assert_eq!(evaluate(&chain, &few(0)).unwrap_err(), uncovered);
    assert!(evaluate(&swim, &few(7)).is_ok(), "sequences for more states do no harm");

    let bad = evaluate(&swim, &Stationary::new(vec![sequence("1(2)"); 6])).unwrap_err();
    let message = "the sequence 1(2) takes action 2, but there are only 2 actions";
    assert_eq!(bad.to_string(), message);
    assert!(class_optimum(&swim, &[]).is_err());
    assert!(sequence_values(&swim, &sequence("(0)"), &[0.0]).is_err());
    assert!(Staged::new(vec![], 1).is_err());
    assert!(Staged::new(vec![vec![sequence("(0)")]], 2).is_err());
}

/// Every planner refuses values beyond the range of the scalar, and names the reward.
#[test]
fn overflowing_values_are_refused() {
    fn model<T: Real>(reward: f64, gamma: f64) -> Tabular<T> {
        let (one, half) = (T::one(), T::of(0.5));
        Tabular::builder(T::of(gamma))
            .action("stay", half, [T::zero(), T::of(reward)], [[one, T::zero()], [half, half]])
            .build()
            .unwrap()
    }
    fn refused<T: Real>(model: &Tabular<T>) {
        let seq = sequence("(0)");
        let policy = Stationary::new(vec![seq.clone(); 2]);
        let faults = [
            evaluate(model, &policy).unwrap_err(),
            Evaluator::new(model).values(&policy).unwrap_err().clone(),
            class_optimum(model, std::slice::from_ref(&seq)).unwrap_err(),
            sequence_values(model, &seq, &[T::zero(); 2]).unwrap_err(),
            Segments::new(model).segment(0, &seq).unwrap_err(),
            bellman::evaluate_augmented(model, |_| 0, 3).unwrap_err(),
        ];
        for fault in faults {
            assert!(matches!(fault, PlanningError::Overflow { .. }), "{fault}");
            assert!(fault.to_string().contains("action \"stay\" in state \"s2\""), "{fault}");
        }
    }
    refused(&model::<f64>(1e308, 0.99));
    refused(&model::<f64>(-1e307, 0.999));
    refused(&model::<f32>(1e37, 0.99));
    // Large, but not too large: finite, also where intermediate products could overflow.
    let large = model::<f64>(1e303, 0.99);
    let policy = Stationary::new(vec![sequence("(0)"); 2]);
    let values = evaluate(&large, &policy).unwrap();
    assert!(values[0].abs() < 1e280 && 1e303 <= values[1] && values[1] < 1e305, "{values:?}");
    assert!(bellman::evaluate_augmented(&large, |_| 0, 1).unwrap().error.is_finite());
    for given in [f64::NAN, f64::INFINITY, f64::MAX] {
        let fault = sequence_values(&large, &sequence("(0)"), &[given, 0.0]).unwrap_err();
        assert!(matches!(fault, PlanningError::Overflow { .. }), "{fault}");
    }
}

/// If only rounding separates the members, policy iteration must still end.
#[test]
fn class_optima_of_subnormal_rewards_are_found() {
    let family: Vec<_> = runs(2, 5, 10).collect();
    let plain = gallery::river_balance::<f64>(6, 0.1, 0.99).unwrap();
    let truth = class_optimum(&plain, &family).unwrap();
    for unit in [1e-300, 1e-310, 1e-320, 5e-324] {
        let tiny = with_rewards(&plain, |s, a| unit * plain.reward(s, a));
        let found = class_optimum(&tiny, &family).unwrap();
        assert_eq!(found.policy, truth.policy);
        let value = evaluate(&tiny, &found.policy).unwrap();
        for s in 0..6 {
            // To within the spacing of numbers of that size.
            let off = (found.values[s] / unit - truth.values[s]).abs();
            assert!(off <= 1e-9 + 5e-324 / unit, "{unit}: {off}");
            assert!((value[s] - found.values[s]).abs() <= 1e-9 * unit + f64::from_bits(1));
        }
    }
}
