//! Chapter 8: when psi is not known.
//!
//! Algorithm 1 is given psi, so it knows the dynamics: the action matrices M_a and the reveal probabilities beta(a). The
//! paper estimates them beforehand, from transitions that some other policy has collected. There are three ways here:
//!
//! | what is known | how | on the command line |
//! |---|---|---|
//! | the dynamics | exact psi | `--psi exact`, the default |
//! | N transitions, collected beforehand | an [`Estimator`](crate::estimators::Estimator), then [`plug_in`](crate::estimators::plug_in) | `--psi estimated:N` |
//! | the numbers of states and actions, and gamma | psi is learnt while acting | `--psi online` |
//!
//! While acting, most of what is seen is not a transition but a segment: a state, several actions, and the state
//! after them. At beta = 0.05 one segment in twenty has a single action.
//! [`EmEstimator`](crate::estimators::EmEstimator) learns from segments of all lengths by expectation maximisation: it asks which transitions are likely to
//! have happened in between, counts those, and repeats. [`OnlineTabularLsviUcb`](crate::agents::OnlineTabularLsviUcb) rebuilds psi whenever
//! the number of segments has grown by a fifth, and computes Lambda and its sums anew on the rebuilt features.
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/estimating.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/estimating.txt")]
//! ```
//!
//! One run each: single runs differ by a factor of two or so from seed to seed, so read no ranking into these numbers. The example
//! `estimation_figures` repeats this over seeds, on both rivers of the paper.
//!
//! How far an estimate may be off is told by [`ErrorBounds`](crate::estimators::ErrorBounds): by the paper's theorem, by observed
//! bounds, or by the bootstrap. What is proved of the algorithm is proved for an estimate that is fixed beforehand and accurate
//! enough; of the agent that learns psi while acting nothing is proved.
