//! Algorithm 1: the paper's figure, beyond the paper's sequences, and with psi learnt while acting.

use sporadic::experiment::{Outcome, Spec};
use sporadic::report::{Figure, Series, SmallMultiples};

use super::table::{compare, value_and_regret};
use super::{Failure, Job, Made};

/// What `sporadic reproduce` runs: the paper's experiment, and the same over all sequences.
pub(crate) fn paper(job: &Job) -> Result<Made, Failure> {
    let specs = [Spec::paper(5_000, 5), Spec::adaptive(5_000, 5)].map(|spec| job.sized(spec));
    let facts = facts("`Spec::paper` and `Spec::adaptive`, as in `cargo reproduce`", &specs[0]);
    let paper = job.run("paper", &specs[0])?;
    let adaptive = job.run("paper/adaptive", &specs[1])?;
    let mut figures = paper.figures()?;
    let titles = ["the paper's 1012 sequences", "all sequences"];
    figures.extend(adaptive.figures_beside(&paper, titles)?);
    let figures = figures.into_iter().map(|figure| (figure.name, figure.drawing)).collect();
    let both = paper.join(adaptive);
    Ok(Made { facts, table: compare(both.groups(), value_and_regret), figures })
}

/// The paper's sequences against all, in more worlds and with more seeds.
pub(crate) fn all_sequences(job: &Job) -> Result<Made, Failure> {
    let spec = Spec::from_toml(include_str!("../adaptive.toml"))?;
    of_spec(job, "all-sequences", "`examples/adaptive.toml`", spec)
}

/// psi known, estimated beforehand, and learnt while acting.
pub(crate) fn online(job: &Job) -> Result<Made, Failure> {
    let spec = Spec::from_toml(include_str!("../psi.toml"))?;
    of_spec(job, "online", "`examples/psi.toml`", spec)
}

/// A section with one sheet of regrets, a panel for each world.
fn of_spec(job: &Job, name: &str, source: &str, spec: Spec) -> Result<Made, Failure> {
    let spec = job.sized(spec);
    let facts = facts(source, &spec);
    let outcome = job.run(name, &spec)?;
    let figures = vec![(format!("{name}-regret"), regrets(&outcome)?)];
    Ok(Made { facts, table: compare(outcome.groups(), value_and_regret), figures })
}

fn regrets(outcome: &Outcome) -> Result<SmallMultiples, Failure> {
    let figures = outcome.figures()?.into_iter().filter(|figure| figure.name.ends_with("-regret"));
    let panels = figures.flat_map(|figure| figure.drawing.figures);
    let panels = panels.map(|panel| briefly(panel.with_size(560, 400)));
    let panels: Vec<_> = panels.map(|panel| thinned(panel, 40)).collect();
    let columns = if panels.len() > 4 { 3 } else { 2 };
    let sheet = SmallMultiples::new(format!("Regrets: {}", outcome.name()), columns);
    Ok(panels.into_iter().fold(sheet, SmallMultiples::with_figure))
}

/// The figure with labels that fit into a small panel: without the name of the agent, which all curves share, and without names of
/// parameters that their values tell.
fn briefly(mut figure: Figure) -> Figure {
    let agent = "lsvi-ucb ";
    if figure.series.iter().all(|curve| curve.label.starts_with(agent)) {
        for curve in &mut figure.series {
            let words = curve.label.replace(agent, "");
            curve.label = words.replace("continuation=", "").replace("oracle=", "");
        }
    }
    figure
}

/// The figure with about `most` points of each curve, the last one among them: panels of a sheet are small, and files should be, too.
pub(crate) fn thinned(mut figure: Figure, most: usize) -> Figure {
    for Series { x, mean, band, .. } in &mut figure.series {
        let (count, step) = (x.len(), x.len().div_ceil(most).max(1));
        let thin = |list: &mut Vec<f64>| {
            let mut left = count;
            list.retain(|_| {
                left = left.saturating_sub(1);
                left.is_multiple_of(step)
            });
        };
        thin(x);
        thin(mean);
        if let Some((low, high)) = band {
            thin(low);
            thin(high);
        }
    }
    figure
}

/// From what a section is made.
pub(crate) fn facts(source: &str, spec: &Spec) -> String {
    let (episodes, runs, seed) = (spec.episodes, spec.seeds, spec.seed);
    format!("Specification: {source}. {episodes} episodes, {runs} runs, seed {seed}.")
}
