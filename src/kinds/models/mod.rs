//! The models of the gallery, by name.

mod measuring_value;
mod river_balance;
mod river_swim;
mod sensing_cost;

pub use measuring_value::MeasuringValue;
pub use river_balance::RiverBalance;
pub use river_swim::RiverSwim;
pub use sensing_cost::SensingCost;
