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
//! after them. At beta = 0.05 the state is seen after the first action of a segment only one time in twenty.
//! [`EmEstimator`](crate::estimators::EmEstimator) learns from segments of all lengths by expectation maximisation: it asks which transitions are likely to
//! have happened in between, counts those, and repeats. [`OnlineTabularLsviUcb`](crate::agents::OnlineTabularLsviUcb) rebuilds psi whenever
//! the number of segments has grown by a fifth, and computes the regression of chapter [5](super::learning) anew on the rebuilt features.
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
//! How far an estimate may be off is told by [`ErrorBounds`](crate::estimators::ErrorBounds), in three ways: by the paper's theorem, from
//! the number of samples; by a bound that is proved from the samples themselves; or by the bootstrap, which is an approximation. `sporadic
//! estimate river-balance --gamma 0.9 --samples 100000` prints them beside the true errors. What is proved of the algorithm is proved for an estimate that is fixed beforehand and accurate
//! enough; of the agent that learns psi while acting nothing is proved.
//!
//! Next: chapter 9, [experiments](super::experiments).
