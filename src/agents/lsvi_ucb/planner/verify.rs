//! The proof that a trajectory of the active sets is that of all candidates.
//!
//! The premise of the theorem (section 1 of the page of the module) is checked from the outside in: `first_error` goes over
//! the states, `check_state` splits the steps where the value reaches the clip or leaves it, `check_interval` rules
//! candidates out by the bound of section 2 and halves the interval while too many are left, and `score` computes what
//! is left exactly.

use pulp::Arch;

use super::active::ActiveSets;
use super::kernels::{FitQuadratic, LANES, LargestExcess, STRIDE, Subset};
use super::regression::{Block, Regression};
use super::screened::Trajectory;
use super::upper_bounds::{Interval, UpperBounds, index};
use crate::Real;

/// The cost of bounding a block of candidates, per state, in multiplications of exact scores: measured.
const BOUND_COST: usize = 38;

/// Upper bounds cannot be used, or cost more than plain scoring.
#[derive(Debug, Clone, Copy)]
pub(super) struct NotProved;

/// Rules candidates out interval by interval, and enlarges active sets by those that cannot be.
#[derive(Debug, Clone)]
pub(super) struct Verifier<T> {
    /// The candidates in question: a stack, because intervals are bisected.
    stack: Vec<Subset>,
    /// Scratch: the control point of the quadratic curve, its parameters, the minorant.
    control: Vec<T>,
    parameters: Vec<(T, T)>,
    minorant: Vec<T>,
    columns: Vec<usize>,
    /// Multiplications that may still be spent before plain scoring is cheaper.
    left: usize,
    steps: usize,
    arch: Arch,
}

/// What one call of [`Verifier::first_error`] works on.
struct Phase<'a, 'k, T: Real> {
    k: Regression<'k, T>,
    trajectory: &'a Trajectory<T>,
    active: &'a mut ActiveSets<T>,
    bounds: &'a mut UpperBounds,
    block: &'a mut Block<T>,
}

impl<T: Real> Verifier<T> {
    pub(super) fn new(n: usize, m: usize, steps: usize) -> Self {
        Self {
            stack: Vec::with_capacity(4 * m),
            control: vec![T::zero(); n.next_multiple_of(STRIDE)],
            parameters: Vec::with_capacity(steps),
            minorant: vec![T::zero(); 1 + n],
            columns: Vec::with_capacity(m),
            left: 0,
            steps,
            arch: Arch::new(),
        }
    }

    /// Begins a planning phase: it may spend twice what plain scoring would.
    pub(super) fn begin(&mut self, k: Regression<'_, T>) {
        let n = k.num_states();
        self.left = (exact_cost(k) + self.steps * n).saturating_mul(2 * k.psi.ncols());
    }

    /// Accounts for some multiplications.
    pub(super) fn spend(&mut self, multiplications: usize) -> Result<(), NotProved> {
        self.left = self.left.checked_sub(multiplications).ok_or(NotProved)?;
        Ok(())
    }

    /// Checks all steps from `from` on against all candidates. `None` if the trajectory is that of all
    /// candidates; otherwise a step before which it is, after adding at least one candidate to an
    /// active set.
    pub(super) fn first_error(
        &mut self,
        k: Regression<'_, T>,
        trajectory: &Trajectory<T>,
        active: &mut ActiveSets<T>,
        bounds: &mut UpperBounds,
        block: &mut Block<T>,
        from: usize,
    ) -> Result<Option<usize>, NotProved> {
        let mut phase = Phase { k, trajectory, active, bounds, block };
        let mut first = None;
        for s in 0..k.num_states() {
            let here = self.check_state(&mut phase, s, from)?;
            first = first.into_iter().chain(here).min();
        }
        Ok(first)
    }

    /// Checks state s from step `from` on, between changes from clipped to not clipped.
    fn check_state(
        &mut self,
        phase: &mut Phase<'_, '_, T>,
        s: usize,
        from: usize,
    ) -> Result<Option<usize>, NotProved> {
        let (trajectory, cap) = (phase.trajectory, phase.k.cap);
        let (n, last) = (phase.k.num_states(), trajectory.last);
        let clipped = |t: usize| trajectory.value(t, s) >= cap;
        let (mut first, mut from) = (None, from);
        while from <= last {
            let flag = clipped(from);
            let to = (from..last).find(|&t| clipped(t + 1) != flag).unwrap_or(last);
            // At the clip the choice is the first candidate to reach it: no later one can be chosen.
            let chosen = (from..=to).map(|t| trajectory.choice(n, t, s) as usize);
            let count = if flag { chosen.max().unwrap_or(0) } else { phase.k.num_candidates() };
            self.stack.clear();
            phase.bounds.inactive(s, count, &mut self.stack);
            let here = self.check_interval(phase, s, (from, to), 0)?;
            first = first.into_iter().chain(here).min();
            from = to + 1;
        }
        Ok(first)
    }

    /// Checks the candidates in `stack[from..]` on the steps a to b, which are all clipped or none is.
    fn check_interval(
        &mut self,
        phase: &mut Phase<'_, '_, T>,
        s: usize,
        (a, b): (usize, usize),
        from: usize,
    ) -> Result<Option<usize>, NotProved> {
        if from == self.stack.len() {
            return Ok(None);
        }
        let (k, trajectory) = (phase.k, phase.trajectory);
        let (n, m) = (k.num_states(), k.num_candidates());
        let radius = self.arch.dispatch(FitQuadratic {
            trajectory: trajectory.points(a, b),
            stride: trajectory.stride,
            control: &mut self.control,
            parameters: &mut self.parameters,
        });
        // The minorant is the clip, or the score of the candidate chosen at step b.
        let clipped = trajectory.value(b, s) >= k.cap;
        let choice = trajectory.choice(n, b, s);
        self.minorant.fill(T::zero());
        self.minorant[0] = k.cap;
        if !clipped {
            phase.active.coefficients(s, choice, &mut self.minorant);
        }
        self.spend((self.stack.len() - from) * BOUND_COST * n)?;
        let point = |t: usize| &trajectory.points(t, t)[..n];
        let points = [point(a), &self.control[..n], point(b)];
        let interval = Interval { points, radius, minorant: &self.minorant };
        let to = self.stack.len();
        if !phase.bounds.rule_out(interval, &mut self.stack, from) {
            return Err(NotProved);
        }
        let (left, blocks) = (count(&self.stack[to..]), self.stack.len() - to);
        // A choice that does not change and a curve without error: halving gains nothing.
        let same = clipped || (a..b).all(|t| trajectory.choice(n, t, s) == choice);
        let straight = same && radius.as_f64() <= phase.bounds.slack(s * m + choice as usize);
        // Nor does it if exact scores cost less than bounding the blocks twice more.
        let cheap = left * exact_cost(k) <= 2 * BOUND_COST * blocks * n;
        let first = if left == 0 {
            None
        } else if a == b || straight || cheap {
            self.score(phase, s, (a, b), to)?.then_some(a)
        } else {
            let half = self.half(trajectory, s, n, (a, b));
            let first = self.check_interval(phase, s, (a, half), to)?;
            let second = self.check_interval(phase, s, (half + 1, b), to)?;
            first.or(second)
        };
        self.stack.truncate(to);
        Ok(first)
    }

    /// The last step of the first half of the interval that the quadratic curve was fitted to last:
    /// where the choice changes, or where the parameter x of the curve passes 1/2.
    fn half(
        &self,
        trajectory: &Trajectory<T>,
        s: usize,
        n: usize,
        (a, b): (usize, usize),
    ) -> usize {
        let changes = |&t: &usize| trajectory.choice(n, t, s) != trajectory.choice(n, t + 1, s);
        if let Some(t) = (a..b).filter(changes).min_by_key(|&t| t.abs_diff(a.midpoint(b))) {
            return t;
        }
        // Not too near an end, so that the depth of the bisection is logarithmic.
        let margin = (b - a) / 8;
        let half = self.parameters.iter().skip(1).position(|&(x, _)| x + x >= T::one());
        half.map_or(a.midpoint(b), |i| a + i).clamp(a + margin, b - 1 - margin)
    }

    /// Scores the candidates in `stack[from..]` exactly on the steps a to b. Those that reach V_u(s)
    /// join the active set; whether there are any.
    fn score(
        &mut self,
        phase: &mut Phase<'_, '_, T>,
        s: usize,
        (a, b): (usize, usize),
        from: usize,
    ) -> Result<bool, NotProved> {
        let (k, trajectory) = (phase.k, phase.trajectory);
        self.columns.clear();
        for &some in &self.stack[from..] {
            self.columns.extend(phase.bounds.columns(some));
        }
        self.spend(self.columns.len() * (exact_cost(k) + (b + 1 - a) * k.num_states()))?;
        let clipped = trajectory.value(b, s) >= k.cap;
        let mut added = false;
        for columns in self.columns.chunks(LANES) {
            phase.block.compute(k, columns);
            let Block { coefficients, norms, .. } = &*phase.block;
            let (trajectory, stride) = (trajectory.points(a, b + 1), trajectory.stride);
            let excess = LargestExcess { coefficients, trajectory, stride, s };
            let excess = self.arch.dispatch(excess);
            for (lane, &column) in columns.iter().enumerate() {
                phase.bounds.improve(column, norms[lane], coefficients[0][lane]);
            }
            let reach = || (0..columns.len()).filter(|&lane| excess[lane] >= T::zero());
            let best = reach().reduce(|a, b| if excess[b] > excess[a] { b } else { a });
            // If many reach V_u(s) the trajectory is far off, and most of them lose to the best, which
            // is enough for now. Not at the clip, where another may be the first at each step.
            for lane in reach().filter(|&lane| clipped || Some(lane) == best) {
                phase.bounds.activate(columns[lane], norms[lane]);
                let coefficients = coefficients.iter().map(|c| c[lane]);
                let j = index(columns[lane] - s * k.num_candidates());
                added |= phase.active.add(s, j, coefficients);
            }
        }
        Ok(added)
    }
}

/// The multiplications for the exact coefficients of a candidate.
fn exact_cost<T: Real>(k: Regression<'_, T>) -> usize {
    let (d, n) = (k.psi.nrows(), k.num_states());
    d * (1 + n + d)
}

/// How many candidates there are in some subsets.
fn count(subsets: &[Subset]) -> usize {
    subsets.iter().map(|some| some.lanes.count_ones() as usize).sum()
}
