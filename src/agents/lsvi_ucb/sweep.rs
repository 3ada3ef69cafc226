//! Lines 5 to 8 of Algorithm 1: from V_H back to V_1.
//!
//! A sweep as printed scores every candidate at each of the H - 1 sightings. Here a few contenders,
//! mostly the winners of the last episode, are scored at each; and then it is proved that nobody
//! else could have won. The way of V is nearly a parabola over long stretches, and a candidate's
//! lead is linear in V, so that three points bound it on a whole stretch. Stretches are halved until
//! few candidates are left, and these are scored exactly. Should one have won, it becomes a contender
//! and the sweep is repeated from there. So the decisions are those of scoring everyone, always.

use nalgebra::DMatrix;
use pulp::Arch;

use super::contenders::Contenders;
use super::kernels::{Closest, EXACT, Parabola, STRIDE, Subset};
use super::regression::{Block, Regression};
use super::screen::{Screen, Stretch, index};
use crate::Real;

/// What it costs to bound a block, per state, in multiplications of exact scores: measured.
const BOUNDING: usize = 38;

/// The memory of a sweep, reused from episode to episode. None of it changes what is decided.
#[derive(Debug, Clone)]
pub(super) struct Sweep<T> {
    n: usize,
    m: usize,
    stride: usize,
    contenders: Contenders<T>,
    screen: Screen,
    /// V_H, V_(H-1), ...: step t leads from point t to point t + 1, by the choices at t.
    way: Vec<T>,
    choices: Vec<u32>,
    /// The step after which nothing changes any more.
    last: usize,
    /// Who is in question, stretch by stretch.
    stack: Vec<Subset>,
    /// Scratch: the third point of a stretch, and a rival.
    middle: Vec<T>,
    shares: Vec<(T, T)>,
    rival: Vec<T>,
    found: Vec<usize>,
    block: Block<T>,
    won: Vec<bool>,
    arch: Arch,
}

impl<T: Real> Sweep<T> {
    pub(super) fn new(psi: &DMatrix<T>, n: usize, steps: usize, lambda: T, cap: T) -> Self {
        let (m, stride) = (psi.ncols() / n, n.next_multiple_of(STRIDE));
        let zeros = |length| vec![T::zero(); length];
        Self {
            n,
            m,
            stride,
            contenders: Contenders::new(n, m, cap),
            screen: Screen::new(psi, n, lambda, cap),
            way: zeros((steps + 1) * stride),
            choices: vec![0; steps * n],
            last: 0,
            stack: Vec::with_capacity(4 * m),
            middle: zeros(stride),
            shares: Vec::with_capacity(steps),
            rival: zeros(1 + n),
            found: Vec::with_capacity(m),
            block: Block::new(psi.nrows(), n),
            won: vec![false; n * m],
            arch: Arch::new(),
        }
    }

    /// Lambda has grown by a term.
    pub(super) fn grown(&mut self) {
        self.screen.grown();
    }

    /// Lambda is another one.
    pub(super) fn forget(&mut self) {
        self.screen.forget();
    }

    /// The winner and V_u of each sighting u < H and state, u = 1 first.
    pub(super) fn run(&mut self, k: Regression<'_, T>, stages: &mut [u32], values: &mut [T]) {
        let (n, steps) = (self.n, stages.len() / self.n);
        self.screen.compose(k, &mut self.block);
        let screen = &mut self.screen;
        self.contenders.refresh(k, &mut self.block, |column, norm| {
            screen.tighten(column, norm);
            screen.correct(column, f64::NEG_INFINITY);
        });
        self.way[..n].fill(k.cap);
        let mut certain = Some(0);
        while let Some(from) = certain {
            self.take_steps(from, steps);
            let wrong = (0..n).filter_map(|s| self.check(k, s, from));
            certain = wrong.min();
        }
        self.retire();
        for (u, t) in (0..steps).rev().map(|t| (steps - 1 - t, t.min(self.last))) {
            stages[u * n..(u + 1) * n].copy_from_slice(&self.choices[t * n..(t + 1) * n]);
            values[u * n..(u + 1) * n].copy_from_slice(&self.way[(t + 1) * self.stride..][..n]);
        }
    }

    /// Takes the steps from `from` on, with the contenders alone.
    fn take_steps(&mut self, from: usize, steps: usize) {
        let (n, stride) = (self.n, self.stride);
        for t in from..steps {
            let (before, after) = self.way.split_at_mut((t + 1) * stride);
            let (now, next) = (&before[t * stride..][..n], &mut after[..n]);
            self.contenders.step(now, &mut self.choices[t * n..(t + 1) * n], next);
            self.last = t;
            if *next == *now {
                break; // equal to the last bit: so are all steps to come
            }
        }
    }

    /// Checks state s from step `from` on; the step before which all is right, if not all is.
    fn check(&mut self, k: Regression<'_, T>, s: usize, from: usize) -> Option<usize> {
        let (n, stride, last) = (self.n, self.stride, self.last);
        let clipped = |way: &[T], t: usize| way[(t + 1) * stride + s] >= k.cap;
        let mut wrong: Option<usize> = None;
        let mut from = from;
        while from <= last {
            let flag = clipped(&self.way, from);
            let to = (from..last).find(|&t| clipped(&self.way, t + 1) != flag).unwrap_or(last);
            // Of those who reach the clip the first wins: nobody after it need be checked.
            let chosen = (from..=to).map(|t| self.choices[t * n + s] as usize);
            let count = if flag { chosen.max().unwrap_or(0) } else { self.m };
            self.stack.clear();
            self.screen.everyone(s, count, &mut self.stack);
            let here = self.check_stretch(k, s, (from, to), 0);
            wrong = wrong.into_iter().chain(here).min();
            from = to + 1;
        }
        wrong
    }

    /// Checks those in `stack[from..]` on a stretch.
    fn check_stretch(
        &mut self,
        k: Regression<'_, T>,
        s: usize,
        (a, b): (usize, usize),
        from: usize,
    ) -> Option<usize> {
        let n = self.n;
        if from == self.stack.len() {
            return None;
        }
        let way = &self.way[a * self.stride..(b + 1) * self.stride];
        let parabola = Parabola {
            way,
            stride: self.stride,
            middle: &mut self.middle,
            shares: &mut self.shares,
        };
        let radius = self.arch.dispatch(parabola);
        // A clipped V_u is the clip, whatever V_(u+1).
        self.rival.fill(T::zero());
        self.rival[0] = k.cap;
        let clipped = self.way[(b + 1) * self.stride + s] >= k.cap;
        let winner = self.choices[b * n + s];
        if !clipped {
            self.contenders.coefficients(s, winner, &mut self.rival);
        }
        let point = |t: usize| &self.way[t * self.stride..][..n];
        let points = [point(a), &self.middle[..n], point(b)];
        let stretch = Stretch { points, radius, rival: &self.rival };
        let to = self.stack.len();
        self.screen.reach(stretch, &mut self.stack, from);
        let left: usize =
            self.stack[to..].iter().map(|some| some.lanes.count_ones() as usize).sum();
        let same = clipped || (a..b).all(|t| self.choices[t * n + s] == winner);
        let straight = radius.as_f64() <= self.screen.slack(s * self.m + winner as usize) && same;
        let wrong = if left == 0 {
            None
        } else if a == b || straight || self.is_cheap(k, left, self.stack.len() - to) {
            self.examine(k, s, (a, b), to).then_some(a)
        } else {
            let half = self.half(s, a, b);
            let first = self.check_stretch(k, s, (a, half), to);
            let second = self.check_stretch(k, s, (half + 1, b), to);
            first.or(second)
        };
        self.stack.truncate(to);
        wrong
    }

    /// Whether scoring so many candidates exactly costs less than bounding their blocks twice more.
    fn is_cheap(&self, k: Regression<'_, T>, candidates: usize, blocks: usize) -> bool {
        let d = k.psi.nrows();
        candidates * d * (1 + self.n + d) <= 2 * BOUNDING * blocks * self.n
    }

    /// Where to halve the stretch that the parabola was laid through last: where the winner changes,
    /// or where half of the way is gone.
    fn half(&self, s: usize, a: usize, b: usize) -> usize {
        let n = self.n;
        let changes = |&t: &usize| self.choices[t * n + s] != self.choices[(t + 1) * n + s];
        if let Some(t) = (a..b).filter(changes).min_by_key(|&t| t.abs_diff(a.midpoint(b))) {
            return t;
        }
        // Not too near an end, so that there are few halvings however V goes.
        let margin = (b - a) / 8;
        let half = self.shares.iter().skip(1).position(|&(x, _)| x + x >= T::one());
        half.map_or(a.midpoint(b), |i| a + i).clamp(a + margin, b - 1 - margin)
    }

    /// Scores those in `stack[from..]` exactly; whether one wins, or ties, on a stretch. Who does
    /// becomes a contender.
    fn examine(
        &mut self,
        k: Regression<'_, T>,
        s: usize,
        (a, b): (usize, usize),
        from: usize,
    ) -> bool {
        let (stride, m) = (self.stride, self.m);
        self.found.clear();
        for &some in &self.stack[from..] {
            self.found.extend(self.screen.columns(some));
        }
        let clipped = self.way[(b + 1) * stride + s] >= k.cap;
        let mut wins = false;
        for columns in self.found.chunks(EXACT) {
            self.block.compute(k, columns);
            let coefficients = &self.block.coefficients;
            let way = &self.way[a * stride..(b + 2) * stride];
            let closest = self.arch.dispatch(Closest { coefficients, way, stride, s });
            for (lane, &column) in columns.iter().enumerate() {
                self.screen.tighten(column, self.block.norms[lane]);
                self.screen.correct(column, coefficients[0][lane]);
            }
            let ahead = || (0..columns.len()).filter(|&lane| closest[lane] >= T::zero());
            let best = ahead().reduce(|a, b| if closest[b] > closest[a] { b } else { a });
            // When many win the way is far off and most will lose to one another: the best is enough
            // for now. Not so where V_u is clipped, because there another may be first at each step.
            for lane in ahead().filter(|&lane| clipped || Some(lane) == best) {
                wins = true;
                self.screen.correct(columns[lane], f64::NEG_INFINITY);
                let coefficients = coefficients.iter().map(|c| c[lane]);
                self.contenders.add(s, index(columns[lane] - s * m), coefficients);
            }
        }
        wins
    }

    /// Drops contenders that have not won for long.
    fn retire(&mut self) {
        let (n, m) = (self.n, self.m);
        let choices = &self.choices[..(self.last + 1) * n];
        let places = choices.iter().enumerate().map(|(i, &id)| i % n * m + id as usize);
        places.clone().for_each(|place| self.won[place] = true);
        self.contenders.retire(|s, id| self.won[s * m + id as usize]);
        places.for_each(|place| self.won[place] = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::lsvi_ucb::ridge::Ridge;
    use crate::model::draw;
    use nalgebra::{DVector, Dyn};
    use rand_pcg::Pcg64;

    /// The sweep as printed: everyone is scored at every step.
    fn plainly<T: Real>(k: Regression<'_, T>, n: usize, steps: usize) -> (Vec<u32>, Vec<T>) {
        let m = k.psi.ncols() / n;
        let mut block = Block::new(k.psi.nrows(), n);
        let mut coefficients = Vec::new();
        for column in 0..n * m {
            block.compute(k, &[column]);
            coefficients.push(block.coefficients.iter().map(|c| c[0]).collect::<Vec<_>>());
        }
        let mut v = vec![k.cap; n];
        let (mut stages, mut values) = (vec![0; steps * n], vec![T::zero(); steps * n]);
        for u in (0..steps).rev() {
            for s in 0..n {
                let score = |j: usize| {
                    let c = &coefficients[s * m + j];
                    c[1..].iter().zip(&v).fold(c[0], |k, (&c, &v)| k + c * v)
                };
                let clip = |j: usize| score(j).min(k.cap);
                let best = (1..m).fold(0, |best, j| if clip(j) > clip(best) { j } else { best });
                (stages[u * n + s], values[u * n + s]) = (index(best), clip(best));
            }
            v.copy_from_slice(&values[u * n..(u + 1) * n]);
        }
        (stages, values)
    }

    /// Random features and a random history, planned with after every few segments. Every other
    /// candidate is `alike` a neighbour, some to the last bit.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small positive numbers
    fn compare<T: Real>(seed: u64, n: usize, m: usize, steps: usize, rho: f64) {
        let mut rng = Pcg64::new(seed.into(), 5);
        let (d, cap, lambda) = (2 * n, T::of(20.0), T::of(0.01));
        let mut uniform = || draw::uniform(&mut rng);
        let mut psi = DMatrix::from_fn(d, n * m, |_, _| T::of(0.4 * uniform() - 0.05));
        for column in 1..n * m {
            if column % 3 == 1 {
                let change = [0.0, 1e-9, 1e-4][column % 9 / 3];
                let other = psi.column(column - 1) * T::of(1.0 + change);
                psi.set_column(column, &other);
            }
        }
        let mut sweep = Sweep::new(&psi, n, steps, lambda, cap);
        let mut ridge = Ridge::new(Dyn(d), lambda);
        let mut sums = DMatrix::zeros(d, 1 + n);
        let mut z = DVector::zeros(d);
        let (mut stages, mut values) = (vec![0; steps * n], vec![T::zero(); steps * n]);
        for episode in 0..60 {
            let weights = &ridge.inverse * &sums;
            let (inverse, rho) = (&ridge.inverse, T::of(rho));
            let k = Regression { psi: &psi, inverse, weights: &weights, rho, cap };
            sweep.run(k, &mut stages, &mut values);
            let (expected, best) = plainly(k, n, steps);
            assert_eq!(stages, expected, "seed {seed}, episode {episode}");
            assert_eq!(values, best, "seed {seed}, episode {episode}");
            for _ in 0..=episode % 7 {
                let s = (uniform() * n as f64) as usize;
                let played = stages[s] as usize;
                let other = (uniform() * m as f64) as usize;
                let column = s * m + if uniform() < 0.5 { played } else { other };
                let x = psi.column(column).into_owned();
                sums.column_mut(0).axpy(T::of(uniform()), &x, T::one());
                let next = (uniform() * (n as f64 + 0.3)) as usize;
                if next < n {
                    sums.column_mut(1 + next).axpy(T::one(), &x, T::one());
                }
                ridge.add(&x, T::one(), &mut z);
                sweep.grown();
            }
        }
    }

    #[test]
    fn decides_as_if_everyone_were_scored() {
        for case in 0..12 {
            let rho = [0.0, 0.3, 3.0][case % 3];
            compare::<f64>(case as u64, 1 + case % 5, 70, 40, rho);
        }
        compare::<f64>(20, 3, 1, 10, 1.0);
        compare::<f64>(21, 6, 300, 30, 1.0);
        compare::<f64>(22, 2, 17, 1, 1.0);
    }

    #[test]
    fn decides_as_if_everyone_were_scored_in_single_precision() {
        for seed in 30..34 {
            compare::<f32>(seed, 4, 70, 40, 0.5);
        }
    }
}
