//! A few states with nearby features, and their values.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use pulp::{Simd, WithSimd};

use super::factors::{Factors, bonus};
use super::near::{self, Near};
use super::region::Region;
use super::screen;
use super::stage::Stage;
use crate::Real;

/// The states of a leaf are scored in blocks of this many.
pub(super) const BLOCK: usize = 32;

/// One number for each state of a block.
pub(super) type Row<T> = [T; BLOCK];

/// States with nearby features, and what planning knows of them.
#[derive(Debug, Clone)]
pub(super) struct Leaf<T> {
    /// The numbers of its states among all.
    pub(super) ends: Vec<usize>,
    /// For each block, entry k of phi(., a) in row a d + k; the last state is repeated to the end of a row.
    phi: Vec<Vec<Row<T>>>,
    region: Region<T>,
    near: Near<T>,
    /// One more than where the bonuses of a candidate are, 0 if they have not been computed for this Lambda; then
    /// these, for each block.
    places: Vec<u32>,
    bonuses: Vec<Row<T>>,
    /// V of its states, not cut off at the clip.
    pub(super) best: Vec<Row<T>>,
}

/// Buffers that all leaves share.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch<T> {
    near: near::Buffers<T>,
    screen: screen::Buffers<T>,
}

/// The candidates, and Lambda as their matrices G.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lambda<'a, T: Real> {
    pub(super) factors: &'a Factors<T>,
    pub(super) squares: &'a [T],
    pub(super) rho: T,
}

/// Tells leaves of a new Lambda.
pub(super) struct Prepare<'a, T: Real> {
    pub(super) lambda: Lambda<'a, T>,
    pub(super) leaves: &'a mut [Leaf<T>],
    pub(super) scratch: &'a mut Scratch<T>,
}

impl<T: Real> WithSimd for Prepare<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for leaf in self.leaves {
            leaf.prepare(self.lambda, self.scratch);
        }
    }
}

/// The largest scores in the states of each leaf.
pub(super) struct Values<'a, T: Real> {
    pub(super) lambda: Lambda<'a, T>,
    pub(super) stage: &'a Stage<T>,
    pub(super) leaves: &'a mut [Leaf<T>],
    pub(super) scratch: &'a mut Scratch<T>,
}

impl<T: Real> WithSimd for Values<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { lambda, stage, leaves, scratch } = self;
        let buffers = &mut scratch.screen;
        for leaf in leaves {
            screen::screen((&leaf.region, &leaf.near), lambda.factors, stage, buffers);
            leaf.values(lambda, stage, &buffers.active);
        }
    }
}

impl<T: Real> Leaf<T> {
    /// A leaf of these states, `phi(end)` being the features of one, d for each action.
    pub(super) fn new<'a>(ends: Vec<usize>, d: usize, phi: &impl Fn(usize) -> &'a [T]) -> Self {
        let width = phi(ends[0]).len();
        let block = |ends: &[usize]| {
            let mut rows = vec![[T::zero(); BLOCK]; width];
            for s in 0..BLOCK {
                let end = ends[s.min(ends.len() - 1)];
                rows.iter_mut().zip(phi(end)).for_each(|(row, &x)| row[s] = x);
            }
            rows
        };
        let blocks: Vec<_> = ends.chunks(BLOCK).map(block).collect();
        Self {
            region: Region::new(&ends, d, phi),
            ends,
            best: vec![[T::zero(); BLOCK]; blocks.len()],
            phi: blocks,
            near: Near::default(),
            places: Vec::new(),
            bonuses: Vec::new(),
        }
    }

    /// Takes note of a new Lambda, as the matrices G of all candidates.
    #[inline(always)]
    fn prepare(&mut self, lambda: Lambda<'_, T>, scratch: &mut Scratch<T>) {
        self.places.clear();
        self.places.resize(lambda.factors.len(), 0);
        self.bonuses.clear();
        self.near.prepare(lambda, &self.region, &mut scratch.near);
    }

    /// Sets `best` to the largest score of an active candidate in each state.
    #[inline(always)]
    fn values(&mut self, lambda: Lambda<'_, T>, stage: &Stage<T>, active: &[usize]) {
        let Lambda { factors, squares, rho } = lambda;
        let (d, m) = (factors.d, factors.len());
        self.best.fill([T::of(f64::NEG_INFINITY); BLOCK]);
        for &j in active {
            let own = factors.actions[j] * d..factors.actions[j] * d + d;
            if self.places[j] == 0 {
                for phi in &self.phi {
                    self.bonuses.push(bonuses(&phi[own.clone()], |at| squares[at * m + j], rho));
                }
                let place = self.bonuses.len() / self.phi.len();
                self.places[j] = u32::try_from(place).unwrap_or(0);
            }
            let bonuses = &self.bonuses[(self.places[j] as usize - 1) * self.phi.len()..];
            for ((best, phi), bonus) in self.best.iter_mut().zip(&self.phi).zip(bonuses) {
                let mut scores = [T::zero(); BLOCK];
                for (k, row) in phi[own.clone()].iter().enumerate() {
                    let c = stage.linear[k * m + j];
                    for (score, &x) in scores.iter_mut().zip(row) {
                        *score += x * c;
                    }
                }
                for ((best, &score), &bonus) in best.iter_mut().zip(&scores).zip(bonus) {
                    let score = score + bonus;
                    *best = if score > *best { score } else { *best };
                }
            }
        }
    }

    /// How many candidates have been scored since the last planning phase began, times states.
    #[cfg(test)]
    pub(super) fn scored(&self) -> usize {
        self.bonuses.len() / self.phi.len() * self.ends.len()
    }
}

/// rho sqrt(phi^T G phi) of each state; in the order of `Factors::best`, so that bits agree.
#[inline(always)]
fn bonuses<T: Real>(phi: &[Row<T>], g: impl Fn(usize) -> T, rho: T) -> Row<T> {
    let mut sums = [T::zero(); BLOCK];
    let mut at = 0;
    for (k, row) in phi.iter().enumerate() {
        let mut inner = [T::zero(); BLOCK];
        for x in &phi[k..] {
            let g = g(at);
            for (inner, &x) in inner.iter_mut().zip(x) {
                *inner += x * g;
            }
            at += 1;
        }
        for ((sum, &x), &y) in sums.iter_mut().zip(row).zip(&inner) {
            *sum += x * y;
        }
    }
    sums.map(|sum| bonus(rho, sum))
}
