//! Chapter 3: values, sequences, psi.
//!
//! Let an agent see the state s and commit to the sequence a = (a_1, a_2, ...). Until the next sighting it
//! earns R(s, a) in expectation; at the next sighting, in state s', it goes on with a policy that is worth
//! V(s'). The value of the sequence is
//!
//! ```math
//! K(s, a) = R(s, a) + PV(s, a)
//! ```
//!
//! where PV(s, a) is the expectation of V at the next sighting; it counts 0 if the episode ends before. A policy that
//! plays the sequence a at every sighting of s is worth V(s) = K(s, a).
//!
//! In a linear MDP, with features phi(s, a) in R^d, K is linear too, in features psi(s, a) in R^(2d) of the
//! *sequence*. They are a discounted sum over the rounds of the segment, and their two halves have to do with rewards and with what
//! comes after the next sighting:
//!
//! ```math
//! psi(s, a) = 1/2 ( (1 - gamma) sum_h c_h v_h ,  gamma sum_h c_h beta(a_h) v_h )
//! ```
//!
//! where v_h is the expectation of phi in round h and c_h = gamma^(h-1) (1 - beta(a_1)) ... (1 - beta(a_(h-1)))
//! is the probability that the episode goes on and nothing has been seen by then. psi depends on the dynamics, not on rewards or on
//! V: these are in the weights that it is multiplied with. So whoever knows psi has to learn 2d numbers only, however many sequences
//! there are. For a finite model phi may mark the pair (s, a), then d is the number of pairs.
//!
//! The program computes one value in four ways, then the best that the paper's 1012 sequences can do.
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/values.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/values.txt")]
//! ```
//!
//! The first three agree because they are the same number; the fourth is an estimate of it. A policy that
//! plays one sequence whatever it sees is a poor one here. The best of the family sees the state and chooses accordingly, and is worth
//! more than ten times as much.
//!
//! More: [`sequence`](crate::sequence) for sequences and families, [`planning`](crate::planning) for all that can be computed exactly,
//! [`features`](crate::features) for phi and psi.
