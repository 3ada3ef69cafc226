//! The value of the current policy, and how far from it the computed one may be.

use nalgebra::{DMatrix, DVector};

use super::super::arrays::{Arrays, dot, widest};
use super::super::bracket::Bracket;
use super::super::report::GapPoint;
use super::Ages;
use super::layers::Layers;
use crate::sequence::ActionSequence;

/// A sequence per state, and the value of playing them.
pub(super) struct Lower<'a> {
    arrays: &'a Arrays,
    ages: &'a Ages,
    policy: Vec<ActionSequence>,
    pub(super) v: Vec<f64>,
    /// Half of what the policy may be worth more than V less this number.
    rounding: f64,
}

impl<'a> Lower<'a> {
    /// The best constant sequence for each state, by one round of policy iteration.
    pub(super) fn new(arrays: &'a Arrays, ages: &'a Ages) -> Self {
        let policy = vec![ActionSequence::constant(0); arrays.n];
        let mut lower =
            Self { arrays, ages, policy, v: vec![arrays.trivial.0; arrays.n], rounding: 0.0 };
        lower.evaluate();
        let constants: Vec<Vec<f64>> = (0..arrays.actions.len())
            .map(|a| lower.values(&ActionSequence::constant(a), &lower.v))
            .collect();
        for s in 0..arrays.n {
            let best = (0..constants.len())
                .fold(0, |best, a| if constants[a][s] > constants[best][s] { a } else { best });
            lower.policy[s] = ActionSequence::constant(best);
        }
        lower.evaluate();
        lower
    }

    /// Takes over the sequences of the layers where they are better, and evaluates.
    pub(super) fn improve(&mut self, layers: &Layers) {
        let (v, policy) = (self.v.clone(), self.policy.clone());
        let margin = 1e-13 * self.arrays.magnitude;
        for s in 0..self.arrays.n {
            let (value, sequence) = layers.best(self.arrays, s);
            if value > v[s] + margin {
                self.policy[s] = sequence;
            }
        }
        let rounding = self.rounding;
        self.evaluate();
        // Vectors may be above the values of their sequences by rounding; a policy that is worse is not kept.
        if widest(&self.v, &v) <= 0.0 && widest(&v, &self.v) > 0.0 {
            (self.v, self.policy, self.rounding) = (v, policy, rounding);
        }
    }

    /// Offers the bounds to the bracket.
    pub(super) fn offer<F: FnMut(&GapPoint)>(&self, bracket: &mut Bracket<F>) {
        let policy = || self.policy.clone();
        bracket.offer_lower(&self.v, self.rounding, self.rounding, policy);
    }

    /// Sets V to the value of the policy: one n x n system, its coefficients from unrolled sequences.
    fn evaluate(&mut self) {
        let n = self.arrays.n;
        let mut system = DMatrix::identity(n, n);
        let mut reward = DVector::zeros(n);
        for s in 0..n {
            let (earned, seen) = self.unroll(s);
            reward[s] = earned;
            seen.into_iter().enumerate().for_each(|(t, x)| system[(s, t)] -= x);
        }
        if system.lu().solve_mut(&mut reward) && reward.iter().all(|x| x.is_finite()) {
            self.v = reward.as_slice().to_vec();
        }
        self.measure();
    }

    /// What the sequence of state s earns until the next sighting, and the discounted probability that it is
    /// of each state.
    fn unroll(&self, s: usize) -> (f64, Vec<f64>) {
        let mut belief = self.arrays.corner(s);
        let (mut earned, mut sighted) = (0.0, vec![0.0; self.arrays.n]);
        let mut weight = 1.0;
        for (a, age) in self.policy[s].iter().zip(1..) {
            if weight <= self.faint() {
                break;
            }
            let (blind, seen) = self.ages.at(age, a);
            earned += weight * dot(&belief, &self.arrays.actions[a].reward);
            belief = self.arrays.step(&belief, a);
            sighted.iter_mut().zip(&belief).for_each(|(sum, b)| *sum += weight * seen * b);
            weight *= blind;
        }
        (earned, sighted)
    }

    /// What weighs less than this is left out.
    fn faint(&self) -> f64 {
        0.25 * f64::EPSILON * (1.0 - self.arrays.gamma)
    }

    /// K(., seq; v), backward from where the rest weighs nothing.
    fn values(&self, seq: &ActionSequence, v: &[f64]) -> Vec<f64> {
        let mut weight = 1.0;
        let length = (seq.iter().zip(1..))
            .take_while(|&(a, age)| {
                let counts = weight > self.faint();
                weight *= self.ages.at(age, a).0;
                counts
            })
            .count();
        let mut k = vec![0.0; self.arrays.n];
        for h in (0..length).rev() {
            let (a, action) = (seq.action(h), &self.arrays.actions[seq.action(h)]);
            let (blind, seen) = self.ages.at(h + 1, a);
            k = (0..self.arrays.n)
                .map(|s| action.reward[s] + seen * action.pull(s, v) + blind * action.pull(s, &k))
                .collect();
        }
        k
    }

    /// Sets the rounding: (the largest |V - K|, what is left out, and the errors of K) / (1 - gamma).
    fn measure(&mut self) {
        let left = 1.0 - self.arrays.gamma;
        let mut residual = 0.0_f64;
        let mut known: Vec<(&ActionSequence, Vec<f64>)> = Vec::new();
        for (s, seq) in self.policy.iter().enumerate() {
            let found = known.iter().position(|(other, _)| *other == seq);
            let i = found.unwrap_or_else(|| {
                known.push((seq, self.values(seq, &self.v)));
                known.len() - 1
            });
            residual = residual.max((known[i].1[s] - self.v[s]).abs());
        }
        let cut = self.faint() * self.arrays.magnitude;
        self.rounding = (residual + cut + self.arrays.slack() / left) / left;
    }
}
