//! Random draws by inverse CDF from raw 64-bit words.
//!
//! Experiments are pinned to a seed for good, so nothing they depend on may change with a sampler's
//! implementation in another crate: these three functions are the only ones that turn words into
//! events.

use rand::Rng;

/// A uniform number in [0, 1) on the grid of multiples of 2^-53: the top 53 bits of one word.
///
/// # Example
/// ```
/// use rand_pcg::Pcg64;
/// let mut rng = Pcg64::new(1, 2);
/// let u = sporadic::model::draw::uniform(&mut rng);
/// assert!((0.0..1.0).contains(&u));
/// ```
#[inline]
pub fn uniform<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// True with probability `p`: one uniform number below `p`. Always consumes one word.
#[inline]
pub fn bernoulli<R: Rng + ?Sized>(p: f64, rng: &mut R) -> bool {
    uniform(rng) < p
}

/// The first index whose cumulative probability exceeds one uniform number.
///
/// `cdf` holds cumulative sums; rounding may leave its last entry a little below 1, so the last
/// index takes what is left. Consumes one word.
///
/// # Panics
/// If `cdf` is empty.
#[inline]
pub fn categorical<R: Rng + ?Sized>(cdf: &[f64], rng: &mut R) -> usize {
    let u = uniform(rng);
    let last = cdf.len() - 1;
    if last < 16 {
        cdf[..last].iter().position(|&c| u < c).unwrap_or(last)
    } else {
        cdf[..last].partition_point(|&c| c <= u)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::Pcg64;

    #[test]
    fn value_stability() {
        let mut rng = Pcg64::new(7, 11);
        let words: Vec<String> = (0..3).map(|_| format!("{:.12}", uniform(&mut rng))).collect();
        insta::assert_snapshot!(words.join(" "), @"0.326589409703 0.509884701521 0.006290217620");
        let cdf = [0.2, 0.5, 1.0];
        let draws: Vec<usize> = (0..12).map(|_| categorical(&cdf, &mut rng)).collect();
        insta::assert_snapshot!(format!("{draws:?}"), @"[2, 2, 0, 2, 2, 2, 0, 0, 1, 1, 2, 1]");
    }

    #[test]
    fn linear_and_binary_search_agree() {
        let cdf: Vec<f64> = (1..=40).map(|i| f64::from(i) / 40.0).collect();
        let mut a = Pcg64::new(3, 4);
        let mut b = Pcg64::new(3, 4);
        for _ in 0..1000 {
            let u = uniform(&mut a);
            assert_eq!(categorical(&cdf, &mut b), cdf.iter().position(|&c| u < c).unwrap());
        }
    }

    #[test]
    fn a_cdf_that_rounds_below_one_falls_back_to_its_last_index() {
        let mut rng = Pcg64::new(5, 6);
        assert!((0..1000).all(|_| categorical(&[0.0, 0.0], &mut rng) == 1));
    }
}
