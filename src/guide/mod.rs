//! A guide in ten chapters, each with a program that is compiled, run and checked with the tests.
//!
//! It is written for someone who has read the introduction of the paper ("Reinforcement Learning with
//! Action-Triggered Observations", Ryabchenko and Mou). The output below each program is what it prints:
//! `cargo run --release --features experiment --example guide -- values`, in a clone of the repository, runs that of the
//! chapter [`values`]. Where a chapter names a command `sporadic ...`, it is the one that `cargo install --path . --features cli`
//! installs. Words that have one meaning throughout are in the [glossary](crate#glossary).
//!
//! | chapter | question |
//! |---|---|
//! | 1 [`setting`] | What happens in an episode, and what is the agent told? |
//! | 2 [`model`] | How do I describe my own problem? |
//! | 3 [`values`] | What is a sequence worth, and what are the features psi? |
//! | 4 [`optimum`] | What is the best that anyone can do? |
//! | 5 [`learning`] | How does Algorithm 1 learn, and how do I choose its parameters? |
//! | 6 [`own`] | How do I bring my own agent, oracle, features or estimator? |
//! | 7 [`continuous`] | What if states are not numbered from 1 to n? |
//! | 8 [`estimating`] | What if psi is not known? |
//! | 9 [`experiments`] | How do I compare agents over many seeds, on one machine or on a cluster? |
//! | 10 [`snapshots`] | How do I pin a learning curve in a test? |
//!
//! After them, [`results`]: what was measured, and the command that measures it again.

pub mod continuous;
pub mod estimating;
pub mod experiments;
pub mod learning;
pub mod model;
pub mod optimum;
pub mod own;
pub mod results;
pub mod setting;
pub mod snapshots;
pub mod values;
