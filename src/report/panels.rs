//! Which curves of an experiment stand on which pair of axes.
//!
//! If all groups have the same agent, there is a panel for each model, with a curve for each of its
//! variants. If there are several agents, there is a panel for each world, with a curve for each agent. A
//! panel of more than [`MOST_ON_AXES`] curves is drawn as small multiples of at most [`MOST_IN_MULTIPLE`]
//! curves each, and one of more than [`MOST_ON_SHEET`] on several sheets.

use std::ffi::OsStr;
use std::path::Path;

use crate::experiment::{Group, WorldIdentity, agent_labels, world_labels};
use crate::kinds::{Table, show};

/// More curves than this on one pair of axes cannot be told apart.
pub(super) const MOST_ON_AXES: usize = 8;
/// How many curves each of several small figures holds.
pub(super) const MOST_IN_MULTIPLE: usize = 6;
/// How many curves a sheet of small multiples holds.
pub(super) const MOST_ON_SHEET: usize = 24;

/// Curves to be compared with each other.
#[derive(Debug)]
pub(super) struct Panel<'a> {
    /// The model or the world.
    pub(super) title: String,
    /// The name of its files, which others may have too.
    pub(super) stem: String,
    /// Whether curves differ in their worlds, not in their agents.
    pub(super) by_world: bool,
    pub(super) members: Vec<&'a Group>,
}

/// Divides the groups into panels.
pub(super) fn panels(groups: &[Group]) -> Vec<Panel<'_>> {
    let same_agent = |pair: &[Group]| pair[0].cell.agent == pair[1].cell.agent;
    let by_world = groups.windows(2).all(same_agent);
    let worlds = world_labels(groups);
    let mut panels: Vec<(&WorldIdentity, Panel<'_>)> = Vec::new();
    for (group, label) in groups.iter().zip(worlds) {
        let world = &group.cell.world;
        let belongs = |other: &WorldIdentity| {
            if by_world {
                other.model == world.model && other.made_by == world.made_by
            } else {
                other == world
            }
        };
        match panels.iter_mut().find(|(other, _)| belongs(other)) {
            Some((_, panel)) => panel.members.push(group),
            None => {
                let varying = label.strip_prefix(world.model.as_str()).unwrap_or_default();
                let varying = if by_world { "" } else { varying };
                let (title, stem) = names(&world.model, varying);
                panels.push((world, Panel { title, stem, by_world, members: vec![group] }));
            }
        }
    }
    panels.into_iter().map(|(_, panel)| panel).collect()
}

/// Names of curves that show what varies among them and nothing else.
pub(super) fn curve_labels(members: &[&Group], by_world: bool) -> Vec<String> {
    let agents = agent_labels(members.iter().copied());
    if !by_world {
        return agents;
    }
    let worlds = world_labels(members.iter().copied());
    let betas: Vec<Option<u64>> =
        members.iter().map(|group| group.beta().map(f64::to_bits)).collect();
    let beta_alone = betas.windows(2).all(|pair| pair[0] == pair[1]);
    let label = |((group, agent), world): ((&&Group, String), String)| {
        let varying = world.strip_prefix(group.cell.world.model.as_str()).unwrap_or(&world);
        let mut parts: Vec<String> = Vec::new();
        // A single curve says its beta as well.
        if let Some(beta) = group.beta().filter(|_| members.len() == 1 || !beta_alone) {
            parts.push(format!("β = {beta}"));
        }
        let known = |part: &&str| !(part.starts_with("beta=") && group.beta().is_some());
        parts.extend(varying.split_whitespace().filter(known).map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if value.is_empty() { name.to_owned() } else { format!("{name} = {value}") }
        }));
        if parts.is_empty() { agent } else { parts.join(", ") }
    };
    members.iter().zip(agents).zip(worlds).map(label).collect()
}

/// A part of a sheet: its title, empty if it is the whole, and its curves.
pub(super) type Part<'a> = (String, Vec<&'a Group>);

/// The small multiples that curves of one sheet are divided into: by the parameter that makes the
/// fewest, or in order if none makes them small enough.
pub(super) fn parts<'a>(members: &[&'a Group], by_world: bool) -> Vec<Part<'a>> {
    if members.len() <= MOST_ON_AXES {
        return vec![(String::new(), members.to_vec())];
    }
    let identity = |group: &'a Group| -> (&'a str, &'a Table) {
        let (world, agent) = (&group.cell.world, &group.cell.agent);
        if by_world { (&world.model, &world.parameters) } else { (&agent.name, &agent.parameters) }
    };
    let mut keys: Vec<Option<&String>> = vec![None];
    for key in members.iter().flat_map(|&group| identity(group).1.keys()).map(Some) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let divided = keys.into_iter().map(|key| {
        let mut parts: Vec<Part<'a>> = Vec::new();
        for &group in members {
            let (name, table) = identity(group);
            let title = match key {
                None => name.to_owned(),
                Some(key) => match table.get(key) {
                    Some(value) => format!("{key} = {}", show(value)),
                    None => format!("without {key}"),
                },
            };
            match parts.iter_mut().find(|(known, _)| *known == title) {
                Some((_, part)) => part.push(group),
                None => parts.push((title, vec![group])),
            }
        }
        parts
    });
    let small =
        |parts: &Vec<Part<'_>>| parts.iter().all(|(_, part)| part.len() <= MOST_IN_MULTIPLE);
    let useful = |parts: &Vec<Part<'_>>| parts.len() < members.len();
    divided.filter(small).filter(useful).min_by_key(Vec::len).unwrap_or_else(|| {
        let each = members.len().div_ceil(members.len().div_ceil(MOST_IN_MULTIPLE));
        let chunks = members.chunks(each).enumerate();
        let title = |i: usize, n: usize| match n {
            1 => format!("curve {}", i * each + 1),
            _ => format!("curves {} to {}", i * each + 1, i * each + n),
        };
        chunks.map(|(i, part)| (title(i, part.len()), part.to_vec())).collect()
    })
}

/// The title of a model and its files' name: without the folders that a model file lies in, then the
/// parameters that tell its variants apart, as in `river-swim beta=0.1` and `riverswim-beta0.1`.
pub(super) fn names(model: &str, varying: &str) -> (String, String) {
    let path = Path::new(model);
    let is_file = path.extension().is_some_and(|end| end == "json" || end == "toml");
    let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (name, stem) = if is_file {
        (text(path.file_name()), text(path.file_stem()))
    } else {
        (model.to_owned(), model.to_owned())
    };
    let letters = |word: &str, extra: &str| -> String {
        word.chars().filter(|c| c.is_ascii_alphanumeric() || extra.contains(*c)).collect()
    };
    let mut file: String = letters(&stem, "").chars().take(40).collect();
    if file.is_empty() {
        file = "model".to_owned();
    }
    for word in varying.split_whitespace().map(|word| letters(word, ".")) {
        file = format!("{file}-{word}");
    }
    let file: String = file.chars().take(80).collect();
    (format!("{name}{varying}"), file.trim_end_matches(['.', '-']).to_owned())
}

/// The stem, with a number if it is among `known`.
pub(super) fn unique(stem: &str, known: &mut Vec<String>) -> String {
    // Some file systems take `A.svg` and `a.svg` for the same file.
    let is_free = |stem: &String| !known.iter().any(|other| other.eq_ignore_ascii_case(stem));
    let numbered = (2..).map(|i| format!("{stem}-{i}"));
    let free = std::iter::once(stem.to_owned()).chain(numbered).find(is_free);
    let stem = free.unwrap_or_else(|| stem.to_owned());
    known.push(stem.clone());
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_figure_overwrites_another() {
        let mut known = Vec::new();
        let models = ["a-b", "ab", "δ", "λ", "AB"];
        let stems = models.map(|model| unique(&names(model, "").1, &mut known));
        assert_eq!(stems, ["ab", "ab-2", "model", "model-2", "AB-3"]);
    }

    #[test]
    fn files_are_named_after_the_model_and_its_parameters() {
        let pair = |title: &str, stem: &str| (title.to_owned(), stem.to_owned());
        assert_eq!(names("a/b/My River.toml", ""), pair("My River.toml", "MyRiver"));
        let varying = " beta=0.1 states=12";
        let named = pair("river-swim beta=0.1 states=12", "riverswim-beta0.1-states12");
        assert_eq!(names("river-swim", varying), named);
        assert_eq!(names(&"x".repeat(225), "").1, "x".repeat(40));
    }
}
