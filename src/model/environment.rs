//! The environment: what a simulator needs of a decision process.

use num_traits::{One, Zero};
use rand::Rng;

use super::Exact;
use crate::Real;

/// An action: an index below the number of actions.
pub type Action = usize;

/// An ATST-MDP (S, A, P, r, gamma, beta) that can be simulated.
///
/// The state may be anything that can be cloned: an index, a vector, a struct of yours. Rewards
/// are deterministic in (s, a); gamma is the probability that an episode goes on after a round;
/// beta(a) is the probability that the state after action `a` is seen.
///
/// [`check::environment`](crate::check::environment) tests an implementation.
///
/// # Example
/// A drifting point on the unit interval: action 1 pays attention and pushes right, action 0 rests.
/// ```
/// use rand::{Rng, RngExt};
/// use sporadic::model::{Action, Environment};
///
/// struct Drift;
///
/// impl Environment for Drift {
///     type Scalar = f64;
///     type State = f64;
///     fn num_actions(&self) -> usize { 2 }
///     fn gamma(&self) -> f64 { 0.9 }
///     fn beta(&self, a: Action) -> f64 { [0.1, 0.8][a] }
///     fn reward(&self, s: &f64, _: Action) -> f64 { *s }
///     fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> f64 { 0.5 }
///     fn next<R: Rng + ?Sized>(&self, s: &f64, a: Action, rng: &mut R) -> f64 {
///         let push = if a == 1 { 0.1 } else { -0.05 };
///         (s + push + 0.02 * rng.random::<f64>()).clamp(0.0, 1.0)
///     }
/// }
/// ```
pub trait Environment {
    /// The numbers that rewards and probabilities are given in: `f32` or `f64`.
    type Scalar: Real;

    /// The latent state. An agent sees it only when a data-burst reveals it.
    type State: Clone;

    /// The number of actions, at least 1.
    fn num_actions(&self) -> usize;

    /// The discount factor gamma in (0, 1): the probability that the episode goes on.
    fn gamma(&self) -> Self::Scalar;

    /// The reveal probability beta(a) in [0, 1].
    fn beta(&self, a: Action) -> Self::Scalar;

    /// The reveal probability beta_n(a) of the n-th action since the last sighting; beta(a) at every age
    /// n = 1, 2, ... unless overridden, together with [`ages`](Self::ages).
    fn beta_at(&self, a: Action, age: usize) -> Self::Scalar {
        let _ = age;
        self.beta(a)
    }

    /// The age N from which on no reveal probability changes, so that [`beta`](Self::beta) is that of all
    /// later ages; 1 unless overridden.
    fn ages(&self) -> usize {
        1
    }

    /// The reward r(s, a).
    fn reward(&self, s: &Self::State, a: Action) -> Self::Scalar;

    /// Draws the first state of an episode.
    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> Self::State;

    /// Draws the state that follows `s` under action `a`.
    fn next<R: Rng + ?Sized>(&self, s: &Self::State, a: Action, rng: &mut R) -> Self::State;

    /// The smallest and largest reward there may be; the paper's (0, 1) unless you say otherwise.
    fn reward_range(&self) -> (Self::Scalar, Self::Scalar) {
        (Self::Scalar::zero(), Self::Scalar::one())
    }

    /// Whether nothing more can be earned from `s` and it is never left: where
    /// [`Ending::Absorbing`](crate::simulation::Ending) ends episodes. No state is, unless an implementation
    /// says so. Tabular models do: every action leads from `s` to `s`, and none has a positive reward there.
    fn is_absorbing(&self, s: &Self::State) -> bool {
        let _ = s;
        false
    }

    /// The name of the model, for tables and files of results; `None` if it has none of its own.
    fn model_name(&self) -> Option<String> {
        None
    }

    /// The names of the actions, with which sequences may be written; empty, unless an implementation
    /// has names, if actions have only their numbers.
    fn action_labels(&self) -> Vec<String> {
        Vec::new()
    }

    /// Exact values of this environment, from which regret and optima are computed; `None` unless an
    /// implementation has them. Tabular models do.
    fn exact(&self) -> Option<Box<dyn Exact<Self::State> + '_>> {
        None
    }
}

impl<M: Environment> Environment for &M {
    type Scalar = M::Scalar;
    type State = M::State;

    fn num_actions(&self) -> usize {
        (**self).num_actions()
    }

    fn gamma(&self) -> Self::Scalar {
        (**self).gamma()
    }

    fn beta(&self, a: Action) -> Self::Scalar {
        (**self).beta(a)
    }

    fn beta_at(&self, a: Action, age: usize) -> Self::Scalar {
        (**self).beta_at(a, age)
    }

    fn ages(&self) -> usize {
        (**self).ages()
    }

    fn reward(&self, s: &Self::State, a: Action) -> Self::Scalar {
        (**self).reward(s, a)
    }

    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> Self::State {
        (**self).initial(rng)
    }

    fn next<R: Rng + ?Sized>(&self, s: &Self::State, a: Action, rng: &mut R) -> Self::State {
        (**self).next(s, a, rng)
    }

    fn reward_range(&self) -> (Self::Scalar, Self::Scalar) {
        (**self).reward_range()
    }

    fn is_absorbing(&self, s: &Self::State) -> bool {
        (**self).is_absorbing(s)
    }

    fn action_labels(&self) -> Vec<String> {
        (**self).action_labels()
    }

    fn model_name(&self) -> Option<String> {
        (**self).model_name()
    }

    fn exact(&self) -> Option<Box<dyn Exact<Self::State> + '_>> {
        (**self).exact()
    }
}
