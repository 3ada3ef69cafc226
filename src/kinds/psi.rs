//! Parameters that say what an agent knows of psi.

use std::fmt;

use serde_json::Value;

use super::parameter::ParameterType;
use crate::agents::Continuation;

/// The most exploratory samples: some seconds of every run.
const MAX_SAMPLES: u64 = 100_000_000;

/// What an agent knows of psi: `exact`, `estimated:N` or `online`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PsiChoice {
    /// All of it.
    #[default]
    Exact,
    /// What N exploratory samples (s, a, s', burst) tell, drawn before the first episode with (s, a) uniform.
    Estimated(u64),
    /// No knowledge of psi: it is learnt from the agent's own segments.
    Online,
}

impl fmt::Display for PsiChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.pad("exact"),
            Self::Estimated(samples) => f.pad(&format!("estimated:{samples}")),
            Self::Online => f.pad("online"),
        }
    }
}

impl ParameterType for PsiChoice {
    const PLACEHOLDER: &'static str = "PSI";

    fn read(value: &Value) -> Result<Self, String> {
        let needed = || format!("exact, online, or estimated:N with N from 1 to {MAX_SAMPLES}");
        match value.as_str().map(str::trim) {
            Some("exact") => Ok(Self::Exact),
            Some("online") => Ok(Self::Online),
            Some(text) => {
                let samples = text.strip_prefix("estimated:").and_then(|n| n.trim().parse().ok());
                let samples = samples.filter(|n| (1..=MAX_SAMPLES).contains(n));
                samples.map(Self::Estimated).ok_or_else(needed)
            }
            None => Err(needed()),
        }
    }

    fn write(&self) -> Value {
        self.to_string().into()
    }

    /// Agents knew psi before this parameter was there.
    fn is_implied(&self) -> bool {
        *self == Self::Exact
    }
}

/// Which map is made of estimates: `plug-in`, `norm-corrected` or `normalized`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MapChoice {
    /// psi-hat: the estimates in place of the truth.
    #[default]
    PlugIn,
    /// `psi_c`: action matrices divided by 1 + epsilon sqrt(d).
    NormCorrected,
    /// psi-tilde, of norm at most 1.
    Normalized,
}

/// What a model is estimated from: `counts` or `em`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EstimatesChoice {
    /// Segments of one action, counted.
    #[default]
    Counts,
    /// Segments of all lengths, by expectation maximisation.
    Em,
}

/// What an estimated model is planned with: `family` or `solve`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlanChoice {
    /// The best policy within the family.
    #[default]
    Family,
    /// The best policy there is.
    Solve,
}

/// A parameter that is one of a few words, the first of which is left out where parameters are written down.
macro_rules! words {
    ($($type:ty, $placeholder:literal, $needed:literal { $first:literal => $implied:path, $($word:literal => $value:path),* })*) => {$(
        impl ParameterType for $type {
            const PLACEHOLDER: &'static str = $placeholder;

            fn read(value: &Value) -> Result<Self, String> {
                match value.as_str() {
                    Some($first) => Ok($implied),
                    $(Some($word) => Ok($value),)*
                    _ => Err($needed.into()),
                }
            }

            fn write(&self) -> Value {
                Value::from(match self {
                    $implied => $first,
                    $($value => $word,)*
                })
            }

            fn is_implied(&self) -> bool {
                *self == $implied
            }
        }
    )*};
}

words! {
    MapChoice, "MAP", "plug-in, norm-corrected or normalized" {
        "plug-in" => Self::PlugIn, "norm-corrected" => Self::NormCorrected, "normalized" => Self::Normalized
    }
    EstimatesChoice, "ESTIMATES", "counts or em" { "counts" => Self::Counts, "em" => Self::Em }
    PlanChoice, "PLAN", "family or solve" { "family" => Self::Family, "solve" => Self::Solve }
    Continuation, "RULE", "regression or model" {
        "regression" => Self::Regression, "model" => Self::Model
    }
}
