//! V of all states at once, and choices from what planning left, against the score of every candidate in every state, to
//! the last bit.

use nalgebra::DMatrix;
use proptest::prelude::*;
use rand_pcg::Pcg64;

use super::Batched;
use crate::Real;
use crate::features::FactoredFeatures;
use crate::model::{Action, draw};
use crate::sequence::{ActionSequence, runs};

/// Arbitrary numbers that factor: features of any sign and matrices W of no model.
struct Arbitrary {
    d: usize,
    seed: u64,
    signed: bool,
    /// By how much the matrices W of different sequences differ.
    apart: f64,
    /// What features are multiplied by.
    scale: f64,
}

impl<T: Real> FactoredFeatures<T, [f64; 2]> for Arbitrary {
    fn phi(&self, &[x, y]: &[f64; 2], a: Action, phi: &mut [T]) {
        for (k, out) in phi.iter_mut().enumerate() {
            let wave = ((k + 1) as f64 * x + y + a as f64).sin();
            let wave = if self.signed { wave } else { 0.6 + 0.4 * wave };
            *out = T::of(self.scale * wave / self.d as f64);
        }
    }

    fn weights(&self, seq: &ActionSequence) -> DMatrix<T> {
        let word = seq.iter().take(12).fold(0, |word, a| 2 * word + a as u64);
        let (mut rng, mut own) = (Pcg64::new(self.seed.into(), 1), Pcg64::new(word.into(), 2));
        DMatrix::from_fn(self.d, 2 * self.d, |_, _| {
            let (x, y) = (draw::uniform(&mut rng), draw::uniform(&mut own));
            T::of(x - 0.3 + self.apart * (y - 0.5))
        })
    }
}

/// Lambda^-1 of `count` features with a ridge, and some weights.
fn learnt(d: usize, seed: u64, count: usize, lambda: f64, scale: f64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = Pcg64::new(seed.into(), 3);
    let mut gram = DMatrix::identity(2 * d, 2 * d) * lambda;
    for _ in 0..count {
        let x = nalgebra::DVector::from_fn(2 * d, |_, _| draw::uniform(&mut rng) - 0.2);
        gram += &x * x.transpose();
    }
    let inverse = gram.try_inverse().unwrap();
    let w = (0..2 * d).map(|_| scale * (draw::uniform(&mut rng) - 0.4)).collect();
    (inverse.as_slice().to_vec(), w)
}

fn attack<T: Real>(
    features: &Arbitrary,
    (rho, cap): (f64, f64),
    (inverse, w): &(Vec<f64>, Vec<f64>),
    states: &[[f64; 2]],
) -> usize {
    let family: Vec<_> = runs(2, 3, 4).collect();
    let lift = |list: &[f64]| list.iter().map(|&x| T::of(x)).collect::<Vec<T>>();
    let (inverse, w) = (lift(inverse), lift(w));
    let scales = (T::of(rho), T::of(cap));
    let mut batched = Batched::<T>::new(features, (features.d, 2), &family, scales).unwrap();
    let points: Vec<_> = states.iter().map(|s| batched.phi(features, s)).collect();
    points.iter().for_each(|phi| batched.push(phi));
    batched.set_inverse(&inverse);
    batched.begin();
    let mut values = vec![T::zero(); states.len()];
    batched.values(1, &w, &mut values);
    let linear = batched.factors.linear(&w);
    let all = |phi: &[T]| batched.lambda().best(phi, &linear, scales.1);
    let bits = |x: T| x.as_f64().to_bits();
    for (phi, &value) in points.iter().zip(&values) {
        let best = all(phi).1;
        // What is not a number is told when a sequence is chosen.
        assert!(best.as_f64().is_nan() || bits(best) == bits(value), "{best} {value}");
    }
    // States that were planned for, and others between and beside them.
    let others = states.iter().zip(&states[1..]).map(|(x, y)| [0.5 * (x[0] + y[0]), y[1]]);
    for s in states.iter().copied().chain(others) {
        let phi = batched.phi(features, &s);
        let ((seq, best), (chosen, value)) = (all(&phi), batched.choose(1, &w, &phi));
        let is_same = bits(best) == bits(value) && seq == chosen;
        assert!(is_same || best.as_f64().is_nan() && value.as_f64().is_nan(), "{best} {value}");
    }
    batched.scored()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_candidate_that_matters_is_left_out(
        seed in 0..1_000_u64,
        d in 1..7_usize,
        signed: bool,
        (apart, width) in (-6..1_i32, -6..1_i32),
        (rho, lambda) in (prop_oneof![Just(0.0), Just(0.1), Just(10.0)], -6..1_i32),
        (count, scale) in (0..200_usize, prop_oneof![Just(1.0), Just(1e3), Just(1e8)]),
        (clip, cluster) in (any::<bool>(), prop_oneof![Just(1.0), Just(1e-2), Just(1e-9), Just(0.0)]),
    ) {
        let features = Arbitrary { d, seed, signed, apart: 10_f64.powi(apart), scale: 1.0 };
        let mut rng = Pcg64::new(seed.into(), 4);
        let width = 10_f64.powi(width);
        // Two in three of the states are near each other, so that nodes are small and large.
        let mut state = |i: usize| {
            let width = if i.is_multiple_of(3) { width } else { cluster * width };
            [width * draw::uniform(&mut rng), 0.1 * width * draw::uniform(&mut rng)]
        };
        let states: Vec<_> = (0..200).map(&mut state).collect();
        let known = learnt(d, seed, count, 10_f64.powi(lambda), scale);
        let cap = if clip { 0.1 * scale } else { f64::MAX };
        attack::<f64>(&features, (rho, cap), &known, &states);
        let cap = if clip { cap } else { f64::from(f32::MAX) };
        attack::<f32>(&features, (rho, cap), &known, &states);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Numbers near the ends of their range, states that are one state, features that are 0.
    #[test]
    fn no_scale_misleads_the_screen(
        seed in 0..1_000_u64,
        d in 1..6_usize,
        signed: bool,
        (size, lambda, weight) in (-160..161_i32, -14..3_i32, -160..161_i32),
        rho in prop_oneof![Just(0.0), Just(1e-150), Just(1.0), Just(1e30), Just(1e150)],
        (width, cluster) in (-12..2_i32, prop_oneof![Just(1.0), Just(1e-7), Just(1e-15), Just(0.0)]),
        (clip, is_zero) in (any::<bool>(), prop_oneof![9 => Just(false), 1 => Just(true)]),
    ) {
        let mut rng = Pcg64::new(seed.into(), 4);
        let width = 10_f64.powi(width);
        let mut state = |i: usize| {
            let width = if i.is_multiple_of(5) { width } else { cluster * width };
            [width * draw::uniform(&mut rng), 0.1 * width * draw::uniform(&mut rng)]
        };
        let states: Vec<_> = (0..120).map(&mut state).collect();
        // In single precision the exponents are a quarter as large, and some numbers still underflow.
        for part in [1, 4] {
            let scale = if is_zero { 0.0 } else { 10_f64.powi(size / part) };
            let features = Arbitrary { d, seed, signed, apart: 0.1, scale };
            let known = learnt(d, seed, 60, 10_f64.powi(lambda), 10_f64.powi(weight / part));
            let cap = if clip { 0.3 * scale * 10_f64.powi(weight / part) } else { f64::MAX };
            if part == 1 {
                attack::<f64>(&features, (rho, cap), &known, &states);
            } else {
                let (rho, cap) = (rho.min(1e30), cap.min(f64::from(f32::MAX)));
                attack::<f32>(&features, (rho, cap), &known, &states);
            }
        }
    }
}

/// Close states share what they leave out: far fewer scores than candidates times states.
#[test]
fn close_states_leave_most_candidates_out() {
    let features = Arbitrary { d: 4, seed: 7, signed: false, apart: 0.5, scale: 1.0 };
    let states: Vec<_> = (0..640).map(|i| [f64::from(i) / 640.0, 0.0]).collect();
    let scored = attack::<f64>(&features, (0.5, f64::MAX), &learnt(4, 7, 100, 0.1, 5.0), &states);
    let all = runs(2, 3, 4).count() * states.len();
    assert!(10 * scored < all, "{scored} of {all}");
}

/// Numbers that overflow rule nothing out.
#[test]
fn overflow_is_no_proof() {
    let features = Arbitrary { d: 3, seed: 1, signed: true, apart: 1.0, scale: 1.0 };
    let states: Vec<_> = (0..40).map(|i| [f64::from(i), 1.0]).collect();
    for scale in [1e300, 1e308] {
        let known = learnt(3, 1, 10, 1.0, scale);
        attack::<f64>(&features, (1.0, f64::MAX), &known, &states);
    }
}
