//! The bounds that are known so far, and the policy that attains the lower one.

use super::arrays::Arrays;
use super::limits::Limits;
use super::report::{GapPoint, Solution, SolveReport, Termination};
use crate::Real;
use crate::sequence::ActionSequence;

/// Counts of the work done so far, for the report.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Work {
    pub(super) sequences: usize,
    pub(super) active: usize,
    pub(super) nodes: usize,
    pub(super) programs: usize,
    pub(super) pivots: usize,
    /// The most memory in use at once, in bytes.
    pub(super) bytes: usize,
}

/// lower <= value of `policy` <= V* <= upper at every state, with rounding allowed for.
///
/// It starts with what holds for every policy, r_min / (1 - gamma) and r_max / (1 - gamma). Upper bounds
/// are combined state by state. A lower bound belongs to one policy, so it is replaced as a whole, and
/// only if that does not widen the gap: the gap never rises, not even by rounding.
pub(super) struct Bracket<'a, F> {
    pub(super) arrays: &'a Arrays,
    pub(super) limits: Limits,
    /// The gap to reach in `f64`, in the model's own numbers.
    gap: f64,
    /// Both in units of [`Arrays::unit`].
    lower: Vec<f64>,
    upper: Vec<f64>,
    policy: Vec<ActionSequence>,
    /// Half of what the policy may be worth more than `lower`, in units.
    rounding: f64,
    pub(super) work: Work,
    history: Vec<GapPoint>,
    observe: F,
}

impl<'a, F: FnMut(&GapPoint)> Bracket<'a, F> {
    pub(super) fn new(arrays: &'a Arrays, limits: Limits, gap: f64, observe: F) -> Self {
        let (low, high) = arrays.trivial;
        Self {
            arrays,
            limits,
            gap,
            lower: vec![low; arrays.n],
            upper: vec![high; arrays.n],
            policy: vec![ActionSequence::constant(0); arrays.n],
            rounding: 0.5 * (high - low),
            work: Work::default(),
            history: Vec::new(),
            observe,
        }
    }

    /// The upper bounds, in units.
    pub(super) fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// The gap asked for, in units; infinite if the unit is too small to say it.
    pub(super) fn asked(&self) -> f64 {
        self.gap / self.arrays.unit
    }

    /// Takes over the bounds `upper` + `allowance`, where they are better.
    pub(super) fn offer_upper(&mut self, upper: &[f64], allowance: f64) {
        for (old, new) in self.upper.iter_mut().zip(upper) {
            *old = old.min(new + allowance);
        }
    }

    /// Takes over the bounds `lower` - `allowance` with the policy that is worth as much, unless that
    /// would widen the gap. The policy must be worth at most `lower` - `allowance` + 2 `rounding`.
    pub(super) fn offer_lower(
        &mut self,
        lower: &[f64],
        allowance: f64,
        rounding: f64,
        policy: impl FnOnce() -> Vec<ActionSequence>,
    ) {
        let floor = self.arrays.trivial.0;
        let lower: Vec<f64> = lower.iter().map(|x| (x - allowance).max(floor)).collect();
        // A bound that is not a number compares as false and is not taken over.
        if self.width_of(&lower) <= self.width_of(&self.lower) {
            (self.lower, self.rounding) = (lower, rounding);
            self.policy = policy();
        }
    }

    /// The largest upper - lower with these lower bounds, in the model's own numbers.
    fn width_of(&self, lower: &[f64]) -> f64 {
        let widths =
            (self.upper.iter().zip(lower)).map(|(&u, &l)| self.arrays.up(u) - self.arrays.down(l));
        widths.fold(0.0, |x, y| if y <= x { x } else { y })
    }

    /// The largest upper - lower, in units.
    pub(super) fn width(&self) -> f64 {
        super::arrays::widest(&self.upper, &self.lower)
    }

    /// Whether the gap asked for is reached.
    pub(super) fn reached(&self) -> bool {
        self.width_of(&self.lower) <= self.gap
    }

    /// Adds a point to the history and calls the observer with it.
    pub(super) fn record(&mut self) {
        let point = GapPoint {
            seconds: self.limits.elapsed().as_secs_f64(),
            gap: self.width_of(&self.lower),
            sequences: self.work.sequences,
            active: self.work.active,
            nodes: self.work.nodes,
            programs: self.work.programs,
        };
        (self.observe)(&point);
        self.history.push(point);
    }

    /// The answer, its bounds rounded outward to the scalar `T`; `asked` is the gap asked for.
    pub(super) fn finish<T: Real>(self, stopped: Termination, asked: f64) -> Solution<T> {
        let (arrays, work, reached) = (self.arrays, self.work, self.reached());
        let lower: Vec<T> = self.lower.iter().map(|&x| T::at_most(arrays.down(x))).collect();
        let upper = self.upper.iter().map(|&x| T::at_least(arrays.up(x))).collect();
        // What the scalar takes away from the lower bounds counts as rounding too.
        let lost = self.lower.iter().zip(&lower).map(|(&x, y)| arrays.down(x) - y.as_f64());
        let rounding = arrays.up(self.rounding) + 0.5 * lost.fold(0.0, f64::max);
        let mut solution = Solution {
            lower,
            upper,
            policy: self.policy.into(),
            report: SolveReport {
                termination: stopped,
                seconds: self.limits.elapsed().as_secs_f64(),
                history: self.history,
                sequences: work.sequences,
                active: work.active,
                nodes: work.nodes,
                programs: work.programs,
                pivots: work.pivots,
                bytes: work.bytes,
                rounding,
            },
        };
        if solution.gap() <= asked {
            solution.report.termination = Termination::GapReached;
        } else if reached {
            solution.report.termination = Termination::Precision;
        }
        solution
    }
}
