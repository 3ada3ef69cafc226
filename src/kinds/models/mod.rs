//! The models of the gallery, by name.

mod frozen_lake;
mod inventory;
mod measuring_value;
mod random_sparse;
mod river_balance;
mod river_swim;
mod sensing_cost;

pub use frozen_lake::{FrozenLake4x4, FrozenLake8x8};
pub use inventory::Inventory;
pub use measuring_value::MeasuringValue;
pub use random_sparse::RandomSparse;
pub use river_balance::RiverBalance;
pub use river_swim::RiverSwim;
pub use sensing_cost::SensingCost;
