//! Reinforcement learning when the state is seen only sporadically, and the action decides how
//! likely it is to be seen.
//!
//! # The problem in ten lines
//! In state s the agent takes action a, earns r(s, a), and the state becomes s' ~ P(.|s, a). With
//! probability beta(a) there is a *data-burst*: the agent sees s' and the reward since the last
//! burst. Otherwise it sees nothing and acts on blind. With probability 1 - gamma the episode ends.
//! So an agent that sees s commits to a whole action sequence (a_1, a_2, ...), played until the next
//! burst, and what it knows in between is the augmented state x = (s, a_1, ..., a_n). The value of a
//! sequence, K(s, a) = R(s, a) + PV(s, a), is the reward until the next burst plus the value of what
//! is seen there. In a linear MDP it is linear in features psi(s, a) in R^2d that depend on the
//! dynamics alone: that makes planning, estimation and learning tractable. The setting (ATST-MDPs)
//! and the algorithm are from "Reinforcement Learning with Action-Triggered Observations"
//! (Ryabchenko and Mou).
//!
//! # Quickstart
//! ```
#![doc = include_str!("../examples/quickstart.rs")]
//! ```
//!
//! # Glossary
//! One word for one thing, in the documentation, in names and in messages:
//!
//! | word | meaning |
//! |---|---|
//! | round | one action: a reward, a next state, perhaps the end, perhaps a data-burst |
//! | episode | the rounds from a first state until termination; geometric with mean 1/(1 - gamma) |
//! | run | all episodes of one agent under one seed |
//! | data-burst, burst | the event that a round reveals the state and the reward since the last burst |
//! | reveal probability | beta(a), the probability of a burst after action a |
//! | sighting | a state that the agent sees: the first state of an episode, or that of a burst; the u-th one of an episode, from u = 1 |
//! | segment | what lies between a sighting and the next, or the end: tau = (s, a, R, s') |
//! | blind | without a sighting: a blind action is one after which nothing is revealed; gamma (1 - beta(a)) |
//! | seen | with one: gamma beta(a) |
//! | augmented state | the last state seen and the actions since, x = (s, a_1, ..., a_n) |
//! | belief | the distribution b(.\|x) of the latent state |
//! | sequence | an infinite action sequence that ends in a period; what an agent commits to at a sighting |
//! | prefix, period, tail | a sequence is its prefix, then its period forever; its tail is what is left after the first action |
//! | family, member | a finite set of sequences, and one of them |
//! | class optimum | the value of the best policy whose sequences are of a family |
//! | burst-dependent policy | a sequence for each state and number u of the sighting |
//! | stationary policy | one that does not depend on u |
//! | oracle | a search for the best sequence, with a bound on what it may have missed |
//! | bracket, gap | a lower and an upper bound on V*, and their difference |
//! | regret | V* less the value of the policy played, summed over episodes |
//! | world | an environment in an experiment: a model with its parameters |
//! | kind | a struct of parameters with a name that builds an agent, an oracle, a model or an estimator; `kinds` |
//! | registry, realm | all kinds that a program knows, and those of them for one type of world |
//! | site | where an agent is built: its world, its random numbers, the oracles there are |
//! | cell, group | one run of one agent in one world; all runs of that agent in that world, one per seed |
//! | candidate | a sequence that a learner compares at a sighting: a member of its family, or of its pool |
//!
//! # Notation
//! | symbol | meaning | here |
//! |---|---|---|
//! | S, A, P, r, gamma, beta | the ATST-MDP | [`model::Environment`], [`model::Tabular`] |
//! | x = (s, a_1, ..., a_n), b(.\|x) | augmented state, belief | [`belief`] |
//! | a in A^N, `111(01)` | action sequence: prefix, then a period forever | [`sequence::ActionSequence`] |
//! | phi, mu, theta, M_a | linear MDP, action matrices | [`features::FeatureMap`], [`features::LinearModel`], [`features::Dynamics`] |
//! | psi in R^2d | sequence features: reward half, continuation half | [`features::SequenceFeatures`] |
//! | K, R, PV, Q, V | values of sequences and policies, at states and at augmented states | [`planning`] |
//! | gamma (1 - beta), gamma beta | the state stays hidden, or is seen | [`Discount::blind`], [`Discount::seen`] |
//! | u | number of the sighting within an episode, from 1 | [`planning::BurstPolicy`] |
//! | max over A^N | search over sequences, with certificates | [`oracles`] |
//! | M-hat, beta-hat, epsilon | estimates and their error bounds | [`estimators`] |
//! | tau = (s, a, R, s') | segment between two sightings | [`agents::Segment`] |
//!
//! Type parameters mean the same everywhere: `T` a scalar ([`Real`]: `f32` or `f64`), `D` a feature
//! dimension (`Const<N>` or `Dyn`, see [`dim`]), `N` any dimension, `S` a state, `F` a feature map, `P`
//! sequence features psi, `E` an estimator, `O` an oracle or an observer; `F::Dim`, `P::Dim` and `E::Dim` are
//! their dimensions.
//! `new` validates, `from_*` converts, `with_*` configures.
//!
//! # What you bring
//! An environment ([`model::Environment`]; in a few lines [`model::Tabular`] from tables,
//! [`model::tabulate`] from functions of named states, [`model::FromFns`] from closures), a
//! feature map ([`features::FeatureMap`]), sequence features ([`features::SequenceFeatures`]), an
//! oracle ([`oracles::SequenceOracle`]), an estimator ([`estimators::Estimator`]), an agent
//! ([`agents::Agent`]), an observer ([`simulation::Observer`]): one small trait each, with a
//! complete implementor in its documentation and in `examples/`. [`check`] tests whether they keep their
//! promises.
//!
//! # Features
//! `serde`: serialisation of all public data types, and model files in JSON and TOML. `experiment`:
//! sweeps in the module `experiment`, figures (SVG, PNG) and HTML reports in `report`. `cli`: the
//! command line `sporadic`.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::iter_over_hash_type))]

pub mod agents;
#[cfg(feature = "serde")]
mod atomic;
pub mod belief;
#[cfg(feature = "serde")]
mod bounded;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
mod custom;
pub mod dim;
mod discount;
pub mod estimators;
#[cfg(feature = "experiment")]
pub mod experiment;
pub mod features;
#[cfg(feature = "experiment")]
pub mod guide;
#[cfg(feature = "experiment")]
pub mod kinds;
pub mod model;
mod norms;
mod number;
pub mod oracles;
pub mod planning;
mod product;
mod quantile;
#[cfg(feature = "experiment")]
pub mod report;
mod scalar;
pub mod sequence;
pub mod simulation;

pub use custom::CustomError;
pub use discount::{Discount, DiscountError};
pub use number::Number;
pub use scalar::Real;

/// An error of any type: what a user's own agent, oracle, world or parameter check may fail with.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// The code of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The agent of CONTRIBUTING.md compiles and is found by its name.
#[cfg(doctest)]
#[doc = include_str!("../CONTRIBUTING.md")]
struct Contributing;
