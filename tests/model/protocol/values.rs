//! Seeded Monte Carlo against exact values, at z = 4.

use nalgebra::{DMatrix, DVector};
use sporadic::agents::FixedSequence;
use sporadic::model::Tabular;
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Observation, Returns, Simulation, Streams};

use crate::common::assert_mean;

use super::{fixed, log, random, small};

/// V(s) of playing `sequence` from every sighting, solved on (state, position in the sequence).
fn exact(model: &Tabular<f64>, sequence: &ActionSequence) -> Vec<f64> {
    let (prefix, period) = (sequence.prefix().len(), sequence.period().len());
    let (n, len) = (model.num_states(), prefix + period);
    let mut system = DMatrix::identity(n * len, n * len);
    let mut reward = DVector::zeros(n * len);
    for s in 0..n {
        for h in 0..len {
            let a = sequence.action(h);
            let after = if h + 1 < len { h + 1 } else { prefix };
            reward[s * len + h] = model.reward(s, a);
            for (t, p) in model.row(s, a) {
                let mass = model.gamma() * p;
                system[(s * len + h, t * len)] -= mass * model.beta(a);
                system[(s * len + h, t * len + after)] -= mass * (1.0 - model.beta(a));
            }
        }
    }
    let value = system.lu().solve(&reward).unwrap();
    (0..n).map(|s| value[s * len]).collect()
}

#[test]
fn horizons_are_geometric() {
    for gamma in [0.5, 0.9, 0.99] {
        let log = log(&small([0.3, 0.6], gamma), 2, 20_000, fixed("(01)"));
        let rounds: Vec<f64> = log.summaries.iter().map(|s| s.rounds as f64).collect();
        assert_mean(&rounds, 1.0 / (1.0 - gamma), 4.0, "mean horizon");
        let short: Vec<f64> = rounds.iter().map(|&h| f64::from(u8::from(h < 1.5))).collect();
        assert_mean(&short, 1.0 - gamma, 4.0, "probability of a single round");
    }
}

#[test]
fn returns_match_the_exact_value() {
    for beta in [1.0, 0.3, 0.0] {
        let model = small([beta; 2], 0.9);
        for sequence in ["(1)", "0(1)", "110(001)"] {
            let sequence: ActionSequence = sequence.parse().unwrap();
            let value = exact(&model, &sequence);
            for (s, &v) in value.iter().enumerate() {
                let mut returns = Returns::new();
                let mut agent = FixedSequence::new(sequence.clone());
                Simulation::new(&model, Streams::new(3))
                    .run_from(0..20_000, |_| s, &mut agent, &mut returns)
                    .unwrap();
                let place = format!("{sequence} from {s}, beta {beta}");
                assert_mean(returns.returns(), v, 4.0, &place);
            }
        }
    }
}

#[test]
fn bursts_have_the_frequency_of_the_action() {
    for beta in [[0.3, 0.05], [0.0, 1.0], [0.0, 0.0]] {
        let log = log(&small(beta, 0.95), 4, 4_000, random(Streams::new(4)));
        for (a, b) in beta.into_iter().enumerate() {
            let seen: Vec<f64> = (log.steps.iter())
                .filter(|s| s.1 == a && !matches!(s.3, Observation::Terminated { .. }))
                .map(|s| f64::from(u8::from(s.3.is_burst())))
                .collect();
            if b > 0.0 && b < 1.0 {
                assert_mean(&seen, b, 4.0, "burst frequency");
            } else {
                assert!(seen.iter().all(|x| (x - b).abs() < 0.5));
            }
        }
    }
}
