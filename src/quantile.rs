//! Quantiles of the beta distribution, with the same bits on every processor.

/// The quantile at `p` of the beta distribution with parameters `a` and `b`, all positive: the x
/// with `I_x(a, b) = p`, by bisection.
pub(crate) fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        *(if beta_cdf(a, b, middle) < p { &mut low } else { &mut high }) = middle;
    }
    0.5 * (low + high)
}

/// `I_x(a, b)`, the regularised incomplete beta function.
fn beta_cdf(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = libm::exp(a * libm::log(x) + b * libm::log1p(-x) - log_beta);
    // The fraction converges fast below the mean; above it the complement does.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

/// The continued fraction of `I_x(a, b)` (DLMF 8.17.22), by the method of Lentz: in the order of
/// sqrt(a + b) terms.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TERMS: u32 = 100_000;
    let nonzero = |y: f64| if y.abs() < 1e-300 { 1e-300 } else { y };
    let (mut c, mut d) = (1.0, 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for m in 1..TERMS {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / nonzero(1.0 + term * d);
            c = nonzero(1.0 + term / c);
            value *= c * d;
            change = c * d;
        }
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// `I_x(k, n - k + 1)` is the probability of at least k successes in n trials. The ratios
        /// of more trials would overflow.
        #[test]
        fn quantiles_invert_the_binomial_tail(
            (n, k) in (1..50_u32).prop_flat_map(|n| (Just(n), 1..=n)),
            p in 1e-6..0.999,
        ) {
            let x = beta_quantile(f64::from(k), f64::from(n - k + 1), p);
            let mut term = 1.0;
            let terms = (0..=n).map(|j| {
                let now = term;
                term *= f64::from(n - j) / f64::from(j + 1) * x / (1.0 - x);
                now
            });
            let terms: Vec<f64> = terms.collect();
            let tail: f64 = terms[k as usize..].iter().sum();
            let found = tail / terms.iter().sum::<f64>();
            prop_assert!((found - p).abs() < 1e-10 * p.max(1e-3), "{found} instead of {p}");
        }
    }

    #[test]
    fn many_trials_have_narrow_quantiles() {
        // The normal approximation of the median, which is 1/2 by symmetry, and of one deviation.
        assert!((beta_quantile(1e6, 1e6, 0.5) - 0.5).abs() < 1e-12);
        let deviation = 0.5 - beta_quantile(1e6, 1e6, 0.158_655_253_931_457);
        assert!((deviation * 8e6_f64.sqrt() - 1.0).abs() < 1e-6);
    }
}
