//! Chapter 7: continuous states.
//!
//! Nothing in the paper needs finitely many states. A *linear MDP* has features phi(s, a) in R^d with
//!
//! ```math
//! P(s'|s, a) = <phi(s, a), mu(s')>      r(s, a) = <phi(s, a), theta>
//! ```
//!
//! and then psi follows from d x d matrices, one for each action, whatever s is. An
//! [`Environment`](crate::model::Environment) simulates the world; a [`FeatureMap`](crate::features::FeatureMap) is phi; a
//! [`LinearModel`](crate::features::LinearModel) adds theta and mu, and gives the matrices.
//! [`check_linear_mdp`](crate::features::check_linear_mdp) verifies that they describe the environment.
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/continuous.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/continuous.txt")]
//! ```
//!
//! The learner finds what neither of the constant policies does: to push while the ball was last seen on the left, and
//! to rest otherwise. Regret is not printed, because V* of a continuous model is not known; an environment that
//! can compute values of policies says so with [`Environment::exact`](crate::model::Environment::exact) and gets regret everywhere.
//!
//! The dimension may be known at compile time, as here (`Const<4>`), or at run time (`Dyn`); code that is generic over
//! both needs one bound, [`FeatureDim`](crate::dim::FeatureDim).
