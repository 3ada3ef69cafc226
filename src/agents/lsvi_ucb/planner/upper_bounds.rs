//! Upper bounds on the excess of every candidate, in single precision.
//!
//! A *lane* is one candidate, a *block* the [`SINGLE_LANES`] candidates of one state that a vector instruction treats at
//! once, and the *slack* of a candidate what section 3 of the page of the module adds for rounding.

use nalgebra::DMatrix;
use pulp::Arch;

use super::kernels::{
    BoundExcess, COLUMNS, LANES, SINGLE_LANES, SingleCoefficients, SingleLanes, SinglePoint, Subset,
};
use super::norms::NormBounds;
use super::regression::{Block, Regression};
use crate::Real;

/// The ranges of section 5 of the page of the module: outside of them no candidate is ruled out.
const MAX_TERMS: usize = 1 << 20;
const MAX_FEATURE: f64 = 1024.0; // 2^10
const MAX_WEIGHT: f64 = 1_099_511_627_776.0; // 2^40
const MAX_SCORE: f64 = 1.267_650_600_228_229_4e30; // 2^100

/// Coefficients of all candidates in single precision, with a bound on what rounding makes of them.
#[derive(Debug, Clone)]
pub(super) struct UpperBounds {
    n: usize,
    m: usize,
    d: usize,
    /// Blocks of [`SINGLE_LANES`] candidates per state.
    blocks: usize,
    /// Feature f of block b at `b * d + f`.
    psi: Vec<SingleLanes>,
    /// The largest |psi_f| of state s at `s * d + f`; empty if no psi_f is negative.
    largest: Vec<f64>,
    /// The largest |psi_f|.
    feature: f64,
    norms: NormBounds,
    /// c_0, ..., c_n of block b from `b * (2 + n)` on, then the slack.
    table: Vec<SingleLanes>,
    /// The candidates of each block that are in the active set of their state.
    active: Vec<u16>,
    /// 1/(1-gamma): slacks in `table` are for |V| up to here.
    cap: f64,
    /// The relative error of a score, as a share of the sum of the sizes of its terms.
    unit: f64,
    /// An upper bound on that sum for every candidate and |V| <= 1/(1-gamma).
    magnitude: f64,
    /// Scratch: Lambda^-1 (q, b_1, ..., b_n) and the weights of the slack; the arguments of a bound.
    weights: Vec<[f32; COLUMNS]>,
    points: [SinglePoint; 3],
    slopes: Vec<f32>,
    arch: Arch,
}

/// An interval of consecutive steps of a trajectory, as far as upper bounds need to know it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interval<'a, T> {
    /// Every V_(u+1) of the interval is within `radius`, in each coordinate, of a convex combination of
    /// these three points.
    pub(super) points: [&'a [T]; 3],
    pub(super) radius: T,
    /// The coefficients c_0, ..., c_n of an affine function of V_(u+1) that is at most V_u(s).
    pub(super) minorant: &'a [T],
}

impl UpperBounds {
    pub(super) fn new<T: Real>(psi: &DMatrix<T>, n: usize, cap: T) -> Self {
        let (d, m) = (psi.nrows(), psi.ncols() / n);
        let blocks = m.div_ceil(SINGLE_LANES);
        let mut lanes = vec![[0.0; SINGLE_LANES]; n * blocks * d];
        let mut largest = vec![0.0; n * d];
        for (column, psi) in psi.column_iter().enumerate() {
            let (s, j) = (column / m, column % m);
            for (f, x) in psi.iter().map(|x| x.as_f64()).enumerate() {
                lanes[(s * blocks + j / SINGLE_LANES) * d + f][j % SINGLE_LANES] = single(x);
                largest[s * d + f] = x.abs().max(largest[s * d + f]);
            }
        }
        let feature = largest.iter().copied().fold(0.0, f64::max);
        if psi.iter().all(|&x| x >= T::zero()) {
            largest.clear();
        }
        let point = || SinglePoint { v: vec![0.0; n], minorant: 0.0 };
        Self {
            n,
            m,
            d,
            blocks,
            psi: lanes,
            largest,
            feature,
            norms: NormBounds::new(psi, n * blocks),
            table: vec![[0.0; SINGLE_LANES]; n * blocks * (2 + n)],
            active: vec![0; n * blocks],
            cap: cap.as_f64(),
            unit: (d + n + 8) as f64 * (f64::from(f32::EPSILON) + T::epsilon().as_f64()),
            magnitude: 0.0,
            weights: vec![[0.0; COLUMNS]; (2 + n).div_ceil(COLUMNS) * d],
            points: [point(), point(), point()],
            slopes: vec![0.0; n],
            arch: Arch::new(),
        }
    }

    /// Tells that Lambda^-1 has become Lambda^-1 - z z^T.
    pub(super) fn lambda_grew<T: Real>(&mut self, z: &[T]) {
        self.norms.grow(z);
    }

    /// Tells that Lambda^-1 has been replaced.
    pub(super) fn forget(&mut self) {
        self.norms.forget();
    }

    /// Computes the coefficients of all candidates, with empty active sets; `false` if a number is
    /// outside of the ranges that upper bounds are proved for.
    pub(super) fn update<T: Real>(&mut self, k: Regression<'_, T>, block: &mut Block<T>) -> bool {
        let (n, d, rho) = (self.n, self.d, k.rho.as_f64());
        self.active.fill(0);
        let mut total = 0.0;
        for f in 0..d {
            let mut size = 0.0;
            for i in 0..=n {
                let w = k.weights[(f, i)].as_f64();
                self.weights[i / COLUMNS * d + f][i % COLUMNS] = single(w);
                size += w.abs() * if i == 0 { 1.0 } else { self.cap };
            }
            // The slack is one more coefficient, of the sizes of the terms of all others.
            let i = n + 1;
            self.weights[i / COLUMNS * d + f][i % COLUMNS] = single(self.unit * size);
            total += size;
        }
        if !self.norms.hold(k.inverse) {
            self.compute_norms(k, block);
        }
        let ranges = n + d + 8 <= MAX_TERMS && self.feature <= MAX_FEATURE;
        let weights = [total, rho, self.cap, self.norms.largest];
        if !(ranges && weights.iter().all(|&x| x <= MAX_WEIGHT)) {
            return false;
        }
        self.magnitude = self.feature * total + rho * self.norms.largest;
        let Self { psi, table, norms, weights, arch, .. } = self;
        let (norms, rho, unit) = (&norms.lanes, single(rho), single(self.unit));
        arch.dispatch(SingleCoefficients { psi, norms, weights, d, rho, unit, table });
        if !self.largest.is_empty() {
            self.slack_of_signed_features(rho);
        }
        true
    }

    /// Computes the norms of all columns.
    fn compute_norms<T: Real>(&mut self, k: Regression<'_, T>, block: &mut Block<T>) {
        self.norms.restart(k.rho, k.cap);
        let count = self.n * self.m;
        for from in (0..count).step_by(LANES) {
            let columns: [usize; LANES] = std::array::from_fn(|i| from + i);
            let columns = &columns[..(count - from).min(LANES)];
            block.compute(k, columns);
            for (&column, &norm) in columns.iter().zip(&block.norms) {
                self.norms.set(self.place(column), norm);
            }
        }
    }

    /// Features with signs: the slack is computed as if each |psi_f| were the largest of its state.
    fn slack_of_signed_features(&mut self, rho: f32) {
        let (d, i) = (self.d, self.n + 1);
        for s in 0..self.n {
            let largest = self.largest[s * d..(s + 1) * d].iter().enumerate();
            let sizes = largest.map(|(f, &x)| {
                let weight = self.weights[i / COLUMNS * d + f][i % COLUMNS];
                f64::from(weight) * x
            });
            let size = single(sizes.sum::<f64>());
            for block in s * self.blocks..(s + 1) * self.blocks {
                let bonus = self.norms.lanes[block].map(|norm| single(self.unit) * rho * norm);
                self.table[block * (self.n + 2) + i] = bonus.map(|bonus| size + bonus);
            }
        }
    }

    /// The slack of a column.
    pub(super) fn slack(&self, column: usize) -> f64 {
        let (block, lane) = self.place(column);
        f64::from(self.table[block * (2 + self.n) + 1 + self.n][lane])
    }

    /// Uses the norm and the constant term c_0 of a column, computed exactly in this planning phase.
    pub(super) fn improve<T: Real>(&mut self, column: usize, norm: T, constant: T) {
        let (block, lane) = self.place(column);
        self.norms.set((block, lane), norm);
        self.table[block * (2 + self.n)][lane] = single(constant.as_f64());
    }

    /// Records that a column is active: it is not a candidate to rule out.
    pub(super) fn activate<T: Real>(&mut self, column: usize, norm: T) {
        let (block, lane) = self.place(column);
        self.norms.set((block, lane), norm);
        self.active[block] |= 1 << lane;
    }

    fn place(&self, column: usize) -> (usize, usize) {
        let (s, j) = (column / self.m, column % self.m);
        (s * self.blocks + j / SINGLE_LANES, j % SINGLE_LANES)
    }

    /// Appends to `stack` those of the first `count` candidates of state s that are not active.
    pub(super) fn inactive(&self, s: usize, count: usize, stack: &mut Vec<Subset>) {
        for b in 0..count.div_ceil(SINGLE_LANES) {
            let block = s * self.blocks + b;
            let first = u16::MAX >> SINGLE_LANES.saturating_sub(count - b * SINGLE_LANES);
            let lanes = first & !self.active[block];
            if lanes != 0 {
                stack.push(Subset { block: index(block), lanes });
            }
        }
    }

    /// The columns of some candidates that are not active.
    pub(super) fn columns(&self, some: Subset) -> impl Iterator<Item = usize> + use<> {
        let (s, b) = (some.block as usize / self.blocks, some.block as usize % self.blocks);
        let (from, lanes) = (s * self.m + b * SINGLE_LANES, some.lanes);
        let lanes = lanes & !self.active[some.block as usize];
        (0..SINGLE_LANES).filter(move |lane| lanes >> lane & 1 == 1).map(move |lane| from + lane)
    }

    /// Of the candidates of one state in `stack[from..]`, appends to `stack` those that are not ruled out
    /// on an interval; `false`, and nothing appended, if a number is out of range.
    pub(super) fn rule_out<T: Real>(
        &mut self,
        interval: Interval<'_, T>,
        stack: &mut Vec<Subset>,
        from: usize,
    ) -> bool {
        let (constant, slopes) = (interval.minorant[0], &interval.minorant[1..]);
        copy(slopes, &mut self.slopes);
        let mut size = self.cap;
        for (to, v) in self.points.iter_mut().zip(interval.points) {
            copy(v, &mut to.v);
            let score = slopes.iter().zip(v).fold(constant, |k, (&c, &v)| k + c * v);
            to.minorant = single(score.as_f64());
            for v in v.iter().map(|v| v.as_f64().abs()) {
                if !in_range(v) {
                    return false;
                }
                size = size.max(v);
            }
        }
        // The letters M, r' and S of sections 2 and 3.
        let (eps, terms) = (f64::from(f32::EPSILON), (self.n + 16) as f64);
        let radius = interval.radius.as_f64() + 16.0 * T::epsilon().as_f64() * size;
        let slopes = slopes.iter().fold(0.0, |sum, c| sum + c.as_f64().abs());
        let total = size + constant.as_f64().abs() + slopes * (size + radius);
        let scale = (size + 2.0 * radius) / self.cap;
        if !in_range(total + scale * self.magnitude) {
            return false;
        }
        let slack = single((eps + T::epsilon().as_f64()) * terms * total);
        let (scale, radius) = (single(scale), single(radius * (1.0 + terms * eps)));
        let Self { table, points, slopes, .. } = &*self;
        let bound = BoundExcess { table, points, slopes, radius, scale, slack, stack, from };
        self.arch.dispatch(bound);
        true
    }
}

/// Whether a size is small enough; not if it is not a number.
fn in_range(size: f64) -> bool {
    size <= MAX_SCORE
}

/// The nearest single-precision number; the slack of the bounds covers the difference.
#[allow(clippy::cast_possible_truncation)]
pub(super) fn single(x: f64) -> f32 {
    x as f32
}

fn copy<T: Real>(from: &[T], to: &mut [f32]) {
    to.iter_mut().zip(from).for_each(|(to, x)| *to = single(x.as_f64()));
}

/// A column or candidate as a `u32`; the constructor of the learner refuses more than 2^32 columns.
#[allow(clippy::cast_possible_truncation)]
pub(super) fn index(j: usize) -> u32 {
    j as u32
}
