//! Oracles: the search for max over A^N of an objective, with a certificate.
//!
//! Algorithm 1 needs the maximum over all infinite action sequences of
//! K(s, a) = min {<psi, w> + rho ||psi||, 1/(1-gamma)}, and the paper takes an oracle for granted. Here
//! an oracle is an object: swap it in one line. Its answer, a [`Choice`], carries a bound on *all*
//! of A^N, whatever family was searched, so one always knows how far from the optimum one may be.
//! The first of equal candidates wins, everywhere.
//!
//! | oracle | guarantee | cost | at beta .1 | at beta .05 |
//! |---|---|---|---|---|
//! | table |  |  |  |  |
//!
//! The last columns are for K(s1, .) after 3,000 episodes of a learning run on `RiverBalance` (d = 12, values near
//! 46 and 37): gap between value and bound, candidates, time on one core, as printed by
//! `cargo bench --bench oracles`. Every row includes making the tables of
//! [`TabularObjective`].
//!
//! How good the bound is depends on the objective:
//!
//! | objective | bounds from |
//! |---|---|
//! | [`TabularObjective`] | the state seen k actions late, for every axis of the bonus: prunes in earnest |
//! | [`FeatureObjective`] | norms of what follows: sound for any features, prunes when gamma (1 - beta) is small |
//! | [`FromFn`] | what you give it; none by default |

mod beam;
mod branch_and_bound;
mod checks;
mod choice;
mod counted;
mod error;
mod exhaustive;
mod feature;
mod objective;
mod periodic;
mod portfolio;
mod tabular;
mod truncated;

pub use beam::Beam;
pub use branch_and_bound::BranchAndBound;
pub use choice::Choice;
pub use counted::Counted;
pub use error::{ObjectiveError, OracleError};
pub use exhaustive::Exhaustive;
pub use feature::FeatureObjective;
pub use objective::{FromFn, SequenceObjective, Unbounded};
pub use periodic::Periodic;
pub use portfolio::Portfolio;
pub use tabular::TabularObjective;
pub use truncated::Truncated;

use crate::Real;

/// A search for the best action sequence: argmax over A^N.
///
/// # Example
/// An oracle that tries the constant sequences.
/// ```
/// use sporadic::oracles::{Choice, FromFn, OracleError, SequenceObjective, SequenceOracle};
/// use sporadic::sequence::ActionSequence;
///
/// struct Constants;
///
/// impl SequenceOracle<f64> for Constants {
///     fn maximize(
///         &self,
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
/// let mut objective = FromFn::new(3, |seq: &ActionSequence| seq.first() as f64);
/// assert_eq!(Constants.maximize(&mut objective)?.sequence.to_string(), "(2)");
/// # Ok::<(), OracleError>(())
/// ```
pub trait SequenceOracle<T: Real> {
    /// The best sequence it finds, its value, and a bound on the value of every sequence in A^N.
    ///
    /// # Errors
    /// [`OracleError`] if there is nothing to choose from or too much, or a value is not a number.
    fn maximize(&self, objective: &mut dyn SequenceObjective<T>) -> Result<Choice<T>, OracleError>;
}

impl<T: Real, O: SequenceOracle<T> + ?Sized> SequenceOracle<T> for &O {
    fn maximize(&self, objective: &mut dyn SequenceObjective<T>) -> Result<Choice<T>, OracleError> {
        (**self).maximize(objective)
    }
}

impl<T: Real, O: SequenceOracle<T> + ?Sized> SequenceOracle<T> for Box<O> {
    fn maximize(&self, objective: &mut dyn SequenceObjective<T>) -> Result<Choice<T>, OracleError> {
        (**self).maximize(objective)
    }
}
