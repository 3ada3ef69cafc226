//! How a line looks.

use serde::{Deserialize, Serialize};

/// How a curve or a reference line looks: a colour, and a dash pattern and a marker that tell it
/// from the others where there is no colour.
///
/// # Example
/// ```
/// use sporadic::report::{Color, Dash, Marker, Style};
/// let style = Style::nth(1).with_dash(Dash::Dotted);
/// assert_eq!((style.color, style.marker), (Color::Vermillion, Marker::Square));
/// assert_ne!(Style::nth(0), Style::nth(7), "colours come back with other markers");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Style {
    /// The colour.
    pub color: Color,
    /// The dash pattern.
    pub dash: Dash,
    /// The marker.
    pub marker: Marker,
}

impl Style {
    /// A line without marker.
    pub const fn new(color: Color, dash: Dash) -> Self {
        Self { color, dash, marker: Marker::None }
    }

    /// The style of the i-th curve of a figure, counted from 0. The first 35 differ in colour or
    /// marker, the first five in both. They are solid: in our figures dashes mean a reference.
    pub fn nth(i: usize) -> Self {
        let (color, marker) = (Color::ORDER[i % 7], Marker::ORDER[i % 5]);
        Self { color, dash: Dash::Solid, marker }
    }

    /// Sets the colour.
    pub fn with_color(self, color: Color) -> Self {
        Self { color, ..self }
    }

    /// Sets the dash pattern.
    pub fn with_dash(self, dash: Dash) -> Self {
        Self { dash, ..self }
    }

    /// Sets the marker.
    pub fn with_marker(self, marker: Marker) -> Self {
        Self { marker, ..self }
    }
}

/// A colour of Okabe and Ito's palette, which the common kinds of colour blindness leave distinct,
/// or dark grey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Color {
    /// #0072B2.
    Blue,
    /// #D55E00.
    Vermillion,
    /// #009E73.
    Green,
    /// #CC79A7.
    Purple,
    /// #E69F00.
    Orange,
    /// #56B4E9.
    Sky,
    /// #000000.
    Black,
    /// #444444: what reference lines have unless told otherwise.
    Grey,
}

impl Color {
    const ORDER: [Self; 7] = [
        Self::Blue,
        Self::Vermillion,
        Self::Green,
        Self::Purple,
        Self::Orange,
        Self::Sky,
        Self::Black,
    ];

    /// Red, green and blue.
    ///
    /// # Example
    /// ```
    /// assert_eq!(sporadic::report::Color::Blue.rgb(), (0x00, 0x72, 0xB2));
    /// ```
    pub const fn rgb(self) -> (u8, u8, u8) {
        match self {
            Self::Blue => (0x00, 0x72, 0xB2),
            Self::Vermillion => (0xD5, 0x5E, 0x00),
            Self::Green => (0x00, 0x9E, 0x73),
            Self::Purple => (0xCC, 0x79, 0xA7),
            Self::Orange => (0xE6, 0x9F, 0x00),
            Self::Sky => (0x56, 0xB4, 0xE9),
            Self::Black => (0, 0, 0),
            Self::Grey => (0x44, 0x44, 0x44),
        }
    }
}

/// A dash pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Dash {
    /// No gaps.
    Solid,
    /// Dashes.
    Dashed,
    /// Short dashes, close together.
    Dotted,
    /// Long dashes.
    Long,
}

impl Dash {
    /// Lengths of dash and gap in pixels; `None` for a solid line.
    pub(super) const fn lengths(self) -> Option<(f64, f64)> {
        match self {
            Self::Solid => None,
            Self::Dashed => Some((8.0, 5.0)),
            Self::Dotted => Some((2.0, 3.5)),
            Self::Long => Some((18.0, 6.0)),
        }
    }
}

/// A sign set on a curve here and there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Marker {
    /// No sign.
    None,
    /// A disc.
    Circle,
    /// A square on its side.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// A triangle that points down.
    Nabla,
}

impl Marker {
    const ORDER: [Self; 5] =
        [Self::Circle, Self::Square, Self::Triangle, Self::Diamond, Self::Nabla];

    /// The corners around the origin, of about the area of a disc of radius 1; none for no sign and
    /// for the disc itself.
    pub(super) const fn corners(self) -> &'static [(f64, f64)] {
        match self {
            Self::None | Self::Circle => &[],
            Self::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Self::Triangle => &[(-1.2, 0.85), (1.2, 0.85), (0.0, -1.25)],
            Self::Diamond => &[(-1.25, 0.0), (0.0, -1.25), (1.25, 0.0), (0.0, 1.25)],
            Self::Nabla => &[(-1.2, -0.85), (1.2, -0.85), (0.0, 1.25)],
        }
    }
}
