//! ATST-LSVI-UCB, the paper's Algorithm 1.
//!
//! | lines | what | any states and oracle | finite states and family |
//! |---|---|---|---|
//! | 3, 4 | history, Lambda | `general`, `ridge` | `tabular`: sums by next state, `ridge` |
//! | 5-8 | backward value iteration | `general`, `objective`, `bounds` | `planner`: `plain` as printed, `screened` with upper bounds |
//! | 9-16 | execution | `general` | `tabular`, by the `plan` |
//! | | what has been learnt, as plain data | `memory` | `state` |

mod bounds;
mod candidates;
mod error;
mod general;
mod memory;
mod objective;
mod params;
mod plan;
mod planner;
mod regret_bound;
mod ridge;
mod state;
mod tabular;

pub use candidates::Candidates;
pub use error::LsviUcbError;
pub(super) use error::{check_counts, check_finite};
pub use general::LsviUcb;
pub use memory::{EndState, LsviUcbMemory, RidgeState};
pub use params::{BeyondHorizon, LsviUcbParams, ParamsError, Replanning};
pub use plan::Plan;
pub use planner::Planner;
pub use regret_bound::RegretBound;
pub use state::LsviUcbState;
pub use tabular::TabularLsviUcb;
