//! `frozen-lake-4x4` and `frozen-lake-8x8`.

use serde_json::Value;

use crate::kinds::{ModelKind, ParameterType};
use crate::model::Tabular;
use crate::model::gallery::{self, Ice};
use crate::{Fault, kind};

kind! {
    /// Sixteen tiles of ice with holes, where a look at one's own tile has a price (Frozen Lake).
    pub struct FrozenLake4x4("frozen-lake-4x4") {
        /// How one moves: deterministic, slippery or semi-slippery
        variant: Ice = Ice::Slippery,
        /// The price of a look
        cost: f64 = 0.05,
        /// The discount factor
        gamma: f64 = 0.95,
    }
}

kind! {
    /// Sixty-four tiles of ice with holes, where a look at one's own tile has a price (Frozen Lake).
    pub struct FrozenLake8x8("frozen-lake-8x8") {
        /// How one moves: deterministic, slippery or semi-slippery
        variant: Ice = Ice::Slippery,
        /// The price of a look
        cost: f64 = 0.05,
        /// The discount factor
        gamma: f64 = 0.95,
    }
}

impl ParameterType for Ice {
    const PLACEHOLDER: &'static str = "ICE";

    fn read(value: &Value) -> Result<Self, String> {
        value.as_str().unwrap_or_default().parse()
    }

    fn write(&self) -> Value {
        self.to_string().into()
    }
}

impl ModelKind for FrozenLake4x4 {
    type World = Tabular<f64>;

    fn build(&self) -> Result<Tabular<f64>, Fault> {
        let map = &gallery::FROZEN_LAKE_4X4;
        Ok(gallery::frozen_lake(map, self.variant, self.cost, self.gamma)?)
    }
}

impl ModelKind for FrozenLake8x8 {
    type World = Tabular<f64>;

    fn build(&self) -> Result<Tabular<f64>, Fault> {
        let map = &gallery::FROZEN_LAKE_8X8;
        Ok(gallery::frozen_lake(map, self.variant, self.cost, self.gamma)?)
    }
}
