//! A figure as SVG.

use plotters::style::text_anchor::HPos;

use super::canvas::{Canvas, FINE, Fault, Letters};
use super::layout::{LARGE, LEADER, Layout, MEDIUM, SAMPLE, SMALL};
use super::points::{self, MOST, Point};
use super::{Color, Dash, Figure, Marker, ReportError, Series, Style, text};

/// How many markers a curve of many points has, and up to how many points all are marked.
const MARKERS: usize = 8;
const FEW: usize = 24;

/// The figure; `alt` is what a screen reader says.
pub(super) fn draw(figure: &Figure, alt: &str) -> Result<String, ReportError> {
    let layout = Layout::of(figure)?;
    let mut svg = String::new();
    draw_on(&mut svg, figure, &layout).map_err(|fault| ReportError::Draw {
        figure: figure.title.clone(),
        source: Box::new(fault),
    })?;
    let (width, height) = figure.size;
    // The library's first tag knows neither a size other than that of the drawing nor round joins.
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {} {}\" stroke-linejoin=\"round\" role=\"img\" aria-label=\"{}\">{body}",
        width * FINE,
        height * FINE,
        text::escape(&text::clean(alt)),
    ))
}

fn draw_on(svg: &mut String, figure: &Figure, layout: &Layout) -> Result<(), Fault> {
    let canvas = Canvas::new(svg, figure.size)?;
    grid(&canvas, layout)?;
    for line in &figure.lines {
        let style = line.style;
        if let Some((low, high)) = line.interval {
            let [low, high] = [low, high].map(|y| y.clamp(layout.y.low, layout.y.high));
            let (x0, x1) = (layout.x.low, layout.x.high);
            let strip = layout.places(&[(x0, low), (x1, low), (x1, high), (x0, high)]);
            canvas.pale(&strip, style, 0.15)?;
        }
    }
    let styles: Vec<Style> = (0..).map(Style::nth).take(figure.series.len()).collect();
    let style = |i: usize| figure.series[i].style.unwrap_or(styles[i]);
    for (i, curve) in figure.series.iter().enumerate() {
        canvas.pale(&layout.places(&band(curve, layout)), style(i), 0.18)?;
    }
    reference_lines(&canvas, figure, layout)?;
    for (i, curve) in figure.series.iter().enumerate() {
        let line = points::thin(&curve.x, &curve.mean, MOST);
        for piece in points::inside(&line, layout.y.low, layout.y.high) {
            canvas.line(&layout.places(&piece), style(i), 2.2)?;
        }
    }
    // After all lines: a marker says which curve it is on where several cross.
    for (i, curve) in figure.series.iter().enumerate() {
        for point in marked(curve, layout, (i, figure.series.len())) {
            canvas.marker(layout.place(point), style(i))?;
        }
    }
    axes(&canvas, figure, layout)?;
    legend(&canvas, figure, layout, &style)?;
    canvas.finish()
}

fn grid(canvas: &Canvas<'_>, layout: &Layout) -> Result<(), Fault> {
    let Layout { left, right, top, bottom, .. } = *layout;
    for (tick, _) in &layout.y_ticks {
        let (_, y) = layout.place((layout.x.low, *tick));
        canvas.rule([(left, y), (right, y)], 0xE4, 1.0)?;
    }
    for (tick, _) in &layout.x_ticks {
        let (x, _) = layout.place((*tick, layout.y.low));
        canvas.rule([(x, top), (x, bottom)], 0xF0, 1.0)?;
    }
    canvas.rule([(left, top), (left, bottom)], 0x44, 1.3)?;
    canvas.rule([(left, bottom), (right, bottom)], 0x44, 1.3)
}

fn axes(canvas: &Canvas<'_>, figure: &Figure, layout: &Layout) -> Result<(), Fault> {
    let Layout { left, right, top, bottom, .. } = *layout;
    let (width, height) = (f64::from(figure.size.0), f64::from(figure.size.1));
    for (tick, name) in &layout.x_ticks {
        let (x, _) = layout.place((*tick, layout.y.low));
        canvas.rule([(x, bottom), (x, bottom + 5.0)], 0x44, 1.3)?;
        let below = bottom + 9.0 + SMALL / 2.0;
        canvas.text(name, (x, below), Letters::new(SMALL, HPos::Center))?;
    }
    for (tick, name) in &layout.y_ticks {
        let (_, y) = layout.place((layout.x.low, *tick));
        canvas.rule([(left - 5.0, y), (left, y)], 0x44, 1.3)?;
        canvas.text(name, (left - 9.0, y), Letters::new(SMALL, HPos::Right))?;
    }
    let room = width - left - 12.0;
    // Bold letters are wider.
    let size = shrunk(&figure.title, 1.12 * LARGE, room) / 1.12;
    let title = text::fit(&figure.title, 1.12 * size, room);
    let letters = Letters { bold: true, ..Letters::new(size, HPos::Left) };
    canvas.text(&title, (left, layout.title), letters)?;
    let size = shrunk(&figure.x_label, MEDIUM, right - left);
    let name = text::fit(&figure.x_label, size, right - left);
    let middle = ((left + right) / 2.0, height - 12.0 - MEDIUM / 2.0);
    canvas.text(&name, middle, Letters::new(size, HPos::Center))?;
    let size = shrunk(&figure.y_label, MEDIUM, height - 24.0);
    let name = text::fit(&figure.y_label, size, height - 24.0);
    let letters = Letters { upward: true, ..Letters::new(size, HPos::Center) };
    // A long name may need more than the frame's height; then it is centred on the sheet.
    let fits = text::width(&name, size) <= bottom - top + 2.0 * (height - bottom).min(top) - 24.0;
    let middle = if fits { (top + bottom) / 2.0 } else { height / 2.0 };
    canvas.text(&name, (14.0 + MEDIUM / 2.0, middle), letters)
}

/// The size at which a text fits, but not below three quarters of `size`.
fn shrunk(text: &str, size: f64, room: f64) -> f64 {
    size * (room / text::width(text, size).max(1.0)).clamp(0.75, 1.0)
}

fn reference_lines(canvas: &Canvas<'_>, figure: &Figure, layout: &Layout) -> Result<(), Fault> {
    let Layout { right, top, bottom, .. } = *layout;
    let seen = |y: f64| (layout.y.low..=layout.y.high).contains(&y);
    let lines: Vec<_> = figure.lines.iter().filter(|line| seen(line.y)).collect();
    let heights: Vec<f64> = lines.iter().map(|l| layout.place((layout.x.low, l.y)).1).collect();
    let labels = text::spread(&heights, 1.2 * SMALL, top, bottom);
    for ((line, y), label) in lines.into_iter().zip(heights).zip(labels) {
        canvas.line(&[(layout.left, y), (right, y)], line.style, 1.6)?;
        if line.label.is_empty() {
            continue;
        }
        let leader = [(right, y), (right + 3.0, y), (right + LEADER - 4.0, label)];
        canvas.line(&leader, line.style.with_dash(Dash::Solid), 1.0)?;
        let room = f64::from(figure.size.0) - right - LEADER - 6.0;
        let name = text::fit(&line.label, SMALL, room);
        canvas.text(&name, (right + LEADER, label), Letters::new(SMALL, HPos::Left))?;
    }
    Ok(())
}

fn legend(
    canvas: &Canvas<'_>,
    figure: &Figure,
    layout: &Layout,
    style: &dyn Fn(usize) -> Style,
) -> Result<(), Fault> {
    for (i, (label, (x, y))) in layout.legend.iter().enumerate() {
        let (x, y) = (*x, *y);
        if label.is_empty() {
            continue;
        }
        if i < figure.series.len() {
            canvas.line(&[(x, y), (x + SAMPLE, y)], style(i), 2.2)?;
            canvas.marker((x + SAMPLE / 2.0, y), style(i))?;
        } else {
            let (x1, y0, y1) = (x + SAMPLE, y - 6.0, y + 6.0);
            let grey = Style::new(Color::Grey, Dash::Solid);
            canvas.pale(&[(x, y0), (x1, y0), (x1, y1), (x, y1)], grey, 0.25)?;
        }
        let letters = Letters::new(SMALL, HPos::Left);
        canvas.text(label, (x + SAMPLE + 7.0, y), letters)?;
    }
    Ok(())
}

/// The outline of a curve's band within the frame; empty if it has none.
fn band(curve: &Series, layout: &Layout) -> Vec<Point> {
    let Some((lower, upper)) = &curve.band else { return Vec::new() };
    let edge = |y: &[f64]| {
        let edge = points::thin(&curve.x, y, MOST);
        points::clamped(&edge, layout.y.low, layout.y.high)
    };
    let (lower, upper) = (edge(lower), edge(upper));
    lower.into_iter().chain(upper.into_iter().rev()).collect()
}

/// Where the markers of the i-th of n curves go: on every point if there are few; else spread over
/// the frame, each curve's between those of the others.
fn marked(curve: &Series, layout: &Layout, (i, n): (usize, usize)) -> Vec<Point> {
    if curve.style.is_some_and(|style| style.marker == Marker::None) {
        return Vec::new();
    }
    let seen = |&(_, y): &Point| (layout.y.low..=layout.y.high).contains(&y);
    if curve.x.len() <= FEW {
        let points = curve.x.iter().copied().zip(curve.mean.iter().copied());
        return points.filter(seen).collect();
    }
    let offset = (i as f64 + 0.5) / n as f64;
    let share = |k: usize| (k as f64 + offset) / MARKERS as f64;
    let place = |k: usize| layout.x.low + share(k) * layout.x.span();
    let points = (0..MARKERS).map(place).filter_map(|x| Some((x, curve.at(x)?)));
    points.filter(seen).collect()
}
