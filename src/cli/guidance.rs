//! What a user of `learn` is told besides results: which parameters were picked, and what went wrong.

use super::failure::tell;
use crate::experiment::{Group, Outcome, agent_labels, world_labels};
use crate::kinds::{Registry, Table, show};

/// More lines than this at a time are not read.
const MOST_LINES: usize = 5;
/// After fewer episodes nothing can be expected to be learnt.
const MANY_EPISODES: u64 = 100;
/// The share of the optimum that counts as reaching it.
const NEAR: f64 = 0.01;
/// A run that ends with a policy worth this share less than that of the best run is named.
const FAR: f64 = 0.1;

/// Sets the parameters that were not given to those that suit the model. With several values of a
/// model's parameter, the largest pick is taken.
pub(super) fn pick(
    registry: &Registry,
    agent: &str,
    given: &Table,
    model: &str,
    table: &Table,
) -> Table {
    let mut parameters = given.clone();
    let Some(realm) = registry.realms().find(|realm| realm.has_model(model)) else {
        return parameters;
    };
    let mut picked = Table::new();
    for suited in realm.suited(agent, model, table) {
        for (name, value) in suited {
            let larger = |known: &serde_json::Value| value.as_f64() > known.as_f64();
            if !given.contains_key(&name) && picked.get(&name).is_none_or(larger) {
                picked.insert(name, value);
            }
        }
    }
    let infos = registry.agent_infos();
    let info = infos.iter().find(|info| info.name == agent);
    let default = |name: &str| info.and_then(|info| info.parameter(name)?.default.as_ref());
    let differs = picked.iter().filter(|(name, value)| {
        default(name).and_then(serde_json::Value::as_f64) != value.as_f64()
    });
    let told: Vec<String> =
        differs.map(|(name, value)| format!("{name} = {}", show(value))).collect();
    if !told.is_empty() {
        tell(&format!("picked to suit the model: {} (learn --help says how)", told.join(", ")));
    }
    parameters.extend(picked);
    parameters
}

/// Prints the first few lines, and how many more there are.
pub(super) fn tell_all(lines: &[String]) {
    lines.iter().take(MOST_LINES).for_each(|line| tell(line));
    if lines.len() > MOST_LINES {
        tell(&format!("and {} more such remarks", lines.len() - MOST_LINES));
    }
}

/// Remarks on results that are worse than they need be. `first_value` is the value of the policy that
/// the agent of a group plays before it has seen anything, if that is known.
pub(super) fn remarks(
    outcome: &Outcome,
    first_value: impl Fn(&Group) -> Option<f64>,
) -> Vec<String> {
    let groups = outcome.groups();
    let names = world_labels(groups).into_iter().zip(agent_labels(groups));
    let mut lines: Vec<String> = Vec::new();
    for (group, (world, agent)) in groups.iter().zip(names) {
        let all = [stuck(group, &first_value), uneven(group), poor_family(group)];
        for line in all.into_iter().flatten().map(|line| format!("{agent} in {world}: {line}")) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

/// An optimistic agent that still plays the policy it started with: its bonus is so large that all values are
/// clipped, or so small that nothing draws it elsewhere.
fn stuck(group: &Group, first_value: &dyn Fn(&Group) -> Option<f64>) -> Option<String> {
    let parameters = &group.cell.agent.parameters;
    let (rho, lambda) = (parameters.get("rho")?, parameters.get("lambda")?);
    // A bonus is at most rho / sqrt(lambda): below the clip 1 / (1 - gamma) it does not hide the rewards.
    let is_clipped = rho.as_f64()? / lambda.as_f64()?.sqrt() >= 1.0 / (1.0 - group.gamma);
    let episodes = group.cell.episodes;
    let best = group.reference.class.or(group.reference.bounds.map(|bounds| bounds.lower))?;
    let value = group.value.last()?.mean;
    let same = |run: &crate::simulation::Curve| {
        run.value.windows(2).all(|pair| pair[0].map(f64::to_bits) == pair[1].map(f64::to_bits))
    };
    let is_stuck = episodes >= MANY_EPISODES
        && group.episodes.len() > 1
        && group.runs.iter().all(same)
        && value < best - NEAR * best.abs();
    let is_first = || first_value(group).is_some_and(|first| (first - value).abs() < 1e-9);
    (is_stuck && is_first()).then(|| {
        let scale = group.scale();
        let (cause, remedy) = if is_clipped {
            ("every value is probably still clipped at its largest", "smaller")
        } else {
            ("the bonus for what is unknown may be too small to be followed", "larger")
        };
        format!(
            "after {episodes} episodes it plays the policy that it started with, worth {:.4} where {:.4} is to be had; with \
             rho = {} {cause}: a {remedy} --rho or more --episodes would help",
            scale * value,
            scale * best,
            show(rho)
        )
    })
}

/// Runs that end with policies worth much less than that of the best run: a learner may settle on a poor sequence, and
/// the mean of such runs says little.
fn uneven(group: &Group) -> Option<String> {
    let last: Option<Vec<f64>> = group.runs.iter().map(|run| *run.value.last()?).collect();
    let last = last.filter(|_| group.cell.episodes >= MANY_EPISODES)?;
    let best = last.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let behind = last.iter().filter(|&&value| value < best - FAR * best.abs()).count();
    (behind > 0).then(|| {
        let worst = last.iter().copied().fold(f64::INFINITY, f64::min);
        let scale = group.scale();
        format!(
            "the policies that the {} runs end with are worth {:.4} to {:.4}, and {behind} of them much less than the best: \
             other parameters, another family of sequences or more --episodes may help",
            last.len(),
            scale * worst,
            scale * best
        )
    })
}

/// A family without the sequences that an optimal policy plays.
fn poor_family(group: &Group) -> Option<String> {
    let (class, bounds) = (group.reference.class?, group.reference.bounds?);
    if class >= bounds.lower - NEAR * bounds.lower.abs() {
        return None;
    }
    let scale = group.scale();
    let family = group.cell.agent.parameters.get("oracle").map_or_else(String::new, show);
    Some(format!(
        "no policy of the family {family} is worth more than {:.4}, and {:.4} is to be had: it lacks the sequences \
         that `solve` prints; a larger family or a search may have them",
        scale * class,
        scale * bounds.lower
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::FixedSequence;
    use crate::experiment::Experiment;
    use crate::model::{draw, gallery};
    use crate::sequence::ActionSequence;

    /// RiverSwim with an agent that in a `share` of the runs goes right, and left in the others.
    fn outcome(share: f64) -> Outcome {
        Experiment::new("uneven")
            .with_episodes(MANY_EPISODES)
            .with_seeds(8)
            .with_world("river", gallery::river_swim(6, 0.1, 0.9).expect("a valid model"))
            .with_agent_fn("fixed", share, |&share, site| {
                let action = usize::from(draw::uniform(&mut site.rng()) < share);
                Ok(Box::new(FixedSequence::new(ActionSequence::constant(action))))
            })
            .run()
            .expect("short runs")
    }

    #[test]
    fn runs_that_end_far_apart_are_named() {
        let said = remarks(&outcome(0.5), |_| None);
        assert!(
            said.iter().any(|line| line.contains("of them much less than the best")),
            "{said:?}"
        );
        assert_eq!(remarks(&outcome(0.0), |_| None), Vec::<String>::new());
    }
}
