//! Chapter 7: continuous states.
//!
//! Nothing in the paper needs finitely many states. A *linear MDP* has features phi(s, a) in R^d with
//!
//! ```math
//! P(s'|s, a) = <phi(s, a), mu(s')>      r(s, a) = <phi(s, a), theta>
//! ```
//!
//! and then psi follows from d x d *action matrices*, one for each action, whatever s is. An
//! [`Environment`](crate::model::Environment) simulates the world; a [`FeatureMap`](crate::features::FeatureMap) is phi; a
//! [`LinearModel`](crate::features::LinearModel) adds theta and mu, and gives the matrices.
//! [`check::linear_mdp`](crate::check::linear_mdp) verifies that they describe the environment.
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/continuous.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/continuous.txt")]
//! ```
//!
//! The learner earns more than either of the constant policies, because it can push when it sees the ball on the left and rest when it
//! sees it on the right. Regret is not printed, because V* of a continuous model is not known. An environment that
//! can compute the exact values of policies says so with [`Environment::exact`](crate::model::Environment::exact); its regret is then
//! computed wherever that of a table is.
//!
//! The dimension may be known at compile time, as here (`Const<4>`), or at run time (`Dyn`); code that is generic over
//! both needs one bound, [`FeatureDim`](crate::dim::FeatureDim).
//!
//! Next: chapter 8, [when psi is not known](super::estimating).
