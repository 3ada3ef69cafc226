//! Vectors over states, and the one with the largest inner product with a belief.

use pulp::{Arch, Simd, WithSimd};

/// Columns side by side. Their sums stay in registers while the belief is gone through once.
pub(super) const LANES: usize = 32;

/// Vectors alpha_i in R^n with an identifier each, and L(b) = max_i alpha_i . b.
///
/// Products with one belief are made for [`LANES`] columns at once by the widest vector instructions that
/// the processor has. Each is the sum over the states in order, without fused operations, so it has the
/// same bits on every processor.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    /// The identifier of each column: its entry in the pool.
    pub(super) ids: Vec<usize>,
    n: usize,
    /// Component `j` of column `i` in lane `i % LANES` of `i / LANES * n + j`.
    blocks: Vec<[f64; LANES]>,
    arch: Arch,
}

impl Columns {
    pub(super) fn new(n: usize) -> Self {
        Self { ids: Vec::new(), n, blocks: Vec::new(), arch: Arch::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The number n of components.
    pub(super) fn dim(&self) -> usize {
        self.n
    }

    /// Forgets all columns and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.blocks.clear();
    }

    pub(super) fn push(&mut self, id: usize, vector: &[f64]) {
        let i = self.len();
        self.ids.push(id);
        self.blocks.resize(self.len().div_ceil(LANES) * self.n, [0.0; LANES]);
        self.set(i, vector);
    }

    /// Overwrites column `i`.
    pub(super) fn set(&mut self, i: usize, vector: &[f64]) {
        for (row, &x) in self.blocks[i / LANES * self.n..].iter_mut().zip(vector) {
            row[i % LANES] = x;
        }
    }

    pub(super) fn swap(&mut self, i: usize, j: usize) {
        self.ids.swap(i, j);
        let (first, second) = (self.column(i), self.column(j));
        self.set(i, &second);
        self.set(j, &first);
    }

    pub(super) fn pop(&mut self) {
        self.ids.pop();
    }

    #[inline]
    pub(super) fn component(&self, i: usize, j: usize) -> f64 {
        self.blocks[i / LANES * self.n + j][i % LANES]
    }

    pub(super) fn column(&self, i: usize) -> Vec<f64> {
        (0..self.n).map(|j| self.component(i, j)).collect()
    }

    /// Columns `k * LANES..(k + 1) * LANES`, component by component.
    #[inline]
    pub(super) fn block(&self, k: usize) -> &[[f64; LANES]] {
        &self.blocks[k * self.n..(k + 1) * self.n]
    }

    /// The first column that is best at `belief`, and its value there.
    pub(super) fn best(&self, belief: &[f64], scratch: &mut Vec<f64>) -> (usize, f64) {
        self.best_of(self.len(), belief, scratch)
    }

    /// The first of the first `len` columns that is best at `belief`, and its value there: minus
    /// infinity if `len` is 0. The values of all `len` columns are left in `scratch`.
    pub(super) fn best_of(
        &self,
        len: usize,
        belief: &[f64],
        scratch: &mut Vec<f64>,
    ) -> (usize, f64) {
        self.best_between(0, len, belief, scratch)
    }

    /// The best column from number `from` on, or one of fewer than [`LANES`] before it, and its value.
    pub(super) fn best_from(
        &self,
        from: usize,
        belief: &[f64],
        scratch: &mut Vec<f64>,
    ) -> (usize, f64) {
        let block = from / LANES;
        let (i, value) = self.best_between(block, self.len(), belief, scratch);
        (block * LANES + i, value)
    }

    /// The first of the best columns from block `block` on and before number `len`, counted from there.
    fn best_between(
        &self,
        block: usize,
        len: usize,
        belief: &[f64],
        scratch: &mut Vec<f64>,
    ) -> (usize, f64) {
        let columns = &self.blocks[block * self.n..len.div_ceil(LANES) * self.n];
        let len = len - block * LANES;
        scratch.resize(len.next_multiple_of(LANES), 0.0);
        let found = self.arch.dispatch(Products { columns, len, belief, out: scratch });
        scratch.truncate(len);
        found
    }
}

/// The products of [`LANES`] columns with a belief.
#[inline(always)]
#[allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor
pub(super) fn block_products(block: &[[f64; LANES]], belief: &[f64]) -> [f64; LANES] {
    let mut sum = [0.0; LANES];
    for (&mass, row) in belief.iter().zip(block) {
        if mass != 0.0 {
            for lane in 0..LANES {
                sum[lane] += mass * row[lane];
            }
        }
    }
    sum
}

/// The products of the first `len` columns with a belief, and the first of the largest.
struct Products<'a> {
    columns: &'a [[f64; LANES]],
    len: usize,
    belief: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Products<'_> {
    type Output = (usize, f64);

    #[inline(always)]
    #[allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor
    fn with_simd<S: Simd>(self, _: S) -> (usize, f64) {
        let Self { columns, len, belief, out } = self;
        let mut lanes = [f64::NEG_INFINITY; LANES];
        for (block, out) in columns.chunks_exact(belief.len()).zip(out.chunks_exact_mut(LANES)) {
            out.copy_from_slice(&block_products(block, belief));
        }
        out[len..].fill(f64::NEG_INFINITY);
        for out in out.chunks_exact(LANES) {
            for (top, &x) in lanes.iter_mut().zip(out) {
                *top = if x > *top { x } else { *top };
            }
        }
        let top = lanes.iter().fold(f64::NEG_INFINITY, |m, &x| m.max(x));
        // A sum has no early exit, so it compiles to vector instructions.
        let reaches = |out: &[f64]| out.iter().map(|&x| u32::from(x >= top)).sum::<u32>() > 0;
        let block = out.chunks_exact(LANES).position(reaches).unwrap_or(0) * LANES;
        (block + out[block..].iter().position(|&x| x >= top).unwrap_or(0), top)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_pcg::Pcg64;

    use super::super::arrays::dot;
    use super::*;

    /// Many columns at once give, bit for bit, what one after the other gives.
    #[test]
    fn blocks_agree_with_plain_products() {
        let mut rng = Pcg64::new(3, 7);
        for (n, len) in [(1, 1), (3, 31), (5, 32), (7, 33), (20, 1000)] {
            let mut set = Columns::new(n);
            let mut vectors = Vec::new();
            for id in 0..len + 5 {
                vectors.push((0..n).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>());
                set.push(id, &vectors[id]);
            }
            let mut scratch = vec![1.0; 3];
            for sparse in [0.0, 0.6] {
                let mut draw = || (rng.random_range(0.0..1.0_f64) - sparse).max(0.0);
                let belief: Vec<f64> = (0..n).map(|_| draw()).collect();
                let plain: Vec<f64> = vectors[..len].iter().map(|x| dot(&belief, x)).collect();
                let top = plain.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let first = plain.iter().position(|&x| x >= top).unwrap();
                assert_eq!(set.best_of(len, &belief, &mut scratch), (first, top));
                assert_eq!(scratch, plain);
            }
        }
    }

    #[test]
    fn the_first_of_the_best_wins() {
        let mut set = Columns::new(2);
        for id in 0..20 {
            let x = f64::from(u8::try_from(id % 7).unwrap());
            set.push(100 + id, &[x, -x]);
        }
        let mut scratch = Vec::new();
        assert_eq!(set.best(&[1.0, 0.0], &mut scratch), (6, 6.0));
        assert_eq!(set.best(&[0.0, 1.0], &mut scratch), (0, 0.0));
        assert_eq!(set.best_of(3, &[0.5, 0.0], &mut scratch), (2, 1.0));
        set.swap(6, 19);
        set.pop();
        assert_eq!(set.best(&[1.0, 0.0], &mut scratch), (13, 6.0));
        assert_eq!((set.len(), set.ids[6], set.column(6)), (19, 119, vec![5.0, -5.0]));
    }
}
