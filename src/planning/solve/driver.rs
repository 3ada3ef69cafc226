//! The main loop: trials, closing of the active set and certificates in turn.

use std::time::Duration;

use super::active::{Active, Closure};
use super::arrays::widest;
use super::bracket::{Bracket, Work};
use super::certificate::{always_seen, certify};
use super::limits::SMALL;
use super::lp::DominanceLp;
use super::pool::Pool;
use super::report::{GapPoint, Termination};

/// The least size of a tree. Later ones get a belief per two pivots made so far, which is about the
/// same work.
const LEAST_NODES: usize = 1000;

/// Beyond this many pivots a round of closing is expensive, and tolerances shrink in smaller steps.
const MANY_PIVOTS: usize = 40_000;

/// By what factor at most a round of closing is expected to take longer than the one before.
const GROWTH: f64 = 8.0;

/// The state of the main loop. All numbers are in units of [`Arrays::unit`](super::arrays::Arrays::unit).
pub(super) struct Driver<'a, 'b, F> {
    bracket: &'b mut Bracket<'a, F>,
    pool: Pool<'a>,
    active: Active,
    lp: DominanceLp,
    /// Upper bounds as computed, without allowance for rounding.
    upper: Vec<f64>,
    /// The gap asked for with room left for rounding: what phases aim at.
    aim: f64,
    bytes: usize,
    nodes: usize,
    /// What the last round of closing took.
    closing: Duration,
}

impl<'a, 'b, F: FnMut(&GapPoint)> Driver<'a, 'b, F> {
    pub(super) fn new(bracket: &'b mut Bracket<'a, F>) -> Self {
        let (arrays, limits) = (bracket.arrays, bracket.limits);
        let gap = bracket.asked().min(4.0 * arrays.magnitude);
        let aim = (gap - 3.0 * arrays.slack() / (1.0 - arrays.gamma)).max(0.5 * gap);
        let pool = Pool::new(arrays, limits);
        let active = Active::new(&pool);
        let upper = if arrays.n <= SMALL {
            always_seen(arrays, &limits.share(0.2), aim)
        } else {
            bracket.upper().to_vec()
        };
        let lp = DominanceLp::within(limits);
        Self { bracket, pool, active, lp, upper, aim, bytes: 0, nodes: 0, closing: Duration::ZERO }
    }

    /// Hands the bounds as they are now over to the bracket.
    fn offer(&mut self) {
        let arrays = self.pool.arrays;
        self.bracket.offer_upper(&self.upper, arrays.slack() / (1.0 - arrays.gamma));
        let (pool, rounding) = (&self.pool, self.pool.rounding());
        self.bracket.offer_lower(&pool.v, rounding, rounding, || {
            pool.policy.iter().map(|&id| pool.sequence(id)).collect()
        });
    }

    /// Whether the gap asked for is reached by now.
    fn reached(&mut self) -> bool {
        self.offer();
        self.bracket.reached()
    }

    /// Narrows the bracket until the gap is reached or something runs out, and says what.
    pub(super) fn run(mut self) -> Termination {
        self.record();
        if !self.reached() {
            self.pool.explore(self.aim);
            self.record();
        }
        if !self.reached() {
            // Nothing is closed yet: this tree reveals the state at its leaves.
            self.active.refresh(&self.pool);
            self.certify(LEAST_NODES);
            self.pool.improve();
            self.record();
        }
        self.refine()
    }

    /// Closes the active set at ever finer tolerances, and certifies, until the gap is reached or
    /// something runs out.
    fn refine(&mut self) -> Termination {
        let arrays = self.pool.arrays;
        let mut tolerance = (0.4 * arrays.span).max(self.aim * (1.0 - arrays.gamma));
        while !self.reached() {
            self.active.refresh(&self.pool);
            let start = self.pool.limits.elapsed();
            let closure = self.active.close(&mut self.pool, &mut self.lp, tolerance);
            let took = self.pool.limits.elapsed().saturating_sub(start);
            if closure != Closure::Abandoned {
                self.certify(LEAST_NODES.max(self.lp.pivots / 2));
            }
            let rise = self.improve();
            self.record();
            let width = self.bracket.width();
            match closure {
                _ if self.bracket.reached() => break,
                Closure::Abandoned | Closure::FrozenByTime => return Termination::TimeLimit,
                Closure::FrozenByMemory => return Termination::MemoryLimit,
                Closure::Complete if tolerance < arrays.slack() => return Termination::Precision,
                Closure::Complete => {}
            }
            if rise <= 0.0
                && let Some(stopped) = self.grow_to_the_end(took)
            {
                return stopped;
            }
            self.active.refresh(&self.pool);
            self.active.purge(&mut self.pool, &mut self.lp, 1e-3 * tolerance);
            // While V still moves, closing finer would be in vain.
            if rise <= 0.1 * width {
                let least = if self.lp.pivots < MANY_PIVOTS { 0.2 } else { 0.5 };
                tolerance *= (0.9 * self.aim / width).clamp(least, 0.7);
            }
        }
        Termination::GapReached
    }

    /// Grows trees of at most `most` beliefs that aim first at the wanted gap, then at what seems within
    /// reach.
    fn certify(&mut self, most: usize) {
        let mut aim = self.aim;
        for _ in 0..2 {
            self.grow(aim, most);
            aim = 0.5 * widest(&self.upper, &self.pool.v);
            if aim <= 2.0 * self.aim {
                break;
            }
        }
    }

    fn grow(&mut self, aim: f64, most: usize) {
        let most = most.min(self.pool.limits.nodes);
        let (nodes, bytes) = certify(&mut self.pool, &self.active, &mut self.upper, aim, most);
        self.nodes += nodes;
        self.track_memory(bytes);
    }

    /// Uses the time that is left for trees, as large as memory allows, if another round of closing
    /// would not end in time; `last` is what the last one took. Returns why that came to an end, none
    /// if there is time for another round or trees help no more.
    fn grow_to_the_end(&mut self, last: Duration) -> Option<Termination> {
        let left = self.pool.limits.left()?;
        let growth = last.as_secs_f64() / self.closing.as_secs_f64().max(1e-9);
        self.closing = last;
        if last.mul_f64(growth.clamp(1.5, GROWTH)) < left.mul_f64(0.5) {
            return None;
        }
        while !self.reached() && !self.pool.limits.late() {
            let width = self.bracket.width();
            self.grow((0.3 * width).max(self.aim), usize::MAX);
            self.record();
            if self.bracket.width() > 0.9 * width && !self.pool.limits.late() {
                return None;
            }
        }
        Some(Termination::TimeLimit)
    }

    /// Lets V rise by what closing and the tree have found; returns by how much.
    fn improve(&mut self) -> f64 {
        let before = self.pool.v.clone();
        for s in 0..self.pool.arrays.n {
            let found = self.pool.lookahead(&self.pool.arrays.corner(s));
            if found.value > self.pool.v[s] {
                self.pool.add(found.action, found.rest);
            }
        }
        // Trials take long in a large pool: they wait until there is something to gain.
        if self.pool.improve() > 0.01 * self.bracket.width() && !self.reached() {
            self.pool.explore(self.aim);
        }
        widest(&self.pool.v, &before)
    }

    fn track_memory(&mut self, tree: usize) {
        let (entries, cycles) = (self.pool.len(), self.pool.cycles());
        self.bytes = self.bytes.max(self.pool.limits.bytes(entries, cycles, tree));
    }

    fn record(&mut self) {
        self.offer();
        self.track_memory(0);
        self.bracket.work = Work {
            sequences: self.pool.len(),
            active: self.active.columns.len(),
            nodes: self.nodes,
            programs: self.lp.programs,
            pivots: self.lp.pivots,
            bytes: self.bytes.max(self.bracket.work.bytes),
        };
        self.bracket.record();
    }
}
