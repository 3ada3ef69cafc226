//! Tails that cannot be better than others.

use pulp::{Arch, Simd, WithSimd};

/// Tails side by side.
const LANES: usize = 8;
type Lanes = [f64; LANES];
/// Tails are compared with this many that were kept before, at most. Those come in falling order of their sums, and
/// most of what is below another tail at every state is below one of the first.
const RIVALS: usize = 32;

/// Sorts out tails that are below another one at every state.
#[derive(Debug, Clone)]
pub(crate) struct Dominance {
    /// The tails by falling sum of their values.
    order: Vec<(f64, usize)>,
    /// The first tails kept: the value of tail t at state s in lane `t % LANES` of `t / LANES * n + s`.
    rivals: Vec<Lanes>,
    kept: Vec<usize>,
    arch: Arch,
}

impl Dominance {
    pub(crate) fn new() -> Self {
        Self { order: Vec::new(), rivals: Vec::new(), kept: Vec::new(), arch: Arch::new() }
    }

    /// Tails, by number: all whose values are not below those of another at every state, of equals the first, and
    /// some more. The values of tail t at the n states are `values[t * n..(t + 1) * n]`.
    ///
    /// A tail is left out only if one before it in the list is nowhere below it. Sums of products with a belief, taken in the order of
    /// the states, are monotone with all their rounding. So the first tail of the list with the largest value at a
    /// belief is the same, to the last bit, however many of those tails are left out.
    pub(crate) fn undominated(&mut self, values: &[f64], n: usize) -> &[usize] {
        let Self { order, rivals, kept, .. } = self;
        order.clear();
        order.extend(values.chunks_exact(n).enumerate().map(|(t, tail)| (tail.iter().sum(), t)));
        // What is nowhere below another has a sum that is not smaller.
        order.sort_by(|x, y| y.0.total_cmp(&x.0));
        rivals.clear();
        kept.clear();
        for &(_, t) in &*order {
            let tail = &values[t * n..(t + 1) * n];
            if self.arch.dispatch(Below { tail, rivals }) {
                continue;
            }
            if kept.len() < RIVALS {
                let lane = kept.len() % LANES;
                if lane == 0 {
                    rivals.resize(rivals.len() + n, [f64::NEG_INFINITY; LANES]);
                }
                let first = rivals.len() - n;
                rivals[first..].iter_mut().zip(tail).for_each(|(row, &x)| row[lane] = x);
            }
            kept.push(t);
        }
        kept
    }
}

/// Whether a tail is nowhere above one of its rivals.
struct Below<'a> {
    tail: &'a [f64],
    rivals: &'a [Lanes],
}

impl WithSimd for Below<'_> {
    type Output = bool;

    #[inline(always)]
    #[allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor
    fn with_simd<S: Simd>(self, _: S) -> bool {
        self.rivals.chunks_exact(self.tail.len()).any(|rivals| {
            // How far each rival is above the tail where it is least.
            let mut least = [f64::INFINITY; LANES];
            for (row, &x) in rivals.iter().zip(self.tail) {
                for (least, &rival) in least.iter_mut().zip(row) {
                    let above = rival - x;
                    *least = if above < *least { above } else { *least };
                }
            }
            // Without a branch for each of them.
            #[allow(clippy::needless_bitwise_bool)]
            least.iter().fold(false, |any, &least| any | (least >= 0.0))
        })
    }
}
