//! Action sequences as text.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;
use thiserror::Error;

use super::ActionSequence;
use crate::model::Action;

/// Why a text is not an action sequence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseSequenceError {
    /// There is no period in parentheses, or it is empty.
    #[error("{text:?} has no period: an action sequence looks like 111(01)")]
    NoPeriod {
        /// The text.
        text: String,
    },
    /// Something stands after the closing parenthesis.
    #[error("{text:?} goes on after its period with {rest:?}")]
    Trailing {
        /// The text.
        text: String,
        /// What follows the period.
        rest: String,
    },
    /// Something that is not an action.
    #[error("{token:?} in {text:?} is not an action{}", expected(.known))]
    NotAnAction {
        /// The text.
        text: String,
        /// The offending part.
        token: String,
        /// The names that would be accepted; empty where numbers are.
        known: Vec<String>,
    },
}

fn expected(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!(" (there are {})", known.join(", ")) }
}

impl ActionSequence {
    /// Reads a sequence written with the names of a model's actions, separated by commas or
    /// spaces: `up, up, (left, down)`.
    ///
    /// # Errors
    /// [`ParseSequenceError`] if there is no period or a name is unknown.
    ///
    /// # Example
    /// ```
    /// use sporadic::sequence::ActionSequence;
    /// let names = ["rest".to_string(), "look".to_string()];
    /// let seq = ActionSequence::parse_names("look (rest, rest, look)", &names)?;
    /// assert_eq!(seq, "1(001)".parse()?);
    /// assert_eq!(seq.named(&names).to_string(), "(look, rest, rest)");
    /// # Ok::<(), sporadic::sequence::ParseSequenceError>(())
    /// ```
    pub fn parse_names(text: &str, names: &[String]) -> Result<Self, ParseSequenceError> {
        parse(text, |word| {
            word.split([',', ' ', '\t'])
                .filter(|token| !token.is_empty())
                .map(|token| {
                    names.iter().position(|n| n == token).ok_or_else(|| {
                        ParseSequenceError::NotAnAction {
                            text: text.into(),
                            token: token.into(),
                            known: names.to_vec(),
                        }
                    })
                })
                .collect()
        })
    }

    /// The sequence as text, with the names of a model's actions.
    ///
    /// An action without a name is printed as its number.
    pub fn named(&self, names: &[String]) -> impl fmt::Display {
        let word = |actions: &[Action]| {
            let named = actions.iter().map(|&a| names.get(a).cloned().unwrap_or(a.to_string()));
            named.collect::<Vec<_>>().join(", ")
        };
        let space = if self.prefix.is_empty() { "" } else { ", " };
        format!("{}{space}({})", word(&self.prefix), word(&self.period))
    }
}

impl fmt::Display for ActionSequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comma = if self.max_action() > 9 { "," } else { "" };
        let word = |actions: &[Action]| {
            actions.iter().format_with("", |a, g| g(&format_args!("{a}{comma}"))).to_string()
        };
        f.pad(&format!("{}({})", word(&self.prefix), word(&self.period)))
    }
}

impl FromStr for ActionSequence {
    type Err = ParseSequenceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = |token: String| ParseSequenceError::NotAnAction {
            text: text.into(),
            token,
            known: Vec::new(),
        };
        parse(text, |word| {
            if text.contains(',') {
                let tokens = word.split(',').map(str::trim).filter(|token| !token.is_empty());
                tokens.map(|t| t.parse().map_err(|_| refuse(t.into()))).collect()
            } else {
                word.chars()
                    .filter(|c| !c.is_whitespace())
                    .map(|c| c.to_digit(10).map(|d| d as usize).ok_or_else(|| refuse(c.into())))
                    .collect()
            }
        })
    }
}

/// Splits `prefix(period)` and reads both words with `actions`.
fn parse(
    text: &str,
    actions: impl Fn(&str) -> Result<Vec<Action>, ParseSequenceError>,
) -> Result<ActionSequence, ParseSequenceError> {
    let no_period = || ParseSequenceError::NoPeriod { text: text.into() };
    let (prefix, rest) = text.split_once('(').ok_or_else(no_period)?;
    let (period, rest) = rest.split_once(')').ok_or_else(no_period)?;
    if !rest.trim().is_empty() {
        return Err(ParseSequenceError::Trailing { text: text.into(), rest: rest.into() });
    }
    let (prefix, period) = (actions(prefix)?, actions(period)?);
    if period.is_empty() { Err(no_period()) } else { Ok(ActionSequence::new(prefix, period)) }
}

impl From<ActionSequence> for String {
    fn from(seq: ActionSequence) -> Self {
        seq.to_string()
    }
}

impl TryFrom<String> for ActionSequence {
    type Error = ParseSequenceError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn text_round_trips(
            prefix in proptest::collection::vec(0..15_usize, 0..6),
            period in proptest::collection::vec(0..15_usize, 1..6),
        ) {
            let seq = ActionSequence::new(prefix, period);
            prop_assert_eq!(seq.to_string().parse::<ActionSequence>().unwrap(), seq.clone());
            let names: Vec<String> = (0..15).map(|a| format!("a{a}")).collect();
            let text = seq.named(&names).to_string();
            prop_assert_eq!(ActionSequence::parse_names(&text, &names).unwrap(), seq);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[0-9a(), ]{0,12}") {
            let _ = text.parse::<ActionSequence>();
        }
    }

    #[test]
    fn refusals_name_the_offending_part() {
        let message = |text: &str| text.parse::<ActionSequence>().unwrap_err().to_string();
        assert_eq!(message("11"), "\"11\" has no period: an action sequence looks like 111(01)");
        assert_eq!(
            message("11()"),
            "\"11()\" has no period: an action sequence looks like 111(01)"
        );
        assert_eq!(message("1(x)"), "\"x\" in \"1(x)\" is not an action");
        assert_eq!(message("1(0)1"), "\"1(0)1\" goes on after its period with \"1\"");
    }

    #[test]
    fn large_actions_are_separated() {
        assert_eq!(ActionSequence::constant(12).to_string(), "(12,)");
        assert_eq!(ActionSequence::new([10, 3], [0, 11]).to_string(), "10,3,(0,11,)");
    }
}
