//! Chapter 4: the best that anyone can do.
//!
//! V*(s) is the largest value that any policy has from a sighting of s. It cannot be read off a formula: between sightings the
//! agent plans without seeing anything, and there are infinitely many sequences. But it can be enclosed between two bounds.
//! [`solve`](crate::planning::solve::solve) returns for each state two numbers `lower` and `upper`, and a policy, such that
//!
//! ```text
//! lower(s) <= value of the policy from s <= V*(s) <= upper(s)
//! ```
//!
//! The bounds hold for the real numbers V*(s), not only up to rounding: `lower` and `upper` have room for the rounding errors of
//! the computation. This is a *certificate*, and where this documentation says *certified* it means such a pair of bounds: whoever
//! doubts the lower one can evaluate the policy, and the page of the module [`solve`](crate::planning::solve) proves the upper one.
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
//! - The gap, `upper` minus `lower`, is at most what was asked for in every state. `with_gap` asks for another one. `with_time_limit` sets
//!   a time limit; when it is over, the bounds found so far are returned, which are just as valid, only wider.
//! - The regret of a learner is measured against V*, so it is known between two bounds as well. Where the gap is small, as here, the
//!   two agree in the digits that are printed.
//!
//! The paper's family loses 14% of V* on this model at beta = 0.1: no learner that chooses from it can be better than that. On the command
//! line: `sporadic solve river-balance --beta 0.1 --gap 0.001` prints the bounds and the sequences, and `sporadic solve river-balance
//! --beta 0.1 --family runs:5,10` the best that the family can do.
//!
//! Next: chapter 5, [learning](super::learning).
