//! Oracles: the search for max over A^N of an objective, with a certificate.
//!
//! Algorithm 1 needs the maximum over all infinite action sequences of
//! K(s, a) = min {<psi, w> + rho ||psi||, 1/(1-gamma)}, and the paper takes an oracle for granted. Here
//! an oracle is an object: swap it in one line. Its answer, a [`Choice`], carries a bound on *all*
//! of A^N, whatever family was searched, so one always knows how far from the optimum one may be.
//! The first of equal candidates wins, everywhere.
//!
//! | oracle | guarantee: value is | cost | gap, candidates, ms at beta .1 | at beta .05 |
//! |---|---|---|---|---|
//! | [`Exhaustive`] | the family's maximum | one value per member | 7.0, 1012, 250 | 11.3, 1012, 380 |
//! | [`Periodic`] 4 + 6 | the maximum over short prefixes and periods | < A^(P + L + 2) values | 6.4, 1696, 210 | 10.6, 1696, 340 |
//! | [`Truncated`] 14 | within (gamma (1 - `beta_min`))^L range of the optimum | A^L values and bounds | 1.6, 32769, 360 | 4.1, 32769, 450 |
//! | [`Beam`] 64 x 100 | none but the bound | A width depth bounds | 1.3, 12323, 1500 | 2.3, 12323, 2300 |
//! | [`BranchAndBound`] 0.1 | within the gap, or out of nodes and says so | as many bounds as it takes | 0.1, 4309, 3200 | 1.3, 20656, 6400 |
//! | [`Portfolio`] of the last two | the best of its members, the least bound | their sum | 0.08, 17296, 3400 | 1.2, 32979, 7300 |
//!
//! The last columns are for K(s1, .) after 3,000 episodes of a learning run on `RiverBalance` (d = 12,
//! values near 46 and 37), as printed by `cargo bench --bench oracles` on one busy core. The gap is to
//! the bound on all of A^N; the search at beta .05 stopped at its limit of 20,000. Every row includes making the tables of [`TabularObjective`].
//!
//! Prefixes that [`BranchAndBound`] bounds for a gap of 1, 0.1 and 0.01, from the same bench, beside the
//! words of plain enumeration with the same certificate:
//!
//! | beta | after 50 episodes | after 500 | after 3,000 | plain enumeration |
//! |---|---|---|---|---|
//! | .5 | 9, 11, 15 | 11, 21, 25 | 1, 5, 11 | 2^7, 2^10, 2^14 |
//! | .1 | 2249, 5867, 7101 | 141, 4649, 17231 | 137, 4147, 14355 | 2^40, 2^60, 2^80 |
//! | .05 | 38507, not in 100,000 | 21639, not in 100,000 | 54571, not in 100,000 | 2^76, 2^113, 2^151 |
//!
//! At beta .05 a hundred thousand prefixes leave gaps of 0.3, 0.5 and 0.9.
//!
//! How good the bound is depends on the objective:
//!
//! | objective | bounds from |
//! |---|---|
//! | [`TabularObjective`] | the state seen k actions late, for every axis of the bonus: prunes in earnest |
//! | [`FeatureObjective`] | norms of what follows: sound for any features, prunes when gamma (1 - beta) is small |
//! | [`FromFn`] | what you give it; none by default |

mod beam;
mod bonus;
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
pub(crate) use objective::hold;
pub use objective::{FromFn, SequenceObjective, Unbounded};
pub use periodic::Periodic;
pub use portfolio::Portfolio;
pub use tabular::TabularObjective;
pub use truncated::Truncated;

use crate::Real;

/// A search for the best action sequence: argmax over A^N.
///
/// An oracle may remember earlier questions, to answer faster; what it answers must depend on the objective
/// alone. Learners rely on it: they are saved and restored without their oracle, and ask for the policy that
/// they play again when it is evaluated.
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
/// let mut objective = FromFn::new(3, |seq: &ActionSequence| seq.first() as f64);
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
}

impl<T: Real, O: SequenceOracle<T> + ?Sized> SequenceOracle<T> for &mut O {
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        (**self).maximize(objective)
    }
}

impl<T: Real, O: SequenceOracle<T> + ?Sized> SequenceOracle<T> for Box<O> {
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<T>,
    ) -> Result<Choice<T>, OracleError> {
        (**self).maximize(objective)
    }
}
