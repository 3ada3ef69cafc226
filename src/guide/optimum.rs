//! Chapter 4: the best that anyone can do.
//!
//! V*(s) is the largest value that any policy has from a sighting of s. It cannot be read off a formula: between sightings the
//! agent plans without seeing anything, and sequences are infinitely many. But it can be enclosed.
//! [`solve`](crate::planning::solve::solve) returns for each state two numbers `lower` and `upper`, and a policy, such that
//!
//! ```text
//! lower(s) <= value of the policy from s <= V*(s) <= upper(s)
//! ```
//!
//! holds in exact arithmetic; rounding is accounted for. This is a *certificate*: whoever doubts V* can evaluate the policy,
//! and the page of the module proves the upper bound.
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/optimum.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/optimum.txt")]
//! ```
//!
//! How to read it:
//!
//! - `at least` is attained by the sequences in the last column: an agent that plays them earns that much on average.
//! - No agent, whatever it computes, earns more than `at most` on average.
//! - The gap is what was asked for. Ask for less with `with_gap`; set a time limit with `with_time_limit`, after which the bounds
//!   found so far are returned, and are as valid.
//! - The regret of a learner is measured against V*, so it comes as two numbers as well. Where the gap is small nobody
//!   sees the difference.
//!
//! The paper's family loses 14% of V* on this model at beta = 0.1, which no learner can win back that chooses from it. On the command
//! line: `sporadic solve river-balance --beta 0.1 --gap 0.001`.
