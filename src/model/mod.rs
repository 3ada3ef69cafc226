//! The decision process: what a simulator needs, what a planner needs, and models ready to use.
//!
//! | you have | take |
//! |---|---|
//! | tables of P, r and beta | [`Tabular::builder`], or a model file |
//! | functions of finitely many states | [`tabulate`] |
//! | functions of any state, with draws | [`FromFns`] |
//! | a type of your own | [`Environment`], checked by [`check::environment`](crate::check::environment) |
//! | an MDP, and a price or a chance of seeing | [`acno`], [`intermittent`] |
//! | sightings that depend on how long ago the last one was | [`Reveal`], [`intermittent`] |
//! | sightings that depend on the round of the episode | [`by_round`] |
//! | nothing yet | the [`gallery`] |

mod builder;
pub mod draw;
mod environment;
mod error;
mod exact;
#[cfg(feature = "serde")]
pub mod file;
mod from_fns;
pub mod gallery;
mod reductions;
mod reveal;
mod rounds;
mod tabular;
mod tabulate;

pub use builder::TabularBuilder;
pub use environment::{Action, Environment};
pub use error::ModelError;
pub use exact::Exact;
#[cfg(feature = "serde")]
pub use file::FileError;
pub use from_fns::FromFns;
pub use reductions::{acno, intermittent};
pub use reveal::{MAX_AGES, Reveal, RevealError, RevealSchedule};
pub use rounds::by_round;
pub use tabular::Tabular;
pub use tabulate::tabulate;
