//! Exact values of an environment, computed rather than sampled.

use crate::Fault;
use crate::sequence::{ActionSequence, BurstPolicy};

/// Exact values of an environment with states `S`: of policies, of the optimum, of the best policy within a
/// family of sequences.
///
/// [`Environment::exact`](super::Environment::exact) offers it where it exists. Whatever computes
/// regret, draws optima or fills reports asks for it there, so an implementation for a world of
/// one's own makes all of that work for that world. Tabular models have it.
///
/// Every value is the expected total reward of an episode that starts in `start`; without a start,
/// its mean over the states in which episodes start.
///
/// # Example
/// A world in which nothing depends on the state: every action pays 1, and an episode lasts
/// 1 / (1 - gamma) rounds on average.
/// ```
/// use sporadic::Fault;
/// use sporadic::model::Exact;
/// use sporadic::sequence::BurstPolicy;
///
/// struct Salary { gamma: f64 }
///
/// impl<S> Exact<S> for Salary {
///     fn value(&mut self, _: &dyn BurstPolicy<S>, _: Option<&S>) -> Result<f64, Fault> {
///         Ok(1.0 / (1.0 - self.gamma))
///     }
///     fn optimum(&mut self, _: Option<&S>) -> Result<(f64, f64), Fault> {
///         Ok((1.0 / (1.0 - self.gamma), 1.0 / (1.0 - self.gamma)))
///     }
/// }
/// ```
pub trait Exact<S> {
    /// The value of `policy`.
    ///
    /// # Errors
    /// Whatever keeps the policy from being evaluated, such as an action that the world does not
    /// have.
    fn value(&mut self, policy: &dyn BurstPolicy<S>, start: Option<&S>) -> Result<f64, Fault>;

    /// A lower and an upper bound on the optimal value V*.
    ///
    /// # Errors
    /// Whatever keeps the optimum from being bounded.
    fn optimum(&mut self, start: Option<&S>) -> Result<(f64, f64), Fault>;

    /// The value of the best policy that plays sequences of `family` only; `None` if it is not
    /// known.
    ///
    /// # Errors
    /// Whatever keeps it from being computed.
    fn class(
        &mut self,
        family: &[ActionSequence],
        start: Option<&S>,
    ) -> Result<Option<f64>, Fault> {
        let _ = (family, start);
        Ok(None)
    }

    /// Whether [`value`](Self::value) is cheap enough to be asked for in every episode of a long
    /// run. Where it is not, regret is left out and only some policies are evaluated.
    fn is_cheap(&self) -> bool {
        true
    }

    /// Everything that the world consists of, as text: two worlds with the same text are the same.
    /// `None` if there is no such text.
    fn description(&self) -> Option<String> {
        None
    }
}
