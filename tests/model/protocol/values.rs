//! Seeded Monte Carlo against exact values, at z = 4.

use nalgebra::{DMatrix, DVector};
use sporadic::agents::FixedSequence;
use sporadic::model::{Tabular, gallery};
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Observation, Returns, Simulation, Streams};

use crate::common::published::{RIVER_SWIM, assert_known};

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

/// Asserts that the mean of `xs` is within z = 4 standard errors of `expected`.
fn assert_mean(xs: &[f64], expected: f64, what: &str) {
    let n = xs.len() as f64;
    let mean = xs.iter().sum::<f64>() / n;
    let variance = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let z = (mean - expected) / (variance / n).sqrt();
    assert!(z.abs() < 4.0, "{what}: mean {mean}, expected {expected}, z = {z}");
}

#[test]
fn horizons_are_geometric() {
    for gamma in [0.5, 0.9, 0.99] {
        let log = log(&small([0.3, 0.6], gamma), 2, 20_000, fixed("(01)"));
        let rounds: Vec<f64> = log.summaries.iter().map(|s| s.rounds as f64).collect();
        assert_mean(&rounds, 1.0 / (1.0 - gamma), "mean horizon");
        let short: Vec<f64> = rounds.iter().map(|&h| f64::from(u8::from(h < 1.5))).collect();
        assert_mean(&short, 1.0 - gamma, "probability of a single round");
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
                assert_mean(returns.returns(), v, &format!("{sequence} from {s}, beta {beta}"));
            }
        }
    }
}

#[test]
fn swimming_right_is_worth_what_it_should_be() {
    let swim = gallery::river_swim::<f64>(6, 0.1, 0.99).unwrap();
    let value = exact(&swim, &ActionSequence::constant(1));
    assert_known(value[0], RIVER_SWIM[0]);
    let mut returns = Returns::new();
    Simulation::new(&swim, Streams::new(9))
        .run(0..20_000, &mut fixed("(1)"), &mut returns)
        .unwrap();
    assert_mean(returns.returns(), value[0], "RiverSwim");
}

#[test]
fn bursts_have_the_frequency_of_the_action_and_respect_zero_and_one() {
    let frequency = |beta: [f64; 2]| {
        let log = log(&small(beta, 0.95), 4, 4_000, random(Streams::new(4)));
        for (a, b) in beta.into_iter().enumerate() {
            let seen: Vec<f64> = (log.steps.iter())
                .filter(|s| s.1 == a && !matches!(s.3, Observation::Terminated { .. }))
                .map(|s| f64::from(u8::from(s.3.is_burst())))
                .collect();
            if b > 0.0 && b < 1.0 {
                assert_mean(&seen, b, "burst frequency");
            } else {
                assert!(seen.iter().all(|x| (x - b).abs() < 0.5));
            }
        }
    };
    frequency([0.3, 0.05]);
    frequency([0.0, 1.0]);
    frequency([0.0, 0.0]);
}
