//! K, values of policies, class optima and the export.

use std::collections::HashMap;

use proptest::prelude::*;
use sporadic::agents::FixedSequence;
use sporadic::belief::AugmentedState;
use sporadic::model::{Reveal, Tabular, gallery};
use sporadic::planning::{
    Evaluator, Segments, Stationary, bellman, class_optimum, evaluate, pomdp, sequence_value_at,
    sequence_values,
};
use sporadic::sequence::{ActionSequence, words};
use sporadic::simulation::{Observer, Returns, Segment, Simulation, Streams};

use crate::common::schedules::{labelled, scheduled, with_labels};

proptest! {
    #[test]
    fn values_of_sequences_are_those_of_the_labelled_model((model, seq) in scheduled()) {
        let n = model.num_states();
        let values: Vec<f64> = (0..n).map(|s| (s as f64).sin()).collect();
        let (wide, long) = (labelled(&model), with_labels(&model, &seq));
        let k = sequence_values(&model, &seq, &values).unwrap();
        let expected = sequence_values(&wide, &long, &values).unwrap();
        let mut segments = Segments::new(&model);
        let size = 1.0 / (1.0 - model.gamma());
        for s in 0..n {
            prop_assert!((k[s] - expected[s]).abs() < 1e-10 * size);
            let (reward, next) = segments.segment(s, &seq).unwrap();
            let total = reward + next.iter().zip(&values).map(|(p, v)| p * v).sum::<f64>();
            prop_assert!((total - expected[s]).abs() < 1e-9 * size);
        }
    }

    /// Q(x, a) at every augmented state on the way satisfies K(x, a t) = Q with K(x a, t) where the state stays hidden.
    #[test]
    fn values_at_augmented_states_satisfy_the_bellman_equation((model, seq) in scheduled()) {
        let values: Vec<f64> = (0..model.num_states()).map(|s| (s as f64).cos()).collect();
        let k = |x: &AugmentedState<usize>, seq: &ActionSequence| {
            sequence_value_at(&model, x, seq, &values).unwrap().total()
        };
        let (mut x, mut rest) = (AugmentedState::new(0), seq);
        for _ in 0..8 {
            let tail = rest.tail();
            let value = |y: &AugmentedState<usize>| {
                if y.actions().is_empty() { values[*y.state()] } else { k(y, &tail) }
            };
            let q = bellman::q(&model, &x, rest.first(), value);
            prop_assert!((q - k(&x, &rest)).abs() < 1e-9 / (1.0 - model.gamma()));
            x.push(rest.first());
            rest = tail;
        }
    }

    #[test]
    fn values_of_policies_are_those_of_the_labelled_model(
        (model, seq) in scheduled(), turn in 0..4_usize,
    ) {
        let n = model.num_states();
        let other = (0..turn).fold(seq.clone(), |seq, _| seq.tail());
        let policy: Vec<_> = (0..n).map(|s| if s % 2 == 0 { seq.clone() } else { other.clone() }).collect();
        let long: Vec<_> = policy.iter().map(|seq| with_labels(&model, seq)).collect();
        let wide = labelled(&model);
        let v = evaluate(&model, &Stationary::new(policy)).unwrap();
        let expected = evaluate(&wide, &Stationary::new(long)).unwrap();
        let size = 1.0 / (1.0 - model.gamma());
        prop_assert!(v.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-8 * size));
    }

    #[test]
    fn class_optima_are_those_of_the_labelled_model((model, _) in scheduled()) {
        let family: Vec<_> = words(model.num_actions(), 3).collect();
        let long: Vec<_> = family.iter().map(|seq| with_labels(&model, seq)).collect();
        let best = class_optimum(&model, &family).unwrap();
        let expected = class_optimum(&labelled(&model), &long).unwrap();
        let size = 1.0 / (1.0 - model.gamma());
        for (x, y) in best.values.iter().zip(&expected.values) {
            prop_assert!((x - y).abs() < 1e-8 * size);
        }
        let again = Evaluator::new(&model).values(&best.policy).unwrap().to_vec();
        prop_assert!(again.iter().zip(&best.values).all(|(x, y)| (x - y).abs() < 1e-8 * size));
    }

    #[test]
    fn the_exported_process_is_the_model((model, _) in scheduled()) {
        prop_assume!(model.ages() > 1);
        let text = pomdp::export(&model);
        let (n, ages) = (model.num_states(), model.ages());
        let mut moves: HashMap<(String, String, String), f64> = HashMap::new();
        let mut seen: HashMap<(String, String), String> = HashMap::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split([':', ' ']).filter(|w| !w.is_empty()).collect();
            match words[0] {
                "T" => {
                    let key = (words[1].into(), words[2].into(), words[3].into());
                    prop_assert!(moves.insert(key, words[4].parse().unwrap()).is_none());
                }
                "O" => {
                    prop_assert_eq!(words[4], "1");
                    seen.insert((words[1].into(), words[2].into()), words[3].into());
                }
                "states" => prop_assert_eq!(words.len(), 1 + n * ages),
                _ => (),
            }
        }
        let name = |s: usize, age: usize| format!("{}-{age}", model.state_names()[s]);
        for (a, action) in model.action_names().iter().enumerate() {
            for s in 0..n {
                for age in 0..ages {
                    let beta = model.beta_at(a, age + 1);
                    let get = |t, later| {
                        moves.get(&(action.clone(), name(s, age), name(t, later))).copied().unwrap_or(0.0)
                    };
                    for t in 0..n {
                        let p = model.probability(s, a, t);
                        prop_assert!((get(t, 0) - p * beta).abs() < 1e-15);
                        prop_assert!((get(t, (age + 1).min(ages - 1)) - p * (1.0 - beta)).abs() < 1e-15);
                    }
                    let observed = &seen[&(action.clone(), name(s, age))];
                    let right = if age == 0 { format!("see-{}", model.state_names()[s]) } else { "none".into() };
                    prop_assert_eq!(observed, &right);
                }
            }
        }
    }
}

/// The mean return of a fixed sequence, by simulation against the exact value; z = 5.
#[test]
fn the_protocol_plays_the_schedule() {
    let cases: [(Reveal<f64>, &str); 4] = [
        (Reveal::every(3).unwrap(), "(1)"),
        (Reveal::after_dead_time(4, 0.4).unwrap(), "11(01)"),
        (Reveal::from([0.9, 0.0, 0.3]), "(110)"),
        (Reveal::exogenous(&[0.1, 0.2, 0.3]).unwrap(), "1(0111)"),
    ];
    for (reveal, text) in cases {
        let model = gallery::river_balance::<f64>(6, 0.1, 0.9).unwrap();
        let model = sporadic::model::intermittent(&model, reveal).unwrap();
        let seq: ActionSequence = text.parse().unwrap();
        let mut returns = Returns::new();
        let episodes = 40_000;
        Simulation::new(&model, Streams::new(5))
            .run(0..episodes, &mut FixedSequence::new(seq.clone()), &mut returns)
            .unwrap();
        let exact = evaluate(&model, &Stationary::new(vec![seq; 6])).unwrap()[0];
        // Returns are at most geometric with mean 10: a standard deviation below 14.
        let z = (returns.mean().unwrap() - exact) * (episodes as f64).sqrt() / 14.0;
        assert!(z.abs() < 5.0, "{text}: {} against {exact}", returns.mean().unwrap());
    }
}

/// The length of each segment, and whether it ended with a sighting.
#[derive(Default)]
struct Lengths(Vec<(usize, bool)>);

impl Observer<usize, f64> for Lengths {
    fn segment(&mut self, _: u64, segment: &Segment<usize, f64>) {
        self.0.push((segment.actions().len(), segment.next().is_some()));
    }
}

/// Lengths of segments have the distribution that the schedule says, and `every(k)` is sure.
#[test]
fn segments_are_as_long_as_the_schedule_says() {
    let model = gallery::river_swim::<f64>(6, 0.1, 0.98).unwrap();
    let model = sporadic::model::intermittent(&model, Reveal::every(4).unwrap()).unwrap();
    let mut segments = Lengths::default();
    Simulation::new(&model, Streams::new(1))
        .run(0..500, &mut FixedSequence::new("(1)".parse().unwrap()), &mut segments)
        .unwrap();
    assert!(segments.0.len() > 2_000);
    for (length, seen) in segments.0 {
        assert!(if seen { length == 4 } else { length <= 4 });
    }
}

/// On many states values come from sweeps, which must know the ages too.
#[test]
fn sweeps_on_many_states_know_the_ages() {
    let model: Tabular<f64> = gallery::river_balance(600, 0.1, 0.8).unwrap();
    let model =
        model.with_reveals(vec![Reveal::every(3).unwrap(), Reveal::from([0.5, 0.0, 0.2])]).unwrap();
    let policy: Vec<ActionSequence> =
        (0..600).map(|s| if s % 3 == 0 { "1(01)" } else { "(0)" }.parse().unwrap()).collect();
    let long: Vec<_> = policy.iter().map(|seq| with_labels(&model, seq)).collect();
    let v = evaluate(&model, &Stationary::new(policy)).unwrap();
    let expected = evaluate(&labelled(&model), &Stationary::new(long)).unwrap();
    assert!(v.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-10));
}
