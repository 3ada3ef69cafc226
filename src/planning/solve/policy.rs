//! The value of the current policy, and policy iteration over the pool.

use nalgebra::{DMatrix, DVector};

use super::arrays::{dot, widest};
use super::limits::SMALL;
use super::pool::{Entry, Pool};
use crate::model::Action;

/// What a sequence earns from one state until the next sighting, and where that sighting is.
struct Unrolled {
    reward: f64,
    /// The discounted probability that the next sighting is of each state.
    seen: Vec<f64>,
}

impl Unrolled {
    /// Plays `a` at the discounted belief `belief` and moves it one blind step on.
    fn play(&mut self, pool: &Pool, a: Action, belief: &mut Vec<f64>) {
        let action = &pool.arrays.actions[a];
        self.reward += dot(belief, &action.reward);
        let next = pool.arrays.step(belief, a);
        for ((seen, b), x) in self.seen.iter_mut().zip(belief).zip(next) {
            *seen += action.seen * x;
            *b = action.blind * x;
        }
    }
}

impl Pool<'_> {
    fn unroll(&self, s: usize) -> Unrolled {
        let mut unrolled = Unrolled { reward: 0.0, seen: vec![0.0; self.arrays.n] };
        let mut belief = self.arrays.corner(s);
        let mut id = self.policy[s];
        loop {
            match &self.entries[id] {
                Entry::Then { action, rest } => {
                    unrolled.play(self, *action, &mut belief);
                    id = *rest;
                }
                Entry::Cycle { word, inverse } => {
                    // The sum over all rounds of the cycle, played as one.
                    let all = inverse.tr_mul(&DVector::from_vec(belief));
                    belief = all.as_slice().to_vec();
                    for &a in word {
                        unrolled.play(self, a, &mut belief);
                    }
                    return unrolled;
                }
            }
        }
    }

    /// Sets V to the value of the policy: one n x n system. Then [`refresh`](Pool::refresh)es. If the
    /// time is up before the system is there, V is left as it is.
    pub(super) fn evaluate(&mut self) {
        let n = self.arrays.n;
        let mut system = DMatrix::identity(n, n);
        let mut reward = DVector::zeros(n);
        for s in 0..n {
            if n > SMALL && self.limits.late() {
                return;
            }
            let unrolled = self.unroll(s);
            reward[s] = unrolled.reward;
            for (t, x) in unrolled.seen.into_iter().enumerate() {
                system[(s, t)] -= x;
            }
        }
        // The system is strictly diagonally dominant. Were it solved badly, or not at all, the
        // residual would show it.
        if system.lu().solve_mut(&mut reward) && reward.iter().all(|x| x.is_finite()) {
            self.v = reward.as_slice().to_vec();
        }
        self.refresh();
    }

    /// Policy iteration with the sequences of the pool; returns the largest rise of V.
    pub(super) fn improve(&mut self) -> f64 {
        let before = self.v.clone();
        // In units, in which rewards are at most 1: far from underflow.
        let margin = 1e-14 * self.arrays.magnitude;
        for _ in 0..100 {
            let mut changed = false;
            for s in 0..self.arrays.n {
                let (id, value) = self.best(&self.arrays.corner(s));
                let now = self.alpha(self.policy[s])[s];
                if value > now + margin + 1e-12 * now.abs() {
                    self.policy[s] = id;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            self.evaluate();
            if self.limits.late() {
                break;
            }
        }
        widest(&self.v, &before)
    }

    /// How far `v` and the vectors are from solving the equations of the policy, as computed.
    ///
    /// The value of the policy is a function of (state, position in the sequence) and the fixed
    /// point of a gamma-contraction. The vectors along a sequence are backups of one another, so
    /// only where a cycle closes and where a sighting starts a sequence is there anything to
    /// measure. If the residual is r, and backups are exact up to `slack`, then `v` is within
    /// (2 r + slack) / (1 - gamma) of the value of the policy: where a policy starts inside its cycle,
    /// both are met before a backup, |v - alpha| <= r and |alpha - once around| <= r.
    pub(super) fn residual(&self) -> f64 {
        let mut residual = 0.0_f64;
        for (s, &start) in self.policy.iter().enumerate() {
            residual = residual.max((self.alpha(start)[s] - self.v[s]).abs());
            let mut id = start;
            while let Entry::Then { rest, .. } = &self.entries[id] {
                id = *rest;
            }
            if let Entry::Cycle { word, .. } = &self.entries[id] {
                let alpha = self.alpha(id);
                let around = self.backup_word(word, alpha.to_vec());
                residual = residual.max(widest(&around, alpha)).max(widest(alpha, &around));
            }
        }
        residual
    }

    /// How far `v` may be from the value of the policy: (slack + 2 residual) / (1 - gamma).
    pub(super) fn rounding(&self) -> f64 {
        (self.arrays.slack() + 2.0 * self.residual()) / (1.0 - self.arrays.gamma)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::model::Tabular;
    use crate::planning::solve::SolveOptions;
    use crate::planning::solve::arrays::Arrays;
    use crate::planning::solve::limits::Limits;

    /// One state, reward 1, gamma = 1/2: the policy is worth 2. With alpha = 2 + e the cycle closes up
    /// to e / 2, and with v = alpha + e / 2 so does the sighting; v is off by 3 e / 2.
    #[test]
    fn a_policy_that_starts_inside_its_cycle_meets_both_residuals() {
        let lone = Tabular::builder(0.5).action("a", 0.0, [1.0], [[1.0]]).build().unwrap();
        let arrays = Arrays::new(&lone);
        let mut pool = Pool::new(&arrays, Limits::new(&SolveOptions::default(), 1, 1));
        let e = 1e-3;
        pool.entries[0] =
            Entry::Cycle { word: vec![0], inverse: DMatrix::from_element(1, 1, 2.0 + e) };
        pool.v = vec![2.0 + 1.5 * e];
        pool.refresh();
        assert!((pool.residual() - 0.5 * e).abs() < 1e-12);
        assert!(pool.rounding() >= pool.v[0] - 2.0);
    }
}
