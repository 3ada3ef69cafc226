//! `amrl-q`.

use super::{check_share, discount, measuring_size};
use crate::agents::{self, AmrlQParams, Feedback, Resume as _};
use crate::kinds::{AgentKind, BoxedAgent, ParameterError, Site};
use crate::model::Tabular;
use crate::{Fault, kind};

kind! {
    /// Q-learning over actions that measure or not; unmeasured states are guessed (Bellinger et al.).
    pub struct AmrlQ("amrl-q") {
        /// The weight of a new target against the old value
        learning_rate: f64 = 0.3,
        /// The probability of an action at random
        epsilon: f64 = 0.1,
        /// What the values of looking actions start with
        bias: f64 = 0.1,
        /// The share of the episodes after which no action is taken at random
        greedy: f64 = 0.9,
    }
}

impl AgentKind<Tabular<f64>> for AmrlQ {
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a count"
        )]
        let greedy_from = (self.greedy * site.episodes() as f64).ceil() as u64;
        let params = AmrlQParams {
            learning_rate: self.learning_rate,
            epsilon: self.epsilon,
            bias: self.bias,
            discount: discount(site),
            greedy_from,
        };
        Ok(Box::new(agents::AmrlQ::for_model(site.world(), params, site.rng())?.resumable()))
    }

    fn check(&self, site: &Site<'_, Tabular<f64>>) -> Result<(), ParameterError> {
        check_share("learning_rate", self.learning_rate)?;
        check_share("epsilon", self.epsilon)?;
        check_share("greedy", self.greedy)?;
        measuring_size("amrl-q", site)
    }

    fn feedback(&self) -> Feedback {
        Feedback::EveryRound
    }
}
