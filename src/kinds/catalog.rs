//! Kinds that are written in one word with their parameters: `beam:8,20`.
//!
//! Oracles and estimators are named inside the value of another parameter or flag, so they have this form; agents and
//! models have a table, or flags, of their own and are kept by the [`Realm`](super::Realm).

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::Kind;
use super::info::{KindInfo, closest};
use super::parameter::{ParameterError, Table, show};
use crate::bounded::visible;

/// Reads the parameters of a kind; the kind, and all its parameters.
type Read<A> = fn(&Table) -> Result<(Arc<A>, Table), ParameterError>;

/// Kinds that build the same sort of thing, `A` being what they have in common.
pub(crate) struct Catalog<A: ?Sized> {
    /// What they build: `oracle`. In a specification, the key of the name in a table.
    what: &'static str,
    /// One of them, for error messages.
    example: &'static str,
    entries: Vec<(KindInfo, Read<A>)>,
}

/// A kind that was found by name, with its parameters.
pub(crate) struct Resolved<A: ?Sized> {
    /// The kind in one word, defaults at the end left out.
    pub(crate) text: String,
    /// Crate, kind and version.
    pub(crate) made_by: String,
    pub(crate) kind: Arc<A>,
}

impl<A: ?Sized> Catalog<A> {
    pub(crate) fn new(what: &'static str, example: &'static str) -> Self {
        Self { what, example, entries: Vec::new() }
    }

    /// Adds a kind; one of the same name is replaced.
    pub(crate) fn add<K: Kind>(&mut self, read: Read<A>) {
        self.entries.retain(|(info, _)| info.name != K::NAME);
        self.entries.push((KindInfo::of::<K>(), read));
    }

    pub(crate) fn infos(&self) -> impl Iterator<Item = &KindInfo> {
        self.entries.iter().map(|(info, _)| info)
    }

    /// Finds what is written in one word.
    pub(crate) fn resolve(&self, text: &str) -> Result<Resolved<A>, ParameterError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let (info, read) = self.entry(name.trim())?;
        let table = positional(info, rest).map_err(|(parameter, needed)| {
            let place = parameter.unwrap_or_default();
            ParameterError::Value { place, value: visible(text), needed }
        })?;
        Self::finish(info, *read, &table)
    }

    /// Finds what a specification names, as text or as a table.
    pub(crate) fn resolve_value(&self, value: &Value) -> Result<Resolved<A>, ParameterError> {
        match value {
            Value::String(text) => self.resolve(text),
            Value::Object(table) => {
                let mut table = table.clone();
                let name = table.remove(self.what).unwrap_or(Value::Null);
                let (info, read) = self.entry(name.as_str().unwrap_or_default())?;
                Self::finish(info, *read, &info.named(&table)?)
            }
            other => {
                let needed = format!("an {} such as {}", self.what, self.example);
                Err(ParameterError::new("", show(other), needed))
            }
        }
    }

    fn entry(&self, name: &str) -> Result<&(KindInfo, Read<A>), ParameterError> {
        self.entries.iter().find(|(info, _)| info.name == name).ok_or_else(|| {
            ParameterError::NoKind {
                place: String::new(),
                what: self.what,
                name: name.into(),
                suggestion: closest(name, self.infos().map(|info| info.name)),
                known: self.infos().map(usage).collect(),
            }
        })
    }

    fn finish(
        info: &KindInfo,
        read: Read<A>,
        table: &Table,
    ) -> Result<Resolved<A>, ParameterError> {
        let (kind, full) = read(table)?;
        let mut values: Vec<(String, bool)> = Vec::new();
        for parameter in &info.parameters {
            let value = full.get(parameter.name).unwrap_or(&Value::Null);
            values.push((show(value), Some(value) == parameter.default.as_ref()));
        }
        while values.last().is_some_and(|(_, is_default)| *is_default) {
            values.pop();
        }
        let values: Vec<String> = values.into_iter().map(|(value, _)| value).collect();
        let text = if values.is_empty() {
            info.name.to_owned()
        } else {
            format!("{}:{}", info.name, values.join(","))
        };
        Ok(Resolved { text, made_by: info.made_by(), kind })
    }
}

/// How a kind with its parameters is written in one word: `beam:WIDTH,DEPTH`.
pub(crate) fn usage(info: &KindInfo) -> String {
    let names: Vec<String> = (info.parameters.iter())
        .map(|p| {
            let name = p.name.to_uppercase();
            if p.default.is_some() { format!("[{name}]") } else { name }
        })
        .collect();
    if names.is_empty() { info.name.into() } else { format!("{}:{}", info.name, names.join(",")) }
}

/// The parameters in `8,20` or `width=8,depth=20`.
fn positional(info: &KindInfo, text: &str) -> Result<Table, (Option<String>, String)> {
    let mut table = Table::new();
    if text.trim().is_empty() {
        return Ok(table);
    }
    for (i, part) in text.split(',').enumerate() {
        let (parameter, part) = match part.split_once('=') {
            Some((name, part)) => (info.parameter(&name.trim().replace('-', "_")), part),
            None => (info.parameters.get(i), part),
        };
        let parameter = parameter.ok_or_else(|| (None, format!("written as {}", usage(info))))?;
        // Numbers and truth values are themselves, all else is text.
        let part = part.trim();
        let value = serde_json::from_str(part)
            .ok()
            .filter(|value: &Value| value.is_number() || value.is_boolean())
            .unwrap_or_else(|| Value::from(part));
        table.insert(parameter.name.into(), value);
    }
    Ok(table)
}

impl<A: ?Sized> Clone for Catalog<A> {
    fn clone(&self) -> Self {
        Self { what: self.what, example: self.example, entries: self.entries.clone() }
    }
}

impl<A: ?Sized> fmt::Debug for Catalog<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.infos().map(|info| info.name)).finish()
    }
}
