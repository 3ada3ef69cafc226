//! Checks of user-defined environments.

use std::fmt::Debug;

use rand_pcg::Pcg64;
use thiserror::Error;

use super::{Action, Environment, MAX_AGES, draw};
use crate::{Discount, DiscountError, Number, Real};

/// The longest episode [`check_determinism`] plays, so that a gamma near 1 does not play for ever.
pub const MAX_ROUNDS: usize = 10_000;

/// A fault that [`check_determinism`] found, and its place. Episodes and rounds count from 0.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CheckError<S> {
    /// There is no action to take.
    #[error("the environment has no actions")]
    NoActions,
    /// gamma must lie strictly between 0 and 1.
    #[error(transparent)]
    Discount(#[from] DiscountError),
    /// beta(a) must lie in [0, 1].
    #[error("beta = {} of action {action} is not in [0, 1]", Number(*.beta))]
    Beta {
        /// The action.
        action: Action,
        /// The value reported.
        beta: f64,
    },
    /// beta_n(a) must lie in [0, 1] at every age n, and be beta(a) from the last listed age on.
    #[error("beta = {} of action {action} at age {age} is not {needed}", Number(*.beta))]
    BetaAt {
        /// The action.
        action: Action,
        /// The age n, counted from 1.
        age: usize,
        /// The value reported.
        beta: f64,
        /// What would be accepted.
        needed: &'static str,
    },
    /// The number of ages must be at least 1 and not above the limit.
    #[error("ages = {ages} is not between 1 and {}", MAX_AGES)]
    Ages {
        /// The number reported.
        ages: usize,
    },
    /// The reward range must be finite and not empty.
    #[error("the reward range [{}, {}] is not a finite interval", Number(*.low), Number(*.high))]
    RewardRange {
        /// The smallest reward reported.
        low: f64,
        /// The largest reward reported.
        high: f64,
    },
    /// A reward lies outside the range the environment reports, or is no number.
    #[error(
        "episode {episode}, round {round}: the reward of action {action} in state {state:?} is \
         {}, outside [{}, {}]",
        Number(*.reward), Number(*.low), Number(*.high)
    )]
    Reward {
        /// The episode.
        episode: usize,
        /// The round of the episode.
        round: usize,
        /// The state.
        state: S,
        /// The action.
        action: Action,
        /// The reward.
        reward: f64,
        /// The smallest reward reported.
        low: f64,
        /// The largest reward reported.
        high: f64,
    },
    /// A state and action earned one reward the first time and another the second time.
    #[error(
        "episode {episode}, round {round}: the reward of action {action} in state {state:?} was \
         {} and is now {}",
        Number(*.first), Number(*.second)
    )]
    RewardChanged {
        /// The episode.
        episode: usize,
        /// The round of the episode.
        round: usize,
        /// The state.
        state: S,
        /// The action.
        action: Action,
        /// The reward the first time.
        first: f64,
        /// The reward the second time.
        second: f64,
    },
    /// An episode repeated with equal random numbers began in another state.
    #[error("episode {episode} began in {first:?} and, repeated, in {second:?}")]
    InitialState {
        /// The episode.
        episode: usize,
        /// The first state of the first run.
        first: S,
        /// The first state of the second run.
        second: S,
    },
    /// A round repeated with equal state, action and random numbers led to another state.
    #[error(
        "episode {episode}, round {round}: action {action} in state {state:?} led to {first:?} \
         and, repeated, to {second:?}"
    )]
    NextState {
        /// The episode.
        episode: usize,
        /// The round of the episode.
        round: usize,
        /// The state.
        state: S,
        /// The action.
        action: Action,
        /// The next state of the first run.
        first: S,
        /// The next state of the second run.
        second: S,
    },
    /// The states agreed, but the two runs used different amounts of randomness.
    #[error("episode {episode}: repeated, it drew another number of random words")]
    Draws {
        /// The episode.
        episode: usize,
    },
}

/// Plays each episode twice from the same random numbers, with random actions, and verifies that
/// nothing differs: the seed must determine everything.
///
/// Also verifies that gamma is in (0, 1), each beta(a) in [0, 1] at every age, and that every reward met is the
/// same both times, finite and inside the environment's
/// [`reward_range`](Environment::reward_range). An episode goes on with probability gamma after
/// each round, for at most [`MAX_ROUNDS`]. Returns the number of rounds compared.
///
/// # Errors
/// A [`CheckError`] that says what failed first and where.
///
/// # Example
/// An environment that remembers, behind a `Cell`, how often it was asked, is no Markov process.
/// ```
/// use std::cell::Cell;
/// use rand::Rng;
/// use sporadic::model::{Action, CheckError, Environment, check_determinism, gallery};
///
/// struct Tired(Cell<u32>);
///
/// impl Environment for Tired {
///     type Scalar = f64;
///     type State = u32;
///     fn num_actions(&self) -> usize { 1 }
///     fn gamma(&self) -> f64 { 0.9 }
///     fn beta(&self, _: Action) -> f64 { 1.0 }
///     fn reward(&self, _: &u32, _: Action) -> f64 { 0.0 }
///     fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> u32 { 0 }
///     fn next<R: Rng + ?Sized>(&self, _: &u32, _: Action, _: &mut R) -> u32 {
///         self.0.set(self.0.get() + 1);
///         self.0.get()
///     }
/// }
///
/// let fault = check_determinism(&Tired(Cell::new(0)), 1, 10);
/// assert!(matches!(fault, Err(CheckError::NextState { episode: 0, round: 0, first: 1, .. })));
///
/// let swim = gallery::river_swim(6, 0.1, 0.99)?;
/// assert!(check_determinism(&swim, 1, 10)? > 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_determinism<M>(
    env: &M,
    seed: u64,
    episodes: usize,
) -> Result<usize, CheckError<M::State>>
where
    M: Environment,
    M::State: PartialEq + Debug,
{
    let (low, high) = check_constants(env)?;
    let mut world = Pcg64::new(seed.into(), 0);
    let mut actor = Pcg64::new(seed.into(), 1);
    let mut total = 0;
    for episode in 0..episodes {
        let mut repeated = world.clone();
        let actions = draw_actions(env, &mut actor);
        let first = play(env, &actions, &mut world);
        let second = play(env, &actions, &mut repeated);
        if first.states[0] != second.states[0] {
            return Err(CheckError::InitialState {
                episode,
                first: first.states[0].clone(),
                second: second.states[0].clone(),
            });
        }
        for (round, &action) in actions.iter().enumerate() {
            let state = || first.states[round].clone();
            let (r, again) = (first.rewards[round], second.rewards[round]);
            // Written so that NaN, which compares false, is outside.
            if !(r >= low && r <= high) {
                let (reward, low, high) = (r.as_f64(), low.as_f64(), high.as_f64());
                let state = state();
                return Err(CheckError::Reward {
                    episode,
                    round,
                    state,
                    action,
                    reward,
                    low,
                    high,
                });
            }
            if r != again {
                let (state, first, second) = (state(), r.as_f64(), again.as_f64());
                return Err(CheckError::RewardChanged {
                    episode,
                    round,
                    state,
                    action,
                    first,
                    second,
                });
            }
            if first.states[round + 1] != second.states[round + 1] {
                return Err(CheckError::NextState {
                    episode,
                    round,
                    state: state(),
                    action,
                    first: first.states[round + 1].clone(),
                    second: second.states[round + 1].clone(),
                });
            }
        }
        if world != repeated {
            return Err(CheckError::Draws { episode });
        }
        total += actions.len();
    }
    Ok(total)
}

fn check_constants<T: Real, M: Environment<Scalar = T>>(
    env: &M,
) -> Result<(T, T), CheckError<M::State>> {
    let (zero, one) = (T::zero(), T::one());
    if env.num_actions() == 0 {
        return Err(CheckError::NoActions);
    }
    Discount::new(env.gamma())?;
    for action in 0..env.num_actions() {
        let beta = env.beta(action);
        if !(beta >= zero && beta <= one) {
            return Err(CheckError::Beta { action, beta: beta.as_f64() });
        }
        let ages = env.ages();
        if ages == 0 || ages > MAX_AGES {
            return Err(CheckError::Ages { ages });
        }
        for age in 1..=ages + 1 {
            let at = env.beta_at(action, age);
            let needed = if !(at >= zero && at <= one) {
                "in [0, 1]"
            } else if age >= ages && at != beta {
                "beta(a), which is that of all ages from `ages` on"
            } else {
                continue;
            };
            return Err(CheckError::BetaAt { action, age, beta: at.as_f64(), needed });
        }
    }
    let (low, high) = env.reward_range();
    if low.is_finite() && high.is_finite() && low <= high {
        Ok((low, high))
    } else {
        Err(CheckError::RewardRange { low: low.as_f64(), high: high.as_f64() })
    }
}

/// The uniform actions of one episode of geometric length.
fn draw_actions<M: Environment>(env: &M, rng: &mut Pcg64) -> Vec<Action> {
    let n = env.num_actions();
    let cdf: Vec<f64> = (1..=n).map(|i| i as f64 / n as f64).collect();
    let gamma = env.gamma().as_f64();
    let mut actions = vec![draw::categorical(&cdf, rng)];
    while actions.len() < MAX_ROUNDS && draw::bernoulli(gamma, rng) {
        actions.push(draw::categorical(&cdf, rng));
    }
    actions
}

struct Run<S, T> {
    /// One more than there are rewards.
    states: Vec<S>,
    rewards: Vec<T>,
}

fn play<M: Environment>(env: &M, actions: &[Action], rng: &mut Pcg64) -> Run<M::State, M::Scalar> {
    let mut state = env.initial(rng);
    let mut run = Run { states: vec![state.clone()], rewards: Vec::with_capacity(actions.len()) };
    for &a in actions {
        run.rewards.push(env.reward(&state, a));
        state = env.next(&state, a, rng);
        run.states.push(state.clone());
    }
    run
}
