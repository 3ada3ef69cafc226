//! The parameters of kinds: what types they may have, how they are read, written and refused.

use std::fmt;

use serde_json::Value;
use thiserror::Error;

use crate::Number;
use crate::agents::{BeyondHorizon, Replanning};
use crate::bounded::visible;
use crate::sequence::ActionSequence;

/// A table of parameters by name, as a specification, a command line or a saved cell gives it.
pub type Table = serde_json::Map<String, Value>;

/// The description of one parameter of a kind: what `--help`, grids and error messages are made
/// from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Parameter {
    /// The name, in snake case.
    pub name: &'static str,
    /// What it is, in one line.
    pub help: String,
    /// What stands for its value in help texts, such as `X`.
    pub placeholder: &'static str,
    /// The value it has if left out; `None` if it must be given.
    pub default: Option<Value>,
    /// Whether a single value of it is a list, so that only a list of lists is a grid.
    pub is_list: bool,
    /// Whether its value names an oracle, which the registry must know.
    pub is_oracle: bool,
    /// Reads a value from a command line, where everything is text; the error completes the sentence
    /// "must be ...".
    pub parse: fn(&str) -> Result<Value, String>,
}

impl Parameter {
    /// Describes a parameter of type `P`. Used by [`kind!`](crate::kind).
    pub fn of<P: ParameterType>(name: &'static str, help: &str, default: Option<P>) -> Self {
        Self {
            name,
            help: help.trim().trim_end_matches('.').to_owned(),
            placeholder: P::PLACEHOLDER,
            default: default.map(|value| value.write()),
            is_list: P::IS_LIST,
            is_oracle: P::IS_ORACLE,
            parse: |text| P::parse(text).map(|value| value.write()),
        }
    }

    /// The name as a flag without its dashes: `my-parameter`.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }
}

/// A value that a parameter was not given, or not allowed to have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// A value of the wrong type or out of range.
    #[error("{place} = {value}: must be {needed}")]
    Value {
        /// The parameter, with where it stands as far as that is known: `agents[1].rho`.
        place: String,
        /// The value given.
        value: String,
        /// What it must be.
        needed: String,
    },
    /// A parameter that the kind does not have.
    #[error("{place} = {value}: {kind} has no such parameter; {}", has(.known, .suggestion.as_deref()))]
    Unknown {
        /// The parameter, with where it stands.
        place: String,
        /// The value given.
        value: String,
        /// The kind.
        kind: String,
        /// The parameters it has.
        known: Vec<String>,
        /// The one that was probably meant.
        suggestion: Option<String>,
    },
    /// A parameter without a default that was left out.
    #[error("{place} is missing: {kind} needs it ({help})")]
    Missing {
        /// The parameter, with where it stands.
        place: String,
        /// The kind.
        kind: String,
        /// What it is.
        help: String,
    },
    /// A name that no kind has.
    #[error(
        "{}there is no {what} {name:?}{}; there are {}",
        prefix(.place), meant(.suggestion.as_deref()), .known.join(", ")
    )]
    NoKind {
        /// Where it stands.
        place: String,
        /// An agent, an oracle, a model or an estimator.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: Vec<String>,
        /// The one that was probably meant.
        suggestion: Option<String>,
    },
    /// A refusal in the words of the kind's author.
    #[error("{}{message}", prefix(.place))]
    Refused {
        /// Where it stands.
        place: String,
        /// What is wrong.
        message: String,
    },
}

fn prefix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{place}: ") }
}

fn has(known: &[String], suggestion: Option<&str>) -> String {
    let all = if known.is_empty() {
        "it has none".into()
    } else {
        format!("it has {}", known.join(", "))
    };
    format!("{all}{}", meant(suggestion))
}

fn meant(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

impl ParameterError {
    /// Refuses the value of a parameter: "`name` = `value`: must be `needed`".
    ///
    /// # Example
    /// ```
    /// use sporadic::kinds::ParameterError;
    /// let error = ParameterError::new("rho", -1.0, "0 or more, and finite");
    /// assert_eq!(error.to_string(), "rho = -1: must be 0 or more, and finite");
    /// ```
    pub fn new(name: &str, value: impl fmt::Display, needed: impl Into<String>) -> Self {
        let (value, needed) = (visible(&value.to_string()), visible(&needed.into()));
        Self::Value { place: name.into(), value, needed }
    }

    /// Puts what the parameter belongs to in front of its name: `rho` becomes `agents[1].rho`.
    pub fn within(mut self, outer: &str) -> Self {
        let (Self::Value { place, .. }
        | Self::Unknown { place, .. }
        | Self::Missing { place, .. }
        | Self::NoKind { place, .. }
        | Self::Refused { place, .. }) = &mut self;
        *place = match (outer, place.as_str()) {
            ("", inner) => inner.into(),
            (outer, "") => outer.into(),
            (outer, inner) => format!("{outer}.{inner}"),
        };
        self
    }
}

/// A type that a parameter of a kind may have.
///
/// Numbers, truth values, text, action sequences, oracles, optional values and lists have it;
/// implement it for a type of your own to use that as well.
pub trait ParameterType: Sized {
    /// What stands for a value in help texts.
    const PLACEHOLDER: &'static str;
    /// Whether a value is written as a list.
    const IS_LIST: bool = false;
    /// Whether a value names an oracle of the registry.
    const IS_ORACLE: bool = false;

    /// Reads a value from a specification.
    ///
    /// # Errors
    /// What a value must be, to complete the sentence "must be ...".
    fn read(value: &Value) -> Result<Self, String>;

    /// Reads a value from a command line, where everything is text.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn parse(text: &str) -> Result<Self, String> {
        Self::read(&Value::String(text.into()))
    }

    /// The value as it would stand in a specification; [`read`](Self::read) gives it back.
    fn write(&self) -> Value;

    /// Whether the value is left out where parameters are written down. A parameter that was added later has one value that
    /// stands for how it was before: with it left out, earlier results keep their identity.
    fn is_implied(&self) -> bool {
        false
    }
}

impl ParameterType for f64 {
    const PLACEHOLDER: &'static str = "X";

    fn read(value: &Value) -> Result<Self, String> {
        value.as_f64().filter(|x| x.is_finite()).ok_or_else(|| "a finite number".into())
    }

    fn parse(text: &str) -> Result<Self, String> {
        let number = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
        number.ok_or_else(|| "a finite number".into())
    }

    fn write(&self) -> Value {
        Value::from(*self)
    }
}

macro_rules! counts {
    ($($count:ty)*) => {$(
        impl ParameterType for $count {
            const PLACEHOLDER: &'static str = "N";

            fn read(value: &Value) -> Result<Self, String> {
                let number = value.as_u64().and_then(|n| n.try_into().ok());
                number.ok_or_else(|| "a whole number, 0 or more".into())
            }

            fn parse(text: &str) -> Result<Self, String> {
                text.trim().parse().map_err(|_| "a whole number, 0 or more".into())
            }

            fn write(&self) -> Value {
                Value::from(*self)
            }
        }
    )*};
}

counts!(usize u64 u32);

impl ParameterType for bool {
    const PLACEHOLDER: &'static str = "true|false";

    fn read(value: &Value) -> Result<Self, String> {
        value.as_bool().ok_or_else(|| "true or false".into())
    }

    fn parse(text: &str) -> Result<Self, String> {
        text.trim().parse().map_err(|_| "true or false".into())
    }

    fn write(&self) -> Value {
        Value::from(*self)
    }
}

impl ParameterType for String {
    const PLACEHOLDER: &'static str = "TEXT";

    fn read(value: &Value) -> Result<Self, String> {
        value.as_str().map(str::to_owned).ok_or_else(|| "text".into())
    }

    fn write(&self) -> Value {
        Value::from(self.as_str())
    }
}

impl ParameterType for ActionSequence {
    const PLACEHOLDER: &'static str = "SEQUENCE";

    fn read(value: &Value) -> Result<Self, String> {
        let text = value.as_str().ok_or("an action sequence such as 111(01)")?;
        text.parse().map_err(|fault| format!("an action sequence such as 111(01): {fault}"))
    }

    fn write(&self) -> Value {
        Value::from(self.to_string())
    }
}

impl ParameterType for BeyondHorizon {
    const PLACEHOLDER: &'static str = "RULE";

    fn read(value: &Value) -> Result<Self, String> {
        match value.as_str() {
            Some("constant") => Ok(Self::Constant),
            Some("reuse-last") => Ok(Self::ReuseLast),
            Some("reuse-first") => Ok(Self::ReuseFirst),
            _ => Err("constant, reuse-last or reuse-first".into()),
        }
    }

    fn write(&self) -> Value {
        Value::from(match self {
            Self::Constant => "constant",
            Self::ReuseLast => "reuse-last",
            Self::ReuseFirst => "reuse-first",
        })
    }
}

impl ParameterType for Replanning<f64> {
    const PLACEHOLDER: &'static str = "RULE";

    fn read(value: &Value) -> Result<Self, String> {
        let growth = |text: &str| text.strip_prefix("growth:")?.parse().ok();
        match value.as_str() {
            Some("every-episode") => Ok(Self::EveryEpisode),
            Some(text) if growth(text).is_some_and(|c: f64| c > 1.0 && c.is_finite()) => {
                Ok(Self::DeterminantGrowth(growth(text).unwrap_or(2.0)))
            }
            _ => Err("every-episode, or growth:C with C above 1".into()),
        }
    }

    fn write(&self) -> Value {
        Value::from(match self {
            Self::EveryEpisode => "every-episode".to_owned(),
            Self::DeterminantGrowth(factor) => format!("growth:{factor}"),
        })
    }
}

/// `None` is written as a missing value, so an optional parameter has the default `None`.
impl<P: ParameterType> ParameterType for Option<P> {
    const PLACEHOLDER: &'static str = P::PLACEHOLDER;
    const IS_LIST: bool = P::IS_LIST;
    const IS_ORACLE: bool = P::IS_ORACLE;

    fn read(value: &Value) -> Result<Self, String> {
        if value.is_null() { Ok(None) } else { P::read(value).map(Some) }
    }

    fn parse(text: &str) -> Result<Self, String> {
        P::parse(text).map(Some)
    }

    fn write(&self) -> Value {
        self.as_ref().map_or(Value::Null, P::write)
    }
}

impl<P: ParameterType> ParameterType for Vec<P> {
    const PLACEHOLDER: &'static str = P::PLACEHOLDER;
    const IS_LIST: bool = true;

    fn read(value: &Value) -> Result<Self, String> {
        let list = value.as_array().ok_or("a list")?;
        list.iter().map(P::read).collect()
    }

    fn parse(text: &str) -> Result<Self, String> {
        text.split(',').map(P::parse).collect()
    }

    fn write(&self) -> Value {
        Value::Array(self.iter().map(P::write).collect())
    }
}

/// A value as error messages and labels show it: text without quotes, numbers in their shortest form.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // Whole numbers digit by digit; others short, and so that they read back as the same.
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or_else(|| number.to_string(), |x| Number(x).to_string())
        }
        Value::Number(number) => number.to_string(),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(show).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}
