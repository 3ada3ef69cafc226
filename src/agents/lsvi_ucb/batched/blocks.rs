//! The features of all states in blocks of neighbours, and the bonuses of candidates in them.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use super::factors::LANES;
use super::scores::{Lambda, bonus, square};
use crate::Real;

/// States are scored in blocks of this many.
pub(super) const BLOCK: usize = 16;

/// One number for each state of a block.
pub(super) type Row<T> = [T; BLOCK];

/// States in the order of the tree, block by block.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks<T> {
    /// The number of features of a state: d for each action.
    width: usize,
    /// Entry k of phi(., a), in row a d + k of a block; the last state is repeated to the end of a row.
    phi: Vec<Row<T>>,
    /// One more than the place among the bonuses, for each block and candidate; 0 if they have not been computed.
    places: Vec<u32>,
    bonuses: Vec<Row<T>>,
    candidates: usize,
}

impl<T: Real> Blocks<T> {
    /// Holds the states of this `order`, `points` being their features, for a new Lambda and so many `candidates`.
    pub(super) fn fill(&mut self, order: &[usize], points: &[T], width: usize, candidates: usize) {
        self.width = width;
        self.candidates = candidates;
        let count = order.len().div_ceil(BLOCK);
        self.phi.resize(count * width, [T::zero(); BLOCK]);
        for (rows, order) in self.phi.chunks_exact_mut(width).zip(order.chunks(BLOCK)) {
            for s in 0..BLOCK {
                let state = order[s.min(order.len() - 1)];
                let phi = &points[state * width..][..width];
                rows.iter_mut().zip(phi).for_each(|(row, &x)| row[s] = x);
            }
        }
        self.places.clear();
        self.places.resize(count * candidates, 0);
        self.bonuses.clear();
    }

    /// The features of the states of a block.
    #[inline(always)]
    pub(super) fn rows(&self, block: usize) -> &[Row<T>] {
        &self.phi[block * self.width..][..self.width]
    }

    /// The features of the states of a block for the first action of a candidate, and its bonuses there.
    #[inline(always)]
    pub(super) fn bonuses(
        &mut self,
        block: usize,
        lambda: Lambda<'_, T>,
        (bundle, lane): (usize, usize),
    ) -> (&[Row<T>], &Row<T>) {
        let d = lambda.factors.d;
        let rows = &self.phi[block * self.width..][lambda.factors.actions[bundle] * d..][..d];
        let place = &mut self.places[block * self.candidates + bundle * LANES + lane];
        if *place == 0 {
            let squares = square(d, |k| rows[k], |at| lambda.of(bundle)[at][lane]);
            self.bonuses.push(squares.map(|square| bonus(lambda.rho, square)));
            *place = u32::try_from(self.bonuses.len()).unwrap_or(0);
        }
        (rows, &self.bonuses[*place as usize - 1])
    }

    /// Raises `best` to the scores of a candidate, whose vector is `c`, in the states of a block.
    #[inline(always)]
    pub(super) fn raise(
        &mut self,
        best: &mut Row<T>,
        block: usize,
        (lambda, candidate): (Lambda<'_, T>, (usize, usize)),
        c: impl Fn(usize) -> T,
    ) {
        let (rows, bonus) = self.bonuses(block, lambda, candidate);
        let mut scores = [T::zero(); BLOCK];
        for (k, row) in rows.iter().enumerate() {
            let c = c(k);
            for (score, &x) in scores.iter_mut().zip(row) {
                *score += x * c;
            }
        }
        for ((best, &score), &bonus) in best.iter_mut().zip(&scores).zip(bonus) {
            let score = score + bonus;
            *best = if score > *best { score } else { *best };
        }
    }

    /// How many scores of a state and a candidate have been computed since `fill`, at one u or more.
    #[cfg(test)]
    pub(super) fn scored(&self) -> usize {
        self.bonuses.len() * BLOCK
    }
}
