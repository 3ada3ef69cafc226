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
//! In a *linear MDP* the rewards and the transition probabilities are linear in features phi(s, a) in R^d of a state and an
//! action (chapter [7](super::continuous) has the definition). For a model with finitely many states phi may mark the pair (s, a),
//! with one 1 and zeros elsewhere; then d is the number of pairs. In a linear MDP the value K is linear too, in features
//! psi(s, a) in R^(2d) of a state and a *sequence*. They are two sums over the rounds of the segment, the first for the
//! rewards until the next sighting, the second for the value of what comes after it:
//!
//! ```math
//! psi(s, a) = 1/2 ( (1 - gamma) sum_h c_h v_h ,  gamma sum_h c_h beta(a_h) v_h )
//! ```
//!
//! where v_h is the expectation of phi in round h if nothing was seen before, and
//! c_h = gamma^(h-1) (1 - beta(a_1)) ... (1 - beta(a_(h-1))) is the probability that the episode gets to round h and nothing has
//! been seen by then. The factors 1/2 and 1 - gamma keep the length of psi at most 1.
//!
//! psi depends on the dynamics, not on rewards or on V. These are in the weights w in `K(s, a) = <psi(s, a), w>`: with
//! `r(s, a) = <phi(s, a), theta>` and `P(s'|s, a) = <phi(s, a), mu(s')>`,
//!
//! ```math
//! w = 2 ( theta / (1 - gamma) ,  sum_s' V(s') mu(s') )
//! ```
//!
//! So whoever knows psi has to learn 2d numbers only, however many sequences there are.
//!
//! The program computes one value in four ways, then the best policy whose sequences are of a finite *family*. It takes the family
//! of the paper's experiments, `runs(2, 5, 10)`: a prefix of 1 to 5 times one action, then a period of 0 to 10 times the other action
//! and 0 to 10 times the first. With two actions these are 1012 different sequences.
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/values.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/values.txt")]
//! ```
//!
//! The first three agree because they are the same number; the fourth is an estimate of it. A policy that
//! plays one sequence whatever it sees is a poor one here. The best policy of the family chooses a sequence for each state that it
//! sees, and is worth more than ten times as much.
//!
//! More: [`sequence`](crate::sequence) for sequences and families, [`planning`](crate::planning) for all that can be computed exactly,
//! [`features`](crate::features) for phi and psi.
//!
//! Next: chapter 4, [the best that anyone can do](super::optimum).
