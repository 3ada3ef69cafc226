//! Means over seeds, with intervals.

use serde::{Deserialize, Serialize};

use crate::quantile::beta_quantile;

/// A mean over independent runs with its 95% t-interval.
///
/// With n runs of mean m and standard deviation s the interval is m +- t s / sqrt(n), where t is the
/// 97.5% quantile of Student's distribution with n - 1 degrees of freedom. One run has no interval.
///
/// # Example
/// ```
/// use sporadic::experiment::Interval;
/// let interval = Interval::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
/// assert_eq!(interval.mean, 3.0);
/// assert_eq!(format!("{:.4}", interval.half_width.unwrap()), "1.9632");
/// assert_eq!(Interval::of(&[7.0]).unwrap().half_width, None);
/// assert_eq!(Interval::of(&[]), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval; none for a single run.
    pub half_width: Option<f64>,
}

impl Interval {
    /// The mean of `sample` with its interval; nothing for an empty sample.
    pub fn of(sample: &[f64]) -> Option<Self> {
        let n = sample.len() as f64;
        if sample.is_empty() {
            return None;
        }
        let mean = sample.iter().sum::<f64>() / n;
        let squares: f64 = sample.iter().map(|x| (x - mean) * (x - mean)).sum();
        let half_width = (sample.len() > 1).then(|| {
            // T^2 > t^2 with probability 5%, and nu / (nu + T^2) has a beta distribution.
            let x = beta_quantile(0.5 * (n - 1.0), 0.5, 0.05);
            ((n - 1.0) * (1.0 - x) / x).sqrt() * (squares / (n - 1.0) / n).sqrt()
        });
        Some(Self { mean, half_width })
    }

    /// Its lower end; the mean if there is no interval.
    pub fn low(&self) -> f64 {
        self.mean - self.half_width.unwrap_or(0.0)
    }

    /// Its upper end; the mean if there is no interval.
    pub fn high(&self) -> f64 {
        self.mean + self.half_width.unwrap_or(0.0)
    }

    /// Mean and half width multiplied by `by`: the interval in other units.
    pub fn scaled(self, by: f64) -> Self {
        Self { mean: by * self.mean, half_width: self.half_width.map(|w| by.abs() * w) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of mean 0 whose interval is t / sqrt(n) times its standard deviation, which is 1.
    fn quantile(n: usize) -> f64 {
        let sample: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let sd = (n as f64 / (n as f64 - 1.0)).sqrt();
        Interval::of(&sample).unwrap().half_width.unwrap() * (n as f64).sqrt() / sd
    }

    #[test]
    fn quantiles_are_those_of_printed_tables() {
        for (n, t) in [(2, 12.706_205), (4, 3.182_446), (6, 2.570_582), (10, 2.262_157)] {
            assert!((quantile(n) - t).abs() < 1e-6, "{n}: {} for {t}", quantile(n));
        }
    }

    #[test]
    fn equal_runs_have_an_interval_of_width_0() {
        let interval = Interval::of(&[2.0, 2.0, 2.0]).unwrap();
        assert_eq!(
            (interval.low().to_bits(), interval.high().to_bits()),
            (2.0_f64.to_bits(), 2.0_f64.to_bits())
        );
    }
}
