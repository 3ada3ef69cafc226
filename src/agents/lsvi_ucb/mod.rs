//! ATST-LSVI-UCB, the paper's Algorithm 1.

mod candidates;
mod error;
mod general;
mod objective;
mod params;
mod plan;
mod ridge;
mod state;
mod sweep;
mod tabular;

pub use candidates::Candidates;
pub use error::LsviUcbError;
pub use general::LsviUcb;
pub use params::{BeyondHorizon, LsviUcbParams, ParamsError, Replanning};
pub use plan::Plan;
pub use state::LsviUcbState;
pub use tabular::TabularLsviUcb;
