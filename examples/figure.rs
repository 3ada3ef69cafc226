//! A figure with confidence bands and a report around it.
//!
//! Writes `figure.svg`, `figure.png` and `report.html` to the folder named on the command line.

use std::error::Error;
use std::path::PathBuf;

use sporadic::report::{Curve, Dash, Figure, HtmlReport, ReferenceLine, Style};

/// A learning curve of the kind that running averages have: noisy, rising, levelling off.
fn curve(label: &str, plateau: f64, pace: f64, phase: f64) -> Curve {
    let x: Vec<f64> = (1..=5000).map(f64::from).collect();
    let noise = |k: f64| (0.9 * k + phase).sin() + (0.113 * k + 2.0 * phase).sin() / 2.0;
    let mean = |k: &f64| {
        plateau * (1.0 - (pace / k) * (1.0 - (-k / pace).exp())) + 0.25 * noise(*k) / k.sqrt() / 5.0
    };
    let half = |k: &f64| 0.3 / k.sqrt() + 0.006 + 0.05 * (-k / (2.0 * pace)).exp();
    let mean: Vec<f64> = x.iter().map(mean).collect();
    let lower = x.iter().zip(&mean).map(|(k, m)| m - half(k)).collect();
    let upper = x.iter().zip(&mean).map(|(k, m)| m + half(k)).collect();
    Curve::new(label, x, mean).with_band(lower, upper)
}

fn main() -> Result<(), Box<dyn Error>> {
    let curves = [
        ("β = 0.05", 0.311_563, 180.0, 0.373_55),
        ("β = 0.1", 0.384_052, 240.0, 0.4475),
        ("β = 0.2", 0.557_294, 330.0, 0.5731),
        ("β = 0.5", 0.799_949, 520.0, 0.8021),
    ];
    let mut figure = Figure::new("RiverBalance")
        .with_x_label("episode")
        .with_y_label("running average of (1 − γ) return")
        .with_band_label("95% interval");
    for (i, (label, class, pace, best)) in curves.into_iter().enumerate() {
        let style = Style::nth(i);
        figure = figure
            .with_curve(curve(label, class, pace, i as f64))
            .with_line(
                ReferenceLine::new(format!("class {class:.3}"), class)
                    .with_style(style.with_dash(Dash::Dashed)),
            )
            .with_line(
                ReferenceLine::new(format!("V* {best:.3}"), best)
                    .with_style(style.with_dash(Dash::Dotted)),
            );
    }
    let rows = curves.map(|(label, class, _, best)| {
        [
            label.into(),
            format!("{class:.4}"),
            format!("{best:.4}"),
            format!("{:.1}%", 100.0 * class / best),
        ]
    });
    let report = HtmlReport::new("A river that must be balanced")
        .with_intro("Mean of (1 − γ) times the return so far, over 5 seeds.")
        .with_summary(["reveal probability", "class optimum", "certified V*", "share"], rows)?
        .with_figure(&figure, "Four learning curves that rise to their plateaus", "Learning curves with 95% intervals; dashed: the optimum of the class, dotted: the certified optimum.")?
        .with_parameter("γ", "0.99")
        .with_parameter("episodes", "5000")
        .with_seeds(1..=5)
        .with_version(concat!("sporadic ", env!("CARGO_PKG_VERSION")))
        .with_command("cargo run --features experiment --example figure -- out")
        .with_note("The curves are made up; the optima are those of RiverBalance.");

    match std::env::args_os().nth(1).map(PathBuf::from) {
        Some(folder) => {
            std::fs::create_dir_all(&folder)?;
            figure.write(folder.join("figure.svg"))?;
            figure.write(folder.join("figure.png"))?;
            report.write(folder.join("report.html"))?;
            println!("wrote figure.svg, figure.png and report.html");
        }
        None => println!(
            "a figure of {} curves and {} lines; name a folder to write it to",
            figure.curves.len(),
            figure.lines.len()
        ),
    }
    Ok(())
}
