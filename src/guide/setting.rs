//! Chapter 1: the setting.
//!
//! An agent acts in rounds. In state s it takes an action a, earns r(s, a), and the state becomes
//! s' with probability P(s'|s, a). What makes the setting special is what the agent is told:
//!
//! - with probability beta(a), the *reveal probability* of the action, there is a *data-burst*: the agent
//!   sees s' and learns how much it has earned since the last one;
//! - otherwise it is told nothing, and chooses its next action without knowing where it is;
//! - with probability 1 - gamma, independently of everything else, the episode ends, and the agent learns what it has
//!   earned since the last burst.
//!
//! A *sighting* is a state that the agent sees: the first one of the episode or that of a burst. From one
//! sighting to the next nothing is learnt, so the agent may as well decide at a sighting on all the actions that it will
//! take until the next one. It does not know when that will be, so it commits to an infinite *action sequence*, of which only the
//! actions up to the next sighting are played. What lies between two sightings is a *segment*.
//!
//! Here is an episode in `RiverBalance`, one of the paper's two test problems. The agent moves along six states; the action 1
//! goes right, 0 goes left. A current flows away from the middle: a move towards the middle fails now and then, and leaves
//! the state as it was. Only two moves earn anything, those across the middle: action 1 in s3 and action 0 in s4 earn 1. At a
//! sighting in the left half the agent commits to the sequence 1, 1, 0, 1, 0, ..., which is written `1(10)`: a
//! prefix, then a period that is repeated for ever. In the right half it commits to `0(01)`.
//!
#![doc = include_str!("../../docs/episode.svg")]
//!
//! Full circles are states that the agent sees. It does not know where it is in between, nor what a single round
//! paid: it is told sums. The program prints the same episode:
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/setting.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/setting.txt")]
//! ```
//!
//! Rewards in an episode are not discounted. The discount factor gamma acts through the length of the
//! episode: it is geometric with mean 1 / (1 - gamma), so the expected sum of rewards equals the expected discounted sum in
//! a process that never ends.
//!
//! Two things follow. A larger beta tells the agent more, so the best agent earns at least as much with it. And an agent that knows
//! the model has to solve, at each sighting, a planning problem over sequences: that is what chapters
//! [3](super::values) and [4](super::optimum) are about.
//!
//! The exact order of events and of random draws is on the page of [`simulation`](crate::simulation).
//!
//! Next: chapter 2, [your own model](super::model).
