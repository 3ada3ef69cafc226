//! Lines 5 to 8 of Algorithm 1 on a table of candidates.
//!
//! With the history in sufficient statistics, K_u(s, j) = min {c_0 + <c, V_(u+1)>, 1/(1-gamma)} with
//! 1 + n numbers per state s and candidate j that do not depend on u. A sweep scores all of them.
//!
//! Most candidates need not be scored again. V settles geometrically, so after a sweep one can draw
//! a box that V will hardly leave. A candidate that loses to the sweep's winner everywhere in that
//! box is skipped as long as V is in it; should V leave, all are scored. So the decisions are those
//! of scoring everyone, always.

use crate::Real;

/// Candidates scored together: enough to fill vector registers.
const LANES: usize = 8;

/// The box reaches this many times the last move of V ahead of it, and a quarter of it aside.
const AHEAD: f64 = 8.0;
const ASIDE: f64 = 0.25;

/// Least and largest V of each state.
#[derive(Debug, Clone)]
struct Bounds<T> {
    low: Vec<T>,
    high: Vec<T>,
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
    /// The box, by state; nothing is ruled out unless `screened`.
    bounds: Bounds<T>,
    screened: bool,
    /// Scratch: the box to come, the winner's coefficients, scores over the cap, who is kept.
    trial: Bounds<T>,
    lead: Vec<T>,
    over: Vec<T>,
    kept: Vec<u32>,
}

impl<T: Real> Sweep<T> {
    pub(super) fn new(n: usize, m: usize) -> Self {
        let zeros = |length| vec![T::zero(); length];
        let bounds = Bounds { low: zeros(n), high: zeros(n) };
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
            trial: bounds.clone(),
            bounds,
            screened: false,
            lead: zeros(n),
            over: zeros(m),
            kept: Vec::with_capacity(m),
        }
    }

    /// From V_H = `cap` back to V_1. `table` holds 1 + n columns of n m coefficients; `stages` and
    /// `values` get the winner and V_u of each u < H and state, u = 1 first.
    pub(super) fn run(&mut self, table: &[T], cap: T, stages: &mut [u32], values: &mut [T]) {
        let n = self.n;
        self.now.fill(cap);
        self.release();
        // Screening costs about two sweeps: done when V has settled twice as well as the last time.
        let mut due = T::of(f64::INFINITY);
        for at in (0..stages.len() / n).rev().map(|u| u * n) {
            if self.screened && !self.inside() {
                self.release();
                due = T::of(f64::INFINITY);
            }
            self.score_all(table, cap, &mut stages[at..at + n]);
            values[at..at + n].copy_from_slice(&self.next);
            let moves = self.next.iter().zip(&self.now).map(|(&a, &b)| (a - b).abs());
            let step = moves.fold(T::zero(), larger);
            if step == T::zero() {
                // Equal to the last bit: so are all sightings before.
                for earlier in (0..at).step_by(n) {
                    stages.copy_within(at..at + n, earlier);
                    values.copy_within(at..at + n, earlier);
                }
                return;
            }
            if step <= due {
                self.screen(table, cap, step);
                due = step * T::of(0.5);
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

    fn inside(&self) -> bool {
        let bounds = self.bounds.low.iter().zip(&self.bounds.high);
        self.now.iter().zip(bounds).all(|(v, (low, high))| low <= v && v <= high)
    }

    fn release(&mut self) {
        self.screened = false;
        self.size.fill(self.m);
    }

    /// Draws the box and rules out who loses everywhere in it.
    fn screen(&mut self, table: &[T], cap: T, step: T) {
        let aside = step * T::of(ASIDE);
        for i in 0..self.n {
            let ahead = (self.next[i] - self.now[i]) * T::of(AHEAD);
            let (mut low, mut high) = (
                self.next[i] + ahead.min(T::zero()) - aside,
                (self.next[i] + ahead.max(T::zero()) + aside).min(cap),
            );
            if self.screened {
                // Who is ruled out already is so for the old box only.
                low = low.max(self.bounds.low[i]);
                high = high.min(self.bounds.high[i]);
            }
            // Seen from where the scores were taken.
            self.trial.low[i] = low - self.now[i];
            self.trial.high[i] = high - self.now[i];
        }
        let before: usize = self.size.iter().sum();
        let survivors: usize = (0..self.n).map(|s| self.reach(table, cap, s)).sum();
        if 4 * survivors > 3 * before {
            return; // packing would cost more than it saves
        }
        for s in 0..self.n {
            self.pack(table, s);
            self.bounds.low[s] = self.trial.low[s] + self.now[s];
            self.bounds.high[s] = self.trial.high[s] + self.now[s];
        }
        self.screened = true;
    }

    /// Turns the scores of state s into the largest lead over the winner, or over the cap, that
    /// each candidate can have in the box; counts those who can have one.
    fn reach(&mut self, table: &[T], cap: T, s: usize) -> usize {
        let (m, winner, count) = (self.m, self.winner[s], self.size[s]);
        let block = Block::new(if self.screened { &self.small } else { table }, self.n, m, s);
        let scores = &mut self.scores[s * m..s * m + count];
        let (low, high) = (&self.trial.low, &self.trial.high);
        let best = scores[winner];
        let mut most = best;
        for (i, lead) in self.lead.iter_mut().enumerate() {
            *lead = block.column(i + 1, count)[winner];
            most += larger(*lead * low[i], *lead * high[i]);
        }
        // Where the winner may be clipped, who reaches the cap ties with it.
        let clipped = most > cap;
        if clipped {
            self.over[..count].copy_from_slice(scores);
            block.fold(&mut self.over[..count], |k, i, c| k + larger(c * low[i], c * high[i]));
        }
        let lead = &self.lead;
        scores.iter_mut().for_each(|k| *k -= best);
        block.fold(scores, |k, i, c| k + larger((c - lead[i]) * low[i], (c - lead[i]) * high[i]));
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
        let (blocks, rest) = out.as_chunks_mut::<LANES>();
        let done = count - rest.len();
        for (b, block) in blocks.iter_mut().enumerate() {
            let mut sums = *block;
            for i in 0..self.n {
                let column = &self.column(i + 1, count)[b * LANES..(b + 1) * LANES];
                for (sum, &c) in sums.iter_mut().zip(column) {
                    *sum = f(*sum, i, c);
                }
            }
            *block = sums;
        }
        for i in 0..self.n {
            for (sum, &c) in rest.iter_mut().zip(&self.column(i + 1, count)[done..]) {
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
