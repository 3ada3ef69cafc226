//! The loop that ties the parts together.

use super::active::{Active, Closure};
use super::certificate::{always_seen, certify};
use super::kernel::{Kernel, widest};
use super::limits::Limits;
use super::lp::DominanceLp;
use super::pool::Pool;
use super::report::{GapPoint, Solution, SolveReport, Termination};

/// The least size of a tree. Later ones get a belief per two pivots made so far, which is about the
/// same work.
const LEAST_NODES: usize = 1000;

/// Beyond this many pivots a round of closing is expensive, and tolerances shrink in smaller steps.
const MANY_PIVOTS: usize = 300_000;

/// The solver at work. All numbers are in units of [`Kernel::unit`].
pub(super) struct Driver<'a, F> {
    pool: Pool<'a>,
    active: Active,
    lp: DominanceLp,
    upper: Vec<f64>,
    /// The gap asked for, and the same with room left for rounding: what phases aim at.
    gap: f64,
    aim: f64,
    history: Vec<GapPoint>,
    nodes: usize,
    bytes: usize,
    observe: F,
}

impl<'a, F: FnMut(&GapPoint)> Driver<'a, F> {
    pub(super) fn new(kernel: &'a Kernel, limits: Limits, gap: f64, observe: F) -> Self {
        let gap = gap / kernel.unit;
        let aim = (gap - 3.0 * kernel.slack() / (1.0 - kernel.gamma)).max(0.5 * gap);
        let pool = Pool::new(kernel, limits);
        let active = Active::new(&pool);
        let upper = always_seen(&pool, aim);
        Self {
            pool,
            active,
            lp: DominanceLp::default(),
            upper,
            gap,
            aim,
            history: Vec::new(),
            nodes: 0,
            bytes: 0,
            observe,
        }
    }

    /// What rounding may have done to the upper bound and to the value of the policy.
    fn rounding(&self) -> (f64, f64) {
        let kernel = self.pool.kernel;
        let slack = kernel.slack();
        let upper = slack / (1.0 - kernel.gamma);
        (upper, (slack + self.pool.residual()) / (1.0 - kernel.gamma))
    }

    /// The gap as it would be returned now.
    fn width(&self) -> f64 {
        let (up, down) = self.rounding();
        widest(&self.upper, &self.pool.v) + up + down
    }

    /// Bounds, policy and report.
    pub(super) fn run(mut self) -> Solution {
        self.record();
        if self.width() > self.gap {
            self.pool.explore(self.aim);
            self.record();
        }
        if self.width() > self.gap {
            // Nothing is closed yet: this tree reveals the state at its leaves.
            self.active.refresh(&self.pool);
            self.certify(LEAST_NODES);
            self.pool.improve();
            self.record();
        }
        let stopped = self.refine();
        self.finish(stopped)
    }

    /// Closes the active set at ever finer tolerances, and certifies, until the gap is reached or
    /// something runs out.
    fn refine(&mut self) -> Termination {
        let kernel = self.pool.kernel;
        let mut tolerance = (0.4 * kernel.span).max(self.aim * (1.0 - kernel.gamma));
        while self.width() > self.gap {
            self.active.refresh(&self.pool);
            let closure = self.active.close(&mut self.pool, &mut self.lp, tolerance);
            if closure != Closure::Abandoned {
                self.certify(LEAST_NODES.max(self.lp.pivots / 2));
            }
            let rise = self.improve();
            self.record();
            let width = self.width();
            match closure {
                _ if width <= self.gap => break,
                Closure::Abandoned | Closure::FrozenByTime => return Termination::TimeLimit,
                Closure::FrozenByMemory => return Termination::MemoryLimit,
                Closure::Complete if tolerance < kernel.slack() => return Termination::Precision,
                Closure::Complete => {}
            }
            self.active.refresh(&self.pool);
            self.active.purge(&mut self.pool, &mut self.lp, 1e-3 * tolerance);
            // While V still moves, closing finer would be in vain.
            if rise <= 0.1 * width {
                let least = if self.lp.pivots < MANY_PIVOTS { 0.2 } else { 0.3 };
                tolerance *= (0.9 * self.aim / width).clamp(least, 0.7);
            }
        }
        Termination::GapReached
    }

    fn certify(&mut self, most: usize) {
        let most = most.min(self.pool.limits.nodes);
        for nodes in certify(&mut self.pool, &self.active, &mut self.upper, self.aim, most) {
            self.nodes += nodes;
            self.track_memory(nodes);
        }
    }

    /// Lets V rise by what closing and the tree have found; returns by how much.
    fn improve(&mut self) -> f64 {
        let before = self.pool.v.clone();
        for s in 0..self.pool.kernel.n {
            let (a, rest, value) = self.pool.lookahead(&self.pool.kernel.corner(s));
            if value > self.pool.v[s] {
                self.pool.add(a, rest);
            }
        }
        if self.pool.improve() > 0.0 && self.width() > self.gap {
            self.pool.explore(self.aim);
        }
        widest(&self.pool.v, &before)
    }

    fn track_memory(&mut self, nodes: usize) {
        let (entries, cycles) = (self.pool.len(), self.pool.cycles());
        self.bytes = self.bytes.max(self.pool.limits.bytes(entries, cycles, nodes));
    }

    fn record(&mut self) {
        self.track_memory(0);
        let point = GapPoint {
            seconds: self.pool.limits.elapsed().as_secs_f64(),
            gap: self.width() * self.pool.kernel.unit,
            sequences: self.pool.len(),
            active: self.active.columns.len(),
            nodes: self.nodes,
            programs: self.lp.programs,
        };
        (self.observe)(&point);
        self.history.push(point);
    }

    fn finish(self, stopped: Termination) -> Solution {
        let unit = self.pool.kernel.unit;
        let (up, down) = self.rounding();
        let mut solution = Solution {
            lower: self.pool.v.iter().map(|v| (v - down) * unit).collect(),
            upper: self.upper.iter().map(|u| (u + up) * unit).collect(),
            policy: self.pool.policy.iter().map(|&id| self.pool.sequence(id)).collect(),
            report: SolveReport {
                termination: stopped,
                seconds: self.pool.limits.elapsed().as_secs_f64(),
                history: self.history,
                sequences: self.pool.len(),
                active: self.active.columns.len(),
                nodes: self.nodes,
                programs: self.lp.programs,
                pivots: self.lp.pivots,
                bytes: self.bytes,
                rounding: down * unit,
            },
        };
        if solution.gap() <= self.gap * unit {
            solution.report.termination = Termination::GapReached;
        }
        solution
    }
}
