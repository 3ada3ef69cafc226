//! Agents of neighbouring work beside ours, on every problem.
//!
//! Problems differ in scale, so the figure shows returns as scores: 0 is what the uniform agent earns, 1 the certified
//! optimum; below -.5 they are drawn at -.5. Each panel is a problem at a price, each curve an agent: the mean return so far.

use sporadic::experiment::{Group, Interval, Outcome, Spec, agent_labels, world_labels};
use sporadic::report::{Figure, ReferenceLine, Series, SmallMultiples};

use super::learners::{facts, thinned};
use super::table::{compare, distinct, last_tenth};
use super::{Failure, Job, Made};

pub(crate) fn make(job: &Job) -> Result<Made, Failure> {
    let spec = job.sized(Spec::from_toml(include_str!("../neighbours.toml"))?);
    let facts = facts("`examples/neighbours.toml`", &spec);
    let outcome = job.run("neighbours", &spec)?;
    let figures = vec![("neighbours".to_owned(), scores(&outcome))];
    Ok(Made { facts, table: compare(outcome.groups(), last_tenth), figures })
}

/// A panel for each problem.
fn scores(outcome: &Outcome) -> SmallMultiples {
    let groups = outcome.groups();
    let (worlds, agents) = (world_labels(groups), agent_labels(groups));
    let mut sheet = SmallMultiples::new("Agents of neighbouring work beside ours", 3);
    for panel in distinct(&worlds) {
        let here: Vec<usize> = (0..groups.len()).filter(|&i| worlds[i] == *panel).collect();
        let Some(scale) = scale(&here.iter().map(|&i| &groups[i]).collect::<Vec<_>>()) else {
            continue;
        };
        // As short as the panel is wide.
        let title = panel.replace("frozen-lake", "lake").replace("variant=", "");
        let mut figure = Figure::new(title)
            .with_x_label("episode")
            .with_y_label("score")
            .with_y_range(-0.5, 1.1)
            .with_size(480, 340)
            .with_line(ReferenceLine::new("V*", 1.0));
        for i in here.into_iter().filter(|&i| groups[i].cell.agent.name != "uniform") {
            figure = figure.with_series(curve(&groups[i], &agents[i], scale));
        }
        sheet = sheet.with_figure(thinned(figure, 24));
    }
    sheet
}

/// What the uniform agent earns, and how much more the optimum is; `None` if one of them is not known.
fn scale(groups: &[&Group]) -> Option<(f64, f64)> {
    let uniform = groups.iter().find(|group| group.cell.agent.name == "uniform")?;
    let (low, high) = (uniform.average.last()?.mean, uniform.reference.bounds?.lower);
    (high > low).then_some((low, high - low))
}

fn curve(group: &Group, label: &str, (low, range): (f64, f64)) -> Series {
    // The first mean returns are noise; drawn from a twentieth of the episodes on.
    let from = group.episodes.len() / 20;
    let score = |x: f64| ((x - low) / range).max(-0.5);
    let column = |of: &dyn Fn(&Interval) -> f64| -> Vec<f64> {
        group.average[from..].iter().map(|interval| score(of(interval))).collect()
    };
    let episodes = group.episodes[from..].iter().map(|&n| n as f64).collect();
    Series::new(label, episodes, column(&|interval| interval.mean))
        .with_band(column(&Interval::low), column(&Interval::high))
}
