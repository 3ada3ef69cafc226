//! Environments from functions.

use std::fmt;
use std::marker::PhantomData;

use rand::Rng;

use super::{Action, Environment, ModelError, Reveal, RevealSchedule};
use crate::{Discount, Real};

/// An [`Environment`] made of closures, with states of any type that can be cloned.
///
/// The closures draw from `&mut dyn Rng`; everything they draw must come from there, so that the seed
/// determines the episode ([`check::environment`](crate::check::environment) verifies it).
///
/// # Example
/// A room that is heated or not: heating moves the temperature, a look at the thermometer comes with
/// every second action on average.
/// ```
/// use sporadic::model::{Environment, FromFns, draw};
///
/// let room = FromFns::new(
///     2,
///     0.9,
///     |_| 0.5,
///     |s: &f64, a| 1.0 - 0.1 * (s - 20.0).abs().min(9.0) - 0.1 * a as f64,
///     |rng| 15.0 + 10.0 * draw::uniform(rng),
///     |s, a, rng| s + if a == 1 { 1.0 } else { -0.5 } + 0.2 * draw::uniform(rng),
/// )?;
/// assert_eq!(room.num_actions(), 2);
/// assert_eq!(room.reward(&20.0, 0), 1.0);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub struct FromFns<S, T, W, I, N> {
    gamma: Discount<T>,
    beta: RevealSchedule<T>,
    reward: W,
    initial: I,
    next: N,
    range: (T, T),
    // Functions of S, not a holder of one: Send and Sync whatever S is.
    state: PhantomData<fn() -> S>,
}

impl<S, T, W, I, N> FromFns<S, T, W, I, N>
where
    T: Real,
    W: Fn(&S, Action) -> T,
    I: Fn(&mut dyn Rng) -> S,
    N: Fn(&S, Action, &mut dyn Rng) -> S,
{
    /// An environment with these actions, discount factor, reveal probabilities beta(a), rewards
    /// r(s, a) in [0, 1], first states and next states.
    ///
    /// The reveal probability of an action is a number or, if it depends on the age of the last sighting,
    /// a [`Reveal`].
    ///
    /// # Errors
    /// [`ModelError`] if there is no action, gamma is not in (0, 1) or a beta is not in [0, 1].
    pub fn new<B: Into<Reveal<T>>>(
        num_actions: usize,
        gamma: T,
        beta: impl Fn(Action) -> B,
        reward: W,
        initial: I,
        next: N,
    ) -> Result<Self, ModelError> {
        let gamma = Discount::new(gamma)?;
        if num_actions == 0 {
            return Err(ModelError::Empty { what: "action" });
        }
        let reveals: Vec<Reveal<T>> = (0..num_actions).map(|a| beta(a).into()).collect();
        let beta = RevealSchedule::new(&reveals, |a| a.to_string())?;
        let (range, state) = ((T::zero(), T::one()), PhantomData);
        Ok(Self { gamma, beta, reward, initial, next, range, state })
    }

    /// Declares the smallest and the largest reward, 0 and 1 unless set.
    ///
    /// # Errors
    /// [`ModelError::Parameter`] if one is not finite, or `low` exceeds `high`.
    pub fn with_reward_range(self, low: T, high: T) -> Result<Self, ModelError> {
        let refuse = |parameter, value: T, needed| {
            Err(ModelError::Parameter { parameter, value: value.as_f64(), needed })
        };
        if !high.is_finite() {
            refuse("the largest reward", high, "a finite number")
        } else if !low.is_finite() {
            refuse("the smallest reward", low, "a finite number")
        } else if low > high {
            refuse("the smallest reward", low, "at most the largest")
        } else {
            Ok(Self { range: (low, high), ..self })
        }
    }
}

impl<S, T, W, I, N> Environment for FromFns<S, T, W, I, N>
where
    S: Clone,
    T: Real,
    W: Fn(&S, Action) -> T,
    I: Fn(&mut dyn Rng) -> S,
    N: Fn(&S, Action, &mut dyn Rng) -> S,
{
    type Scalar = T;
    type State = S;

    fn num_actions(&self) -> usize {
        self.beta.num_actions()
    }

    fn gamma(&self) -> T {
        self.gamma.get()
    }

    fn beta(&self, a: Action) -> T {
        self.beta.last(a)
    }

    fn beta_at(&self, a: Action, age: usize) -> T {
        self.beta.at(a, age)
    }

    fn ages(&self) -> usize {
        self.beta.ages()
    }

    fn reward(&self, s: &S, a: Action) -> T {
        (self.reward)(s, a)
    }

    fn initial<R: Rng + ?Sized>(&self, mut rng: &mut R) -> S {
        (self.initial)(&mut rng)
    }

    fn next<R: Rng + ?Sized>(&self, s: &S, a: Action, mut rng: &mut R) -> S {
        (self.next)(s, a, &mut rng)
    }

    fn reward_range(&self) -> (T, T) {
        self.range
    }
}

impl<S, T: Real, W, I, N> fmt::Debug for FromFns<S, T, W, I, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFns")
            .field("num_actions", &self.beta.num_actions())
            .field("gamma", &self.gamma)
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}
