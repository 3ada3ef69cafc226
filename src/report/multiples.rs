//! Several figures with one vertical axis, side by side.

use std::fmt::Write as _;
use std::path::Path;

use super::canvas::FINE;
use super::figure::{PNG_SCALE, write};
use super::{Figure, ReportError, layout, png, svg, text};

/// Figures of one size in rows and columns, drawn with the same vertical axis so that they can be
/// compared: small multiples.
///
/// More than eight curves on one pair of axes cannot be told apart; four figures of six can. With a
/// single figure this draws just that figure.
///
/// # Example
/// ```
/// use sporadic::report::{Series, Figure, SmallMultiples};
/// let curve = |label: &str, last: f64| Series::new(label, vec![1.0, 2.0], vec![0.0, last]);
/// let sheet = SmallMultiples::new("RiverSwim", 2)
///     .with_figure(Figure::new("rho = 30").with_series(curve("words:6", 0.4)))
///     .with_figure(Figure::new("rho = 50").with_series(curve("words:6", 0.2)));
/// assert!(sheet.to_svg()?.contains("rho = 50"));
/// # Ok::<(), sporadic::report::ReportError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SmallMultiples {
    /// What is drawn, for screen readers and error messages.
    pub title: String,
    /// The figures, row by row.
    pub figures: Vec<Figure>,
    /// How many stand side by side.
    pub columns: usize,
}

impl SmallMultiples {
    /// A sheet without figures, with so many columns.
    pub fn new(title: impl Into<String>, columns: usize) -> Self {
        Self { title: title.into(), figures: Vec::new(), columns: columns.max(1) }
    }

    /// Adds a figure.
    pub fn with_figure(mut self, figure: Figure) -> Self {
        self.figures.push(figure);
        self
    }

    /// Whether it can be drawn.
    ///
    /// # Errors
    /// Those of [`Figure::check`]; [`ReportError::Nothing`] without figures.
    pub fn check(&self) -> Result<(), ReportError> {
        if self.figures.is_empty() {
            return Err(ReportError::Nothing { figure: self.title.clone() });
        }
        self.figures.iter().try_for_each(Figure::check)
    }

    /// The sheet as SVG. It needs no font file, script or other resource.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); [`ReportError::Draw`].
    pub fn to_svg(&self) -> Result<String, ReportError> {
        self.draw(&self.title)
    }

    /// The sheet as PNG, `scale` pixels for each of the SVG.
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
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        write(path.as_ref(), || self.to_svg(), || self.to_png(PNG_SCALE))
    }

    /// Draws it; `alt` is what a screen reader says.
    pub(super) fn draw(&self, alt: &str) -> Result<String, ReportError> {
        self.check()?;
        if let [figure] = self.figures.as_slice() {
            return svg::draw(figure, alt);
        }
        let (low, high) = layout::common_y(&self.figures)?;
        let columns = self.columns.min(self.figures.len());
        let rows = self.figures.len().div_ceil(columns);
        let side = |of: fn(&Figure) -> u32| self.figures.iter().map(of).max().unwrap_or(0);
        let (wide, high_each) = (side(|figure| figure.size.0), side(|figure| figure.size.1));
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (width, height) =
            (wide.saturating_mul(count(columns)), high_each.saturating_mul(count(rows)));
        let mut sheet = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>\n",
            text::escape(&text::clean(alt)),
        );
        for (i, figure) in self.figures.iter().enumerate() {
            let figure = Figure { y_range: figure.y_range.or(Some((low, high))), ..figure.clone() };
            let drawn = svg::draw(&figure, &figure.title)?;
            // The figure's own first tag is replaced by one that says where it stands.
            let body = drawn.split_once('>').map_or("", |(_, body)| body);
            let (x, y) = (wide * count(i % columns), high_each * count(i / columns));
            let (w, h) = figure.size;
            let _ = write!(
                sheet,
                "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {} {}\" \
                 stroke-linejoin=\"round\">{body}",
                w * FINE,
                h * FINE,
            );
        }
        sheet.push_str("</svg>\n");
        Ok(sheet)
    }
}
