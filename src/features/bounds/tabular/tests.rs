//! Fast code of this folder against its plain version.

use rand_pcg::Pcg64;

use super::delayed::{Delayed, Near, shift};
use super::lifted::Lifted;
use super::path::Path;
use super::rollout;
use crate::model::{Action, Reveal, Tabular, draw, gallery, intermittent};

/// A random model; every other one has reveal probabilities that depend on the age.
fn model(case: u64, rng: &mut Pcg64) -> Tabular<f64> {
    let (states, actions) = (2 + draw::index(5, rng), 1 + draw::index(3, rng));
    let branching = 1 + draw::index(states, rng);
    let shape = gallery::RandomTabular { states, actions, branching, ..Default::default() };
    let model = gallery::random_tabular(rng, &shape).expect("a valid shape");
    if case.is_multiple_of(2) {
        return model;
    }
    let ages: Vec<f64> = (0..3).map(|_| draw::uniform(rng)).collect();
    intermittent(&model, Reveal::from(ages)).expect("a valid model")
}

/// Signed rewards of (s, a), on a scale from 1e-3 to 1e3.
fn rewards(model: &Lifted, rng: &mut Pcg64) -> Vec<f64> {
    let scale = 10.0_f64.powf(6.0 * draw::uniform(rng) - 3.0);
    let pairs = model.num_states() * model.num_actions();
    (0..pairs).map(|_| scale * (draw::uniform(rng) - 0.3)).collect()
}

/// The values for one function are those that the sweep for several gives, to the last bit.
#[test]
fn one_function_is_swept_as_several_are() {
    let mut rng = Pcg64::new(5, 1);
    for case in 0..200 {
        let model = Lifted::new(&model(case, &mut rng));
        let (one, delay) = (rewards(&model, &mut rng), draw::index(4, &mut rng));
        let twice: Vec<f64> = one.iter().flat_map(|&r| [r, r]).collect();
        let several = Delayed::new(&model, delay, twice);
        let alone = Delayed::new(&model, delay, one);
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let first: Vec<f64> = several.values().iter().copied().step_by(2).collect();
        assert_eq!(bits(alone.values()), bits(&first), "case {case}");
    }
}

/// One action at a time: all that is known of the path is computed before each.
fn play_plainly(model: &Lifted, path: &mut Path, advice: &Delayed, near: &Near) {
    let (n, m, k) = (model.num_states(), model.num_actions(), advice.delay);
    let words = advice.values().len() / n;
    let longest = path.actions().len() + 400;
    while path.weight() > 1e-7 && path.actions().len() < longest {
        let h = path.actions().len();
        let value = |a: Action| {
            let belief = path.belief_before(0);
            let now: f64 = belief
                .iter()
                .enumerate()
                .fold(0.0, |sum, (s, &b)| sum + b * advice.reward(s * m + a)[0]);
            let word = shift(path.word(k, m, words), a, m, words);
            let mut rest = [0.0];
            if h < k {
                near.at(h + 1, word, &mut rest);
            } else if k > 0 {
                advice.at(path.belief_before(k - 1), word, &mut rest);
            } else {
                let mut next = vec![0.0; n];
                model.push_forward(belief, a, &mut next);
                advice.at(&next, 0, &mut rest);
            }
            now + model.discounts(h + 1)[a] * rest[0]
        };
        let best = (1..m).fold(0, |best, a| if value(a) > value(best) { a } else { best });
        path.push(model, best, &|i| advice.reward(i));
    }
}

/// Playing on takes the actions, and sums what they earn, as playing one action at a time does.
#[test]
fn playing_on_is_playing_one_action_at_a_time() {
    let mut rng = Pcg64::new(6, 1);
    for case in 0..200 {
        let model = Lifted::new(&model(case, &mut rng));
        let table = Delayed::new(&model, draw::index(4, &mut rng), rewards(&model, &mut rng));
        let start = draw::index(model.num_states().min(2), &mut rng);
        let near = Near::new(&model, &table, start);
        let mut path = Path::new(model.num_states(), 1, start);
        for _ in 0..draw::index(7, &mut rng) {
            path.push(&model, draw::index(model.num_actions(), &mut rng), &|i| table.reward(i));
        }
        let played = rollout::play(&model, &path, (&table, &table), &near);
        play_plainly(&model, &mut path, &table, &near);
        assert_eq!(played.actions, path.actions(), "case {case}");
        // Sums are taken in another order.
        let (fast, plain) = (played.sums[0], path.sums()[0]);
        assert!((fast - plain).abs() <= 1e-9 * (1.0 + plain.abs()), "case {case}: {fast} {plain}");
    }
}
