//! V* with schedules: against brute force, against models that `solve` has always known, and against searches.

use std::time::Duration;

use proptest::prelude::*;
use sporadic::belief::{AugmentedState, belief};
use sporadic::model::{Reveal, Tabular, acno, by_round, gallery, intermittent};
use sporadic::planning::solve::{Solution, SolveOptions, Termination, solve};
use sporadic::planning::{Stationary, bellman, class_optimum, evaluate};
use sporadic::sequence::{ActionSequence, runs, words};

use crate::common::schedules::{labelled, scheduled, with_labels};

fn solved(model: &Tabular<f64>, gap: f64) -> Solution<f64> {
    let solution = solve(model, &SolveOptions::default().with_gap(gap)).unwrap();
    assert!(solution.gap() <= gap, "{}", solution.report);
    assert_eq!(solution.report.termination, Termination::GapReached);
    solution
}

/// The value of x by the Bellman operator, `depth` actions deep, with `v` at sightings and `end` at the leaves.
fn at(model: &Tabular<f64>, x: &AugmentedState<usize>, depth: usize, v: &[f64], end: f64) -> f64 {
    if depth == 0 {
        return end;
    }
    let value = |y: &AugmentedState<usize>| {
        if y.actions().is_empty() { v[*y.state()] } else { at(model, y, depth - 1, v, end) }
    };
    bellman::backup(model, x, value).0
}

/// Bounds on V* by the Bellman operator on all augmented states of at most `depth` actions, with nothing but its
/// definition: the leaves are worth something between r_min and r_max for ever.
fn brute_force(model: &Tabular<f64>, depth: usize) -> (Vec<f64>, Vec<f64>) {
    let (low, high) = model.reward_range();
    let left = 1.0 - model.gamma();
    let bound = |end: f64| {
        let mut v = vec![end / left; model.num_states()];
        // The operator contracts by gamma; this often is enough for 1e-7.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // some tens
        let sweeps = (1e-7_f64.ln() / model.gamma().ln()).ceil() as usize;
        for _ in 0..sweeps {
            v = (0..v.len())
                .map(|s| at(model, &AugmentedState::new(s), depth, &v, end / left))
                .collect();
        }
        v
    };
    (bound(low), bound(high))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn brackets_hold_against_brute_force((model, _) in scheduled()) {
        // Shallow trees must say something: short episodes.
        let model = model.with_gamma(0.55).unwrap();
        prop_assume!(model.num_actions() <= 2);
        let (low, high) = brute_force(&model, 7);
        let best = solved(&model, 1e-4);
        for s in 0..model.num_states() {
            prop_assert!(best.lower[s] <= high[s] + 1e-6 && low[s] <= best.upper[s] + 1e-6);
        }
        let v = evaluate(&model, &best.policy).unwrap();
        for s in 0..model.num_states() {
            prop_assert!(v[s] >= best.lower[s] - 1e-9 && v[s] <= best.upper[s] + 1e-9);
            prop_assert!(v[s] - best.lower[s] <= 2.0 * best.report.rounding + 1e-9);
        }
    }

    /// No family beats the upper bound, and who may pick any reveal probability of the list is better off.
    #[test]
    fn brackets_hold_against_families_and_free_choice((model, seq) in scheduled()) {
        let gap = 1e-3 / (1.0 - model.gamma());
        let best = solved(&model, gap);
        let family: Vec<_> = words(model.num_actions(), 4).take(81).chain([seq]).collect();
        let class = class_optimum(&model, &family).unwrap();
        prop_assert!(class.values.iter().zip(&best.upper).all(|(c, u)| *c <= u + 1e-9));
        let free = solve(&labelled(&model), &SolveOptions::default().with_gap(gap)).unwrap();
        prop_assert!(best.lower.iter().zip(&free.upper).all(|(l, u)| *l <= u + 1e-9));
        let long: Vec<_> = best.policy.sequences().iter().map(|seq| with_labels(&model, seq)).collect();
        let v = evaluate(&labelled(&model), &Stationary::new(long)).unwrap();
        prop_assert!(v.iter().zip(&best.lower).all(|(v, l)| *v >= l - 1e-9));
    }

    /// Where every sighting is sure or out of the question, the age can be put into the state: two roads to
    /// one bracket, the second through the algorithm for constant reveal probabilities.
    #[test]
    fn sure_schedules_are_models_with_the_age_in_the_state(
        (model, _) in scheduled(),
        bits in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 1..5), 3),
    ) {
        let sure = |bits: &Vec<bool>| Reveal::from(bits.iter().map(|&b| f64::from(u8::from(b))).collect::<Vec<_>>());
        let reveals = bits.iter().take(model.num_actions()).map(sure).collect();
        let model = model.with_reveals(reveals).unwrap();
        let (n, gap) = (model.num_states(), 1e-3 / (1.0 - model.gamma()));
        let here = solved(&model, gap);
        let there = solved(&age_in_state(&model), gap);
        for s in 0..n {
            prop_assert!(here.lower[s] <= there.upper[s] + 1e-9, "{} {}", here.lower[s], there.upper[s]);
            prop_assert!(there.lower[s] <= here.upper[s] + 1e-9, "{} {}", there.lower[s], here.upper[s]);
        }
    }
}

/// States (s, n) at n |S| + s, actions (a, n), which are right at age n only: a wrong one costs more than
/// everything that can be earned.
fn age_in_state(model: &Tabular<f64>) -> Tabular<f64> {
    let (n, ages) = (model.num_states(), model.ages());
    let (low, high) = model.reward_range();
    let wrong = (low - model.gamma() * high) / (1.0 - model.gamma()) - 1.0;
    let mut builder = Tabular::builder(model.gamma());
    for age in 0..ages {
        for a in 0..model.num_actions() {
            let beta = model.beta_at(a, age + 1);
            assert!(beta <= 0.0 || beta >= 1.0);
            let next = if beta > 0.5 { 0 } else { (age + 1).min(ages - 1) };
            let is = |i: usize| i / n == age;
            let reward: Vec<f64> =
                (0..n * ages).map(|i| if is(i) { model.reward(i % n, a) } else { wrong }).collect();
            let rows = (0..n * ages).map(|i| {
                if is(i) {
                    model.row(i % n, a).map(|(t, p)| (next * n + t, p)).collect()
                } else {
                    vec![(i, 1.0)]
                }
            });
            builder = builder.sparse_action(format!("{a} at {age}"), beta, reward, rows);
        }
    }
    builder.build().unwrap()
}

/// Seen in every round from the k-th on, or with a price: the same as before where it must be.
#[test]
fn known_cases_come_out() {
    let balance = gallery::river_balance::<f64>(6, 0.1, 0.9).unwrap();
    // A schedule that is constant in all but its first entry, which the first sighting decides.
    let every = intermittent(&balance, Reveal::every(1).unwrap()).unwrap();
    assert_eq!(every, gallery::river_balance(6, 1.0, 0.9).unwrap());
    // One state, reward 1: always 1 / (1 - gamma), whatever is seen.
    let lone =
        Tabular::builder(0.9).action("a", [0.0, 0.3, 1.0, 0.0], [1.0], [[1.0]]).build().unwrap();
    let best = solved(&lone, 1e-6);
    assert!(best.lower[0] <= 10.0 + 1e-12 && best.upper[0] >= 10.0 - 1e-12);
}

/// More and earlier sightings are never worth less: V* rises from every(k) to every(j) where j divides k, and
/// `at_least` lies between never and always.
#[test]
fn sightings_are_worth_something() {
    let balance = gallery::river_balance::<f64>(6, 0.1, 0.95).unwrap();
    let value = |reveal: Reveal<f64>| {
        let best = solved(&intermittent(&balance, reveal).unwrap(), 1e-2);
        (best.lower[0], best.upper[0])
    };
    let twelve = value(Reveal::every(12).unwrap());
    let six = value(Reveal::every(6).unwrap());
    let three = value(Reveal::every(3).unwrap());
    let always = value(Reveal::constant(1.0));
    assert!(twelve.0 <= six.1 && six.0 <= three.1 && three.0 <= always.1);
    assert!(twelve.1 < three.0, "the difference is large");
    let dead = value(Reveal::after_dead_time(5, 0.3).unwrap());
    let early = value(Reveal::constant(0.3));
    assert!(dead.0 <= early.1 && dead.1 < early.0);
}

/// The class of the paper's figure bounds V* from below, and the solver finds at least as much.
#[test]
fn the_class_of_the_paper_is_below() {
    let model = gallery::river_balance::<f64>(6, 0.1, 0.99).unwrap();
    let model = intermittent(&model, Reveal::after_dead_time(3, 0.2).unwrap()).unwrap();
    let class = class_optimum(&model, &runs(2, 5, 10).collect::<Vec<_>>()).unwrap();
    let best = solve(&model, &SolveOptions::default().with_gap(0.05)).unwrap();
    for s in 0..6 {
        assert!(class.values[s] <= best.upper[s] + 1e-9);
        assert!(best.lower[s] + 0.05 >= class.values[s]);
    }
}

#[test]
fn limits_leave_valid_bounds() {
    let model = gallery::river_balance::<f64>(6, 0.1, 0.99).unwrap();
    let model = intermittent(&model, Reveal::recovering(200, 0.4).unwrap()).unwrap();
    let none = SolveOptions::default().with_time_limit(Duration::ZERO);
    let short = SolveOptions::default().with_time_limit(Duration::from_millis(200));
    let tight =
        SolveOptions::default().with_memory_limit(1 << 10).with_time_limit(Duration::from_secs(2));
    let right = ActionSequence::constant(1);
    let value = evaluate(&model, &Stationary::new(vec![right; 6])).unwrap();
    for options in [none, short, tight] {
        let best = solve(&model, &options).unwrap();
        assert!(best.report.termination != Termination::GapReached || best.gap() <= 1e-3);
        for s in 0..6 {
            assert!(best.lower[s] <= best.upper[s] && value[s] <= best.upper[s] + 1e-9);
        }
        let v = evaluate(&model, &best.policy).unwrap();
        assert!(v.iter().zip(&best.lower).all(|(v, l)| *v >= l - 1e-9));
    }
    let large = gallery::river_balance::<f64>(20_000, 0.1, 0.9).unwrap();
    let large = intermittent(&large, Reveal::every(3).unwrap()).unwrap();
    let best = solve(&large, &SolveOptions::default()).unwrap();
    assert!(best.lower.iter().zip(&best.upper).all(|(l, u)| l <= u));
    assert_eq!(best.report.termination, Termination::MemoryLimit);
}

#[test]
fn single_precision_is_rounded_outward() {
    let model = gallery::river_balance::<f32>(6, 0.1, 0.9).unwrap();
    let model = intermittent(&model, Reveal::every(4).unwrap()).unwrap();
    let best = solve(&model, &SolveOptions::default().with_gap(1e-2)).unwrap();
    let wide = gallery::river_balance::<f64>(6, 0.1, 0.9).unwrap();
    let wide = solved(&intermittent(&wide, Reveal::every(4).unwrap()).unwrap(), 1e-4);
    for s in 0..6 {
        assert!(f64::from(best.lower[s]) <= wide.upper[s] + 1e-4);
        assert!(f64::from(best.upper[s]) >= wide.lower[s] - 1e-4);
    }
}

/// beta_t of rounds that do not differ is beta; of rounds that do, it is what backward induction says.
#[test]
fn rounds_in_the_state() {
    let swim = gallery::river_balance::<f64>(4, 0.3, 0.8).unwrap();
    let same = by_round(&swim, &vec![vec![0.3, 0.3]; 3]).unwrap();
    let (plain, rounds) = (solved(&swim, 1e-3), solved(&same, 1e-3));
    for s in 0..4 {
        assert!(plain.lower[s] <= rounds.upper[s] && rounds.lower[s] <= plain.upper[s]);
    }
    // Seen after the second round only, then for ever blind: two actions, then the best blind sequence.
    let blind = swim.clone().with_betas(vec![0.0; 2]).unwrap();
    let tail = solved(&blind, 1e-3);
    let model = by_round(&swim, &[vec![0.0, 0.0], vec![1.0, 1.0], vec![0.0, 0.0]]).unwrap();
    let best = solved(&model, 1e-3);
    for s in 0..4 {
        let value = |v: &[f64]| {
            let mut most = f64::NEG_INFINITY;
            for a in 0..2 {
                for b in 0..2 {
                    let x = AugmentedState::new(s).with_actions([a]);
                    let next = belief(&swim, &AugmentedState::new(s).with_actions([a, b]));
                    let first = swim.reward(s, a);
                    let second: f64 = belief(&swim, &x)
                        .iter()
                        .enumerate()
                        .map(|(t, p)| p * swim.reward(t, b))
                        .sum();
                    let rest: f64 = next.iter().zip(v).map(|(p, v)| p * v).sum();
                    most = most.max(first + 0.8 * second + 0.64 * rest);
                }
            }
            most
        };
        assert!(best.lower[s] <= value(&tail.upper) + 1e-9);
        assert!(value(&tail.lower) <= best.upper[s] + 1e-9);
    }
    assert!(by_round(&swim, &[]).is_err());
    assert!(by_round(&swim, &[vec![0.5]]).is_err());
    assert!(by_round(&swim, &[vec![0.5, 1.5]]).is_err());
    assert!(by_round(&acno(&swim, 0.1).unwrap(), &vec![vec![0.0; 4]; 1_000_000]).is_err());
}
