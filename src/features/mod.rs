//! Features: phi of state-action pairs, its action matrices, and psi of state-sequence pairs.
//!
//! | object | paper | here |
//! |---|---|---|
//! | phi(s, a) in R^d | linear MDP assumption | [`FeatureMap`], [`OneHot`], [`FeatureFn`] |
//! | mu, theta | linear MDP assumption | [`LinearModel`] |
//! | M_a, beta, gamma | Section 4.1 | [`Dynamics`] |
//! | phi(x), b(.\|x) | linearity of belief | [`Dynamics::phi`], [`LinearModel::belief`] |
//! | psi(x, a) | appendix | [`Psi::psi_at`], [`TabularPsi::psi_at`] |
//! | psi(s, a) in R^2d | action-sequence feature map | [`SequenceFeatures`], [`Psi`], [`TabularPsi`] |
//! | bounds on <psi, w> + rho \|\|psi\|\| | beyond the paper | [`PrefixBounds`] |

mod bounds;
mod dynamics;
mod linear_belief;
mod linear_model;
mod map;
mod one_hot;
mod psi;
mod random_linear;
pub(crate) mod search;

pub(crate) use bounds::{Bonus, LastAxes, LazyBounds, TabularBounds, hold};
pub use bounds::{Optimism, PrefixBounds};
pub use dynamics::{Dynamics, DynamicsError};
pub use linear_model::{Atom, LinearModel};
pub use map::{FeatureFn, FeatureMap};
pub use one_hot::{OneHot, OneHotError};
pub use psi::{
    Cursor, FactoredFeatures, Psi, PsiError, SequenceFeatures, TabularCursor, TabularPsi,
    UnknownState,
};
pub(crate) use psi::{OccupancyScales, ScaledFactors, TOGETHER, geometric_sum};
pub use random_linear::RandomLinear;
