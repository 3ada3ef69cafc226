//! The general learner of a tabular model.

use super::{LsviUcb, LsviUcbParams, continuation};
use crate::Real;
use crate::agents::AgentError;
use crate::features::TabularPsi;
use crate::model::Tabular;
use crate::oracles::SequenceOracle;

impl<T: Real, O: SequenceOracle<T>> LsviUcb<T, TabularPsi<T>, O> {
    /// An agent for `model` that has seen nothing yet, with the exact one-hot psi of the model and with its
    /// range of rewards.
    ///
    /// # Errors
    /// [`AgentError`] as [`new`](Self::new) gives it.
    pub fn for_model(
        model: &Tabular<T>,
        oracle: O,
        params: LsviUcbParams<T>,
    ) -> Result<Self, AgentError> {
        let (psi, params) = (TabularPsi::new(model.clone()), params.with_rewards_of(model));
        let continuation = continuation::weights(model, params.continuation());
        Self::with_ends(psi, oracle, params, continuation)
    }
}
