//! Independent computations of what the solver claims, written for clearness.

use nalgebra::{DMatrix, DVector};
use sporadic::model::{Action, Tabular};
use sporadic::sequence::ActionSequence;

fn corner(n: usize, s: usize) -> Vec<f64> {
    (0..n).map(|t| f64::from(u8::from(t == s))).collect()
}

fn step(model: &Tabular<f64>, belief: &[f64], a: Action) -> Vec<f64> {
    let mut out = vec![0.0; belief.len()];
    model.push_forward(belief, a, &mut out);
    out
}

fn mean(belief: &[f64], value: impl Fn(usize) -> f64) -> f64 {
    belief.iter().enumerate().map(|(s, b)| b * value(s)).sum()
}

/// The value of playing `policy[s]` from each sighting of s: sequences unrolled until nothing is
/// left, then one system for the states.
pub(crate) fn policy_value(model: &Tabular<f64>, policy: &[ActionSequence]) -> Vec<f64> {
    let n = model.num_states();
    let mut system = DMatrix::identity(n, n);
    let mut reward = DVector::zeros(n);
    for (s, sequence) in policy.iter().enumerate() {
        let mut belief = corner(n, s);
        let mut weight = 1.0;
        for (h, a) in sequence.iter().enumerate() {
            let beta = model.beta_at(a, h + 1);
            reward[s] += weight * mean(&belief, |t| model.reward(t, a));
            belief = step(model, &belief, a);
            for (t, b) in belief.iter().enumerate() {
                system[(s, t)] -= weight * model.gamma() * beta * b;
            }
            weight *= model.gamma() * (1.0 - beta);
            if weight < 1e-17 {
                break;
            }
        }
    }
    system.lu().solve(&reward).unwrap().as_slice().to_vec()
}

/// Bounds on V* from all action sequences of length `depth`, iterated: after them the state is
/// revealed (upper), or the worst is assumed (lower).
pub(crate) fn exhaustive(model: &Tabular<f64>, depth: usize) -> (Vec<f64>, Vec<f64>) {
    let n = model.num_states();
    let (worst, best) = model.reward_range();
    // Not the least V(s): a blind mixture can be worth less than every state.
    let floor = worst / (1.0 - model.gamma());
    let mut lower = vec![floor; n];
    let mut upper = vec![best / (1.0 - model.gamma()); n];
    for _ in 0..60 {
        let low = |s| search(model, &corner(n, s), 1..=depth, &lower, &|_| floor).max(lower[s]);
        lower = (0..n).map(low).collect();
        let reveal = |b: &[f64]| mean(b, |s| upper[s]);
        let high = |s| search(model, &corner(n, s), 1..=depth, &upper, &reveal).min(upper[s]);
        upper = (0..n).map(high).collect();
    }
    (lower, upper)
}

fn search(
    model: &Tabular<f64>,
    belief: &[f64],
    mut ages: std::ops::RangeInclusive<usize>,
    seen: &[f64],
    leaf: &dyn Fn(&[f64]) -> f64,
) -> f64 {
    let Some(age) = ages.next() else { return leaf(belief) };
    let value = |a: Action| {
        let next = step(model, belief, a);
        let beta = model.beta_at(a, age);
        let blind = model.gamma() * (1.0 - beta);
        let sighting = model.gamma() * beta * mean(&next, |s| seen[s]);
        let later = ages.clone();
        let hidden =
            if blind > 0.0 { blind * search(model, &next, later, seen, leaf) } else { 0.0 };
        mean(belief, |s| model.reward(s, a)) + sighting + hidden
    };
    (0..model.num_actions()).map(value).fold(f64::NEG_INFINITY, f64::max)
}

/// For two states: value iteration on a grid of beliefs with linear interpolation, which bounds the
/// convex U* from above.
pub(crate) fn grid(model: &Tabular<f64>, points: usize) -> [f64; 2] {
    assert_eq!(model.num_states(), 2);
    let cells = points as f64;
    let (_, best) = model.reward_range();
    let mut value = vec![best / (1.0 - model.gamma()); points + 1];
    loop {
        let states = [value[points], value[0]];
        let at = |i: usize| {
            let belief = [i as f64 / cells, 1.0 - i as f64 / cells];
            let of = |a: Action| {
                let next = step(model, &belief, a);
                let k = (1..points).take_while(|&k| k as f64 <= next[0] * cells).count();
                let part = next[0] * cells - k as f64;
                let hidden = value[k] * (1.0 - part) + value[k + 1] * part;
                let sighting = mean(&next, |s| states[s]);
                mean(&belief, |s| model.reward(s, a))
                    + model.gamma() * (model.beta(a) * sighting + (1.0 - model.beta(a)) * hidden)
            };
            (0..model.num_actions()).map(of).fold(f64::NEG_INFINITY, f64::max)
        };
        let new: Vec<f64> = (0..=points).map(at).collect();
        let moved = new.iter().zip(&value).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        value = new;
        if moved <= 1e-12 * (1.0 - model.gamma()) * best.abs().max(1.0) {
            return [value[points], value[0]];
        }
    }
}
