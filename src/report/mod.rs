//! What people look at: figures with confidence bands, and a report in one HTML file.
//!
//! A [`Figure`] holds [`Curve`]s (a mean and a band around it) and [`ReferenceLine`]s (the optimum
//! to compare them with), and is drawn as SVG or PNG; an [`HtmlReport`] holds figures, a table and
//! all that is needed to run the experiment again. Neither needs the network, a browser or a font of
//! the system, and both give the same bytes for the same data.
//!
//! Curves differ in colour and in markers, so that they can be told apart in grey; the colours are
//! Okabe and Ito's, so that they can be told apart by the colour-blind.

mod axis;
mod canvas;
mod curve;
mod error;
mod figure;
mod html;
mod layout;
mod outcome;
mod png;
mod points;
mod rerun;
mod style;
mod svg;
mod text;

pub use curve::{Curve, ReferenceLine};
pub use error::ReportError;
pub use figure::Figure;
pub use html::HtmlReport;
pub use outcome::summary_table;
pub use style::{Color, Dash, Marker, Style};
