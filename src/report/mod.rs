//! What people look at: figures with confidence bands, and a report in one HTML file.
//!
//! From a finished experiment, [`Outcome::figures`](crate::experiment::Outcome::figures) makes figures,
//! [`Outcome::page`](crate::experiment::Outcome::page) a page, and
//! [`Outcome::write`](crate::experiment::Outcome::write) all its files. From the
//! [learning curves](crate::simulation::Curve) of simulations of your own,
//! [`Series::mean_return`] and [`Series::regret`] make what a figure draws.
//!
//! A [`Figure`] holds [`Series`]s (a mean and a band around it) and [`ReferenceLine`]s (the optimum
//! to compare them with), and is drawn as SVG or PNG, alone or among
//! [`SmallMultiples`]; an [`HtmlReport`] holds figures, a table and
//! all that is needed to run the experiment again. Neither needs the network, a browser or a font of
//! the system, and both give the same bytes for the same data.
//!
//! Curves differ in colour and in markers, so that they can be told apart in grey; the colours are
//! Okabe and Ito's, so that they can be told apart by the colour-blind.

mod axis;
mod beside;
mod canvas;

mod draw;
mod error;
mod figure;
mod from_curves;
mod html;
mod layout;
mod multiples;
mod outcome;
mod panels;
mod png;
mod points;
mod rerun;
mod rows;
mod series;
mod style;
mod svg;
mod table;
mod text;

pub use draw::OutcomeFigure;
pub(crate) use draw::figure_files;
pub use error::ReportError;
pub use figure::Figure;
pub use html::HtmlReport;
pub use multiples::SmallMultiples;
pub use rows::summary_table;
pub use series::{ReferenceLine, Series};
pub use style::{Color, Dash, Marker, Style};
