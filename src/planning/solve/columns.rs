//! Vectors over states, and the one with the largest inner product with a belief.

/// Vectors alpha_i in R^n with an identifier each, and L(b) = max_i alpha_i . b.
///
/// Stored component by component, so that the products with one belief are n passes over contiguous
/// memory, which compile to vector instructions.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    /// The identifier of each column: its entry in the pool.
    pub(super) ids: Vec<usize>,
    /// `rows[j][i]` is component `j` of column `i`.
    rows: Vec<Vec<f64>>,
}

impl Columns {
    pub(super) fn new(n: usize) -> Self {
        Self { ids: Vec::new(), rows: vec![Vec::new(); n] }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The number n of components.
    pub(super) fn dim(&self) -> usize {
        self.rows.len()
    }

    /// Forgets all columns and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.rows.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn push(&mut self, id: usize, vector: &[f64]) {
        self.ids.push(id);
        for (row, &x) in self.rows.iter_mut().zip(vector) {
            row.push(x);
        }
    }

    /// Overwrites column `i`.
    pub(super) fn set(&mut self, i: usize, vector: &[f64]) {
        for (row, &x) in self.rows.iter_mut().zip(vector) {
            row[i] = x;
        }
    }

    pub(super) fn swap(&mut self, i: usize, j: usize) {
        self.ids.swap(i, j);
        self.rows.iter_mut().for_each(|row| row.swap(i, j));
    }

    pub(super) fn pop(&mut self) {
        self.ids.pop();
        for row in &mut self.rows {
            row.pop();
        }
    }

    #[inline]
    pub(super) fn component(&self, i: usize, j: usize) -> f64 {
        self.rows[j][i]
    }

    pub(super) fn column(&self, i: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row[i]).collect()
    }

    /// The first column that is best at `belief`, and its value there.
    pub(super) fn best(&self, belief: &[f64], scratch: &mut Vec<f64>) -> (usize, f64) {
        self.best_of(self.len(), belief, scratch)
    }

    /// The first of the first `len` columns that is best at `belief`, and its value there: minus
    /// infinity if `len` is 0.
    pub(super) fn best_of(
        &self,
        len: usize,
        belief: &[f64],
        scratch: &mut Vec<f64>,
    ) -> (usize, f64) {
        const LANES: usize = 8;
        scratch.clear();
        scratch.resize(len, 0.0);
        for (row, &mass) in self.rows.iter().zip(belief) {
            if mass != 0.0 {
                for (sum, &x) in scratch.iter_mut().zip(&row[..len]) {
                    *sum += mass * x;
                }
            }
        }
        // A maximum per lane keeps the loop free of a dependency from one element to the next.
        let mut lanes = [f64::NEG_INFINITY; LANES];
        let chunks = scratch.chunks_exact(LANES);
        let rest = chunks.remainder();
        for chunk in chunks {
            for (lane, &x) in lanes.iter_mut().zip(chunk) {
                if x > *lane {
                    *lane = x;
                }
            }
        }
        let top = rest.iter().chain(&lanes).fold(f64::NEG_INFINITY, |m, &x| m.max(x));
        (scratch.iter().position(|&x| x >= top).unwrap_or(0), top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
