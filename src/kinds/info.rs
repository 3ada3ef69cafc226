//! The description of a kind, and what is derived from it: checked names, grids, labels, identity.

use itertools::Itertools;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Kind;
use super::parameter::{Parameter, ParameterError, Table, show};
use crate::bounded::visible;

/// More combinations of values than this are refused before any is made.
pub const MAX_COMBINATIONS: usize = 100_000;

/// The description of a kind: who made it, what it is, which parameters it has.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct KindInfo {
    /// The name.
    pub name: &'static str,
    /// The crate that defines it.
    pub origin: &'static str,
    /// The version of what it builds.
    pub version: u32,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// The parameters.
    pub parameters: Vec<Parameter>,
}

/// A kind with all its parameters: what a result is a result of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The name of the kind.
    pub name: String,
    /// Crate, name and version of the kind itself and of every kind that its parameters name.
    pub made_by: String,
    /// The parameters, defaults included.
    pub parameters: Table,
}

impl KindInfo {
    /// The description of `K`.
    pub fn of<K: Kind>() -> Self {
        Self {
            name: K::NAME,
            origin: K::ORIGIN,
            version: K::VERSION,
            summary: K::SUMMARY.trim(),
            parameters: K::parameters(),
        }
    }

    /// Crate, kind and version, in one word: `sporadic/lsvi-ucb@1`.
    pub fn made_by(&self) -> String {
        format!("{}/{}@{}", self.origin, self.name, self.version)
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Refuses names that are no parameters, and writes dashes as underscores.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`] that names the parameter and those there are.
    pub fn named(&self, table: &Table) -> Result<Table, ParameterError> {
        let mut named = Table::new();
        for (name, value) in table {
            let name = name.replace('-', "_");
            if self.parameter(&name).is_none() {
                let known: Vec<String> = self.parameters.iter().map(|p| p.name.into()).collect();
                let suggestion = closest(&name, known.iter().map(String::as_str));
                let (kind, value) = (self.name.into(), visible(&show(value)));
                return Err(ParameterError::Unknown {
                    place: name,
                    value,
                    kind,
                    known,
                    suggestion,
                });
            }
            named.insert(name, value.clone());
        }
        Ok(named)
    }

    /// Every combination of the values in `table`, where a list stands for several values of a
    /// parameter that takes one; the first parameter varies slowest.
    ///
    /// # Errors
    /// [`ParameterError`] if a list is empty or there are too many combinations.
    pub fn grid(&self, table: &Table) -> Result<Vec<Table>, ParameterError> {
        let mut axes: Vec<(&str, Vec<Value>)> = Vec::new();
        for parameter in &self.parameters {
            let Some(value) = table.get(parameter.name) else { continue };
            let values = match value {
                Value::Array(list) if !parameter.is_list || list.iter().all(Value::is_array) => {
                    if list.is_empty() && !parameter.is_list {
                        let needed = "a value, or a list of at least one";
                        return Err(ParameterError::new(parameter.name, "[]", needed));
                    }
                    if list.is_empty() { vec![value.clone()] } else { list.clone() }
                }
                _ => vec![value.clone()],
            };
            axes.push((parameter.name, values));
        }
        let sizes = axes.iter().map(|(_, values)| values.len());
        let count = sizes.fold(1_usize, usize::saturating_mul);
        if count > MAX_COMBINATIONS {
            let message =
                format!("{count} combinations of values, above the limit of {MAX_COMBINATIONS}");
            return Err(ParameterError::Refused { place: String::new(), message });
        }
        if axes.is_empty() {
            return Ok(vec![Table::new()]);
        }
        let names: Vec<&str> = axes.iter().map(|(name, _)| *name).collect();
        let product = axes.into_iter().map(|(_, values)| values).multi_cartesian_product();
        Ok(product
            .map(|values| names.iter().map(|&n| n.to_owned()).zip(values).collect())
            .collect())
    }

    /// The names of this kind's parameters that `table` does not set to their defaults, with their
    /// values: `rho=30 horizon=20`.
    pub fn label(&self, table: &Table) -> String {
        let differs = |p: &&Parameter| {
            table.get(p.name).is_some_and(|value| Some(value) != p.default.as_ref())
        };
        let set = self.parameters.iter().filter(differs);
        set.map(|p| format!("{}={}", p.name, show(&table[p.name]))).join(" ")
    }
}

/// The name nearest to `name`, if it is near enough to have been meant.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = known.into_iter().map(|other| (strsim::damerau_levenshtein(name, other), other));
    let near: Vec<(usize, &str)> = near.collect();
    let length = name.chars().count();
    let misspelt = near.iter().min().filter(|(distance, _)| *distance <= 1 + length / 4);
    // Of several that start with it, the shortest.
    let cut_short = || near.iter().filter(|(_, other)| length > 2 && other.starts_with(name)).min();
    misspelt.or_else(cut_short).map(|(_, other)| (*other).to_owned())
}

/// `; did you mean look?`, or nothing if no name is near.
pub(crate) fn did_you_mean(name: Option<String>) -> String {
    name.map_or_else(String::new, |name| format!("; did you mean {name}?"))
}
