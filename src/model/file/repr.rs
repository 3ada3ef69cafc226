//! The fields of a model file, before they are validated.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::FileError;
use crate::Real;
use crate::model::{MAX_AGES, ModelError, Tabular};

/// Models with more states are written with rows as maps.
const DENSE_STATES: usize = 32;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelFile {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    pub(super) gamma: f64,
    pub(super) states: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) initial: Option<Initial>,
    pub(super) actions: Vec<ActionFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActionFile {
    pub(super) name: String,
    pub(super) beta: Beta,
    pub(super) reward: Vec<f64>,
    pub(super) transition: Vec<Row>,
}

/// `0.1`, or one number per age: `[0, 0, 0.5]`.
#[derive(Debug)]
pub(super) struct Beta(Vec<f64>);

/// `"s1"` or `{"s1": 0.5, "s2": 0.5}`.
#[derive(Debug)]
pub(super) enum Initial {
    State(String),
    Distribution(Named),
}

/// `[0.5, 0.5]` or `{"s1": 0.5, "s2": 0.5}`.
#[derive(Debug)]
pub(super) enum Row {
    Dense(Vec<f64>),
    Sparse(Named),
}

/// Probabilities by name, in the order of the file; a name may stand there twice.
type Named = Vec<(String, f64)>;

impl ModelFile {
    pub(super) fn of<T: Real>(model: &Tabular<T>) -> Self {
        let name = |s: usize| model.state_names()[s].clone();
        let possible: Vec<(usize, T)> = model
            .initial_distribution()
            .iter()
            .copied()
            .enumerate()
            .filter(|&(_, p)| p != T::zero())
            .collect();
        let initial = match possible[..] {
            [(s, p)] if p == T::one() => Initial::State(name(s)),
            _ => Initial::Distribution(
                possible.into_iter().map(|(s, p)| (name(s), shortest(p))).collect(),
            ),
        };
        let n = model.num_states();
        let row = |s, a| {
            if n > DENSE_STATES {
                Row::Sparse(model.row(s, a).map(|(t, p)| (name(t), shortest(p))).collect())
            } else {
                let mut dense = vec![0.0; n];
                model.row(s, a).for_each(|(t, p)| dense[t] = shortest(p));
                Row::Dense(dense)
            }
        };
        let actions = model.action_names().iter().enumerate().map(|(a, name)| ActionFile {
            name: name.clone(),
            beta: Beta(model.schedule().reveal(a).listed().iter().map(|&b| shortest(b)).collect()),
            reward: (0..n).map(|s| shortest(model.reward(s, a))).collect(),
            transition: (0..n).map(|s| row(s, a)).collect(),
        });
        Self {
            name: model.name().into(),
            gamma: shortest(model.gamma()),
            states: model.state_names().to_vec(),
            initial: Some(initial),
            actions: actions.collect(),
        }
    }

    pub(super) fn into_model<T: Real>(self) -> Result<Tabular<T>, FileError> {
        let mut index: HashMap<&str, usize> = HashMap::with_capacity(self.states.len());
        for (s, name) in self.states.iter().enumerate() {
            if index.insert(name, s).is_some() {
                let source = ModelError::DuplicateName { what: "state", name: name.clone() };
                return Err(FileError::Field { field: "states".into(), source });
            }
        }
        let resolve = |field: &dyn Fn() -> String, entries: &Named| {
            resolve(&index, &self.states, entries)
                .map_err(|source| FileError::Field { field: field(), source })
        };
        let mut builder = Tabular::builder(T::of(self.gamma)).name(self.name.clone());
        if let Some(initial) = &self.initial {
            let entries = match initial {
                Initial::State(name) => resolve(&|| "initial".into(), &vec![(name.clone(), 1.0)])?,
                Initial::Distribution(entries) => resolve(&|| "initial".into(), entries)?,
            };
            let mut distribution = vec![T::zero(); self.states.len()];
            for (s, p) in entries {
                distribution[s] = p;
            }
            builder = builder.initial(distribution);
        }
        for (a, action) in self.actions.iter().enumerate() {
            let mut rows = Vec::with_capacity(action.transition.len());
            for (s, row) in action.transition.iter().enumerate() {
                rows.push(match row {
                    Row::Dense(row) => {
                        check_length(row.len(), self.states.len(), a, s)?;
                        row.iter().map(|&p| T::of(p)).enumerate().collect()
                    }
                    Row::Sparse(row) => resolve(&|| format!("actions[{a}].transition[{s}]"), row)?,
                });
            }
            let reward: Vec<T> = action.reward.iter().map(|&r| T::of(r)).collect();
            let beta: Vec<T> = action.beta.0.iter().map(|&b| T::of(b)).collect();
            builder = builder.sparse_action(&action.name, beta, reward, rows);
        }
        Ok(builder.states(&self.states).build()?)
    }
}

fn check_length(found: usize, expected: usize, a: usize, s: usize) -> Result<(), FileError> {
    if found == expected {
        return Ok(());
    }
    let what = "the list of next states".into();
    let source = ModelError::Length { what, expected, found };
    Err(FileError::Field { field: format!("actions[{a}].transition[{s}]"), source })
}

fn resolve<T: Real>(
    index: &HashMap<&str, usize>,
    states: &[String],
    entries: &Named,
) -> Result<Vec<(usize, T)>, ModelError> {
    let mut seen = HashSet::new();
    let mut found = Vec::with_capacity(entries.len());
    for (name, p) in entries {
        let Some(&s) = index.get(name.as_str()) else {
            let known = states.to_vec();
            return Err(ModelError::UnknownName { what: "state", name: name.clone(), known });
        };
        if !seen.insert(s) {
            return Err(ModelError::DuplicateName { what: "state", name: name.clone() });
        }
        found.push((s, T::of(*p)));
    }
    Ok(found)
}

/// The number with the fewest digits that reads back as `x`: 0.1 for `0.1_f32`.
fn shortest<T: Real>(x: T) -> f64 {
    match x.to_string().parse::<f64>() {
        Ok(short) if T::of(short) == x => short,
        _ => x.as_f64(),
    }
}

impl Serialize for Initial {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        match self {
            Self::State(name) => serializer.serialize_str(name),
            Self::Distribution(entries) => named(entries, serializer),
        }
    }
}

impl Serialize for Row {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        match self {
            Self::Dense(row) => row.serialize(serializer),
            Self::Sparse(entries) => named(entries, serializer),
        }
    }
}

fn named<Z: Serializer>(entries: &Named, serializer: Z) -> Result<Z::Ok, Z::Error> {
    serializer.collect_map(entries.iter().map(|(name, p)| (name, p)))
}

impl Serialize for Beta {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        match self.0[..] {
            [beta] => serializer.serialize_f64(beta),
            _ => self.0.serialize(serializer),
        }
    }
}

// Visitors rather than untagged enums, which would forget where in the file a fault is.

impl<'de> Deserialize<'de> for Beta {
    fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
        struct Seen;

        impl<'de> Visitor<'de> for Seen {
            type Value = Beta;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a reveal probability or a list of one per age")
            }

            fn visit_f64<Z>(self, beta: f64) -> Result<Beta, Z> {
                Ok(Beta(vec![beta]))
            }

            #[allow(clippy::cast_precision_loss)] // no number that large is a probability
            fn visit_i64<Z>(self, beta: i64) -> Result<Beta, Z> {
                Ok(Beta(vec![beta as f64]))
            }

            #[allow(clippy::cast_precision_loss)]
            fn visit_u64<Z>(self, beta: u64) -> Result<Beta, Z> {
                Ok(Beta(vec![beta as f64]))
            }

            fn visit_seq<Q: SeqAccess<'de>>(self, mut list: Q) -> Result<Beta, Q::Error> {
                let mut listed = Vec::new();
                while let Some(beta) = list.next_element()? {
                    listed.push(beta);
                    if listed.len() > MAX_AGES {
                        let fault = format_args!("more than {MAX_AGES} reveal probabilities");
                        return Err(serde::de::Error::custom(fault));
                    }
                }
                Ok(Beta(listed))
            }
        }

        deserializer.deserialize_any(Seen)
    }
}

impl<'de> Deserialize<'de> for Initial {
    fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
        struct Seen;

        impl<'de> Visitor<'de> for Seen {
            type Value = Initial;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a state's name or a map from names to probabilities")
            }

            fn visit_str<Z>(self, name: &str) -> Result<Initial, Z> {
                Ok(Initial::State(name.into()))
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Initial, M::Error> {
                entries(map).map(Initial::Distribution)
            }
        }

        deserializer.deserialize_any(Seen)
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
        struct Seen;

        impl<'de> Visitor<'de> for Seen {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of probabilities or a map from names to probabilities")
            }

            fn visit_seq<Q: SeqAccess<'de>>(self, mut list: Q) -> Result<Row, Q::Error> {
                let mut row = Vec::new();
                while let Some(p) = list.next_element()? {
                    row.push(p);
                }
                Ok(Row::Dense(row))
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Row, M::Error> {
                entries(map).map(Row::Sparse)
            }
        }

        deserializer.deserialize_any(Seen)
    }
}

fn entries<'de, M: MapAccess<'de>>(mut map: M) -> Result<Named, M::Error> {
    let mut entries = Vec::new();
    while let Some(entry) = map.next_entry()? {
        entries.push(entry);
    }
    Ok(entries)
}
