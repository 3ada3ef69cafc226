//! Upper bounds on blind rewards, from a state that is seen late.
//!
//! A blind policy knows b(.|x) only. If the state of k steps ago is always known as well, the optimum can
//! only rise; the problem becomes an MDP on (state k steps ago, last k actions), whose value D solves
//!
//! ```text
//! D(s; a1..ak) = max over a of  <r_a, delta_s P_a1 .. P_ak> + gamma (1 - beta(a)) E D(s'; a2..ak a),
//! s' drawn from P(.|s, a1)
//! ```
//!
//! k = 0 is the fully observed bound; the bound falls as k grows and reaches the blind value as
//! fast as the chain forgets where it started, not as fast as discounting.

use super::lifted::Lifted;
use crate::model::Action;

/// The values D of the delayed problem for several reward functions at once, with one delay.
///
/// Words of k actions are numbers in base A, the oldest action first.
#[derive(Debug, Clone)]
pub(super) struct Delayed {
    pub(super) delay: usize,
    /// How many reward functions.
    pub(super) width: usize,
    /// `rewards[(s A + a) width + j]`.
    rewards: Vec<f64>,
    /// The expected reward of a at (s; word): `gains[((word n + s) A + a) width + j]`.
    gains: Vec<f64>,
    /// D: `values[(word n + s) width + j]`.
    values: Vec<f64>,
}

/// Changes below this, relative to the largest value, end the sweeps.
const SETTLED: f64 = 1e-7;

impl Delayed {
    /// Solves for `rewards[(s A + a) width + j]` with this delay.
    pub(super) fn new(model: &Lifted, delay: usize, rewards: Vec<f64>) -> Self {
        let (n, m) = (model.num_states(), model.num_actions());
        let width = rewards.len() / (n * m);
        // Before anything is known: the largest reward forever. Sweeps only lower it, and every
        // stage of them is a bound.
        let reach = model.reach();
        let forever: Vec<f64> = (0..width)
            .map(|j| {
                let largest = rewards.iter().skip(j).step_by(width).fold(0.0_f64, |x, &r| x.max(r));
                if largest > 0.0 { largest * reach } else { 0.0 }
            })
            .collect();
        let values = (0..n).flat_map(|_| forever.iter().copied()).collect();
        let mut solved = Self { delay: 0, width, gains: rewards.clone(), rewards, values };
        solved.settle(model, 400);
        for k in 1..=delay {
            solved.lengthen(model);
            solved.settle(model, if k < delay { 8 } else { 400 });
        }
        solved
    }

    /// The bound for the reward function sum over j of `weights[j]` times the j-th, which starts from
    /// `start`, a bound at every delayed state.
    pub(super) fn combine(&self, model: &Lifted, weights: &[f64], start: Vec<f64>) -> Self {
        let dot = |block: &[f64]| block.iter().zip(weights).fold(0.0, |sum, (&x, &w)| sum + x * w);
        let mut combined = Self {
            delay: self.delay,
            width: 1,
            rewards: self.rewards.chunks_exact(self.width).map(dot).collect(),
            gains: self.gains.chunks_exact(self.width).map(dot).collect(),
            values: start,
        };
        combined.settle(model, 400);
        combined
    }

    /// Takes the first reward function from `other`, which has one, with the same delay.
    pub(super) fn set_first(&mut self, other: &Self) {
        let lists = [
            (&mut self.rewards, &other.rewards),
            (&mut self.gains, &other.gains),
            (&mut self.values, &other.values),
        ];
        for (list, first) in lists {
            list.iter_mut().step_by(self.width).zip(first).for_each(|(x, &y)| *x = y);
        }
    }

    /// D, one row of `width` per (word, state).
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The rewards of (s, a), one per function.
    pub(super) fn reward(&self, i: usize) -> &[f64] {
        &self.rewards[i * self.width..(i + 1) * self.width]
    }

    /// The bounds at a belief known `delay` actions ago, after the actions of `word` since.
    pub(super) fn at(&self, belief: &[f64], word: usize, out: &mut [f64]) {
        out.fill(0.0);
        let start = word * belief.len() * self.width;
        let rows = self.values[start..].chunks_exact(self.width);
        for (&mass, row) in belief.iter().zip(rows) {
            if mass != 0.0 {
                for (x, &v) in out.iter_mut().zip(row) {
                    *x += mass * v;
                }
            }
        }
    }

    /// One more step of delay: the rows of (s; a1 rest) are the mean over s' of those of (s'; rest),
    /// which is a bound since the later state says more.
    fn lengthen(&mut self, model: &Lifted) {
        let (n, m) = (model.num_states(), model.num_actions());
        let words = self.values.len() / (n * self.width);
        let lift = |old: &[f64], width: usize| {
            let mut new = vec![0.0; old.len() * m];
            for (i, row) in new.chunks_exact_mut(width).enumerate() {
                let (word, s) = (i / n, i % n);
                let (oldest, rest) = (word / words, word % words);
                for &(t, p) in model.row(s, oldest) {
                    let from = (rest * n + t) * width;
                    for (x, &y) in row.iter_mut().zip(&old[from..from + width]) {
                        *x += p * y;
                    }
                }
            }
            new
        };
        self.gains = lift(&self.gains, m * self.width);
        self.values = lift(&self.values, self.width);
        self.delay += 1;
    }

    /// Sweeps of the Bellman operator in place, until they settle.
    fn settle(&mut self, model: &Lifted, sweeps: usize) {
        if self.width == 1 {
            self.settle_one(model, sweeps);
            return;
        }
        let (n, m, width) = (model.num_states(), model.num_actions(), self.width);
        let words = self.values.len() / (n * width);
        let (mut row, mut best) = (vec![0.0; width], vec![0.0; width]);
        for _ in 0..sweeps {
            let (mut change, mut scale) = (0.0_f64, 0.0_f64);
            for i in 0..words * n {
                let (word, s) = (i / n, i % n);
                let discount = model.discounts(model.age(s) + self.delay);
                for (a, &discount) in discount.iter().enumerate() {
                    let longer = word * m + a;
                    let (oldest, rest) = (longer / words, longer % words);
                    row.copy_from_slice(&self.gains[(i * m + a) * width..][..width]);
                    for &(t, p) in model.row(s, oldest) {
                        let weight = discount * p;
                        let next = &self.values[(rest * n + t) * width..][..width];
                        for (x, &v) in row.iter_mut().zip(next) {
                            *x += weight * v;
                        }
                    }
                    if a == 0 {
                        best.copy_from_slice(&row);
                    } else {
                        for (b, &x) in best.iter_mut().zip(&row) {
                            *b = b.max(x);
                        }
                    }
                }
                for (v, &b) in self.values[i * width..][..width].iter_mut().zip(&best) {
                    // Both are bounds.
                    let lower = v.min(b);
                    change = change.max(*v - lower);
                    scale = scale.max(lower.abs());
                    *v = lower;
                }
            }
            if change <= SETTLED * scale {
                break;
            }
        }
    }

    /// [`settle`](Self::settle) for one reward function, with the same operations in the same order: where each action
    /// leads is looked up once for all sweeps.
    fn settle_one(&mut self, model: &Lifted, sweeps: usize) {
        let (n, m) = (model.num_states(), model.num_actions());
        let words = self.values.len() / n;
        // For each delayed state and action, discounted weights and places of the next states, and where they end.
        let (mut moves, mut ends) = (Vec::new(), Vec::with_capacity(self.gains.len()));
        for i in 0..words * n {
            let (word, s) = (i / n, i % n);
            for (a, &discount) in model.discounts(model.age(s) + self.delay).iter().enumerate() {
                let longer = word * m + a;
                let (oldest, rest) = (longer / words, longer % words);
                let row = model.row(s, oldest).iter();
                moves.extend(row.map(|&(t, p)| (rest * n + t, discount * p)));
                ends.push(moves.len());
            }
        }
        let values = &mut self.values;
        for _ in 0..sweeps {
            let (mut change, mut scale, mut start) = (0.0_f64, 0.0_f64, 0);
            let actions = self.gains.chunks_exact(m).zip(ends.chunks_exact(m));
            for (i, (gains, ends)) in actions.enumerate() {
                let mut best = f64::NEG_INFINITY;
                for (&gain, &end) in gains.iter().zip(ends) {
                    let row = moves[start..end].iter();
                    let value = row.fold(gain, |sum, &(next, weight)| sum + weight * values[next]);
                    best = if value > best { value } else { best };
                    start = end;
                }
                // Both are bounds.
                let (before, lower) = (values[i], values[i].min(best));
                change = change.max(before - lower);
                scale = scale.max(lower.abs());
                values[i] = lower;
            }
            if change <= SETTLED * scale {
                break;
            }
        }
    }
}

/// The bounds of [`Delayed`] on the tails of prefixes no longer than the delay, from one state.
///
/// There the state of k steps ago is the start, so the first k actions are searched blind: no
/// information is given away.
#[derive(Debug, Clone)]
pub(super) struct Near {
    /// `levels[h][word width + j]` for prefixes of h actions.
    levels: Vec<Vec<f64>>,
}

impl Near {
    pub(super) fn new(model: &Lifted, table: &Delayed, s: usize) -> Self {
        let (n, m, width) = (model.num_states(), model.num_actions(), table.width);
        // The beliefs after every word, level by level.
        let mut beliefs = vec![vec![0.0; n]];
        beliefs[0][s] = 1.0;
        for h in 0..table.delay {
            let mut next = vec![0.0; beliefs[h].len() * m];
            for (i, out) in next.chunks_exact_mut(n).enumerate() {
                let before = &beliefs[h][i / m * n..][..n];
                model.push_forward(before, i % m, out);
            }
            beliefs.push(next);
        }
        let words = beliefs[table.delay].len() / n;
        let mut level: Vec<f64> = (0..words)
            .flat_map(|word| table.values[(word * n + s) * width..][..width].iter().copied())
            .collect();
        let mut levels = vec![level.clone()];
        for h in (0..table.delay).rev() {
            let discount = model.discounts(h + 1);
            let mut shorter = vec![f64::NEG_INFINITY; level.len() / m];
            for (word, row) in shorter.chunks_exact_mut(width).enumerate() {
                let belief = &beliefs[h][word * n..][..n];
                for a in 0..m {
                    let tail = &level[(word * m + a) * width..][..width];
                    for (j, (x, &t)) in row.iter_mut().zip(tail).enumerate() {
                        let now = belief
                            .iter()
                            .enumerate()
                            .fold(0.0, |sum, (s, &b)| sum + b * table.reward(s * m + a)[j]);
                        *x = x.max(now + discount[a] * t);
                    }
                }
            }
            level = shorter;
            levels.push(level.clone());
        }
        levels.reverse();
        Self { levels }
    }

    /// The bounds after the `h` actions of `word`, `h` at most the delay.
    pub(super) fn at(&self, h: usize, word: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.levels[h][word * out.len()..][..out.len()]);
    }
}

/// The word after one more action, of at most `delay` actions.
pub(super) fn shift(word: usize, a: Action, num_actions: usize, words: usize) -> usize {
    (word * num_actions + a) % words
}
