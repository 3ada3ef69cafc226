//! Reveal probabilities as text.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Reveal;
use crate::model::ModelError;
use crate::{Number, Real};

/// Why a text is no [`Reveal`].
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RevealError {
    /// It is in none of the forms there are.
    #[error(
        "{text:?} is neither a number, nor one per age as in 0,0,0.5, nor every:K, at-least:K:B, dead-time:K:B or recovering:K:B"
    )]
    Form {
        /// The text.
        text: String,
    },
    /// Its numbers are out of range.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl<T: Real> FromStr for Reveal<T> {
    type Err = RevealError;

    /// Reads `0.1`, `0,0,0.5`, `every:5`, `at-least:5:0.3`, `dead-time:4:0.3` or `recovering:5:0.3`.
    ///
    /// # Errors
    /// [`RevealError`] if the text has another form. Whether the numbers are probabilities is checked by the
    /// model that they are given to.
    ///
    /// # Example
    /// ```
    /// use sporadic::model::Reveal;
    /// assert_eq!("every:3".parse::<Reveal<f64>>()?, "0, 0, 1".parse()?);
    /// assert_eq!("0,0,1".parse::<Reveal<f64>>()?.to_string(), "0,0,1");
    /// assert!("0,,2".parse::<Reveal<f64>>().is_err());
    /// # Ok::<(), sporadic::model::RevealError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, RevealError> {
        let form = || RevealError::Form { text: text.chars().take(80).collect() };
        let number = |part: &str| part.trim().parse::<f64>().map(T::of).map_err(|_| form());
        let count = |part: &str| part.trim().parse::<usize>().map_err(|_| form());
        let parts: Vec<&str> = text.split(':').map(str::trim).collect();
        let reveal = match parts[..] {
            [list] => list.split(',').map(number).collect::<Result<Vec<T>, _>>()?.into(),
            ["every", k] => Self::every(count(k)?)?,
            ["at-least", k, beta] => Self::at_least(count(k)?, number(beta)?)?,
            ["dead-time", k, beta] => Self::after_dead_time(count(k)?, number(beta)?)?,
            ["recovering", k, beta] => Self::recovering(count(k)?, number(beta)?)?,
            _ => return Err(form()),
        };
        Ok(reveal)
    }
}

/// The listed probabilities with commas between them.
impl<T: Real> fmt::Display for Reveal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> =
            self.listed.iter().map(|b| Number(b.as_f64()).to_string()).collect();
        f.write_str(&numbers.join(","))
    }
}
