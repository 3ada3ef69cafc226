//! One value or a list of them.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{SeqAccessDeserializer, StrDeserializer};
use serde::de::{Error, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The values a field shall take: `0.1` or `[0.1, 0.2]`. Empty where the field was left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Values<T>(pub Vec<T>);

impl<T> Default for Values<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Values<T> {
    /// Whether the field was left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many values the field takes: one, its default, where it was left out.
    pub fn count(&self) -> usize {
        self.0.len().max(1)
    }

    /// Each value, or `default` once.
    pub fn or(&self, default: T) -> Vec<T>
    where
        T: Clone,
    {
        if self.0.is_empty() { vec![default] } else { self.0.clone() }
    }

    /// Each value, or nothing once.
    pub fn optional(&self) -> Vec<Option<T>>
    where
        T: Clone,
    {
        if self.0.is_empty() { vec![None] } else { self.0.iter().cloned().map(Some).collect() }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Values<T> {
    fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
        deserializer.deserialize_any(OneOrMany(PhantomData))
    }
}

/// Not an untagged enum: that would forget what was wrong with the value.
struct OneOrMany<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMany<T> {
    type Value = Values<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or a list of values")
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Self::Value, E> {
        T::deserialize(v.into_deserializer()).map(|v| Values(vec![v]))
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Self::Value, E> {
        T::deserialize(v.into_deserializer()).map(|v| Values(vec![v]))
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Self::Value, E> {
        T::deserialize(v.into_deserializer()).map(|v| Values(vec![v]))
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<Self::Value, E> {
        T::deserialize(StrDeserializer::new(v)).map(|v| Values(vec![v]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        let values = Vec::deserialize(SeqAccessDeserializer::new(list))?;
        if values.is_empty() {
            return Err(A::Error::custom("the list is empty"));
        }
        Ok(Values(values))
    }
}
