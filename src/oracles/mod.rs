//! Oracles: the search for max over A^N of an objective, with a certificate.
//!
//! Algorithm 1 needs the maximum over all infinite action sequences of
//! K(s, a) = min {<psi, w> + rho ||psi||, 1/(1-gamma)}, and the paper takes an oracle for granted. Here
//! an oracle is an object: swap it in one line. Its answer, a [`Choice`], carries a bound on *all*
//! of A^N, whatever family was searched, so one always knows how far from the optimum one may be.
//! Of candidates with equal values the first wins, everywhere.
//!
//! | oracle | guarantee: value is | cost |
//! |---|---|---|
//! | [`Exhaustive`] | the family's maximum | one value per member |
//! | [`Periodic`] | the maximum over short prefixes and periods | < A^(P + L + 2) values |
//! | [`Truncated`] | within (gamma (1 - `beta_min`))^L range of the optimum | A^L values and bounds |
//! | [`Beam`] | none but the bound | A width depth bounds, and as many values where bounds tie; some ten values if familiar |
//! | [`Adaptive`] | at least the maximum over a small family | at most `size` values |
//! | [`BranchAndBound`] | within the gap, or out of nodes and says so | as many bounds as it takes |
//! | [`Portfolio`] | the best of its members, the least bound | their sum |
//!
//! `benches/README.md` has their gaps and times on objectives of a learning run.
//!
//! How good the bound is depends on the objective:
//!
//! | objective | bounds from |
//! |---|---|
//! | [`FeatureObjective`] | its features: see [`SequenceFeatures::bounds`](crate::features::SequenceFeatures::bounds) |
//! | [`ObjectiveFn`] | what you give it; none by default |

mod adaptive;
mod beam;
mod branch_and_bound;
mod checks;
mod choice;
mod climb;
mod counted;
mod error;
mod exhaustive;
mod feature;
mod objective;
mod periodic;
mod portfolio;
mod truncated;

pub use adaptive::Adaptive;
pub use beam::Beam;
pub use branch_and_bound::BranchAndBound;
pub use choice::Choice;
pub use counted::Counted;
pub use error::{ObjectiveError, OracleError};
pub use exhaustive::Exhaustive;
pub use feature::FeatureObjective;
pub use objective::{ObjectiveFn, SequenceObjective, Unbounded};
pub use periodic::Periodic;
pub use portfolio::Portfolio;
pub use truncated::Truncated;

use std::borrow::Cow;

use crate::Real;
use crate::sequence::ActionSequence;

/// A search for the best action sequence: argmax over A^N.
///
/// An oracle may remember earlier questions, to answer faster; what it answers must depend on the objective
/// alone, [hints](SequenceObjective::hints) included. Learners rely on it: they are saved and restored without their oracle, and ask
/// for the policy that they play again when it is evaluated.
///
/// [`check::oracle`](crate::check::oracle) tests an implementation.
///
/// # Example
/// An oracle that tries the constant sequences.
/// ```
/// use sporadic::oracles::{Choice, ObjectiveFn, OracleError, SequenceObjective, SequenceOracle};
/// use sporadic::sequence::ActionSequence;
///
/// struct Constants;
///
/// impl SequenceOracle<f64> for Constants {
///     fn maximize(
///         &mut self,
///         objective: &mut dyn SequenceObjective<f64>,
///     ) -> Result<Choice<f64>, OracleError> {
///         let upper_bound = objective.upper_bound(&[]);
///         let mut best: Option<Choice<f64>> = None;
///         for a in 0..objective.num_actions() {
///             let sequence = ActionSequence::constant(a);
///             let value = objective.value(&sequence);
///             if best.as_ref().is_none_or(|best| value > best.value) {
///                 best = Some(Choice { sequence, value, upper_bound, evaluated: a + 1 });
///             }
///         }
///         best.ok_or(OracleError::NoActions)
///     }
/// }
/// let mut objective = ObjectiveFn::new(3, |seq: &ActionSequence| seq.first() as f64);
/// assert_eq!(Constants.maximize(&mut objective)?.sequence.to_string(), "(2)");
/// # Ok::<(), OracleError>(())
/// ```
pub trait SequenceOracle<T: Real> {
    /// The best sequence it finds, its value, and a bound on the value of every sequence in A^N.
    ///
    /// # Errors
    /// [`OracleError`] if there is nothing to choose from or too much, or a value is not a number.
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError>;

    /// The sequences over `0..num_actions` whose first maximum it always returns, if that is all that it does:
    /// a learner may then score them itself, for many states at once, and never ask
    /// [`maximize`](Self::maximize). `None` for a search, unless overridden, and where `maximize` would fail.
    fn family(&self, num_actions: usize) -> Option<Cow<'_, [ActionSequence]>> {
        let _ = num_actions;
        None
    }
}

impl<T: Real, O: SequenceOracle<T> + ?Sized> SequenceOracle<T> for &mut O {
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        (**self).maximize(objective)
    }

    fn family(&self, num_actions: usize) -> Option<Cow<'_, [ActionSequence]>> {
        (**self).family(num_actions)
    }
}

impl<T: Real, O: SequenceOracle<T> + ?Sized> SequenceOracle<T> for Box<O> {
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        (**self).maximize(objective)
    }

    fn family(&self, num_actions: usize) -> Option<Cow<'_, [ActionSequence]>> {
        (**self).family(num_actions)
    }
}
