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
//! # Notation
//! | symbol | meaning | here |
//! |---|---|---|
//! | S, A, P, r, gamma, beta | the ATST-MDP | [`model::Environment`], [`model::Tabular`] |
//! | x = (s, a_1, ..., a_n), b(.\|x) | augmented state, belief | [`belief`] |
//! | a in A^N, `111(01)` | action sequence: prefix, then a period forever | [`sequence::ActionSequence`] |
//! | phi, mu, theta, M_a | linear MDP, action matrices | [`features::FeatureMap`], [`features::LinearModel`], [`features::Dynamics`] |
//! | psi in R^2d | sequence features: reward half, continuation half | [`features::SequenceFeatures`] |
//! | K, R, PV, Q, V | values | [`planning`] |
//! | u | number of the sighting within an episode, from 1 | [`planning::BurstPolicy`] |
//! | max over A^N | search over sequences, with certificates | [`oracles`] |
//! | M-hat, beta-hat, epsilon | estimates and their error bounds | [`estimators`] |
//! | tau = (s, a, R, s') | segment between two sightings | [`agents::Segment`] |
//!
//! Type parameters mean the same everywhere: `T` a scalar ([`Real`]: `f32` or `f64`), `D` a feature
//! dimension (`Const<N>` or `Dyn`, see [`dim`]), `N` any dimension, `S` a state, `F` a feature map.
//! `new` validates, `from_*` converts, `with_*` configures.
//!
//! # What you bring
//! An environment ([`model::Environment`], or [`model::Tabular`] from tables in a few lines), a
//! feature map ([`features::FeatureMap`]), sequence features ([`features::SequenceFeatures`]), an
//! oracle ([`oracles::SequenceOracle`]), an estimator ([`estimators::Estimator`]), an agent
//! ([`agents::Agent`]), an observer ([`simulation::Observer`]): one small trait each, with a
//! complete implementor in its documentation and in `examples/`.
//!
//! # Features
//! `serde`: serialisation of all public data types, and model files in JSON and TOML. `experiment`:
//! sweeps in the module `experiment`, figures (SVG, PNG) and HTML reports in `report`. `cli`: the
//! command line `sporadic`.

pub mod agents;
#[cfg(feature = "serde")]
mod atomic;
pub mod belief;
#[cfg(feature = "serde")]
mod bounded;
#[cfg(feature = "cli")]
pub mod cli;
pub mod dim;
mod discount;
pub mod estimators;
#[cfg(feature = "experiment")]
pub mod experiment;
pub mod features;
#[cfg(feature = "experiment")]
pub mod kinds;
pub mod model;
mod number;
pub mod oracles;
pub mod planning;
#[cfg(feature = "experiment")]
pub mod report;
mod scalar;
pub mod sequence;
pub mod simulation;

pub use discount::{Discount, DiscountError};
pub use number::Number;
pub use scalar::Real;

/// An error of any type: what a user's own agent, oracle, world or parameter check may fail with.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// The code of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
