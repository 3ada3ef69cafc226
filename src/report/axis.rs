//! From where to where an axis goes, and the numbers along it.
#![allow(clippy::disallowed_methods)] // ticks are drawn; they decide nothing

use super::ReportError;

/// A stretch of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// A narrower axis, relative to its numbers, has ticks that differ only in digits lost to rounding.
const NARROWEST: f64 = 1e-9;

impl Axis {
    /// The stretch asked for.
    pub(super) fn new(low: f64, high: f64) -> Result<Self, ReportError> {
        let axis = Self { low, high };
        let wide = axis.span() > NARROWEST * low.abs().max(high.abs());
        // In this order a NaN is refused too.
        if low < high && axis.span().is_finite() && wide {
            Ok(axis)
        } else {
            Err(ReportError::Range { low, high })
        }
    }

    /// The stretch that holds all of `values`, with room below and above a single one.
    pub(super) fn around(values: impl IntoIterator<Item = f64>) -> Result<Self, ReportError> {
        let ends = values.into_iter().fold(None, |ends: Option<(f64, f64)>, value| {
            Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        });
        let (low, high) = ends.unwrap_or((0.0, 1.0));
        let largest = low.abs().max(high.abs());
        if largest < f64::MIN_POSITIVE {
            Self::new(-1.0, 1.0)
        } else if high - low > 2.0 * NARROWEST * largest {
            Self::new(low, high)
        } else {
            Self::new(low - 0.1 * largest, high + 0.1 * largest)
        }
    }

    /// The axis with a margin of `share` of its length at both ends; it begins at 0 if that is not far off.
    pub(super) fn padded(self, share: f64) -> Result<Self, ReportError> {
        let near_zero = self.low >= 0.0 && self.low < 0.15 * self.high;
        let margin = share * self.span();
        Self::new(if near_zero { 0.0 } else { self.low - margin }, self.high + margin)
    }

    /// The axis, lengthened to end in ticks where that makes it little longer.
    pub(super) fn rounded(self, most: usize) -> Self {
        let ticks = self.ticks(most);
        let [(first, _), (second, _), .., (last, _)] = ticks.as_slice() else { return self };
        let (below, above) = (first - (second - first), last + (second - first));
        let near = |end: f64, tick: f64| (end - tick).abs() <= 0.1 * self.span();
        Self {
            low: if near(self.low, below) { below } else { self.low },
            high: if near(self.high, above) { above } else { self.high },
        }
    }

    pub(super) fn span(self) -> f64 {
        self.high - self.low
    }

    /// Where a number lies, from 0 at the low end to 1 at the high one.
    pub(super) fn share(self, value: f64) -> f64 {
        (value - self.low) / self.span()
    }

    /// At most `most + 1` round numbers, 1, 2 or 5 times a power of ten apart, with their names.
    pub(super) fn ticks(self, most: usize) -> Vec<(f64, String)> {
        let least = self.span() / most.max(1) as f64;
        #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a double is small")]
        let exponent = least.log10().floor() as i32;
        // The last candidate is 10^(exponent + 1), above `least` whatever the rounding.
        let (factor, exponent) = [(1.0, exponent), (2.0, exponent), (5.0, exponent)]
            .into_iter()
            .find(|&(factor, exponent)| scaled(factor, exponent) >= least)
            .unwrap_or((1.0, exponent + 1));
        let step = scaled(factor, exponent);
        let first = (self.low / step - 1e-9).ceil();
        let last = (self.high / step + 1e-9).floor();
        let values: Vec<f64> = std::iter::successors(Some(first), |&k| Some(k + 1.0))
            .take_while(|&k| k <= last)
            .take(most + 2)
            .map(|k| scaled(k * factor, exponent) + 0.0)
            .collect();
        let largest = values.iter().fold(step, |largest: f64, value| largest.max(value.abs()));
        values.into_iter().map(|value| (value, name(value, exponent, largest))).collect()
    }
}

/// `value` times 10^`exponent`; a division by a whole number where it is a fraction, so that a tenth
/// is the double nearest to a tenth.
fn scaled(value: f64, exponent: i32) -> f64 {
    if (-22..0).contains(&exponent) {
        value / 10.0_f64.powi(-exponent)
    } else {
        value * 10.0_f64.powi(exponent)
    }
}

/// A tick's name, where ticks are multiples of 10^`exponent` and `largest` is the largest of them.
fn name(value: f64, exponent: i32, largest: f64) -> String {
    let decimals = |power: i32| usize::try_from(power - exponent).unwrap_or(0);
    let short = largest < 1e6 && exponent >= -6;
    if value.abs() < f64::MIN_POSITIVE && !short {
        return "0".into();
    }
    let text = if largest >= 1e12 || exponent < -6 {
        #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a double is small")]
        let power = largest.log10().floor() as i32;
        format!("{value:.*e}", decimals(power).min(15))
    } else if largest >= 1e9 {
        format!("{:.*}G", decimals(9), value / 1e9)
    } else if largest >= 1e6 {
        format!("{:.*}M", decimals(6), value / 1e6)
    } else {
        grouped(&format!("{value:.*}", decimals(0)))
    };
    // A hyphen is too short and too low for a minus.
    text.replace('-', "\u{2212}")
}

/// With a comma after every third digit before the point.
fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::new();
    for (i, digit) in whole.chars().enumerate() {
        let left = whole.len() - i;
        if left.is_multiple_of(3) && text.ends_with(|c: char| c.is_ascii_digit()) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(low: f64, high: f64, most: usize) -> String {
        let ticks = Axis::new(low, high).expect("a valid axis").ticks(most);
        ticks.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round_and_readable() {
        assert_eq!(names(0.0, 5000.0, 6), "0 1,000 2,000 3,000 4,000 5,000");
        assert_eq!(names(0.0, 0.43, 5), "0.0 0.1 0.2 0.3 0.4");
        assert_eq!(names(0.291, 0.312, 5), "0.295 0.300 0.305 0.310");
        assert_eq!(names(-1.0, 1.0, 4), "−1.0 −0.5 0.0 0.5 1.0");
        assert_eq!(names(-120_000.0, 30_000.0, 4), "−100,000 −50,000 0");
        assert_eq!(names(0.0, 2.5e6, 5), "0 0.5M 1.0M 1.5M 2.0M 2.5M");
        assert_eq!(names(0.0, 3e-9, 3), "0 1e−9 2e−9 3e−9");
        assert_eq!(names(1e13, 3e13, 2), "1e13 2e13 3e13");
    }

    #[test]
    fn an_axis_holds_its_values_with_room_around_a_single_one() {
        assert_eq!(Axis::around([3.0, -1.0]).ok(), Some(Axis { low: -1.0, high: 3.0 }));
        assert_eq!(Axis::around([10.0, 10.0]).ok(), Some(Axis { low: 9.0, high: 11.0 }));
        assert_eq!(Axis::around([0.0]).ok(), Some(Axis { low: -1.0, high: 1.0 }));
        assert!(Axis::around([-f64::MAX, f64::MAX]).is_err());
        assert!(Axis::new(1.0, 1.0).is_err());
        assert!(Axis::new(f64::NAN, 1.0).is_err());
        let (low, high) = (Axis { low: 0.1, high: 1.0 }, Axis { low: 1.0, high: 2.0 });
        assert_eq!(low.padded(0.05).ok().map(|axis| axis.low), Some(0.0));
        assert_eq!(high.padded(0.05).ok(), Some(Axis { low: 0.95, high: 2.05 }));
        let nearly = Axis { low: 0.0, high: 0.398 };
        assert_eq!(nearly.rounded(5), Axis { low: 0.0, high: 0.4 });
        let far = Axis { low: 0.0, high: 0.33 };
        assert_eq!(far.rounded(5), far);
    }
}
