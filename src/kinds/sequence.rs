//! Action sequences among the parameters of kinds.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::info::{closest, did_you_mean};
use super::parameter::{ParameterError, ParameterType};
use crate::model::Environment;
use crate::sequence::{ActionSequence, ParseSequenceError};

/// An action sequence in numbers, `111(01)`, or in the names of a world's actions, `look (rest, rest)`.
///
/// Which actions the names are is known once there is a world: see [`resolve`](Self::resolve).
///
/// # Example
/// ```
/// use sporadic::kinds::SequenceChoice;
/// use sporadic::model::gallery;
/// let world = gallery::sensing_cost::<f64>(0.1, 0.5)?;
/// let choice: SequenceChoice = "R+look (R, B)".parse()?;
/// assert_eq!(choice.resolve(&world)?.to_string(), "1(02)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceChoice(Choice);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Choice {
    Numbers(ActionSequence),
    Names(String),
}

impl SequenceChoice {
    /// The sequence in a world, whose actions' names it may use.
    ///
    /// # Errors
    /// [`ParameterError::Value`] if it is no sequence, or one of actions that the world does not have.
    pub fn resolve<W: Environment>(&self, world: &W) -> Result<ActionSequence, ParameterError> {
        let refuse = |needed: String| ParameterError::new("sequence", self, needed);
        let sequence = match &self.0 {
            Choice::Numbers(sequence) => sequence.clone(),
            Choice::Names(text) => parse_sequence(text, &world.action_labels())
                .map_err(|fault| refuse(format!("an action sequence such as 111(01): {fault}")))?,
        };
        if sequence.max_action() < world.num_actions() {
            return Ok(sequence);
        }
        let last = world.num_actions().saturating_sub(1);
        Err(refuse(format!("made of the actions 0 to {last}")))
    }
}

/// Reads a sequence in numbers or in the names of a model's actions.
///
/// # Errors
/// What is wrong with it, and the name that was probably meant.
pub(crate) fn parse_sequence(text: &str, names: &[String]) -> Result<ActionSequence, String> {
    let numbers = match text.parse() {
        Ok(sequence) => return Ok(sequence),
        Err(fault) => fault,
    };
    // Of a text without letters, or without names to be had, the fault of the numbers is the one to tell.
    let fault: ParseSequenceError = match ActionSequence::parse_names(text, names) {
        Ok(sequence) => return Ok(sequence),
        Err(_) if names.is_empty() || !text.contains(char::is_alphabetic) => numbers,
        Err(fault) => fault,
    };
    let meant = match &fault {
        ParseSequenceError::NotAnAction { token, known, .. } => {
            closest(token, known.iter().map(String::as_str))
        }
        _ => None,
    };
    Err(format!("{fault}{}", did_you_mean(meant)))
}

impl FromStr for SequenceChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(match text.parse() {
            Ok(sequence) => Choice::Numbers(sequence),
            Err(_) => Choice::Names(text.trim().into()),
        }))
    }
}

impl From<ActionSequence> for SequenceChoice {
    fn from(sequence: ActionSequence) -> Self {
        Self(Choice::Numbers(sequence))
    }
}

impl fmt::Display for SequenceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Choice::Numbers(sequence) => sequence.fmt(f),
            Choice::Names(text) => text.fmt(f),
        }
    }
}

impl ParameterType for SequenceChoice {
    const PLACEHOLDER: &'static str = "SEQUENCE";

    fn read(value: &Value) -> Result<Self, String> {
        let text = value.as_str().ok_or("an action sequence such as 111(01)")?;
        text.parse().map_err(|never: Infallible| match never {})
    }

    fn write(&self) -> Value {
        Value::from(self.to_string())
    }
}
