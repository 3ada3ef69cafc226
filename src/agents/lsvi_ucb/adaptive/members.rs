//! The features of all sequences of the pool, laid out for linear functions of them.

use pulp::{Arch, Simd, WithSimd};

use super::pool::Pool;
use crate::Real;

/// Sequences side by side.
const LANES: usize = 8;
type Lanes = [f64; LANES];

/// psi of the pool in double precision, with [`LANES`] sequences side by side.
#[derive(Debug, Clone)]
pub(super) struct Members {
    len: usize,
    n: usize,
    d: usize,
    /// Feature f of sequence t in state s in lane `t % LANES` of `(t / LANES * n + s) * d + f`.
    psi: Vec<Lanes>,
    arch: Arch,
}

impl Members {
    /// No sequences of n states and features of dimension d.
    pub(super) fn new(n: usize, d: usize) -> Self {
        Self { len: 0, n, d, psi: Vec::new(), arch: Arch::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Takes the pool as it is now.
    pub(super) fn refresh<T: Real>(&mut self, pool: &Pool<T>) {
        self.len = pool.members.len();
        self.psi.clear();
        self.psi.resize(self.len.div_ceil(LANES) * self.n * self.d, [0.0; LANES]);
        let blocks = self.psi.chunks_exact_mut(self.n * self.d);
        for (members, block) in pool.members.chunks(LANES).zip(blocks) {
            for (lane, member) in members.iter().enumerate() {
                block.iter_mut().zip(&member.psi).for_each(|(row, x)| row[lane] = x.as_f64());
            }
        }
    }

    /// <psi, slopes> of every sequence at every state, that of sequence t at state s at `t * n + s`. Each sum is taken
    /// from the first feature to the last.
    pub(super) fn values(&self, slopes: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.len.next_multiple_of(LANES) * self.n, 0.0);
        self.arch.dispatch(Values { members: self, slopes, out });
        out.truncate(self.len * self.n);
    }
}

struct Values<'a> {
    members: &'a Members,
    slopes: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Values<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor
    fn with_simd<S: Simd>(self, _: S) {
        let Members { n, d, ref psi, .. } = *self.members;
        let blocks = psi.chunks_exact(n * d).zip(self.out.chunks_exact_mut(LANES * n));
        for (psi, out) in blocks {
            for (s, psi) in psi.chunks_exact(d).enumerate() {
                let mut sum = [0.0; LANES];
                for (x, &slope) in psi.iter().zip(self.slopes) {
                    sum.iter_mut().zip(x).for_each(|(sum, &x)| *sum += x * slope);
                }
                for (lane, sum) in sum.into_iter().enumerate() {
                    out[lane * n + s] = sum;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64;

    use super::*;
    use crate::agents::lsvi_ucb::Continuation;
    use crate::features::TabularPsi;
    use crate::model::{draw, gallery};

    #[test]
    fn values_of_members_are_inner_products() {
        let mut rng = Pcg64::new(6, 0);
        for (states, actions) in [(3, 1), (5, 3), (9, 2), (6, 11)] {
            let shape = gallery::RandomTabular { states, actions, ..Default::default() };
            let model = gallery::random_tabular::<f64, _>(&mut rng, &shape).unwrap();
            let (n, d) = (states, states * actions);
            let mut pool = Pool::new(TabularPsi::new(model), 30, Continuation::Regression);
            pool.members.truncate(21);
            let mut members = Members::new(n, d);
            members.refresh(&pool);
            let slopes: Vec<f64> = (0..d).map(|_| draw::uniform(&mut rng) - 0.5).collect();
            let mut values = vec![f64::NAN; 3];
            members.values(&slopes, &mut values);
            assert_eq!(values.len(), members.len() * n);
            for (i, value) in values.into_iter().enumerate() {
                let psi = pool.member_features(i / n, i % n);
                let sum = psi.iter().zip(&slopes).fold(0.0, |sum, (x, y)| sum + x * y);
                assert_eq!(sum.to_bits(), value.to_bits());
            }
        }
    }
}
