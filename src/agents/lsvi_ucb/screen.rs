//! Who can win at all: a bound on every candidate's K, in single precision.

use nalgebra::DMatrix;
use pulp::Arch;

use super::kernels::{
    ABREAST, EXACT, ROUGH, Rough, RoughCoefficients, RoughPoint, RoughReach, Subset,
};
use super::regression::{Block, Regression};
use crate::Real;

/// An upper bound on c_0 + <c, V> for every state and candidate.
///
/// It is cheap because it need not be exact. It is computed in single precision, with a slack that
/// covers the rounding; and with bonuses of old, because `||psi||_{Lambda^-1}` only ever shrinks.
#[derive(Debug, Clone)]
pub(super) struct Screen {
    n: usize,
    m: usize,
    d: usize,
    /// Of ROUGH candidates, per state.
    blocks: usize,
    /// Feature f of block b at `b * d + f`.
    psi: Vec<Rough>,
    /// The largest |psi_f| of state s at `s * d + f`; nothing if no psi_f is below 0.
    largest: Vec<f64>,
    /// At least `||psi||_{Lambda^-1}`.
    norms: Vec<Rough>,
    /// How often Lambda may grow before norms are computed afresh, and how often from now.
    growths: usize,
    left: usize,
    /// What rounding can add to the square of a norm meanwhile.
    drift: f64,
    /// c_0, ..., c_n of block b from `b * (2 + n)` on, and what rounding can make of a lead.
    table: Vec<Rough>,
    /// 1/(1-gamma): the slack is for V up to here.
    cap: f64,
    /// What rounding can make of a product of features and weights, as a share of its terms.
    unit: f64,
    /// Scratch: Lambda^-1 (q, b_1, ..., b_n) and the sizes of its rows; points of a stretch; the rival.
    weights: Vec<[f32; ABREAST]>,
    points: [RoughPoint; 3],
    rival: Vec<f32>,
    arch: Arch,
}

/// Steps of the sweep, one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch<'a, T> {
    /// Every step's V_(u+1) is a mean of these three, but for `radius` in each coordinate.
    pub(super) points: [&'a [T]; 3],
    pub(super) radius: T,
    /// c_0, ..., c_n of someone whose K is never above V_u.
    pub(super) rival: &'a [T],
}

impl Screen {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small positive number
    pub(super) fn new<T: Real>(psi: &DMatrix<T>, n: usize, lambda: T, cap: T) -> Self {
        let (d, m) = (psi.nrows(), psi.ncols() / n);
        let blocks = m.div_ceil(ROUGH);
        let mut lanes = vec![[0.0; ROUGH]; n * blocks * d];
        let mut largest = vec![0.0; n * d];
        let mut longest = 0.0_f64;
        for (column, psi) in psi.column_iter().enumerate() {
            let (s, j) = (column / m, column % m);
            for (f, x) in psi.iter().map(|x| x.as_f64()).enumerate() {
                lanes[(s * blocks + j / ROUGH) * d + f][j % ROUGH] = single(x);
                largest[s * d + f] = x.abs().max(largest[s * d + f]);
            }
            longest = psi.iter().map(|x| x.as_f64().abs()).sum::<f64>().max(longest);
        }
        if psi.iter().all(|&x| x >= T::zero()) {
            largest.clear();
        }
        // No entry of Lambda^-1 is above 1/lambda, and a growth rounds each three times.
        let rounding = T::epsilon().as_f64() * longest * longest / lambda.as_f64();
        let growths = (1e-9 / rounding).min(4096.0) as usize;
        let point = || RoughPoint { v: vec![0.0; n], rival: 0.0 };
        Self {
            n,
            m,
            d,
            blocks,
            psi: lanes,
            largest,
            norms: vec![[0.0; ROUGH]; n * blocks],
            growths,
            left: 0,
            drift: rounding * (3 * growths + 4 * d) as f64,
            table: vec![[0.0; ROUGH]; n * blocks * (2 + n)],
            cap: cap.as_f64(),
            // A sum of products is rounded once in each term, that of coefficients and V included;
            // and what it is compared with, in T, as well.
            unit: (d + n + 8) as f64 * (f64::from(f32::EPSILON) + T::epsilon().as_f64()),
            weights: vec![[0.0; ABREAST]; (2 + n).div_ceil(ABREAST) * d],
            points: [point(), point(), point()],
            rival: vec![0.0; n],
            arch: Arch::new(),
        }
    }

    /// Lambda has grown by a term.
    pub(super) fn grown(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Lambda is another one.
    pub(super) fn forget(&mut self) {
        self.left = 0;
    }

    /// Bounds the coefficients of everyone.
    pub(super) fn compose<T: Real>(&mut self, k: Regression<'_, T>, block: &mut Block<T>) {
        if self.left == 0 {
            for from in (0..self.n * self.m).step_by(EXACT) {
                let columns: [usize; EXACT] = std::array::from_fn(|i| from + i);
                let count = (self.n * self.m - from).min(EXACT);
                block.compute(k, &columns[..count]);
                let norms = columns.into_iter().zip(block.norms).take(count);
                norms.for_each(|(column, norm)| self.tighten(column, norm));
            }
            self.left = self.growths;
        }
        // The slack is one more coefficient: of the sizes of the terms that all others are made of.
        let (n, d) = (self.n, self.d);
        for f in 0..d {
            let mut size = 0.0;
            for i in 0..=n {
                let w = k.weights[(f, i)].as_f64();
                self.weights[i / ABREAST * d + f][i % ABREAST] = single(w);
                size += w.abs() * if i == 0 { 1.0 } else { self.cap };
            }
            let i = n + 1;
            self.weights[i / ABREAST * d + f][i % ABREAST] = single(self.unit * size);
        }
        let Self { psi, table, norms, weights, arch, .. } = self;
        let (rho, unit) = (single(k.rho.as_f64()), single(self.unit));
        arch.dispatch(RoughCoefficients { psi, norms, weights, d, rho, unit, table });
        if !self.largest.is_empty() {
            self.bound_slack(rho);
        }
    }

    /// Where features may be negative the sizes of terms do not add up: as if all were the largest.
    fn bound_slack(&mut self, rho: f32) {
        let (d, i) = (self.d, self.n + 1);
        for s in 0..self.n {
            let largest = self.largest[s * d..(s + 1) * d].iter().enumerate();
            let sizes = largest.map(|(f, &x)| {
                let weight = self.weights[i / ABREAST * d + f][i % ABREAST];
                f64::from(weight) * x
            });
            let size = single(sizes.sum::<f64>());
            for block in s * self.blocks..(s + 1) * self.blocks {
                let bonus = self.norms[block].map(|norm| single(self.unit) * rho * norm);
                self.table[block * (self.n + 2) + i] = bonus.map(|bonus| size + bonus);
            }
        }
    }

    /// What rounding can make of a lead of this column.
    pub(super) fn slack(&self, column: usize) -> f64 {
        let (block, lane) = self.place(column);
        f64::from(self.table[block * (2 + self.n) + 1 + self.n][lane])
    }

    /// The norm of a column is this, from now on or less.
    pub(super) fn tighten<T: Real>(&mut self, column: usize, norm: T) {
        let (block, lane) = self.place(column);
        let bound = (norm * norm + T::of(self.drift)).sqrt().as_f64();
        self.norms[block][lane] = single(bound * (1.0 + 4.0 * f64::from(f32::EPSILON)));
    }

    /// A column's c_0 is this; -inf takes it out of the question.
    pub(super) fn correct<T: Real>(&mut self, column: usize, constant: T) {
        let (block, lane) = self.place(column);
        self.table[block * (2 + self.n)][lane] = single(constant.as_f64());
    }

    fn place(&self, column: usize) -> (usize, usize) {
        let (s, j) = (column / self.m, column % self.m);
        (s * self.blocks + j / ROUGH, j % ROUGH)
    }

    /// Appends to `stack` the first `count` candidates of state s.
    pub(super) fn everyone(&self, s: usize, count: usize, stack: &mut Vec<Subset>) {
        for b in 0..count.div_ceil(ROUGH) {
            let lanes = u16::MAX >> ROUGH.saturating_sub(count - b * ROUGH);
            stack.push(Subset { block: index(s * self.blocks + b), lanes });
        }
    }

    /// The columns of some candidates.
    pub(super) fn columns(&self, some: Subset) -> impl Iterator<Item = usize> + use<> {
        let (s, b) = (some.block as usize / self.blocks, some.block as usize % self.blocks);
        let from = s * self.m + b * ROUGH;
        (0..ROUGH).filter(move |lane| some.lanes >> lane & 1 == 1).map(move |lane| from + lane)
    }

    /// Of the candidates of one state in `stack[from..]`, appends to it those who may win on a stretch.
    ///
    /// Who wins is ahead of the rival. How far is linear in V_(u+1): at most what it is at one of the
    /// points, and the radius times the 1-norm of the difference of their coefficients.
    pub(super) fn reach<T: Real>(
        &mut self,
        stretch: Stretch<'_, T>,
        stack: &mut Vec<Subset>,
        from: usize,
    ) {
        let (constant, slopes) = (stretch.rival[0], &stretch.rival[1..]);
        copy(slopes, &mut self.rival);
        for (to, v) in self.points.iter_mut().zip(stretch.points) {
            copy(v, &mut to.v);
            let score = slopes.iter().zip(v).fold(constant, |k, (&c, &v)| k + c * v);
            to.rival = single(score.as_f64());
        }
        let values = stretch.points.iter().flat_map(|v| v.iter());
        let size = values.fold(self.cap, |size, v| size.max(v.as_f64().abs()));
        // The radius, the rival's K and the difference are rounded too.
        let (eps, terms) = (f64::from(f32::EPSILON), (self.n + 16) as f64);
        let radius = stretch.radius.as_f64() + 8.0 * T::epsilon().as_f64() * size;
        let slopes = slopes.iter().fold(0.0, |sum, c| sum + c.as_f64().abs());
        let scale = size + constant.as_f64().abs() + slopes * (size + radius);
        let slack = single((eps + T::epsilon().as_f64()) * terms * scale);
        let larger = single((size + 2.0 * radius) / self.cap);
        let radius = single(radius * (1.0 + terms * eps));
        let Self { table, points, rival, .. } = &*self;
        let reach = RoughReach { table, points, rival, radius, larger, slack, stack, from };
        self.arch.dispatch(reach);
    }
}

#[allow(clippy::cast_possible_truncation)] // the slack allows for it
fn single(x: f64) -> f32 {
    x as f32
}

fn copy<T: Real>(from: &[T], to: &mut [f32]) {
    to.iter_mut().zip(from).for_each(|(to, x)| *to = single(x.as_f64()));
}

/// There are fewer than 2^32 candidates; the constructor of the learner sees to it.
#[allow(clippy::cast_possible_truncation)]
pub(super) fn index(j: usize) -> u32 {
    j as u32
}
