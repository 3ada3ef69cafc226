//! ATST-LSVI-UCB, the paper's Algorithm 1.
//!
//! | lines | what | any states and oracle | finite states and family |
//! |---|---|---|---|
//! | 3, 4 | history, Lambda | `general`, `ridge` | `tabular`: sums by next state, `ridge` |
//! | 5-8 | backward value iteration | `general`, `questions`, `objective`, `answers`; `general_batched` and `batched` for families |  `planner`: `plain` as printed, `screened` with upper bounds |
//! | 9-16 | execution | `general` | `tabular`, by the `plan` |
//! | | the same with estimated psi, rebuilt now and then | `online`, `history` | `online_tabular`, `history` |
//! | | their episodes of random play | `random_play` | `random_play` |
//! | | the same over all sequences, from a pool of candidates | | `adaptive` |
//! | | what has been learnt, as plain data | `general_state` | `tabular_state` |
//!
//! To understand it, read `planner/plain`, which is lines 5 to 8 as printed, then `tabular`, which plays by them, then
//! `general`. Everything else makes these faster (`screened`, `batched`), or changes where psi (`online*`), the candidates
//! (`adaptive`) or the value of what follows (`continuation`) come from.

mod adaptive;
mod answers;
mod batched;
mod candidates;
mod continuation;
mod end;
mod general;
mod general_batched;
mod general_model;
mod general_state;
mod history;
mod memory;
mod objective;
mod online;
mod online_tabular;
mod params;
mod plan;
mod planner;
mod questions;
mod random_play;
mod regret_bound;
mod ridge;
mod tabular;
mod tabular_state;

pub use adaptive::{AdaptiveLsviUcb, AdaptiveLsviUcbState};
pub use candidates::Candidates;
pub use continuation::Continuation;
pub use general::LsviUcb;
pub use general_state::{EndState, LsviUcbState, RidgeState};
pub use history::HistoryEntry;
pub use online::{OnlineLsviUcb, OnlineLsviUcbState};
pub use online_tabular::{OnlineTabularLsviUcb, OnlineTabularLsviUcbState};
pub use params::{BeyondHorizon, LsviUcbParams, ParamsError, Replanning};
pub use plan::Plan;
pub use planner::Planner;
pub use regret_bound::RegretBound;
pub use tabular::TabularLsviUcb;
pub use tabular_state::TabularLsviUcbState;
