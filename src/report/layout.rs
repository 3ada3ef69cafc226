//! Where everything in a figure goes.

use super::axis::Axis;
use super::points::Point;
use super::{Figure, ReportError, text};

/// Sizes of letters in pixels: of ticks and legend, of the axes' names, of the title.
pub(super) const SMALL: f64 = 15.0;
pub(super) const MEDIUM: f64 = 16.0;
pub(super) const LARGE: f64 = 18.0;

/// The length of the piece of line in a legend's entry, and the height of a row of entries.
pub(super) const SAMPLE: f64 = 34.0;
const ROW: f64 = 24.0;

/// From a reference line's end to its label.
pub(super) const LEADER: f64 = 18.0;

/// What lies where, in pixels from the upper left corner.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) x_ticks: Vec<(f64, String)>,
    pub(super) y_ticks: Vec<(f64, String)>,
    /// The height of the title's middle.
    pub(super) title: f64,
    /// For each curve, then for the band, its label in the legend and where the entry begins.
    pub(super) legend: Vec<(String, Point)>,
}

impl Layout {
    pub(super) fn of(figure: &Figure) -> Result<Self, ReportError> {
        let (x, y) = ranges(figure)?;
        let (width, height) = (f64::from(figure.size.0), f64::from(figure.size.1));
        let filled = |text: &str, size: f64| if text.is_empty() { 0.0 } else { size };

        let bottom = height - 12.0 - filled(&figure.x_label, MEDIUM + 10.0) - SMALL - 12.0;
        let most = count(height / 62.0);
        let y = if figure.y_range.is_none() { y.rounded(most) } else { y };
        let y_ticks = y.ticks(most);
        let widest = y_ticks.iter().map(|(_, name)| text::width(name, SMALL)).fold(0.0, f64::max);
        let left = 14.0 + filled(&figure.y_label, MEDIUM + 10.0) + widest + 10.0;
        let label = |line: &super::ReferenceLine| text::width(&line.label, SMALL) + LEADER + 10.0;
        let right = figure.lines.iter().map(label).fold(26.0, f64::max).min(0.4 * width);
        let right = width - right;

        let title = 12.0 + LARGE / 2.0;
        let mut legend = Vec::new();
        let (mut at, mut top) = (left, 12.0 + filled(&figure.title, LARGE + 8.0));
        let curves = figure.series.iter().map(|curve| &curve.label);
        for label in curves.chain([&figure.band_label]) {
            let label = text::fit(label, SMALL, width - left - SAMPLE - 20.0);
            if label.is_empty() {
                legend.push((label, (left, top)));
                continue;
            }
            let wide = SAMPLE + 7.0 + text::width(&label, SMALL);
            if at > left && at + wide > width - 12.0 {
                (at, top) = (left, top + ROW);
            }
            legend.push((label, (at, top + ROW / 2.0)));
            at += wide + 20.0;
        }
        let top = if at > left { top + ROW + 8.0 } else { top + 6.0 };

        let room = |ticks: &[(f64, String)]| {
            let names = ticks.iter().map(|(_, name)| text::width(name, SMALL) + 20.0);
            names.sum::<f64>() <= right - left
        };
        let denser = (3..=8).rev().map(|most| x.ticks(most)).find(|ticks| room(ticks));
        let x_ticks = denser.unwrap_or_else(|| x.ticks(2));
        if right - left < 80.0 || bottom - top < 60.0 {
            let (width, height) = figure.size;
            return Err(ReportError::NoRoom { figure: figure.title.clone(), width, height });
        }
        Ok(Self { left, right, top, bottom, x, y, x_ticks, y_ticks, title, legend })
    }

    /// Where a point of the data lies.
    pub(super) fn place(&self, (x, y): Point) -> Point {
        let across = self.x.share(x) * (self.right - self.left);
        let up = self.y.share(y) * (self.bottom - self.top);
        (self.left + across, self.bottom - up)
    }

    /// Where several lie.
    pub(super) fn places(&self, points: &[Point]) -> Vec<Point> {
        points.iter().map(|&point| self.place(point)).collect()
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
fn count(most: f64) -> usize {
    most.clamp(3.0, 12.0) as usize
}

/// The vertical axis that suits the curves and lines of all `figures`, at the height of the first.
pub(super) fn common_y(figures: &[Figure]) -> Result<(f64, f64), ReportError> {
    let mut all = figures.first().cloned().unwrap_or_else(|| Figure::new(""));
    for figure in figures.iter().skip(1) {
        all.series.extend(figure.series.iter().cloned());
        all.lines.extend(figure.lines.iter().cloned());
    }
    let (_, y) = ranges(&all)?;
    let y = y.rounded(count(f64::from(all.size.1) / 62.0));
    Ok((y.low, y.high))
}

/// The axes, as told in [`Figure`].
fn ranges(figure: &Figure) -> Result<(Axis, Axis), ReportError> {
    let x = Axis::around(figure.series.iter().flat_map(|curve| curve.x.iter().copied()))?;
    // Episodes count from 1, but an axis that begins at 0 is easier to read.
    let x = if x.low > 0.0 && x.low <= 0.02 * x.high { Axis::new(0.0, x.high)? } else { x };
    if let Some((low, high)) = figure.y_range {
        return Ok((x, Axis::new(low, high)?));
    }
    let settled = x.low + 0.05 * x.span();
    let means = figure.series.iter().flat_map(|curve| curve.mean.iter().copied());
    let bands = figure.series.iter().flat_map(|curve| {
        let ends = curve.band.iter().flat_map(|(low, high)| low.iter().zip(high));
        let known = curve.x.iter().zip(ends).filter(move |(x, _)| **x >= settled);
        known.flat_map(|(_, (&low, &high))| [low, high])
    });
    let lines = figure.lines.iter().flat_map(super::ReferenceLine::heights);
    // Bands are cut off where they would take more than two thirds of the sheet.
    let core: Vec<f64> = means.chain(lines).collect();
    let (low, high) = core
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &y| (low.min(y), high.max(y)));
    let room = if high > low { high - low } else { f64::INFINITY };
    let bands = bands.map(|y| y.clamp(low - room, high + room));
    Ok((x, Axis::around(core.iter().copied().chain(bands))?.padded(0.05)?))
}
