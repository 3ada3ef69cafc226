//! Random draws by inverse CDF from raw 64-bit words.
//!
//! Experiments are pinned to a seed for good, so nothing they depend on may change with a sampler's
//! implementation in another crate: these three functions are the only ones that turn words into
//! events.

use rand::Rng;
use thiserror::Error;

use crate::Number;

/// How far the last cumulative probability may be from 1.
const TOLERANCE: f64 = 1e-4;

/// Why a list is no probability distribution.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A distribution over nothing.
    #[error("a distribution needs at least one probability")]
    Empty,
    /// A probability outside [0, 1].
    #[error("probability number {number} is {}, not in [0, 1]", Number(*.probability))]
    Probability {
        /// Which one, counted from 1.
        number: usize,
        /// The value given.
        probability: f64,
    },
    /// Probabilities must sum to 1.
    #[error("the probabilities sum to {}, not to 1", Number(*.sum))]
    Sum {
        /// What they sum to.
        sum: f64,
    },
}

/// Sums probabilities up to the cumulative ones that [`categorical`] draws from.
///
/// # Errors
/// [`DrawError`] if there are none, one is not in [0, 1], or they do not sum to 1 up to 1e-4.
///
/// # Example
/// ```
/// use rand_pcg::Pcg64;
/// use sporadic::model::draw;
/// let cdf = draw::cumulative(&[0.5, 0.25, 0.25])?;
/// assert_eq!(cdf, [0.5, 0.75, 1.0]);
/// assert!(draw::categorical(&cdf, &mut Pcg64::new(1, 2)) < 3);
/// // Cumulative probabilities given once more are refused.
/// assert!(draw::cumulative(&cdf).is_err());
/// # Ok::<(), draw::DrawError>(())
/// ```
pub fn cumulative(probabilities: &[f64]) -> Result<Vec<f64>, DrawError> {
    let mut sum = 0.0;
    let mut cdf = Vec::with_capacity(probabilities.len());
    for (i, &probability) in probabilities.iter().enumerate() {
        if !(0.0..=1.0).contains(&probability) {
            return Err(DrawError::Probability { number: i + 1, probability });
        }
        sum += probability;
        cdf.push(sum);
    }
    match cdf.last() {
        None => Err(DrawError::Empty),
        Some(&sum) if (sum - 1.0).abs() > TOLERANCE => Err(DrawError::Sum { sum }),
        Some(_) => Ok(cdf),
    }
}

/// Whether the numbers never fall and end near 1. Probabilities that pass are all but 0 before the
/// last, so they are their own cumulative sums.
fn is_cumulative(cdf: &[f64]) -> bool {
    cdf.is_sorted() && cdf.last().is_some_and(|last| (last - 1.0).abs() <= TOLERANCE)
}

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

/// Draws one of 0, ..., n - 1, each with probability 1/n up to n 2^-53: the integer part of n times one uniform
/// number, and 0 if `n` is 0. Consumes one word.
///
/// # Example
/// ```
/// use rand_pcg::Pcg64;
/// let mut rng = Pcg64::new(1, 2);
/// let counts = (0..600).fold([0; 3], |mut counts, _| {
///     counts[sporadic::model::draw::index(3, &mut rng)] += 1;
///     counts
/// });
/// assert!(counts.iter().all(|n| (150..250).contains(n)));
/// ```
#[inline]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to n
pub fn index<R: Rng + ?Sized>(n: usize, rng: &mut R) -> usize {
    ((uniform(rng) * n as f64) as usize).min(n.saturating_sub(1))
}

/// True with probability `p`: one uniform number below `p`. Always consumes one word.
#[inline]
pub fn bernoulli<R: Rng + ?Sized>(p: f64, rng: &mut R) -> bool {
    uniform(rng) < p
}

/// Draws an index with the probabilities whose cumulative sums are `cdf`: the first index whose entry
/// exceeds one uniform number.
///
/// [`cumulative`] makes `cdf` from probabilities, and checks them. Rounding may leave its last entry a
/// little below 1, so the last index takes what is left. Consumes one word.
///
/// # Panics
/// If `cdf` is empty. Builds with debug assertions also panic if its entries fall, or do not end near
/// 1, as when probabilities are given that were not summed up; other builds do not look, because that
/// would cost more than the draw.
#[inline]
pub fn categorical<R: Rng + ?Sized>(cdf: &[f64], rng: &mut R) -> usize {
    debug_assert!(is_cumulative(cdf), "not cumulative probabilities: see draw::cumulative");
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
        let (cdf, mut hits) = ([0.0, 1.0 - 1e-5], 0);
        (0..1000).for_each(|_| hits += categorical(&cdf, &mut rng));
        assert_eq!(hits, 1000);
    }

    #[test]
    fn probabilities_are_told_from_cumulative_ones() {
        for probabilities in [&[0.5, 0.3, 0.2][..], &[0.2, 0.3, 0.5], &[1.0, 0.0], &[0.25; 4]] {
            assert!(!is_cumulative(probabilities), "{probabilities:?}");
            assert!(is_cumulative(&cumulative(probabilities).unwrap()));
        }
        assert_eq!(cumulative(&[]), Err(DrawError::Empty));
        assert_eq!(cumulative(&[0.5, 0.25]), Err(DrawError::Sum { sum: 0.75 }));
        let nan = cumulative(&[0.5, f64::NAN]).unwrap_err();
        assert_eq!(nan.to_string(), "probability number 2 is NaN, not in [0, 1]");
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "not cumulative probabilities")]
    fn drawing_from_probabilities_panics_in_debug_builds() {
        categorical(&[0.5, 0.3, 0.2], &mut Pcg64::new(5, 6));
    }
}
