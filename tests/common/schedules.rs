//! Random models with reveal probabilities that depend on the age, and the *labelled* model.
//!
//! The labelled model has each action of a scheduled model once per age, with the constant reveal
//! probability of that age. A sequence whose h-th action carries the label min(h, N) is there the
//! sequence without labels in the scheduled model. Code for constant probabilities does the rest.

use proptest::prelude::*;
use sporadic::model::{Reveal, Tabular};
use sporadic::sequence::ActionSequence;

use super::models_with_sequence;

/// Reveal probabilities of one action: often 0 or 1, sometimes 0 for long, sometimes constant.
pub(crate) fn reveals() -> impl Strategy<Value = Reveal<f64>> {
    let beta = || prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64];
    prop_oneof![
        beta().prop_map(Reveal::constant),
        proptest::collection::vec(beta(), 1..6).prop_map(Reveal::from),
        (1..15_usize, beta()).prop_map(|(k, beta)| Reveal::at_least(k, beta).unwrap()),
        proptest::collection::vec(0.0..0.3_f64, 2..12).prop_map(Reveal::from),
    ]
}

/// A random model with random schedules, a third of them constant, and a sequence over its actions.
pub(crate) fn scheduled() -> impl Strategy<Value = (Tabular<f64>, ActionSequence)> {
    let aged = models_with_sequence().prop_flat_map(|(model, seq)| {
        let m = model.num_actions();
        (Just(model), Just(seq), proptest::collection::vec(reveals(), m))
            .prop_map(|(model, seq, reveals)| (model.with_reveals(reveals).unwrap(), seq))
    });
    prop_oneof![1 => models_with_sequence(), 2 => aged]
}

/// The model with each action once per age: (a, n) is action (n - 1) |A| + a.
pub(crate) fn labelled(model: &Tabular<f64>) -> Tabular<f64> {
    let mut builder = Tabular::builder(model.gamma())
        .states(model.state_names())
        .initial(model.initial_distribution());
    for age in 1..=model.ages() {
        for (a, name) in model.action_names().iter().enumerate() {
            let states = 0..model.num_states();
            let reward: Vec<f64> = states.clone().map(|s| model.reward(s, a)).collect();
            let rows = states.map(|s| model.row(s, a).collect::<Vec<_>>());
            let beta = model.beta_at(a, age);
            builder = builder.sparse_action(format!("{name} at {age}"), beta, reward, rows);
        }
    }
    builder.build().unwrap()
}

/// The sequence with the label min(h, N) on its h-th action.
pub(crate) fn with_labels(model: &Tabular<f64>, seq: &ActionSequence) -> ActionSequence {
    let (ages, m) = (model.ages(), model.num_actions());
    let head = seq.prefix().len().max(ages - 1);
    let label = |h: usize| ((h + 1).min(ages) - 1) * m + seq.action(h);
    let period = (head..head + seq.period().len()).map(label).collect::<Vec<_>>();
    ActionSequence::new((0..head).map(label).collect::<Vec<_>>(), period)
}
