//! Tails: sequences whose values at every state are known, for the completion of prefixes.
#![allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor

use pulp::{Arch, Simd, WithSimd};

use super::beam::{self, Beliefs};

/// Beliefs side by side where tails are screened in single precision: those of two groups.
const LANES: usize = 2 * beam::LANES;
type Lanes = [f32; LANES];
/// Tails at a time.
const BLOCK: usize = 8;

/// Values up to this size are screened: single precision does not overflow there.
const LARGEST: f64 = 1e30;
/// With more states, squares of (n + 4) u are no longer negligible.
const MOST_STATES: usize = 1 << 12;
/// What is added to the sum of a belief, 2^-100, for those of its entries that underflow in single precision.
const FAINT: f64 = 7.888_609_052_210_118e-31;

/// The values of known tails at every state, for one linear function of psi.
///
/// [`best`](Self::best) is the specification. [`complete`](Self::complete) gives the same values, to the last bit, for many beliefs
/// at once: it first computes the value of every tail in single precision, and then in double precision those that can
/// be the largest.
///
/// Let u = 2^-24, n the number of states, |b| the sum of a belief, which is at most 1, and M the largest |value| of a tail at a
/// state. A value in single precision has at most n + 3 roundings on the way of each of its terms: two of the factors,
/// one of the product and n of the sum. With those of the value in double precision, its error is below (n + 4) u M |b|, if
/// nothing underflows. So a tail whose value is the largest is, in single precision, at most 2 (n + 4) u M |b| below the
/// largest; 2 (n + 8) u M |b| is used, which covers the rounding of the threshold. An operation that underflows has an
/// error of at most 2^-150: on entries of the belief this makes at most n M 2^-150, for which 2^-100 is added to |b|, and elsewhere at most
/// (2 n + 1) 2^-150, for which (n + 8) 2^-126 is added. A belief of nothing but zeros has the value 0 with every tail.
#[derive(Debug, Clone)]
pub(crate) struct Tails {
    n: usize,
    /// The value of tail t at state s at `t * n + s`.
    values: Vec<f64>,
    /// In single precision: number `t % BLOCK` of `t / BLOCK * n + s`.
    single: Vec<[f32; BLOCK]>,
    /// M, the largest |value|.
    size: f64,
    /// Memory reused: beliefs in single precision, and the values of all tails there.
    beliefs: Vec<Lanes>,
    scores: Vec<Lanes>,
    arch: Arch,
}

impl Tails {
    pub(crate) fn new() -> Self {
        Self {
            n: 0,
            values: Vec::new(),
            single: Vec::new(),
            size: 0.0,
            beliefs: Vec::new(),
            scores: Vec::new(),
            arch: Arch::new(),
        }
    }

    /// Takes some rows of `values`, each with a tail's values at the n states, as the tails from now on.
    pub(crate) fn replace(&mut self, values: &[f64], n: usize, rows: &[usize]) {
        self.n = n;
        self.values.clear();
        for &t in rows {
            self.values.extend_from_slice(&values[t * n..(t + 1) * n]);
        }
        // Not by `max`, which passes over what is not a number.
        let larger = |size: f64, x: &f64| if x.abs() <= size { size } else { x.abs() };
        self.size = self.values.iter().fold(0.0, larger);
        // Where a block is not full, numbers that are not above those of any tail.
        self.single.clear();
        self.single.resize(rows.len().div_ceil(BLOCK) * n, [single(-self.size); BLOCK]);
        for (t, values) in self.values.chunks_exact(n).enumerate() {
            let block = &mut self.single[t / BLOCK * n..];
            block.iter_mut().zip(values).for_each(|(row, &x)| row[t % BLOCK] = single(x));
        }
    }

    /// The first tail with the largest value at a belief, and that value.
    pub(crate) fn best(&self, belief: &[f64]) -> (usize, f64) {
        let value = |tail: &[f64]| tail.iter().zip(belief).fold(0.0, |sum, (x, b)| sum + b * x);
        let values = self.values.chunks_exact(self.n).map(value);
        let better = |best: (usize, f64), (t, x)| if x > best.1 { (t, x) } else { best };
        values.enumerate().fold((0, f64::MIN), better)
    }

    /// The largest value of a tail at each of some beliefs: in every group of n rows those of the n states.
    pub(crate) fn complete(&mut self, groups: &[Beliefs], out: &mut [Beliefs]) {
        // Also if it is not a number.
        if !(0.0..=LARGEST).contains(&self.size) || self.n > MOST_STATES {
            for (beliefs, out) in groups.chunks_exact(self.n).zip(out) {
                *out = std::array::from_fn(|lane| {
                    let belief: Vec<f64> = beliefs.iter().map(|beliefs| beliefs[lane]).collect();
                    self.best(&belief).1
                });
            }
            return;
        }
        self.beliefs.resize(self.n, [0.0; LANES]);
        self.scores.resize(self.single.len() / self.n * BLOCK, [0.0; LANES]);
        for (groups, out) in groups.chunks(2 * self.n).zip(out.chunks_mut(2)) {
            let Self { values, single, size, beliefs, scores, .. } = self;
            // A group without a second is taken twice.
            let (first, second) = (&groups[..self.n], &groups[groups.len() - self.n..]);
            let groups = [first, second];
            let tops =
                self.arch.dispatch(Screen { groups, values, single, size: *size, beliefs, scores });
            out.iter_mut().zip(tops).for_each(|(out, top)| *out = top);
        }
    }
}

/// The largest values of tails at the beliefs of two groups.
struct Screen<'a> {
    groups: [&'a [Beliefs]; 2],
    values: &'a [f64],
    single: &'a [[f32; BLOCK]],
    size: f64,
    beliefs: &'a mut [Lanes],
    scores: &'a mut [Lanes],
}

impl WithSimd for Screen<'_> {
    type Output = [Beliefs; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [Beliefs; 2] {
        let [first, second] = self.groups;
        let n = first.len();
        let mut masses = [0.0; LANES];
        for ((lanes, first), second) in self.beliefs.iter_mut().zip(first).zip(second) {
            for (i, &b) in first.iter().chain(second).enumerate() {
                lanes[i] = single(b);
                masses[i] += b;
            }
        }
        let mut thresholds = [f32::NEG_INFINITY; LANES];
        let parts = LANES / S::F32_LANES;
        {
            let beliefs = S::as_simd_f32s(self.beliefs.as_flattened()).0;
            let scores = S::as_mut_simd_f32s(self.scores.as_flattened_mut()).0;
            let tops = S::as_mut_simd_f32s(&mut thresholds).0;
            for (rows, scores) in
                self.single.chunks_exact(n).zip(scores.chunks_exact_mut(BLOCK * parts))
            {
                for (part, top) in tops.iter_mut().enumerate() {
                    let mut sums = [simd.splat_f32s(0.0); BLOCK];
                    for (row, b) in rows.iter().zip(beliefs.chunks_exact(parts)) {
                        for (sum, &x) in sums.iter_mut().zip(row) {
                            *sum = simd.mul_add_e_f32s(b[part], simd.splat_f32s(x), *sum);
                        }
                    }
                    for (score, sum) in scores[part..].iter_mut().step_by(parts).zip(sums) {
                        *score = sum;
                        *top = simd.max_f32s(*top, sum);
                    }
                }
            }
        }
        let terms = (n + 8) as f64;
        let unit = terms * f64::from(f32::EPSILON) * self.size;
        let mut tops = [[f64::MIN; beam::LANES]; 2];
        let lanes = thresholds.iter_mut().zip(tops.as_flattened_mut()).zip(masses);
        for ((threshold, top), mass) in lanes {
            if mass > 0.0 {
                let slack = unit * (mass + FAINT) + terms * f64::from(f32::MIN_POSITIVE);
                *threshold = single(f64::from(*threshold) - slack);
            } else {
                (*threshold, *top) = (f32::INFINITY, 0.0);
            }
        }
        for (scores, values) in self.scores.iter().zip(self.values.chunks_exact(n)) {
            // Without a branch for each of them.
            #[allow(clippy::needless_bitwise_bool)]
            if !scores.iter().zip(&thresholds).fold(false, |any, (x, y)| any | (x >= y)) {
                continue;
            }
            for (beliefs, top) in self.groups.iter().zip(&mut tops) {
                let mut sum = [0.0; beam::LANES];
                for (beliefs, &x) in beliefs.iter().zip(values) {
                    sum.iter_mut().zip(beliefs).for_each(|(sum, &b)| *sum += b * x);
                }
                for (top, x) in top.iter_mut().zip(sum) {
                    *top = if x > *top { x } else { *top };
                }
            }
        }
        tops
    }
}

/// The nearest number of single precision.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)]
fn single(x: f64) -> f32 {
    x as f32
}
