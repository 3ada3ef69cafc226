//! A curve with its confidence band, and a line to compare it with.

use serde::{Deserialize, Serialize};

use super::{Color, Dash, ReportError, Style};

/// A function of x known at some points, usually a mean over seeds, with a band around it.
///
/// What it holds is checked when the figure is drawn: x increasing, columns of one length, numbers
/// finite, the lower end of the band not above the upper.
///
/// # Example
/// ```
/// use sporadic::report::Series;
/// let curve = Series::new("β = 0.1", vec![1.0, 2.0], vec![0.3, 0.4])
///     .with_band(vec![0.2, 0.35], vec![0.4, 0.45]);
/// assert!(curve.check().is_ok());
/// let fault = curve.with_band(vec![0.2], vec![0.4, 0.45]).check().unwrap_err();
/// assert_eq!(fault.to_string(), r#"the curve "β = 0.1" has 2 points, but its lower has 1"#);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Series {
    /// What the legend says.
    pub label: String,
    /// Where it is known, increasing.
    pub x: Vec<f64>,
    /// Its height there.
    pub mean: Vec<f64>,
    /// The lower and the upper end of the band there.
    pub band: Option<(Vec<f64>, Vec<f64>)>,
    /// How it looks; [`Style::nth`] by its place in the figure if `None`.
    pub style: Option<Style>,
}

impl Series {
    /// A curve without band.
    pub fn new(label: impl Into<String>, x: Vec<f64>, mean: Vec<f64>) -> Self {
        Self { label: label.into(), x, mean, band: None, style: None }
    }

    /// Sets the band around the curve: its lower and its upper edge at every x.
    pub fn with_band(self, lower: Vec<f64>, upper: Vec<f64>) -> Self {
        Self { band: Some((lower, upper)), ..self }
    }

    /// Sets how the curve looks; otherwise its place in the figure decides.
    pub fn with_style(self, style: Style) -> Self {
        Self { style: Some(style), ..self }
    }

    /// Whether it can be drawn.
    ///
    /// # Errors
    /// [`ReportError::NoPoints`], [`ReportError::Length`], [`ReportError::NotFinite`],
    /// [`ReportError::NotIncreasing`] or [`ReportError::BandOrder`].
    pub fn check(&self) -> Result<(), ReportError> {
        let curve = || self.label.clone();
        if self.x.is_empty() {
            return Err(ReportError::NoPoints { curve: curve() });
        }
        for (column, values) in self.columns() {
            let (expected, found) = (self.x.len(), values.len());
            if expected != found {
                return Err(ReportError::Length { curve: curve(), column, expected, found });
            }
            if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                let value = values[index];
                return Err(ReportError::NotFinite { curve: curve(), column, index, value });
            }
        }
        if let Some(i) = self.x.windows(2).position(|pair| pair[0] >= pair[1]) {
            let (index, value, previous) = (i + 1, self.x[i + 1], self.x[i]);
            return Err(ReportError::NotIncreasing { curve: curve(), index, value, previous });
        }
        if let Some((low, high)) = &self.band
            && let Some(index) = (0..low.len()).find(|&i| low[i] > high[i])
        {
            let (lower, upper) = (low[index], high[index]);
            return Err(ReportError::BandOrder { curve: curve(), index, lower, upper });
        }
        Ok(())
    }

    fn columns(&self) -> impl Iterator<Item = (&'static str, &[f64])> {
        let band = self.band.iter();
        let band = band.flat_map(|(l, u)| [("lower", l.as_slice()), ("upper", u.as_slice())]);
        [("x", self.x.as_slice()), ("mean", self.mean.as_slice())].into_iter().chain(band)
    }

    /// Its height at x, straight between the points; `None` to the left and right of them.
    pub(super) fn at(&self, x: f64) -> Option<f64> {
        let i = self.x.partition_point(|&known| known < x);
        let after = *self.x.get(i)?;
        if after <= x {
            return self.mean.get(i).copied();
        }
        let before = *self.x.get(i.checked_sub(1)?)?;
        let share = (x - before) / (after - before);
        Some(self.mean[i - 1] + share * (self.mean[i] - self.mean[i - 1]))
    }
}

/// A horizontal line to compare curves with, such as an optimum, labelled at its right end.
///
/// # Example
/// ```
/// use sporadic::report::{Color, Dash, ReferenceLine, Style};
/// let best = ReferenceLine::new("certified V*", 0.4475)
///     .with_interval(0.4474, 0.4476)
///     .with_style(Style::new(Color::Blue, Dash::Dotted));
/// assert_eq!(best.y, 0.4475);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReferenceLine {
    /// What it is.
    pub label: String,
    /// Its height.
    pub y: f64,
    /// Between which heights the truth lies, if the line is not exact: a pale strip.
    pub interval: Option<(f64, f64)>,
    /// How it looks.
    pub style: Style,
}

impl ReferenceLine {
    /// A dashed grey line.
    pub fn new(label: impl Into<String>, y: f64) -> Self {
        let style = Style::new(Color::Grey, Dash::Dashed);
        Self { label: label.into(), y, interval: None, style }
    }

    /// Sets the two heights between which the line is known to lie.
    pub fn with_interval(self, low: f64, high: f64) -> Self {
        Self { interval: Some((low, high)), ..self }
    }

    /// Sets how the line looks, for instance the colour of the curve it belongs to.
    pub fn with_style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// All the heights it is drawn at.
    pub(super) fn heights(&self) -> impl Iterator<Item = f64> {
        let ends = self.interval.iter().flat_map(|&(low, high)| [low, high]);
        std::iter::once(self.y).chain(ends)
    }
}
