//! The linear program for the largest amount by which a vector exceeds a set of vectors over beliefs.
//!
//! For a target t and columns alpha_i the gain is
//!
//! ```math
//! max over beliefs b of  t.b - max_i alpha_i.b  =  min over mixtures l of  max_j (t - sum_i l_i alpha_i)_j
//! ```
//!
//! The right side is solved by the revised simplex method with an explicit (n + 1) x (n + 1) inverse;
//! a column enters when it is best at the belief that the dual variables are: best of a few that were good
//! before or, if none of those is of use any more, of all. Bases are small and
//! short-lived (some ten pivots), so the inverse is updated, never refactored.
//!
//! Nothing rests on the simplex method being right. A mixture is evaluated directly before it is
//! believed, and a belief is only a hint where to look: errors loosen a bound, never falsify it.

use super::arrays::dot;
use super::columns::Columns;
use super::limits::Limits;
use super::near::Near;

/// Entries below this are not pivoted on, and dual variables above minus this count as feasible.
const TINY: f64 = 1e-11;

/// The answer of [`DominanceLp::check`].
#[derive(Debug)]
pub(super) enum Verdict {
    /// Some mixture of columns, evaluated directly, is nowhere lower than the target by more.
    Below(f64),
    /// A belief where the target beats every column by more than the tolerance.
    Above(Vec<f64>),
}

/// Solves dominance programs one after the other in the same memory.
///
/// Rows j < n of the program: sum_i l_i (t_j - alpha_ij) + slack_j - gain = 0; row n: sum_i l_i = 1.
/// Variables are numbered: columns, then slacks, then the gain, which never leaves the basis.
#[derive(Debug, Default)]
pub(super) struct DominanceLp {
    scratch: Vec<f64>,
    near: Near,
    /// The inverse of the basis, row by row.
    inverse: Vec<f64>,
    /// The values of the basic variables, and which they are.
    value: Vec<f64>,
    basis: Vec<usize>,
    /// The entering column, before and after multiplication by the inverse.
    entering: Vec<f64>,
    direction: Vec<f64>,
    /// When to stop pivoting; never if there are none.
    limits: Option<Limits>,
    /// Programs solved so far.
    pub(super) programs: usize,
    /// Pivots made so far: the measure of work.
    pub(super) pivots: usize,
}

/// Pivots between two looks at the clock.
const STRIDE: usize = 16;

impl DominanceLp {
    /// Programs that stop at the time limit, with the bound that the mixture reached by then gives.
    pub(super) fn within(limits: Limits) -> Self {
        Self { limits: Some(limits), ..Self::default() }
    }

    /// Forgets which columns were of use in earlier programs. It is called before a program with another
    /// set than the one before, unless columns have only been added.
    pub(super) fn forget(&mut self) {
        self.near.clear();
    }

    fn late(&self) -> bool {
        self.limits.is_some_and(|limits| limits.late())
    }

    /// A bound on the gain of `target` over `set`: near the optimum, or just below `enough`.
    pub(super) fn gain(&mut self, target: &[f64], set: &Columns, enough: f64) -> f64 {
        match self.run(target, set, set.len(), enough, false) {
            Verdict::Below(gain) => gain,
            Verdict::Above(_) => f64::INFINITY,
        }
    }

    /// Is `target` at most `tolerance` above the first `len` columns of `set`, at every belief?
    ///
    /// Stops as soon as either answer is certain. If neither can be had (the program stalled), the
    /// answer is `Below` with a bound above the tolerance.
    pub(super) fn check(
        &mut self,
        target: &[f64],
        set: &Columns,
        len: usize,
        tolerance: f64,
    ) -> Verdict {
        self.run(target, set, len, tolerance, true)
    }

    fn run(
        &mut self,
        target: &[f64],
        set: &Columns,
        len: usize,
        tolerance: f64,
        seek_witness: bool,
    ) -> Verdict {
        let n = set.dim();
        self.programs += 1;
        let mut belief = vec![1.0 / n as f64; n];
        if len == 0 {
            return Verdict::Above(belief);
        }
        // Degenerate bases are avoided by raising the target a little, unevenly. Verdicts are about
        // the target as it was given.
        let raised: Vec<f64> = (target.iter().enumerate())
            .map(|(j, t)| t + 1e-3 * tolerance * (j as f64 * 0.618_034 + 0.3).fract())
            .collect();
        let first = match self.near.best(&belief) {
            Some((i, _)) => i,
            None => set.best_of(len, &belief, &mut self.scratch).0,
        };
        let (pivot, mut gain) = self.start(&raised, set, first, len);
        let most = 100 + 20 * n;
        let mut steps = 0;
        while gain > tolerance {
            let row = &self.inverse[pivot * (n + 1)..];
            belief.iter_mut().zip(row).for_each(|(b, x)| *b = -x);
            let entering = if let Some(j) = most_negative(&belief) {
                len + j
            } else {
                normalise(&mut belief);
                let height = dot(&raised, &belief);
                if let Some((i, level)) = self.near.best(&belief)
                    && !self.is_optimal(i, height - level, gain, tolerance)
                {
                    i
                } else {
                    let (i, level) = set.best_of(len, &belief, &mut self.scratch);
                    self.near.add(set, &self.scratch, height - gain);
                    let here = height - level;
                    let optimal = self.is_optimal(i, here, gain, tolerance);
                    // A witness need not be the best one, but a poor one leads to a poor new column.
                    if seek_witness
                        && dot(target, &belief) - level > tolerance
                        && (optimal || here > 0.3 * gain)
                    {
                        self.pivots += steps;
                        return Verdict::Above(belief);
                    }
                    if optimal {
                        break;
                    }
                    i
                }
            };
            steps += 1;
            let stop = steps > most || (steps % STRIDE == 0 && self.late());
            if stop || !self.enter(&raised, set, entering, len, pivot) {
                break;
            }
            gain = self.value[pivot];
        }
        self.pivots += steps;
        Verdict::Below(self.evaluate_mixture(target, set, len))
    }

    /// Whether column `i`, which is best at the belief that the duals are, does not lower the gain if it
    /// enters; `here` is how far the target lies above it.
    fn is_optimal(&self, i: usize, here: f64, gain: f64, tolerance: f64) -> bool {
        here >= gain - 1e-12 * (1.0 + gain.abs()) - 1e-3 * tolerance || self.basis.contains(&i)
    }

    /// The basis of one column alone; returns the row of the gain, and the gain.
    fn start(&mut self, t: &[f64], set: &Columns, first: usize, len: usize) -> (usize, f64) {
        let n = t.len();
        let k = n + 1;
        let excess = |j: usize| t[j] - set.component(first, j);
        let (mut pivot, mut gain) = (0, f64::NEG_INFINITY);
        for j in 0..n {
            if excess(j) > gain {
                (pivot, gain) = (j, excess(j));
            }
        }
        self.basis.clear();
        self.basis.extend(len..len + n);
        self.basis[pivot] = len + n;
        self.basis.push(first);
        self.inverse.clear();
        self.inverse.resize(k * k, 0.0);
        for j in 0..n {
            let row = &mut self.inverse[j * k..(j + 1) * k];
            if j != pivot {
                row[j] = 1.0;
            }
            row[pivot] = -1.0;
            row[n] = if j == pivot { gain } else { gain - excess(j) };
        }
        self.inverse[n * k + n] = 1.0;
        self.value.clear();
        self.value.extend((0..k).map(|q| self.inverse[q * k + n]));
        self.entering.resize(k, 0.0);
        self.direction.resize(k, 0.0);
        (pivot, gain)
    }

    /// One pivot; false if no variable can leave.
    fn enter(
        &mut self,
        t: &[f64],
        set: &Columns,
        variable: usize,
        len: usize,
        gain_row: usize,
    ) -> bool {
        let n = t.len();
        let k = n + 1;
        if variable >= len {
            self.entering.fill(0.0);
            self.entering[variable - len] = 1.0;
        } else {
            for (j, (x, t)) in self.entering.iter_mut().zip(t).enumerate() {
                *x = t - set.component(variable, j);
            }
            self.entering[n] = 1.0;
        }
        let (mut step, mut leaving) = (f64::INFINITY, None);
        for q in 0..k {
            let slope = dot(&self.inverse[q * k..(q + 1) * k], &self.entering);
            self.direction[q] = slope;
            if q != gain_row && slope > TINY {
                let ratio = self.value[q].max(0.0) / slope;
                // Among equals the largest pivot is the most stable.
                let better = leaving.is_none_or(|l: usize| {
                    ratio < step || (ratio <= step && slope > self.direction[l])
                });
                if better {
                    (step, leaving) = (ratio, Some(q));
                }
            }
        }
        let Some(out) = leaving else { return false };
        let (before, rest) = self.inverse.split_at_mut(out * k);
        let (row, after) = rest.split_at_mut(k);
        let scale = 1.0 / self.direction[out];
        row.iter_mut().for_each(|x| *x *= scale);
        let below = after.chunks_exact_mut(k).zip(&self.direction[out + 1..]);
        for (other, &slope) in before.chunks_exact_mut(k).zip(&self.direction).chain(below) {
            if slope != 0.0 {
                other.iter_mut().zip(&*row).for_each(|(x, r)| *x -= slope * r);
            }
        }
        for (q, (value, &slope)) in self.value.iter_mut().zip(&self.direction).enumerate() {
            *value = if q == out { step } else { *value - slope * step };
        }
        self.basis[out] = variable;
        true
    }

    /// max_j (target - mixture)_j for the mixture in the basis, whatever led there.
    fn evaluate_mixture(&self, target: &[f64], set: &Columns, len: usize) -> f64 {
        let weights = self.basis.iter().zip(&self.value).filter(|&(&i, &l)| i < len && l > 0.0);
        let total: f64 = weights.clone().map(|(_, &l)| l).sum();
        if !(total.is_finite() && total > 0.0) {
            return f64::INFINITY;
        }
        let above = |(j, t): (usize, &f64)| {
            t - weights.clone().map(|(&i, l)| l / total * set.component(i, j)).sum::<f64>()
        };
        target.iter().enumerate().map(above).fold(f64::NEG_INFINITY, f64::max)
    }
}

fn most_negative(x: &[f64]) -> Option<usize> {
    let mut least = -TINY;
    let mut place = None;
    for (j, &x) in x.iter().enumerate() {
        if x < least {
            (least, place) = (x, Some(j));
        }
    }
    place
}

/// Clears what rounding left below 0 and makes the sum 1.
fn normalise(belief: &mut [f64]) {
    belief.iter_mut().for_each(|x| *x = x.max(0.0));
    let sum: f64 = belief.iter().sum();
    belief.iter_mut().for_each(|x| *x /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_mixture_can_dominate_where_no_column_does() {
        let mut set = Columns::new(2);
        set.push(0, &[1.0, 0.0]);
        set.push(1, &[0.0, 1.0]);
        let mut lp = DominanceLp::default();
        assert!((lp.gain(&[0.5, 0.5], &set, 0.0)).abs() < 1e-12);
        assert!((lp.gain(&[0.7, 0.6], &set, 0.0) - 0.15).abs() < 1e-12);
        let Verdict::Above(b) = lp.check(&[0.7, 0.6], &set, 2, 0.1) else { panic!("no witness") };
        assert!(0.7 * b[0] + 0.6 * b[1] - b[0].max(b[1]) > 0.1);
        assert!(matches!(lp.check(&[0.7, 0.6], &set, 2, 0.2), Verdict::Below(g) if g <= 0.2));
    }

    proptest! {
        /// Weak duality by brute force: the bound holds at every belief of a grid, and a witness
        /// is one.
        #[test]
        fn verdicts_are_true(
            columns in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0_f64), 1..12),
            target in proptest::array::uniform3(-1.0..1.0_f64),
            tolerance in 1e-6..0.5_f64,
        ) {
            let mut set = Columns::new(3);
            let mut lp = DominanceLp::default();
            for (i, c) in columns.iter().enumerate() {
                set.push(i, c);
                // A set that grows between programs: what they remember must not matter.
                lp.gain(&target, &set, 0.0);
            }
            let level = |b: &[f64]| columns.iter().map(|c| dot(c, b)).fold(f64::MIN, f64::max);
            let bound = lp.gain(&target, &set, 0.0);
            let mut top = f64::MIN;
            for i in 0..=40 {
                for j in 0..=40 - i {
                    let b = [f64::from(i) / 40.0, f64::from(j) / 40.0, f64::from(40 - i - j) / 40.0];
                    top = top.max(dot(&target, &b) - level(&b));
                }
            }
            prop_assert!(top <= bound + 1e-12);
            prop_assert!(bound <= top.max(0.0) + 0.11, "far from the grid: {bound} {top}");
            match lp.check(&target, &set, set.len(), tolerance) {
                Verdict::Below(g) => prop_assert!(g <= tolerance && top <= g + 1e-12),
                Verdict::Above(b) => prop_assert!(dot(&target, &b) - level(&b) > tolerance),
            }
        }
    }
}
