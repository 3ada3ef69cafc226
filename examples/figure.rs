//! A figure with confidence bands and a report around it.
//!
//! Writes `figure.svg`, `figure.png` and `report.html` to the folder named on the command line.

use std::error::Error;
use std::path::PathBuf;

use sporadic::report::{Curve, Dash, Figure, HtmlReport, ReferenceLine, Style};

/// A made-up learning curve of the kind that running averages have: noisy, rising, levelling off.
fn curve(label: &str, plateau: f64, pace: f64, phase: f64) -> Curve {
    let x: Vec<f64> = (1..=5000).map(f64::from).collect();
    let (mut mean, mut lower, mut upper) = (Vec::new(), Vec::new(), Vec::new());
    for k in &x {
        let trend = plateau * (1.0 - pace / k * (1.0 - (-k / pace).exp()));
        let half = trend * (0.015 + 2.0 / (k + 40.0).sqrt());
        let noise = (0.031 * k + phase).sin() + (0.113 * k + 2.0 * phase).sin() / 2.0;
        let middle = trend + 0.08 * half * noise;
        mean.push(middle);
        lower.push(middle - half);
        upper.push(middle + half);
    }
    Curve::new(label, x, mean).with_band(lower, upper)
}

fn main() -> Result<(), Box<dyn Error>> {
    // Optima of RiverBalance at its first state, times 1 - gamma: within the paper's class of
    // sequences, and among all where a certified one is at hand.
    let curves = [
        ("β = 0.05", 0.311_563, 180.0, None),
        ("β = 0.1", 0.384_052, 240.0, Some(0.4475)),
        ("β = 0.2", 0.557_294, 330.0, None),
        ("β = 0.5", 0.799_949, 520.0, None),
    ];
    let mut figure = Figure::new("RiverBalance")
        .with_x_label("episode")
        .with_y_label("running average of (1 − γ) return")
        .with_band_label("95% interval");
    for (i, (label, class, pace, best)) in curves.into_iter().enumerate() {
        figure = figure.with_curve(curve(label, class, pace, i as f64));
        let style = Style::nth(i);
        let line = ReferenceLine::new(format!("class {class:.3}"), class);
        figure = figure.with_line(line.with_style(style.with_dash(Dash::Dashed)));
        if let Some(best) = best {
            let line = ReferenceLine::new(format!("V* {best:.3}"), best);
            figure = figure.with_line(line.with_style(style.with_dash(Dash::Dotted)));
        }
    }
    let rows = curves.map(|(label, class, _, best)| {
        let best = best.map_or_else(|| "–".into(), |best| format!("{best:.4}"));
        [label.into(), format!("{class:.4}"), best]
    });
    let alt = "Four learning curves that rise towards dashed lines at the optima of the class";
    let caption = "Made-up learning curves with 95% intervals. Dashed: the optimum of the class; \
                   dotted: the certified optimum.";
    let report = HtmlReport::new("A river to keep one's balance in")
        .with_intro("What a report looks like: made-up runs on a river with real optima.")
        .with_summary(["reveal probability", "class optimum", "certified V*"], rows)?
        .with_figure(&figure, alt, caption)?
        .with_parameter("γ", "0.99")
        .with_parameter("episodes", "5000")
        .with_seeds(1..=5)
        .with_version(concat!("sporadic ", env!("CARGO_PKG_VERSION")))
        .with_command("cargo run --features experiment --example figure -- out")
        .with_note("The curves are made up, the optima are those of RiverBalance.");

    if let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) {
        std::fs::create_dir_all(&folder)?;
        figure.write(folder.join("figure.svg"))?;
        figure.write(folder.join("figure.png"))?;
        report.write(folder.join("report.html"))?;
        println!("wrote figure.svg, figure.png and report.html");
    } else {
        let (curves, lines) = (figure.curves.len(), figure.lines.len());
        println!("{curves} curves and {lines} lines; name a folder to write them to");
    }
    Ok(())
}
