//! Numbers as they are printed in messages and tables.

use std::fmt;

/// A number as it is printed in messages and tables: plainly where that is short, with an exponent
/// where it is not, and always so that it reads back as the same `f64`.
///
/// # Example
/// ```
/// use sporadic::Number;
/// assert_eq!(Number(0.05).to_string(), "0.05");
/// assert_eq!(Number(-3.0).to_string(), "-3");
/// assert_eq!(Number(1e308).to_string(), "1e308");
/// assert_eq!(Number(2.5e-7).to_string(), "2.5e-7");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(pub f64);

impl Number {
    /// Whether the number is printed with an exponent: outside [1e-5, 1e15) and not 0.
    fn is_extreme(self) -> bool {
        let size = self.0.abs();
        size != 0.0 && size.is_finite() && !(1e-5..1e15).contains(&size)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.precision() {
            // With a precision: that many digits after the point, as in a table.
            Some(digits) if self.is_extreme() && self.0.abs() > 1.0 => {
                write!(f, "{:.digits$e}", self.0)
            }
            Some(digits) => write!(f, "{:.digits$}", self.0),
            None if self.is_extreme() => f.pad(&format!("{:e}", self.0)),
            None => f.pad(&self.0.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_is_short_and_reads_back(bits: u64) {
            let x = f64::from_bits(bits);
            let text = Number(x).to_string();
            prop_assert!(text.len() <= 26, "{}", text);
            let again: f64 = text.parse().unwrap();
            prop_assert!(again.to_bits() == x.to_bits() || (x.is_nan() && again.is_nan()));
        }
    }

    #[test]
    fn tables_have_short_cells() {
        assert_eq!(format!("{:.4}", Number(37.854_69)), "37.8547");
        assert_eq!(format!("{:.4}", Number(1e100)), "1.0000e100");
        assert_eq!(format!("{:.4}", Number(1e-30)), "0.0000");
        assert_eq!(format!("{:.4}", Number(f64::INFINITY)), "inf");
    }
}
