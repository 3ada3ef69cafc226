//! Ready-made models.
//!
//! | model | states | what it shows | source |
//! |---|---|---|---|
//! | [`river_swim`] | n in a chain | exploration; hardly any need to look | the paper, Section 6 |
//! | [`river_balance`] | n in a chain | control that needs to look | the paper, Section 6 |
//! | [`measuring_value`] | 4 | when a look is worth its price | Krale et al. |
//! | [`sensing_cost`] | 2 | paying to sense the next state | Kapoor and Nair |
//! | [`inventory`] | 4 | paying to sense the stock | Kapoor and Nair |
//! | [`frozen_lake`] | one per tile | paying to see where one stands; absorbing states | Gymnasium; Krale et al. |
//! | [`random_tabular`] | any number | random models for tests | |

mod frozen_lake;
mod inventory;
mod measuring_value;
mod random_tabular;
mod river_balance;
mod river_swim;
mod sensing_cost;

pub use frozen_lake::{FROZEN_LAKE_4X4, FROZEN_LAKE_8X8, Ice, frozen_lake};
pub use inventory::inventory;
pub use measuring_value::measuring_value;
pub use random_tabular::{RandomTabular, random_tabular};
pub use river_balance::river_balance;
pub use river_swim::river_swim;
pub use sensing_cost::sensing_cost;

use super::ModelError;

/// The most states that a model of this module can have: about 500 MB for a chain.
pub const MAX_STATES: usize = 1_000_000;

/// The most transitions that [`random_tabular`] makes: states times actions times branching, about
/// 500 MB.
pub const MAX_TRANSITIONS: usize = 10_000_000;

/// A chain needs two ends, and must fit into memory.
fn check_chain(n: usize) -> Result<(), ModelError> {
    if n < 2 {
        return Err(ModelError::Parameter {
            parameter: "n",
            value: n as f64,
            needed: "at least 2",
        });
    }
    check_limit("n", n as u128, MAX_STATES)
}

/// Refuses a size above its limit, before anything of that size is allocated.
fn check_limit(parameter: &'static str, value: u128, limit: usize) -> Result<(), ModelError> {
    if value <= limit as u128 {
        Ok(())
    } else {
        Err(ModelError::TooLarge { parameter, value, limit })
    }
}
