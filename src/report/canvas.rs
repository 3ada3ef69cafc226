//! Strokes, fills and letters on an SVG, in pixels.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::{
    Circle, Color as _, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, PathElement, Polygon,
    RGBColor, SVGBackend, ShapeStyle, Text, TextStyle, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform};

use super::points::Point;
use super::{Marker, Style};

/// The drawing library knows whole pixels only. Ours are ten of its, so that curves are smooth.
pub(super) const FINE: u32 = 10;

/// The first two have nearly the same widths; one of them is on most machines that are not phones.
const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

pub(super) type Fault = DrawingAreaErrorKind<std::io::Error>;

/// A white sheet.
pub(super) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

impl<'a> Canvas<'a> {
    pub(super) fn new(svg: &'a mut String, (width, height): (u32, u32)) -> Result<Self, Fault> {
        let area = SVGBackend::with_string(svg, (width * FINE, height * FINE)).into_drawing_area();
        area.fill(&WHITE)?;
        Ok(Self { area })
    }

    /// A polyline of the style's colour and dashes.
    pub(super) fn line(&self, points: &[Point], style: Style, width: f64) -> Result<(), Fault> {
        let points: Vec<_> = points.iter().copied().map(fine).collect();
        let stroke: ShapeStyle = color(style).stroke_width(length(width).unsigned_abs());
        match style.dash.lengths() {
            None => self.area.draw(&PathElement::new(points, stroke)),
            Some((dash, gap)) => {
                let (dash, gap) = (length(dash), length(gap));
                self.area.draw(&DashedPathElement::new(points, dash, gap, stroke))
            }
        }
    }

    /// A thin solid line of this lightness, from 0 for black to 255 for white.
    pub(super) fn rule(&self, ends: [Point; 2], grey: u8, width: f64) -> Result<(), Fault> {
        let stroke = RGBColor(grey, grey, grey).stroke_width(length(width).unsigned_abs());
        self.area.draw(&PathElement::new(ends.map(fine), stroke))
    }

    /// A filled polygon that lets shine through what is under it.
    pub(super) fn pale(&self, corners: &[Point], style: Style, alpha: f64) -> Result<(), Fault> {
        if corners.is_empty() {
            return Ok(());
        }
        let corners: Vec<_> = corners.iter().copied().map(fine).collect();
        self.area.draw(&Polygon::new(corners, color(style).mix(alpha).filled()))
    }

    /// The style's marker with a white rim.
    pub(super) fn marker(&self, at: Point, style: Style) -> Result<(), Fault> {
        self.sign(at, style.marker, 6.2, WHITE)?;
        self.sign(at, style.marker, 4.8, color(style))
    }

    fn sign(&self, (x, y): Point, sign: Marker, radius: f64, color: RGBColor) -> Result<(), Fault> {
        match sign {
            Marker::None => Ok(()),
            Marker::Circle => {
                self.area.draw(&Circle::new(fine((x, y)), length(radius), color.filled()))
            }
            _ => {
                let corners = sign.corners().iter();
                let corners = corners.map(|(dx, dy)| fine((x + radius * dx, y + radius * dy)));
                self.area.draw(&Polygon::new(corners.collect::<Vec<_>>(), color.filled()))
            }
        }
    }

    /// Text whose digits and capitals are centred on the height of `at`.
    pub(super) fn text(&self, text: &str, (x, y): Point, letters: Letters) -> Result<(), Fault> {
        if text.is_empty() {
            return Ok(());
        }
        let style = if letters.bold { FontStyle::Bold } else { FontStyle::Normal };
        // The backend divides sizes by 1.24, the height of a line.
        let size = 1.24 * letters.size * f64::from(FINE);
        let mut font = FontDesc::new(FontFamily::Name(FAMILY), size, style);
        if letters.upward {
            font = font.transform(FontTransform::Rotate270);
        }
        // The backend centres small letters, which are lower.
        let lower = 0.09 * letters.size;
        let at = if letters.upward { (x + lower, y) } else { (x, y + lower) };
        let pos = Pos::new(letters.anchor, VPos::Center);
        let style = TextStyle::from(font).color(&RGBColor(0x22, 0x22, 0x22)).pos(pos);
        self.area.draw(&Text::new(text, fine(at), style))
    }

    /// Closes the document.
    pub(super) fn finish(self) -> Result<(), Fault> {
        self.area.present()
    }
}

/// How text is set.
#[derive(Clone, Copy)]
pub(super) struct Letters {
    pub(super) size: f64,
    pub(super) anchor: HPos,
    pub(super) bold: bool,
    /// Read from below.
    pub(super) upward: bool,
}

impl Letters {
    pub(super) const fn new(size: f64, anchor: HPos) -> Self {
        Self { size, anchor, bold: false, upward: false }
    }
}

fn color(style: Style) -> RGBColor {
    let (red, green, blue) = style.color.rgb();
    RGBColor(red, green, blue)
}

fn length(pixels: f64) -> i32 {
    fine((pixels, 0.0)).0
}

#[expect(clippy::cast_possible_truncation, reason = "a cast saturates, and sheets are small")]
fn fine((x, y): Point) -> (i32, i32) {
    let scale = f64::from(FINE);
    ((x * scale).round() as i32, (y * scale).round() as i32)
}
