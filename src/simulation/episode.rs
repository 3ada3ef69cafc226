//! One episode: the loop of the protocol.

use num_traits::Zero;
use rand::Rng;

use super::error::check;
use super::{Ending, Feedback, Observation, Observer, Setting, SimulationError, Step};
use crate::Real;
use crate::agents::{Agent, Segment};
use crate::model::{Environment, draw};

/// The most rounds of an episode, unless a [`Simulation`](super::Simulation) is told otherwise.
///
/// An episode without a data-burst keeps all its actions, so rounds take memory: 10^8 of them 800 MB.
/// The number of rounds is geometric with mean 1 / (1 - gamma). Up to [`MAX_GAMMA`], whose mean is
/// 10^6, an episode this long has a probability below 1e-43.
pub const MAX_ROUNDS: u64 = 100_000_000;

/// The largest gamma that experiments are run with: episodes of 10^6 rounds on average.
///
/// What is computed without episodes, such as optimal values, takes any gamma below 1.
pub const MAX_GAMMA: f64 = 0.999_999;

/// The number of an episode, its rounds, its data-bursts and its total reward.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EpisodeSummary<T> {
    /// The episode, counted from 0.
    pub episode: u64,
    /// The number of rounds H, at least 1.
    pub rounds: u64,
    /// The number of data-bursts; the episode has one segment more.
    pub bursts: u64,
    /// The undiscounted total reward: the sum over the segments, in their order.
    pub reward: T,
}

/// Runs one episode from `start`, numbered 0, drawing from `rng`.
///
/// For many episodes take [`Simulation`](super::Simulation), which reuses its memory and gives each
/// episode a stream of its own. The [module](super) tells the order of events and of draws.
///
/// # Errors
/// [`SimulationError`] if the agent takes an action out of range, if gamma or a beta is no
/// probability, or if the episode is not over after [`MAX_ROUNDS`].
///
/// # Example
/// ```
/// use rand_pcg::Pcg64;
/// use sporadic::agents::FixedSequence;
/// use sporadic::model::gallery;
/// use sporadic::simulation::run_episode;
///
/// let swim = gallery::river_swim::<f64>(6, 1.0, 0.9)?;
/// let mut agent = FixedSequence::new("(1)".parse()?);
/// let summary = run_episode(&swim, &mut agent, 5, &mut Pcg64::new(1, 2), &mut ())?;
/// assert_eq!(summary.bursts, summary.rounds - 1); // all rounds but the last are seen
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_episode<M, A, R, O>(
    env: &M,
    agent: &mut A,
    start: M::State,
    rng: &mut R,
    observer: &mut O,
) -> Result<EpisodeSummary<M::Scalar>, SimulationError>
where
    M: Environment,
    A: Agent<M::State, M::Scalar> + ?Sized,
    R: Rng + ?Sized,
    O: Observer<M::State, M::Scalar> + ?Sized,
{
    check(env)?;
    let rules = Rules { setting: Setting::default(), max_rounds: MAX_ROUNDS };
    play(env, agent, (0, rules), &mut Segment::open(start), rng, observer)
}

/// How episodes are played.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) setting: Setting,
    /// An episode with more rounds ends the run.
    pub(super) max_rounds: u64,
}

/// Plays episode `episode` from the start of `segment`, a segment just opened. Allocates only when a segment is longer than every one before it.
pub(super) fn play<M, A, R, O>(
    env: &M,
    agent: &mut A,
    (episode, rules): (u64, Rules),
    segment: &mut Segment<M::State, M::Scalar>,
    rng: &mut R,
    observer: &mut O,
) -> Result<EpisodeSummary<M::Scalar>, SimulationError>
where
    M: Environment,
    A: Agent<M::State, M::Scalar> + ?Sized,
    R: Rng + ?Sized,
    O: Observer<M::State, M::Scalar> + ?Sized,
{
    let (gamma, num_actions) = (env.gamma().as_f64(), env.num_actions());
    let Rules { setting: Setting { feedback, ending }, max_rounds: limit } = rules;
    let needed = agent.feedback();
    if needed > feedback {
        return Err(SimulationError::Feedback { needed, given: feedback });
    }
    let mut summary = EpisodeSummary { episode, rounds: 0, bursts: 0, reward: M::Scalar::zero() };
    let mut state = segment.start().clone();
    observer.episode_start(episode, &state);
    agent.begin_episode(segment.start());
    if let Some(policy) = agent.policy() {
        observer.policy(episode, policy);
    }
    loop {
        if summary.rounds == limit {
            return Err(SimulationError::Rounds { episode, limit, gamma });
        }
        let action = agent.act(segment.augmented());
        summary.rounds += 1;
        let round = summary.rounds;
        if action >= num_actions {
            return Err(SimulationError::Action { action, num_actions, episode, round });
        }

        let age = segment.augmented().actions().len() + 1;
        let reward = env.reward(&state, action);
        let next = env.next(&state, action, rng);
        let terminated = match ending {
            Ending::Discounted => !draw::bernoulli(gamma, rng),
            Ending::Absorbing { step_limit } => round >= step_limit || env.is_absorbing(&next),
        };
        let burst = !terminated && draw::bernoulli(env.beta_at(action, age).as_f64(), rng);

        segment.push(action, reward);
        let observation = if terminated {
            Observation::Terminated { reward: segment.reward() }
        } else if burst {
            Observation::Burst { state: &next, reward: segment.reward() }
        } else {
            Observation::Hidden
        };
        let next_ref = &next;
        let step =
            Step { episode, round, state: &state, action, reward, next: next_ref, observation };
        observer.step(&step);

        if feedback == Feedback::EveryRound {
            agent.observe_reward(&reward);
        }
        if terminated || burst {
            if burst {
                summary.bursts += 1;
                segment.close(next.clone());
            }
            summary.reward += segment.reward();
            observer.segment(episode, segment);
            agent.observe(segment);
            if terminated {
                break;
            }
            segment.advance();
        }
        state = next;
    }
    agent.end_episode();
    observer.episode_end(&summary);
    Ok(summary)
}
