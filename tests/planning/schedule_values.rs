//! K and values of policies under schedules.

use proptest::prelude::*;
use sporadic::model::{Reveal, Tabular, gallery};
use sporadic::planning::{Segments, Stationary, evaluate, sequence_values};
use sporadic::sequence::ActionSequence;

use crate::common::distance;
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

    #[test]
    fn values_of_policies_are_those_of_the_labelled_model(
        (model, seq) in scheduled(), turn in 0..4_usize,
    ) {
        let n = model.num_states();
        let other = (0..turn).fold(seq.clone(), |seq, _| seq.tail());
        let pick = |s: usize| if s.is_multiple_of(2) { seq.clone() } else { other.clone() };
        let policy: Vec<_> = (0..n).map(pick).collect();
        let long: Vec<_> = policy.iter().map(|seq| with_labels(&model, seq)).collect();
        let wide = labelled(&model);
        let v = evaluate(&model, &Stationary::new(policy)).unwrap();
        let expected = evaluate(&wide, &Stationary::new(long)).unwrap();
        let size = 1.0 / (1.0 - model.gamma());
        prop_assert!(distance(&v, &expected) < 1e-8 * size);
    }
}

/// On many states values come from sweeps, which must follow the schedule too.
#[test]
fn sweeps_on_many_states_follow_the_schedule() {
    let model: Tabular<f64> = gallery::river_balance(600, 0.1, 0.8).unwrap();
    let model =
        model.with_reveals(vec![Reveal::every(3).unwrap(), Reveal::from([0.5, 0.0, 0.2])]).unwrap();
    let policy: Vec<ActionSequence> =
        (0..600).map(|s| if s % 3 == 0 { "1(01)" } else { "(0)" }.parse().unwrap()).collect();
    let long: Vec<_> = policy.iter().map(|seq| with_labels(&model, seq)).collect();
    let v = evaluate(&model, &Stationary::new(policy)).unwrap();
    let expected = evaluate(&labelled(&model), &Stationary::new(long)).unwrap();
    assert!(distance(&v, &expected) < 1e-10);
}
