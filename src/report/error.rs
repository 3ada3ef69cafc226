//! What can be wrong with a figure or a report.

use std::path::PathBuf;

use thiserror::Error;

/// Why a figure was not drawn or a report not made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Neither a curve nor a reference line.
    #[error("the figure {figure:?} has nothing to draw")]
    Nothing {
        /// The figure's title.
        figure: String,
    },
    /// A curve without points.
    #[error("the curve {curve:?} has no points")]
    NoPoints {
        /// The curve's label.
        curve: String,
    },
    /// A column of a curve with the wrong number of entries.
    #[error("the curve {curve:?} has {expected} points, but its {column} has {found}")]
    Length {
        /// The curve's label.
        curve: String,
        /// `mean`, `lower` or `upper`.
        column: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Runs of one curve with different numbers of episodes.
    #[error("run {run} of the curve {curve:?} has {found} episodes, but run 0 has {expected}")]
    Runs {
        /// The curve's label.
        curve: String,
        /// Which run, counted from 0.
        run: usize,
        /// How many episodes the first one has.
        expected: usize,
        /// How many this one has.
        found: usize,
    },
    /// A number that cannot be drawn.
    #[error("{column}[{index}] of the curve {curve:?} is {value}, not a finite number")]
    NotFinite {
        /// The curve's label.
        curve: String,
        /// `x`, `mean`, `lower` or `upper`.
        column: &'static str,
        /// Where, counted from 0.
        index: usize,
        /// The number.
        value: f64,
    },
    /// Points that do not go from left to right.
    #[error("x[{index}] of the curve {curve:?} is {value}, not above {previous} before it")]
    NotIncreasing {
        /// The curve's label.
        curve: String,
        /// Where, counted from 0.
        index: usize,
        /// The number there.
        value: f64,
        /// The number before it.
        previous: f64,
    },
    /// A band that is upside down.
    #[error("the band of the curve {curve:?} goes from {lower} up to {upper} at index {index}")]
    BandOrder {
        /// The curve's label.
        curve: String,
        /// Where, counted from 0.
        index: usize,
        /// The lower end.
        lower: f64,
        /// The upper end.
        upper: f64,
    },
    /// A reference line at no height.
    #[error("the reference line {line:?} is at {value}, not at a finite number")]
    Line {
        /// The line's label.
        line: String,
        /// The number.
        value: f64,
    },
    /// An axis from a number up to one that is not above it, or so far that the distance overflows.
    #[error("an axis cannot go from {low:?} to {high:?}")]
    Range {
        /// Where it would begin.
        low: f64,
        /// Where it would end.
        high: f64,
    },
    /// A figure too small to hold its labels, or absurdly large.
    #[error("a figure of {width} x {height} pixels: both must be from 240 to 4000")]
    Size {
        /// The width.
        width: u32,
        /// The height.
        height: u32,
    },
    /// A figure whose legend and labels fill it.
    #[error(
        "the labels of the figure {figure:?} leave no room for data at {width} x {height} pixels"
    )]
    NoRoom {
        /// The figure's title.
        figure: String,
        /// The width.
        width: u32,
        /// The height.
        height: u32,
    },
    /// A magnification out of bounds.
    #[error("a PNG at scale {scale}: it must be from 0.1 to 10")]
    Scale {
        /// The scale asked for.
        scale: f32,
    },
    /// A row of a table with the wrong number of cells.
    #[error("row {row} of the table has {found} cells under {expected} headings")]
    Row {
        /// Which row, counted from 0.
        row: usize,
        /// How many headings there are.
        expected: usize,
        /// How many cells there are.
        found: usize,
    },
    /// A file name that does not say how to draw.
    #[error("{}: the name of a figure's file ends in .svg or .png", .path.display())]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// A file that could not be written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The drawing library refused, which no checked figure is known to cause.
    #[error("drawing the figure {figure:?}: {source}")]
    Draw {
        /// The figure's title.
        figure: String,
        /// What it said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
