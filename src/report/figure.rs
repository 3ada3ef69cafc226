//! A figure: curves and lines on a pair of axes.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::{ReferenceLine, ReportError, Series, png, svg};
use crate::atomic;

/// Curves and reference lines on a pair of axes.
///
/// The legend stands above the frame, labels of lines to the right of it: nothing covers the data.
/// The same figure gives the same bytes.
///
/// The vertical axis holds every reference line, every mean, and every band from the first twentieth
/// of the horizontal axis on; intervals after the first few episodes are often so wide that they
/// would flatten everything else, and are cut off at the frame. So are bands that reach further beyond
/// means and lines than these among themselves.
/// [`with_y_range`](Self::with_y_range) sets it by hand.
///
/// # Example
/// ```
/// use sporadic::report::{Series, Figure, ReferenceLine};
/// let episodes = vec![1.0, 500.0, 1000.0];
/// let figure = Figure::new("RiverSwim")
///     .with_x_label("episode")
///     .with_y_label("running average of (1 − γ) return")
///     .with_series(Series::new("β = 0.1", episodes, vec![0.01, 0.3, 0.36]))
///     .with_line(ReferenceLine::new("class optimum", 0.3785));
/// assert!(figure.to_svg()?.contains("class optimum"));
/// assert!(figure.to_png(2.0)?.starts_with(b"\x89PNG"));
/// # Ok::<(), sporadic::report::ReportError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Figure {
    /// What stands above it; may be empty.
    pub title: String,
    /// The name of the horizontal axis; may be empty.
    pub x_label: String,
    /// The name of the vertical axis; may be empty.
    pub y_label: String,
    /// What the bands are, for the legend; if empty, it does not say.
    pub band_label: String,
    /// The curves.
    pub series: Vec<Series>,
    /// The lines to compare them with.
    pub lines: Vec<ReferenceLine>,
    /// Where the vertical axis begins and ends; from the data if `None`.
    pub y_range: Option<(f64, f64)>,
    /// Width and height in pixels.
    pub size: (u32, u32),
}

impl Figure {
    /// An empty figure of 720 x 480 pixels.
    pub fn new(title: impl Into<String>) -> Self {
        let (x_label, y_label, band_label, series, lines) = <_>::default();
        let (title, y_range, size) = (title.into(), None, (720, 480));
        Self { title, x_label, y_label, band_label, series, lines, y_range, size }
    }

    /// Sets the name of the horizontal axis.
    pub fn with_x_label(self, label: impl Into<String>) -> Self {
        Self { x_label: label.into(), ..self }
    }

    /// Sets the name of the vertical axis.
    pub fn with_y_label(self, label: impl Into<String>) -> Self {
        Self { y_label: label.into(), ..self }
    }

    /// Adds an entry to the legend that says what the bands are.
    pub fn with_band_label(self, label: impl Into<String>) -> Self {
        Self { band_label: label.into(), ..self }
    }

    /// Adds a curve.
    pub fn with_series(mut self, curve: Series) -> Self {
        self.series.push(curve);
        self
    }

    /// Adds a reference line.
    pub fn with_line(mut self, line: ReferenceLine) -> Self {
        self.lines.push(line);
        self
    }

    /// Sets the vertical axis to go from `low` to `high`; what lies outside is cut off.
    pub fn with_y_range(self, low: f64, high: f64) -> Self {
        Self { y_range: Some((low, high)), ..self }
    }

    /// Sets width and height, from 240 to 4000 pixels each; the size of letters does not change.
    pub fn with_size(self, width: u32, height: u32) -> Self {
        Self { size: (width, height), ..self }
    }

    /// Whether it can be drawn.
    ///
    /// # Errors
    /// Those of [`Series::check`], [`ReportError::Nothing`], [`ReportError::Line`],
    /// [`ReportError::Range`], [`ReportError::Size`] and [`ReportError::NoRoom`].
    pub fn check(&self) -> Result<(), ReportError> {
        let (width, height) = self.size;
        if !(240..=4000).contains(&width) || !(240..=4000).contains(&height) {
            return Err(ReportError::Size { width, height });
        }
        if self.series.is_empty() && self.lines.is_empty() {
            return Err(ReportError::Nothing { figure: self.title.clone() });
        }
        self.series.iter().try_for_each(Series::check)?;
        for line in &self.lines {
            if let Some(value) = line.heights().find(|y| !y.is_finite()) {
                return Err(ReportError::Line { line: line.label.clone(), value });
            }
        }
        Layout::of(self).map(drop)
    }

    /// The figure as SVG. It needs no font file, script or other resource.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); [`ReportError::Draw`].
    pub fn to_svg(&self) -> Result<String, ReportError> {
        self.check()?;
        svg::draw(self, &self.title)
    }

    /// The SVG rendered as PNG, `scale` pixels for each of its own, in a font that comes with the
    /// library: no font of the system is looked for.
    ///
    /// # Errors
    /// Those of [`to_svg`](Self::to_svg); [`ReportError::Scale`].
    pub fn to_png(&self, scale: f32) -> Result<Vec<u8>, ReportError> {
        png::render(&self.title, &self.to_svg()?, scale)
    }

    /// Writes a file whose name ends in `.svg` or `.png` (two pixels for one), whole or not at all.
    ///
    /// # Errors
    /// Those of [`to_png`](Self::to_png); [`ReportError::Extension`] and [`ReportError::Io`].
    ///
    /// # Example
    /// ```
    /// use sporadic::report::{Figure, ReferenceLine};
    /// let figure = Figure::new("An optimum").with_line(ReferenceLine::new("V*", 0.4475));
    /// let fault = figure.write("figure.gif").unwrap_err();
    /// assert_eq!(fault.to_string(), "figure.gif: the name of a figure's file ends in .svg or .png");
    /// ```
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        write(path.as_ref(), || self.to_svg(), || self.to_png(PNG_SCALE))
    }
}

/// Pixels of a PNG file for each of the drawing: sharp in print.
pub(super) const PNG_SCALE: f32 = 2.0;

/// Writes the picture that the ending of the file's name asks for, whole or not at all.
pub(super) fn write(
    path: &Path,
    svg: impl FnOnce() -> Result<String, ReportError>,
    png: impl FnOnce() -> Result<Vec<u8>, ReportError>,
) -> Result<(), ReportError> {
    let bytes = match path.extension() {
        Some(end) if end.eq_ignore_ascii_case("svg") => svg()?.into_bytes(),
        Some(end) if end.eq_ignore_ascii_case("png") => png()?,
        _ => return Err(ReportError::Extension { path: path.into() }),
    };
    atomic::replace(path, &bytes).map_err(|source| ReportError::Io { path: path.into(), source })
}
