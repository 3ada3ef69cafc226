//! The search as it is written down simply, with one belief and one tail at a time: the same answers, bit for bit.

use nalgebra::DVector;
use rand_pcg::Pcg64;

use super::beam::LANES;
use super::{Beam, Blind, Dominance, Found, Tails};
use crate::Real;
use crate::features::{SequenceFeatures as _, TabularPsi};
use crate::model::gallery::{RandomTabular, random_tabular, river_balance, river_swim};
use crate::model::{Action, Tabular, draw};
use crate::sequence::ActionSequence;

fn dot(belief: &[f64], values: &[f64]) -> f64 {
    belief.iter().zip(values).fold(0.0, |sum, (b, x)| sum + b * x)
}

/// The first of the tails with the largest value at a belief.
fn best(tails: &[&[f64]], belief: &[f64]) -> (usize, f64) {
    let values = tails.iter().map(|tail| dot(belief, tail)).enumerate();
    values.fold((0, f64::MIN), |best, next| if next.1 > best.1 { next } else { best })
}

/// The tails whose values are not below those of another at every state, by falling sum; of equals the first.
fn undominated(values: &[f64], n: usize) -> Vec<usize> {
    let tail = |t: usize| &values[t * n..(t + 1) * n];
    let mut order: Vec<(f64, usize)> =
        (0..values.len() / n).map(|t| (tail(t).iter().sum(), t)).collect();
    order.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut kept: Vec<usize> = Vec::new();
    for (_, t) in order {
        let below = |&k: &usize| tail(k).iter().zip(tail(t)).all(|(x, y)| x >= y);
        if !kept.iter().any(below) {
            kept.push(t);
        }
    }
    kept
}

/// A prefix, its belief, and what it has earned without and with the best tail.
#[derive(Clone)]
struct Node {
    prefix: Vec<Action>,
    belief: Vec<f64>,
    earned: f64,
    total: f64,
}

/// The beam search.
fn search(
    model: &Tabular<f64>,
    rewards: &[f64],
    tails: &[&[f64]],
    s: usize,
    (width, depth): (usize, usize),
    negligible: f64,
) -> Found {
    let (n, m) = (model.num_states(), model.num_actions());
    let slowest = (0..m).map(|a| model.blind(a)).fold(0.0, f64::max);
    let mut belief = vec![0.0; n];
    belief[s] = 1.0;
    let (tail, value) = best(tails, &belief);
    let mut found = Found { prefix: Vec::new(), tail, value };
    let mut kept = vec![Node { prefix: Vec::new(), belief, earned: 0.0, total: value }];
    let mut weight = 1.0;
    for _ in 0..depth {
        let mut children = Vec::new();
        for node in &kept {
            for a in 0..m {
                let mut belief = vec![0.0; n];
                for x in 0..n {
                    for (t, p) in model.row(x, a) {
                        belief[t] += node.belief[x] * (model.blind(a) * p);
                    }
                }
                let now: Vec<f64> = (0..n).map(|x| rewards[x * m + a]).collect();
                let earned = node.earned + dot(&node.belief, &now);
                let prefix = node.prefix.iter().copied().chain([a]).collect();
                let total = earned + best(tails, &belief).1;
                children.push(Node { prefix, belief, earned, total });
            }
        }
        children.sort_by(|x, y| y.total.total_cmp(&x.total));
        kept.clear();
        for child in children {
            let close = 1e-12 * child.total.abs();
            let twice = |other: &Node| {
                (other.total - child.total).abs() <= close
                    && (other.earned - child.earned).abs() <= close
                    && other.belief.iter().zip(&child.belief).all(|(x, y)| (x - y).abs() < 1e-12)
            };
            if kept.len() < width && !kept.iter().any(twice) {
                kept.push(child);
            }
        }
        let top = &kept[0];
        if top.total > found.value + negligible {
            let tail = best(tails, &top.belief).0;
            found = Found { prefix: top.prefix.clone(), tail, value: top.total };
        }
        weight *= slowest;
        if weight < 1e-6 {
            break;
        }
    }
    found
}

/// Values of `count` tails at n states: some close to others, some equal, some below others everywhere.
fn random_tails(rng: &mut Pcg64, n: usize, count: usize, size: f64) -> Vec<f64> {
    let mut values: Vec<f64> = (0..count * n).map(|_| size * (draw::uniform(rng) - 0.3)).collect();
    for t in 1..count {
        let change = [None, Some(0.0), Some(1e-9), Some(-1e-9), Some(-0.1), None][t % 6];
        if let Some(change) = change {
            for i in t * n..(t + 1) * n {
                values[i] = values[i - n] + size * change * (1 + i % 2) as f64;
            }
        }
    }
    values
}

fn models() -> Vec<Tabular<f64>> {
    let mut rng = Pcg64::new(7, 0);
    let shapes = [(3, 1, 0.0..=0.2), (5, 3, 0.0..=1.0), (9, 2, 0.1..=0.1), (6, 11, 0.9..=1.0)];
    let mut models: Vec<_> = shapes
        .into_iter()
        .map(|(states, actions, beta)| {
            let shape = RandomTabular { states, actions, beta, ..RandomTabular::default() };
            random_tabular(&mut rng, &shape).unwrap()
        })
        .collect();
    models.push(river_balance(12, 0.1, 0.99).unwrap());
    // The belief after the second action is 0.
    let shape = RandomTabular { actions: 2, beta: 1.0..=1.0, ..RandomTabular::default() };
    models.push(random_tabular(&mut rng, &shape).unwrap());
    models
}

#[test]
fn the_beam_finds_what_the_plain_one_finds() {
    let mut rng = Pcg64::new(3, 0);
    let (mut beam, mut tails, mut dominance) = (Beam::new(), Tails::new(), Dominance::new());
    let (mut long, mut left_out) = (0, 0);
    for model in models() {
        let (n, m, blind) = (model.num_states(), model.num_actions(), Blind::new(&model));
        // The last sizes are beyond what is screened, or underflow.
        for (count, size) in
            [(1, 1.0), (7, 1.0), (50, 10.0), (300, 0.1), (40, 1e200), (40, 1e-40), (5, 0.0)]
        {
            let values = random_tails(&mut rng, n, count, size);
            let rewards: Vec<f64> =
                (0..n * m).map(|_| 0.3 * size * (draw::uniform(&mut rng) - 0.3)).collect();
            let plain = undominated(&values, n);
            let rows: Vec<&[f64]> = plain.iter().map(|&t| &values[t * n..(t + 1) * n]).collect();
            let kept = dominance.undominated(&values, n).to_vec();
            assert!(plain.iter().all(|t| kept.contains(t)));
            left_out += count - kept.len();
            tails.replace(&values, n, &kept);
            // Beams of less than one block, of one and of some that are not full.
            let shapes = [(5, 40), (8, 40), (21, 12), (2, 3), (16, 6)];
            for (s, &shape) in (0..n).zip(shapes.iter().cycle().skip(count % 5)) {
                let expected = search(&model, &rewards, &rows, s, shape, 1e-9 * size);
                let found = beam.search(&blind, &rewards, &mut tails, s, shape, 1e-9 * size);
                assert_eq!(plain[expected.tail], kept[found.tail]);
                assert_eq!(Found { tail: 0, ..expected }, Found { tail: 0, ..found.clone() });
                long += usize::from(found.prefix.len() > 3);
            }
        }
    }
    assert!(long > 50 && left_out > 500, "{long} long prefixes, {left_out} tails left out");
}

#[test]
fn completions_are_the_largest_values() {
    let mut rng = Pcg64::new(5, 0);
    let mut tails = Tails::new();
    for (n, count) in [(1, 3), (4, 17), (12, 200)] {
        for size in [1.0, 1e-36, 1e25] {
            let values = random_tails(&mut rng, n, count, size);
            let rows: Vec<usize> = (0..count).collect();
            tails.replace(&values, n, &rows);
            let chunks: Vec<&[f64]> = values.chunks_exact(n).collect();
            // Beliefs so small that single precision underflows, and 0.
            for mass in [1.0, 1e-3, 1e-20, 1e-37, 1e-42, 1e-60, 0.0] {
                let groups: Vec<[f64; LANES]> = (0..3 * n)
                    .map(|_| std::array::from_fn(|_| mass * draw::uniform(&mut rng) / n as f64))
                    .collect();
                let mut out = [[f64::NAN; LANES]; 3];
                tails.complete(&groups, &mut out);
                for (beliefs, out) in groups.chunks_exact(n).zip(out) {
                    for (lane, value) in out.into_iter().enumerate() {
                        let belief: Vec<f64> = beliefs.iter().map(|b| b[lane]).collect();
                        assert_eq!(best(&chunks, &belief).1.to_bits(), value.to_bits());
                        assert_eq!(best(&chunks, &belief), tails.best(&belief));
                    }
                }
            }
        }
    }
}

/// What it answers is never below the sequence that it starts from, and, for two actions and a wide beam, at least the best word
/// of eight actions before one of the tails.
#[test]
fn answers_are_better_by_the_definition_of_psi() {
    let mut rng = Pcg64::new(8, 1);
    let mut found = 0;
    for case in 0..60 {
        let shape = RandomTabular { states: 4, actions: 2, ..RandomTabular::default() };
        let psi = TabularPsi::new(random_tabular(&mut rng, &shape).unwrap());
        let weights = DVector::from_fn(16, |_, _| 10.0 * (draw::uniform(&mut rng) - 0.3));
        let (around, s) = (ActionSequence::new([0, 1], [1, 0, 0]), case % 4);
        let value = |seq: &ActionSequence| psi.psi(&s, seq).dot(&weights);
        let better = psi.improve(&s, &weights, &around, (256, 8)).unwrap();
        let tolerance = 1e-5 * weights.amax();
        assert!(value(&better) >= value(&around) - tolerance, "case {case}");
        found += usize::from(better != around);
        for tail in ["(0)", "(1)", "(100)", "1(100)"] {
            let tail: ActionSequence = tail.parse().unwrap();
            for word in 0..1 << 8 {
                let head = (0..8).map(|h| word >> h & 1).chain(tail.prefix().iter().copied());
                let seq = ActionSequence::new(head.collect::<Vec<_>>(), tail.period());
                assert!(value(&better) >= value(&seq) - tolerance, "case {case}: {seq}");
            }
        }
        // The same question has the same answer.
        assert_eq!(psi.improve(&s, &weights, &around, (256, 8)), Some(better));
    }
    assert!(found > 30, "{found}");
}

/// Weights of every scale and of none, both scalars, the smallest beams: an answer, and never one that is worth less.
fn no_weights_mislead<T: Real>(rng: &mut Pcg64, scales: &[f64]) {
    let tolerance = 1e-4_f64.max(64.0 * T::epsilon().as_f64());
    for (case, &scale) in scales.iter().cycle().take(60).enumerate() {
        let (states, actions) = (1 + case % 5, 1 + case % 3);
        let branching = states.min(3);
        let shape = RandomTabular { states, actions, branching, ..RandomTabular::default() };
        let psi = TabularPsi::new(random_tabular::<T, _>(rng, &shape).unwrap());
        let d = 2 * states * actions;
        let weights = DVector::from_fn(d, |_, _| scale * (draw::uniform(rng) - 0.4));
        let around = ActionSequence::new([actions - 1], [0]);
        let s = case % states;
        let value = |seq: &ActionSequence| {
            psi.psi(&s, seq).iter().zip(&weights).map(|(x, w)| x.as_f64() * w).sum::<f64>()
        };
        for size in [(1, 0), (1, 1), (3, 7)] {
            let better = psi.improve(&s, &weights, &around, size).unwrap();
            assert!(better.max_action() < actions);
            let (after, before) = (value(&better), value(&around));
            let is_fine = after >= before - tolerance * weights.amax();
            assert!(is_fine || !scale.is_finite(), "{size:?}, {scale}: {better} {after}, {before}");
        }
    }
}

#[test]
fn weights_of_all_scales_are_searched() {
    let mut rng = Pcg64::new(9, 1);
    let scales = [1.0, 0.0, 1e-300, 1e-30, 1e30, 1e290, f64::INFINITY, f64::NAN];
    no_weights_mislead::<f64>(&mut rng, &scales);
    no_weights_mislead::<f32>(&mut rng, &scales);
}

#[test]
fn large_models_are_left_to_bounds() {
    let improves = |states| {
        let psi = TabularPsi::new(river_swim::<f64>(states, 0.1, 0.9).unwrap());
        let weights = DVector::from_element(4 * states, 1.0);
        psi.improve(&0, &weights, &ActionSequence::constant(0), (2, 2)).is_some()
    };
    assert!(improves(6) && improves(100) && !improves(1_000));
}
