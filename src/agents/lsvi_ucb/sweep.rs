//! Lines 5 to 8 of Algorithm 1 on a table of candidates.
//!
//! With the history in sufficient statistics, K_u(s, j) = min {c_0 + <c, V_(u+1)>, 1/(1-gamma)} with
//! 1 + n numbers per state s and candidate j that do not depend on u. A sweep scores all of them.
//!
//! Most candidates need not be scored at each. V goes nearly where it went in the last episode, so
//! after a sweep one can lay a narrow tube around its way ahead. A candidate that loses to the
//! sweep's winner everywhere in that tube is skipped as long as V stays in it; should V leave, all
//! are scored. So the decisions are those of scoring everyone, always.

use crate::Real;

/// Candidates scored together: enough to fill vector registers.
const LANES: usize = 8;

/// A tube is straight enough if its radius is at most this share of its length, and is made larger
/// by this margin, because V will not go exactly as guessed.
const STRAIGHT: f64 = 0.05;
const MARGIN: f64 = 0.5;

/// How many tubes may be in force, one narrower than the other.
const TUBES: usize = 12;

/// The V near a line: `from + t along + e` with 0 <= t <= `length` and every |e_i| <= `radius`.
#[derive(Debug, Clone)]
struct Tube<T> {
    from: Vec<T>,
    along: Vec<T>,
    length: T,
    radius: T,
}

impl<T: Real> Tube<T> {
    /// Whether `v` is in the tube.
    fn contains(&self, v: &[T]) -> bool {
        let offset = || v.iter().zip(&self.from).map(|(&v, &f)| v - f);
        let t = dot(offset(), &self.along) / dot(self.along.iter().copied(), &self.along);
        t >= T::zero()
            && t <= self.length
            && offset().zip(&self.along).all(|(o, &a)| (o - t * a).abs() <= self.radius)
    }
}

fn dot<T: Real>(a: impl Iterator<Item = T>, b: &[T]) -> T {
    a.zip(b).fold(T::zero(), |sum, (x, &y)| sum + x * y)
}

/// The memory of a sweep, reused from episode to episode.
#[derive(Debug, Clone)]
pub(super) struct Sweep<T> {
    /// The number of states n, and of candidates m per state.
    n: usize,
    m: usize,
    /// V_(u+1) and V_u.
    now: Vec<T>,
    next: Vec<T>,
    /// Scores of state s from `s * m` on.
    scores: Vec<T>,
    /// The candidates not ruled out, packed to the front of each state's block, in their order;
    /// their numbers and how many there are.
    small: Vec<T>,
    ids: Vec<u32>,
    size: Vec<usize>,
    /// The position in its block of each state's winner.
    winner: Vec<usize>,
    /// The tubes in force; nobody is ruled out if there are none.
    tubes: Vec<Tube<T>>,
    inside: usize,
    screened: bool,
    /// By how much the last guess of V was wrong.
    off: Vec<T>,
    /// Scratch: the winner's coefficients, scores over the cap, slopes
    /// along the tube, who is kept.
    lead: Vec<T>,
    over: Vec<T>,
    slopes: Vec<T>,
    kept: Vec<u32>,
}

impl<T: Real> Sweep<T> {
    pub(super) fn new(n: usize, m: usize) -> Self {
        let zeros = |length| vec![T::zero(); length];
        let tube = Tube { from: zeros(n), along: zeros(n), length: T::zero(), radius: T::zero() };
        Self {
            n,
            m,
            now: zeros(n),
            next: zeros(n),
            scores: zeros(n * m),
            small: zeros((1 + n) * n * m),
            ids: vec![0; n * m],
            size: vec![m; n],
            winner: vec![0; n],
            tubes: vec![tube; TUBES],
            inside: 0,
            screened: false,
            off: zeros(n),
            lead: zeros(n),
            over: zeros(m),
            slopes: zeros(m),
            kept: Vec::with_capacity(m),
        }
    }

    /// From V_H = `cap` back to V_1. `table` holds 1 + n columns of n m coefficients; `stages` and
    /// `values` get the winner and V_u of each u < H and state, u = 1 first. What `values` holds
    /// before is taken for a guess of what it will hold, and need not be right.
    pub(super) fn run(&mut self, table: &[T], cap: T, stages: &mut [u32], values: &mut [T]) {
        let n = self.n;
        self.now.fill(cap);
        self.release();
        // Screening costs two or three sweeps: the next one comes later after each that failed.
        let (mut wait, mut pause) = (0_usize, 1);
        for at in (0..stages.len() / n).rev().map(|u| u * n) {
            if self.tubes[..self.inside].iter().any(|tube| !tube.contains(&self.now)) {
                self.release();
                wait = 0;
            }
            self.score_all(table, cap, &mut stages[at..at + n]);
            for (i, &v) in self.next.iter().enumerate() {
                self.off[i] = v - values[at + i];
                values[at + i] = v;
            }
            if self.next == self.now {
                // Equal to the last bit: so are all sightings before.
                for earlier in (0..at).step_by(n) {
                    stages.copy_within(at..at + n, earlier);
                    values.copy_within(at..at + n, earlier);
                }
                return;
            }
            let left: usize = self.size.iter().sum();
            if wait == 0 && left > 4 * n && self.inside < TUBES {
                pause = if self.screen(table, cap, &values[..at]) { 1 } else { (2 * pause).min(8) };
                wait = pause;
            } else {
                wait = wait.saturating_sub(1);
            }
            std::mem::swap(&mut self.now, &mut self.next);
        }
    }

    /// Line 7 for every state and candidate still in question, and the first argmax of line 12.
    fn score_all(&mut self, table: &[T], cap: T, row: &mut [u32]) {
        let (m, now) = (self.m, &self.now);
        for (s, choice) in row.iter_mut().enumerate() {
            let scores = &mut self.scores[s * m..s * m + self.size[s]];
            let block = Block::new(if self.screened { &self.small } else { table }, self.n, m, s);
            scores.copy_from_slice(block.column(0, scores.len()));
            block.fold(scores, |k, i, c| k + c * now[i]);
            let value = largest(scores).min(cap);
            let winner = scores.iter().position(|&k| k >= value).unwrap_or(0);
            self.winner[s] = winner;
            self.next[s] = value;
            *choice = if self.screened { self.ids[s * m + winner] } else { index(winner) };
        }
    }

    fn release(&mut self) {
        (self.screened, self.inside) = (false, 0);
        self.size.fill(self.m);
    }

    /// Lays a tube around the way that V will take if it goes as guessed, and rules out who loses
    /// everywhere in it. `ahead` holds the guesses for the sightings to come, u = 1 first.
    fn screen(&mut self, table: &[T], cap: T, ahead: &[T]) -> bool {
        let total = ahead.len() / self.n;
        // All the way if it is straight enough, or as far as it is.
        let mut count = total;
        while !self.lay_tube(&ahead[(total - count) * self.n..]) && count > 2 {
            count /= 2;
        }
        let before: usize = self.size.iter().sum();
        let survivors: usize = (0..self.n).map(|s| self.reach(table, cap, s)).sum();
        if 4 * survivors > 3 * before {
            return false; // packing would cost more than it saves
        }
        for s in 0..self.n {
            self.pack(table, s);
        }
        (self.screened, self.inside) = (true, self.inside + 1);
        true
    }

    /// Lays the next tube from here through `way`, last point first; tells whether it is narrow.
    fn lay_tube(&mut self, way: &[T]) -> bool {
        let tube = &mut self.tubes[self.inside];
        let (now, next, off) = (&self.now, &self.next, &self.off);
        tube.from.copy_from_slice(now);
        // The guesses, moved to where V is now.
        for (i, along) in tube.along.iter_mut().enumerate() {
            *along = way.get(i).map_or(next[i], |&guess| guess + off[i]) - now[i];
        }
        let length = dot(tube.along.iter().copied(), &tube.along);
        let (mut radius, mut furthest) = (T::zero(), T::zero());
        let mut pass = |point: &dyn Fn(usize) -> T| {
            let inner = |sum, i| sum + (point(i) - now[i]) * tube.along[i];
            let t = (0..now.len()).fold(T::zero(), inner) / length;
            furthest = larger(furthest, t);
            for i in 0..now.len() {
                radius = larger(radius, (point(i) - now[i] - t * tube.along[i]).abs());
            }
        };
        pass(&|i| next[i]);
        way.chunks_exact(self.n).for_each(|guess| pass(&|i| guess[i] + off[i]));
        let size = tube.along.iter().fold(T::zero(), |top, &x| larger(top, x.abs()));
        tube.length = furthest * T::of(1.0 + MARGIN);
        tube.radius = (radius + size * T::of(1e-3)) * T::of(1.0 + MARGIN);
        radius <= size * T::of(STRAIGHT)
    }

    /// Turns the scores of state s into the largest lead over the winner, or over the cap, that
    /// each candidate can have in the tube; counts those who can have one.
    fn reach(&mut self, table: &[T], cap: T, s: usize) -> usize {
        let (m, winner, count) = (self.m, self.winner[s], self.size[s]);
        let block = Block::new(if self.screened { &self.small } else { table }, self.n, m, s);
        let scores = &mut self.scores[s * m..s * m + count];
        let Tube { along, length, radius, .. } = &self.tubes[self.inside];
        // Along the tube the lead is linear, aside it changes by the radius times the 1-norm.
        let ahead = |slope: T| larger(slope * *length, T::zero());
        let best = scores[winner];
        let mut most = best;
        let mut slope = T::zero();
        for (i, lead) in self.lead.iter_mut().enumerate() {
            *lead = block.column(i + 1, count)[winner];
            slope += *lead * along[i];
            most += lead.abs() * *radius;
        }
        most += ahead(slope);
        let (over, slopes) = (&mut self.over[..count], &mut self.slopes[..count]);
        // Where the winner may be clipped, who reaches the cap ties with it.
        let clipped = most > cap;
        if clipped {
            over.copy_from_slice(scores);
            slopes.fill(T::zero());
            block.fold(over, |k, _, c| k + c.abs() * *radius);
            block.fold(slopes, |k, i, c| k + c * along[i]);
            over.iter_mut().zip(slopes.iter()).for_each(|(k, &x)| *k += ahead(x));
        }
        let lead = &self.lead;
        scores.iter_mut().for_each(|k| *k -= best);
        slopes.fill(T::zero());
        block.fold(scores, |k, i, c| k + (c - lead[i]).abs() * *radius);
        block.fold(slopes, |k, i, c| k + (c - lead[i]) * along[i]);
        scores.iter_mut().zip(slopes.iter()).for_each(|(k, &x)| *k += ahead(x));
        // Sums of a few terms of this size are off by less.
        let slack = T::of(256.0) * T::epsilon() * cap;
        for (k, &over) in scores.iter_mut().zip(&self.over) {
            *k = (if clipped { larger(*k, over - cap) } else { *k }) + slack;
        }
        scores.iter().filter(|&&k| k >= T::zero()).count()
    }

    /// Keeps those of state s who can have a lead.
    fn pack(&mut self, table: &[T], s: usize) {
        let (m, count) = (self.m, self.size[s]);
        let leads = &self.scores[s * m..s * m + count];
        self.kept.clear();
        self.kept.extend((0..count).filter(|&j| leads[j] >= T::zero()).map(index));
        for column in (0..=self.n).map(|i| (i * self.n + s) * m) {
            for (to, &j) in self.kept.iter().enumerate() {
                let j = column + j as usize;
                self.small[column + to] = if self.screened { self.small[j] } else { table[j] };
            }
        }
        for (to, &j) in self.kept.iter().enumerate() {
            self.ids[s * m + to] = if self.screened { self.ids[s * m + j as usize] } else { j };
        }
        self.size[s] = self.kept.len();
    }
}

/// The coefficients of one state's candidates.
#[derive(Clone, Copy)]
struct Block<'a, T> {
    table: &'a [T],
    n: usize,
    m: usize,
    s: usize,
}

impl<'a, T: Real> Block<'a, T> {
    fn new(table: &'a [T], n: usize, m: usize, s: usize) -> Self {
        Self { table, n, m, s }
    }

    /// The i-th coefficients of the first `count` candidates; 0 is the constant one.
    fn column(&self, i: usize, count: usize) -> &'a [T] {
        let from = (i * self.n + self.s) * self.m;
        &self.table[from..from + count]
    }

    /// Folds the coefficients 1 to n of each candidate into what `out` holds for it.
    ///
    /// Always in this order, so that a candidate's score does not depend on whom it is scored with.
    #[inline]
    fn fold(&self, out: &mut [T], f: impl Fn(T, usize, T) -> T) {
        let count = out.len();
        let (chunks, rest) = out.as_chunks_mut::<LANES>();
        for (chunk, sums) in chunks.iter_mut().enumerate() {
            let mut local = *sums;
            for i in 0..self.n {
                let lanes = &self.column(i + 1, count).as_chunks::<LANES>().0[chunk];
                for (sum, &c) in local.iter_mut().zip(lanes) {
                    *sum = f(*sum, i, c);
                }
            }
            *sums = local;
        }
        for i in 0..self.n {
            let lanes = self.column(i + 1, count).as_chunks::<LANES>().1;
            for (sum, &c) in rest.iter_mut().zip(lanes) {
                *sum = f(*sum, i, c);
            }
        }
    }
}

#[inline]
fn larger<T: Real>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

fn largest<T: Real>(scores: &[T]) -> T {
    let (blocks, rest) = scores.as_chunks::<LANES>();
    let mut top = [T::of(f64::NEG_INFINITY); LANES];
    for block in blocks {
        for (t, &k) in top.iter_mut().zip(block) {
            *t = larger(*t, k);
        }
    }
    top.iter().chain(rest).fold(T::of(f64::NEG_INFINITY), |t, &k| larger(t, k))
}

/// Families have fewer than 2^32 members; the constructor sees to it.
#[allow(clippy::cast_possible_truncation)]
fn index(j: usize) -> u32 {
    j as u32
}
