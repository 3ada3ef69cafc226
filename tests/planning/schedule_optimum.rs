//! V* with schedules: against brute force, constant reveal probabilities and families.

use std::time::Duration;

use proptest::prelude::*;
use sporadic::model::{Reveal, Tabular, acno, by_round, gallery, intermittent};
use sporadic::planning::solve::{SolveOptions, Termination, solve};
use sporadic::planning::{Stationary, class_optimum, evaluate, sequence_values};
use sporadic::sequence::words;

use crate::common::schedules::{labelled, scheduled, with_labels};
use crate::common::sequence;
use crate::solve::reference::exhaustive;
use crate::solve::solved;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn brackets_hold_against_brute_force((model, _) in scheduled()) {
        // Shallow trees must say something: short episodes.
        let model = model.with_gamma(0.55).unwrap();
        prop_assume!(model.num_actions() <= 2);
        let (low, high) = exhaustive(&model, 7);
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

    /// No family exceeds the upper bound, and a choice among all listed reveal probabilities helps.
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

    /// If every reveal probability is 0 or 1, the age can be part of the state, and the algorithm
    /// for constant reveal probabilities gives a second bracket.
    #[test]
    fn sure_schedules_agree_with_ages_as_states(
        (model, _) in scheduled(),
        bits in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 1..5), 3),
    ) {
        let sure = |bits: &Vec<bool>| {
            Reveal::from(bits.iter().map(|&b| f64::from(u8::from(b))).collect::<Vec<_>>())
        };
        let reveals = bits.iter().take(model.num_actions()).map(sure).collect();
        let model = model.with_reveals(reveals).unwrap();
        let (n, gap) = (model.num_states(), 1e-3 / (1.0 - model.gamma()));
        let here = solved(&model, gap);
        let there = solved(&age_in_state(&model), gap);
        for s in 0..n {
            prop_assert!(here.lower[s] <= there.upper[s] + 1e-9);
            prop_assert!(there.lower[s] <= here.upper[s] + 1e-9);
        }
    }
}

/// States (s, n) at n |S| + s, actions (a, n), which are right at age n only: a wrong one costs
/// more than everything that can be earned.
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

/// V* rises from every(k) to every(j) where j divides k, and falls with a dead time.
#[test]
fn more_and_earlier_sightings_are_worth_more() {
    let balance = gallery::river_balance::<f64>(6, 0.1, 0.95).unwrap();
    let value = |reveal: Reveal<f64>| {
        let best = solved(&intermittent(&balance, reveal).unwrap(), 1e-2);
        (best.lower[0], best.upper[0])
    };
    let [twelve, six, three] = [12, 6, 3].map(|k| value(Reveal::every(k).unwrap()));
    let always = value(Reveal::constant(1.0));
    assert!(twelve.0 <= six.1 && six.0 <= three.1 && three.0 <= always.1);
    assert!(twelve.1 < three.0, "the difference is large");
    let dead = value(Reveal::after_dead_time(5, 0.3).unwrap());
    let early = value(Reveal::constant(0.3));
    assert!(dead.0 <= early.1 && dead.1 < early.0);
}

#[test]
fn limits_leave_valid_bounds() {
    let model = gallery::river_balance::<f64>(6, 0.1, 0.99).unwrap();
    let model = intermittent(&model, Reveal::recovering(200, 0.4).unwrap()).unwrap();
    let within = |millis| SolveOptions::default().with_time_limit(Duration::from_millis(millis));
    let value = evaluate(&model, &Stationary::new(vec![sequence("(1)"); 6])).unwrap();
    for options in [within(0), within(200), within(2_000).with_memory_limit(1 << 10)] {
        let best = solve(&model, &options).unwrap();
        assert!(best.report.termination != Termination::GapReached || best.gap() <= 1e-3);
        let policy = evaluate(&model, &best.policy).unwrap();
        for s in 0..6 {
            assert!(best.lower[s] <= best.upper[s] && value[s] <= best.upper[s] + 1e-9);
            assert!(policy[s] >= best.lower[s] - 1e-9);
        }
    }
    let large = gallery::river_balance::<f64>(20_000, 0.1, 0.9).unwrap();
    let large = intermittent(&large, Reveal::every(3).unwrap()).unwrap();
    let best = solve(&large, &SolveOptions::default()).unwrap();
    assert!(best.lower.iter().zip(&best.upper).all(|(l, u)| l <= u));
    assert_eq!(best.report.termination, Termination::MemoryLimit);
}

/// Equal rounds are beta itself; with others V* follows from backward induction.
#[test]
fn rounds_can_be_part_of_the_state() {
    let river = gallery::river_balance::<f64>(4, 0.3, 0.8).unwrap();
    let same = by_round(&river, &vec![vec![0.3, 0.3]; 3]).unwrap();
    let (plain, rounds) = (solved(&river, 1e-3), solved(&same, 1e-3));
    for s in 0..4 {
        assert!(plain.lower[s] <= rounds.upper[s] && rounds.lower[s] <= plain.upper[s]);
    }
    // Seen after the second round only: two actions, then the best blind sequence.
    let tail = solved(&river.clone().with_betas(vec![0.0; 2]).unwrap(), 1e-3);
    let model = by_round(&river, &[vec![0.0, 0.0], vec![1.0, 1.0], vec![0.0, 0.0]]).unwrap();
    let best = solved(&model, 1e-3);
    let second = intermittent(&river, Reveal::every(2).unwrap()).unwrap();
    let value = |s: usize, v: &[f64]| {
        let k = |seq| sequence_values(&second, &seq, v).unwrap()[s];
        words(2, 2).map(k).fold(f64::NEG_INFINITY, f64::max)
    };
    for s in 0..4 {
        assert!(best.lower[s] <= value(s, &tail.upper) + 1e-9);
        assert!(value(s, &tail.lower) <= best.upper[s] + 1e-9);
    }
    assert!(by_round(&river, &[]).is_err());
    assert!(by_round(&river, &[vec![0.5]]).is_err());
    assert!(by_round(&river, &[vec![0.5, 1.5]]).is_err());
    assert!(by_round(&acno(&river, 0.1).unwrap(), &vec![vec![0.0; 4]; 1_000_000]).is_err());
}
