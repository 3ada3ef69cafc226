//! Random models for property tests, and what the test programs share.

pub(crate) mod learners;
pub(crate) mod program;
pub(crate) mod published;
pub(crate) mod schedules;

use nalgebra::Dyn;
use proptest::prelude::*;
use sporadic::features::{Dynamics, OneHot, Psi};
use sporadic::model::Tabular;
use sporadic::sequence::ActionSequence;

/// The number of random cases to try: `SPORADIC_CASES`, or `ordinary` where it is not set.
pub(crate) fn cases(ordinary: u64) -> u64 {
    std::env::var("SPORADIC_CASES").map_or(ordinary, |text| text.parse().expect("a number"))
}

/// The sequence with this text.
pub(crate) fn sequence(text: &str) -> ActionSequence {
    text.parse().expect("a sequence")
}

/// Asserts that the mean of `xs` is within `z` standard errors of `expected`.
pub(crate) fn assert_mean(xs: &[f64], expected: f64, z: f64, what: &str) {
    let n = xs.len() as f64;
    let mean = xs.iter().sum::<f64>() / n;
    let variance = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let off = (mean - expected) / (variance / n).sqrt();
    assert!(off.abs() < z, "{what}: mean {mean}, expected {expected}, z = {off}");
}

/// The largest difference between two lists of the same length.
pub(crate) fn distance(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// psi of one-hot features by the closed form.
pub(crate) fn dense(model: &Tabular<f64>) -> Psi<f64, OneHot<Dyn>> {
    Psi::new(OneHot::of(model), Dynamics::one_hot(model, OneHot::of(model))).unwrap()
}

/// The model with other rewards.
pub(crate) fn with_rewards(
    model: &Tabular<f64>,
    reward: impl Fn(usize, usize) -> f64,
) -> Tabular<f64> {
    let mut builder = Tabular::builder(model.gamma());
    for (a, name) in model.action_names().iter().enumerate() {
        let states = 0..model.num_states();
        let rewards: Vec<f64> = states.clone().map(|s| reward(s, a)).collect();
        let rows = states.map(|s| model.row(s, a).collect::<Vec<_>>());
        builder = builder.sparse_action(name.clone(), model.beta(a), rewards, rows);
    }
    builder.build().expect("a valid model")
}

/// The FNV-1a of 128 bits.
pub(crate) fn checksum(text: &str) -> String {
    let prime = (1_u128 << 88) + 0x13b;
    let start = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    let hash = text.bytes().fold(start, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(prime));
    format!("{hash:032x}")
}

/// Random tabular models: 2 to 5 states, 1 to 3 actions, sparse and dense rows, reveal
/// probabilities that are often exactly 0 or 1.
pub(crate) fn models() -> impl Strategy<Value = Tabular<f64>> {
    (2..6_usize, 1..4_usize, prop_oneof![0.1..0.9, Just(0.99)]).prop_flat_map(|(n, m, gamma)| {
        let row = proptest::collection::vec(prop_oneof![Just(0.0), 0.05..1.0_f64], n);
        let action = (
            prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64],
            proptest::collection::vec(0.0..1.0_f64, n),
            proptest::collection::vec(row, n),
        );
        proptest::collection::vec(action, m).prop_map(move |actions| {
            let mut builder = Tabular::builder(gamma);
            for (i, (beta, reward, rows)) in actions.into_iter().enumerate() {
                let rows = rows.into_iter().enumerate().map(|(s, row)| normalised(s, row));
                builder = builder.action(format!("a{i}"), beta, reward, rows);
            }
            builder.build().expect("a valid model")
        })
    })
}

fn normalised(s: usize, mut row: Vec<f64>) -> Vec<f64> {
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|p| *p /= sum);
    } else {
        row[s] = 1.0;
    }
    row
}

/// Eventually periodic sequences over this many actions.
pub(crate) fn sequences(num_actions: usize) -> impl Strategy<Value = ActionSequence> {
    let word = move |min| proptest::collection::vec(0..num_actions, min..7);
    (word(0), word(1)).prop_map(|(prefix, period)| ActionSequence::new(prefix, period))
}

/// A model and a sequence over its actions.
pub(crate) fn models_with_sequence() -> impl Strategy<Value = (Tabular<f64>, ActionSequence)> {
    models().prop_flat_map(|model| {
        let m = model.num_actions();
        (Just(model), sequences(m))
    })
}
