//! Oracles by name.

use std::fmt;
use std::sync::Arc;

use itertools::Itertools as _;
use serde_json::Value;

use super::Kind;
use super::catalog::{Catalog, Resolved};
use super::info::KindInfo;
use super::parameter::{ParameterError, ParameterType};
use crate::Fault;
use crate::oracles::{Portfolio, SequenceOracle};
use crate::sequence::ActionSequence;

/// A [`Kind`] that builds an oracle.
///
/// On the command line it is one word, `beam:8,20`: its parameters in the order of the struct, those with defaults
/// last. An oracle that searches needs [`build`](Self::build) alone; one that goes through a finite family also has
/// [`family`](Self::family), and builds an [`Exhaustive`](crate::oracles::Exhaustive) of it. Oracles that draw random numbers
/// start from the same seed at every question: what they answer must depend on the objective alone
/// ([`SequenceOracle`]).
///
/// # Example
/// ```
/// use sporadic::Fault;
/// use sporadic::kind;
/// use sporadic::kinds::{OracleKind, Registry};
/// use sporadic::oracles::{Exhaustive, SequenceOracle};
/// use sporadic::sequence::ActionSequence;
///
/// kind! {
///     /// The constant sequences.
///     pub struct Constants("constants") {}
/// }
///
/// impl OracleKind for Constants {
///     fn build(&self, num_actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
///         Ok(Box::new(Exhaustive::new((0..num_actions).map(ActionSequence::constant))))
///     }
/// }
///
/// let registry = Registry::builtin().with_oracle::<Constants>();
/// assert!(registry.oracles().resolve(&"constants".into()).is_ok());
/// ```
pub trait OracleKind: Kind {
    /// The oracle over so many actions.
    ///
    /// # Errors
    /// Whatever keeps it from being made.
    fn build(&self, num_actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault>;

    /// The finite family that the oracle goes through, if it is one: what the best policy of the
    /// class is computed from, and what lets a learner take a faster road. Without it an oracle counts as a search:
    /// agents that need a family refuse it, and figures have no line for the class. It must be the
    /// [family](SequenceOracle::family) of what [`build`](Self::build) gives.
    ///
    /// # Errors
    /// If the family is too large for so many actions.
    fn family(&self, num_actions: usize) -> Result<Option<Vec<ActionSequence>>, Fault> {
        let _ = num_actions;
        Ok(None)
    }

    /// The most sequences of the pool that a learner on finitely many states keeps in place of the oracle, if the
    /// oracle is such a search: candidates then come and go with what has been learnt, and whoever plans by
    /// [`AdaptiveLsviUcb`](crate::agents::AdaptiveLsviUcb) takes a faster road. `None` for every other oracle.
    fn pool(&self) -> Option<usize> {
        None
    }

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// [`ParameterError`] that names the parameter.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
}

/// An oracle named in one word: `runs:5,10`, `beam:8,20`.
///
/// The name of its kind, then the values of its parameters in their order or by name; the last
/// ones may be left out where they have defaults. In a specification it may also be a table,
/// `{ oracle = "beam", width = 8, depth = 20 }`. Several oracles joined by a plus sign are a
/// [`Portfolio`]: `runs:5,10+beam:8,20` takes the better choice and the smaller upper bound.
///
/// The registry is asked for it when an agent is built, so that an agent takes every oracle there
/// is, yours included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OracleChoice(String);

impl From<&str> for OracleChoice {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for OracleChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl ParameterType for OracleChoice {
    const PLACEHOLDER: &'static str = "ORACLE";
    const IS_ORACLE: bool = true;

    fn read(value: &Value) -> Result<Self, String> {
        let text = value.as_str().ok_or("an oracle such as runs:5,10")?;
        Ok(Self(text.into()))
    }

    fn write(&self) -> Value {
        Value::from(self.0.as_str())
    }
}

/// An oracle kind with its parameters, whatever its type.
pub(crate) trait AnyOracle: Send + Sync + fmt::Debug {
    fn build(&self, num_actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault>;
    fn family(&self, num_actions: usize) -> Result<Option<Vec<ActionSequence>>, Fault>;
    fn pool(&self) -> Option<usize>;
}

impl<K: OracleKind> AnyOracle for K {
    fn build(&self, num_actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        OracleKind::build(self, num_actions)
    }

    fn family(&self, num_actions: usize) -> Result<Option<Vec<ActionSequence>>, Fault> {
        OracleKind::family(self, num_actions)
    }

    fn pool(&self) -> Option<usize> {
        OracleKind::pool(self)
    }
}

/// Kinds joined by plus signs.
#[derive(Debug)]
struct Joined(Vec<Arc<dyn AnyOracle>>);

impl AnyOracle for Joined {
    fn build(&self, num_actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        let mut all = Portfolio::new();
        for oracle in &self.0 {
            all = all.with(oracle.build(num_actions)?);
        }
        Ok(Box::new(all))
    }

    fn family(&self, num_actions: usize) -> Result<Option<Vec<ActionSequence>>, Fault> {
        let families = self.0.iter().map(|oracle| oracle.family(num_actions));
        let all = families.collect::<Result<Option<Vec<_>>, Fault>>()?;
        Ok(all.map(|all| all.into_iter().flatten().unique().collect()))
    }

    fn pool(&self) -> Option<usize> {
        None
    }
}

/// The oracles that a registry knows.
#[derive(Debug, Clone)]
pub struct Oracles(Catalog<dyn AnyOracle>);

/// An oracle that a registry has found: its name in canonical form, who made it, and how to build
/// it.
#[derive(Debug, Clone)]
pub struct ResolvedOracle {
    /// The oracle in one word, defaults at the end left out.
    pub text: String,
    /// Crate, kind and version.
    pub made_by: String,
    oracle: Arc<dyn AnyOracle>,
}

impl ResolvedOracle {
    /// The oracle over so many actions.
    ///
    /// # Errors
    /// Whatever keeps it from being made.
    pub fn build(&self, num_actions: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        self.oracle.build(num_actions)
    }

    /// The family that it goes through, if it is one.
    ///
    /// # Errors
    /// If the family is too large.
    pub fn family(&self, num_actions: usize) -> Result<Option<Vec<ActionSequence>>, Fault> {
        self.oracle.family(num_actions)
    }

    /// The size of the pool that a learner on finitely many states keeps in its place, if it keeps one.
    pub fn pool(&self) -> Option<usize> {
        self.oracle.pool()
    }
}

impl From<Resolved<dyn AnyOracle>> for ResolvedOracle {
    fn from(Resolved { text, made_by, kind }: Resolved<dyn AnyOracle>) -> Self {
        Self { text, made_by, oracle: kind }
    }
}

impl Default for Oracles {
    fn default() -> Self {
        Self(Catalog::new("oracle", "runs:5,10"))
    }
}

impl Oracles {
    /// Adds a kind; one of the same name is replaced.
    pub(crate) fn add<K: OracleKind>(&mut self) {
        self.0.add::<K>(|table| {
            let kind = K::from_table(table)?;
            OracleKind::check(&kind)?;
            let table = kind.to_table();
            Ok((Arc::new(kind), table))
        });
    }

    /// The descriptions of all kinds.
    pub fn infos(&self) -> impl Iterator<Item = &KindInfo> {
        self.0.infos()
    }

    /// Finds the oracle that `choice` names.
    ///
    /// # Errors
    /// [`ParameterError`] that names what is wrong with it.
    pub fn resolve(&self, choice: &OracleChoice) -> Result<ResolvedOracle, ParameterError> {
        self.resolve_text(&choice.0)
    }

    fn resolve_text(&self, text: &str) -> Result<ResolvedOracle, ParameterError> {
        // A name follows the plus sign, so the one of 1e+3 is part of a number.
        let starts_name = |rest: &str| rest.trim_start().starts_with(char::is_alphabetic);
        let plus = text.match_indices('+').map(|(i, _)| i).filter(|i| starts_name(&text[i + 1..]));
        let (mut parts, mut start) = (Vec::new(), 0);
        for end in plus.chain([text.len()]) {
            parts.push(ResolvedOracle::from(self.0.resolve(&text[start..end])?));
            start = end + 1;
        }
        if parts.len() == 1
            && let Some(only) = parts.pop()
        {
            return Ok(only);
        }
        Ok(ResolvedOracle {
            text: parts.iter().map(|part| &part.text).join("+"),
            made_by: parts.iter().map(|part| &part.made_by).join("+"),
            oracle: Arc::new(Joined(parts.into_iter().map(|part| part.oracle).collect())),
        })
    }

    /// Finds the oracle that a specification names, as text or as a table.
    ///
    /// # Errors
    /// [`ParameterError`] that names what is wrong with it.
    pub fn resolve_value(&self, value: &Value) -> Result<ResolvedOracle, ParameterError> {
        match value {
            Value::String(text) => self.resolve_text(text),
            other => Ok(self.0.resolve_value(other)?.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Registry;

    #[test]
    fn a_plus_joins_names_only() {
        let registry = Registry::builtin();
        let resolve = |text: &str| registry.oracles().resolve(&text.into());
        let joined = resolve("words:2 + beam:2,3+branch-and-bound:1e+3").unwrap();
        assert_eq!(joined.text, "words:2+beam:2,3+branch-and-bound:1000");
        assert_eq!(joined.family(2).unwrap(), None);
        let families = resolve("words:1+words:2").unwrap();
        // Each once, in the order of the oracles.
        let members = families.family(2).unwrap().unwrap_or_default();
        assert_eq!(members.iter().join(" "), "(0) (1) 0(1) 1(0)");
        for wrong in ["words:2+", "+words:2", "words:2+crystal", "words:2+beam:0,3", "words:2++x"] {
            assert!(resolve(wrong).is_err(), "{wrong}");
        }
        let many = vec!["words:1"; 10_000].join("+");
        assert_eq!(resolve(&many).unwrap().family(2).unwrap().map(|family| family.len()), Some(2));
    }

    #[test]
    fn too_many_words_are_refused_when_built() {
        let truncated = |depth| {
            let registry = Registry::builtin();
            let text = format!("truncated:{depth}");
            registry.oracles().resolve(&text.as_str().into()).unwrap().build(2).err()
        };
        assert!(truncated(10).is_none());
        let refusal = truncated(40).unwrap().to_string();
        assert!(refusal.contains("1e12 members for 2 actions"), "{refusal}");
    }
}
