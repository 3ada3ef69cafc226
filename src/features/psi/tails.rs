//! Discounted occupancies of all states at once, shared between sequences with equal tails.

use std::collections::HashMap;

use crate::Real;
use crate::model::{Action, Tabular};
use crate::sequence::ActionSequence;

/// The matrices O(t): row s is the discounted occupancy of sequence t from state s, |S| x |S||A|.
///
/// They follow from tails by O(a t) = E_a + gamma (1 - beta(a)) P_a O(t), E_a marking (s, a) in row
/// s; a periodic sequence closes the circle by one elimination. So every distinct tail of a family
/// is computed once.
pub(super) struct Tails<'m, T> {
    model: &'m Tabular<T>,
    known: HashMap<ActionSequence, usize>,
    /// The matrices one after the other, row-major.
    matrices: Vec<T>,
}

impl<'m, T: Real> Tails<'m, T> {
    /// Room for `sequences` that mostly share their tails.
    pub(super) fn with_capacity(model: &'m Tabular<T>, sequences: usize) -> Self {
        let size = model.num_states() * model.num_states() * model.num_actions();
        let matrices = Vec::with_capacity(sequences * size);
        Self { model, known: HashMap::with_capacity(sequences), matrices }
    }

    /// O(seq), row-major.
    pub(super) fn occupancies(&mut self, seq: &ActionSequence) -> &[T] {
        // Down to a tail that is known, or to the period, then back up.
        let mut above = Vec::new();
        let mut tail = seq.clone();
        let mut at = loop {
            if let Some(&at) = self.known.get(&tail) {
                break at;
            }
            let next = tail.tail();
            if tail.prefix().is_empty() && !self.known.contains_key(&next) {
                let at = self.close(tail.period());
                self.known.insert(tail, at);
                break at;
            }
            above.push(tail);
            tail = next;
        };
        while let Some(seq) = above.pop() {
            at = self.prepend(seq.first(), at);
            self.known.insert(seq, at);
        }
        let size = self.size();
        &self.matrices[at * size..(at + 1) * size]
    }

    /// Entries of one matrix.
    fn size(&self) -> usize {
        self.model.num_states() * self.model.num_states() * self.model.num_actions()
    }

    /// Appends O(a t) behind all matrices, t being the one at `at`; gives its place.
    fn prepend(&mut self, a: Action, at: usize) -> usize {
        let size = self.size();
        let place = self.matrices.len() / size;
        self.matrices.resize(self.matrices.len() + size, T::zero());
        let (old, new) = self.matrices.split_at_mut(place * size);
        let (n, m) = (self.model.num_states(), self.model.num_actions());
        step(self.model, a, &old[at * size..(at + 1) * size], new, n * m);
        mark(a, m, new, n * m);
        place
    }

    /// Appends O(p p p ...) for a period p; gives its place.
    fn close(&mut self, period: &[Action]) -> usize {
        let (n, m) = (self.model.num_states(), self.model.num_actions());
        let d = n * m;
        // Columns: C, the product of gamma (1 - beta) P over the period, then one round of O.
        let width = n + d;
        let mut rows = vec![T::zero(); n * width];
        for s in 0..n {
            rows[s * width + s] = T::one();
        }
        let mut next = rows.clone();
        for &a in period.iter().rev() {
            next.fill(T::zero());
            step(self.model, a, &rows, &mut next, width);
            mark(a, m, &mut next[n..], width);
            std::mem::swap(&mut rows, &mut next);
        }
        geometric_sum(&mut rows, n);
        let place = self.matrices.len() / self.size();
        for row in rows.chunks_exact(width) {
            self.matrices.extend_from_slice(&row[n..]);
        }
        place
    }
}

/// new = gamma (1 - beta(a)) P_a old, on row-major matrices of this width; `new` starts as zero.
fn step<T: Real>(model: &Tabular<T>, a: Action, old: &[T], new: &mut [T], width: usize) {
    let discount = model.blind(a);
    for (s, row) in new.chunks_exact_mut(width).enumerate() {
        for (t, p) in model.row(s, a) {
            let weight = discount * p;
            for (x, &y) in row.iter_mut().zip(&old[t * width..(t + 1) * width]) {
                *x += weight * y;
            }
        }
    }
}

/// Adds E_a: 1 at (s, a) in row s. `rows` may start in the middle of the first row.
fn mark<T: Real>(a: Action, num_actions: usize, rows: &mut [T], width: usize) {
    for (s, row) in rows.chunks_mut(width).enumerate() {
        row[s * num_actions + a] += T::one();
    }
}

/// Replaces B by the sum of C^k B over k = 0, 1, 2, ..., which is (I - C)^-1 B, in the n rows `[C | B]` of a
/// row-major matrix; C is n x n with nonnegative entries and row sums below 1.
///
/// With C one round of a period, discounted and blind, this sums over all rounds; with C the discounted
/// transitions between sightings it evaluates a policy. Gauss-Jordan elimination without pivoting:
/// I - C is strictly diagonally dominant, and stays so.
pub(crate) fn geometric_sum<T: Real>(rows: &mut [T], n: usize) {
    let width = rows.len() / n;
    for (s, row) in rows.chunks_exact_mut(width).enumerate() {
        row[..n].iter_mut().for_each(|c| *c = -*c);
        row[s] += T::one();
    }
    for k in 0..n {
        let (above, rest) = rows.split_at_mut(k * width);
        let (pivot, below) = rest.split_at_mut(width);
        let scale = T::one() / pivot[k];
        pivot[k..].iter_mut().for_each(|x| *x *= scale);
        for row in above.chunks_exact_mut(width).chain(below.chunks_exact_mut(width)) {
            let factor = row[k];
            if factor != T::zero() {
                for (x, &p) in row[k..].iter_mut().zip(&pivot[k..]) {
                    *x -= factor * p;
                }
            }
        }
    }
}
