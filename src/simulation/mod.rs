//! The episodic protocol: the order of events and of random draws, and what the agent observes.
//!
//! # The protocol
//! For each episode k (counted from 0), as in the paper's figure "Episodic Learning under ATST-MDP":
//!
//! 1. The first state `s_1` is drawn by the environment or picked by the caller, the paper's
//!    adversary. The agent is shown it: [`Agent::begin_episode`](crate::agents::Agent). x = `s_1`.
//! 2. In rounds h = 1, 2, ...:
//!    1. The agent picks a = `act(x)`. It must be an action of the environment.
//!    2. The reward r(s, a) is earned, unseen, and the next state s' is drawn from P(.|s, a).
//!    3. With probability 1 - gamma the episode terminates. The agent is shown the segment
//!       (last state seen, actions since, reward since, bottom) and the episode is over.
//!    4. Otherwise, with probability beta(a), or beta_n(a) where it depends on the number n of actions
//!       since the last sighting, this one included, there is a data-burst. The agent is shown the segment
//!       (last state seen, actions since, reward since, s') and x becomes s'.
//!    5. Otherwise the agent is shown nothing and x becomes x + a.
//! 3. [`Agent::end_episode`](crate::agents::Agent).
//!
//! Rewards are undiscounted: gamma acts through the length of the episode, which is geometric with
//! mean 1 / (1 - gamma), so the expected undiscounted return is the discounted value V. Where the
//! paper reveals the running total G, the agent here gets the difference of two totals.
//!
//! An episode that is not over after [`MAX_ROUNDS`], or what [`Simulation::with_max_rounds`] says, ends
//! the run with [`SimulationError::Rounds`]: stopping it silently would bias every return.
//!
//! # Settings
//! Two things may be set, and are part of every result ([`Setting`]): [`Feedback`], which rewards the agent is
//! shown, and [`Ending`], when episodes end. The above is the default. With [`Feedback::EveryRound`] the
//! agent is also shown the reward of each round, [`Agent::observe_reward`](crate::agents::Agent), before the
//! segment if there is one. With [`Ending::Absorbing`] step 3 is replaced: the episode terminates if s' is
//! absorbing or the step limit is reached; no word is drawn for it.
//!
//! # The order of random draws
//! Episode k has a generator of its own, [`Streams::world`]`(k)`. From it are drawn, in this order:
//!
//! | when | what | words consumed |
//! |---|---|---|
//! | once | [`Environment::initial`](crate::model::Environment::initial), unless the caller gave the first state | the environment's; 1 if tabular |
//! | each round | [`Environment::next`](crate::model::Environment::next), also in the last round | the environment's; 1 if tabular |
//! | each round | termination: terminates if and only if u >= gamma; not with [`Ending::Absorbing`] | 1 |
//! | each round but the last | burst: seen if and only if u < beta(a), or beta_n(a), also if it is 0 or 1 | 1 |
//!
//! u is [`draw::uniform`](crate::model::draw::uniform): the top 53 bits of one word. Nothing else
//! draws from it; an agent that randomises owns [`Streams::agent`]. So two agents on one seed meet
//! the same first states, and, whenever `next` consumes a fixed number of words, the same horizons
//! and the same random numbers in every round, whatever they do.
//!
//! # Example
//! ```
//! use sporadic::agents::FixedSequence;
//! use sporadic::model::gallery;
//! use sporadic::sequence::ActionSequence;
//! use sporadic::simulation::{Returns, Simulation, Streams};
//!
//! let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
//! let mut agent = FixedSequence::new(ActionSequence::constant(1));
//! let mut returns = Returns::new();
//! Simulation::new(&swim, Streams::new(1)).run(0..2_000, &mut agent, &mut returns)?;
//! // Swimming right for ever is worth .3785 / (1 - gamma) from the left bank.
//! assert!((returns.mean().unwrap_or(0.0) - 37.85).abs() < 4.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod collector;
mod curve;
mod episode;
mod error;
mod observation;
mod observer;
mod regret;
mod returns;
mod run;
mod setting;
mod streams;

pub use collector::Collector;
pub use curve::Curve;
pub use episode::{EpisodeSummary, MAX_GAMMA, MAX_ROUNDS, run_episode};
pub use error::SimulationError;
pub use observation::{Observation, Step};
pub use observer::{Every, Observer};
pub use regret::{EpisodeValue, Regret, RegretError};
pub use returns::Returns;
pub use run::Simulation;
pub use setting::{Ending, Feedback, Setting};
pub use streams::Streams;

pub use crate::agents::Segment;
