//! `random-sparse`.

use rand_pcg::Pcg64;

use crate::kinds::ModelKind;
use crate::model::gallery::{RandomTabular, random_tabular};
use crate::model::{Tabular, acno};
use crate::{Fault, kind};

kind! {
    /// A random model with few next states, of the size of the sepsis simulator, where a look has a price.
    pub struct RandomSparse("random-sparse") {
        /// The number of states
        states: usize = 720,
        /// The number of actions, each of which is then blind or looks
        actions: usize = 8,
        /// The number of possible next states of each state and action
        branching: usize = 4,
        /// The price of a look
        cost: f64 = 0.05,
        /// The discount factor
        gamma: f64 = 0.95,
        /// What the model is drawn from
        model_seed: u64 = 1,
    }
}

impl ModelKind for RandomSparse {
    type World = Tabular<f64>;

    fn build(&self) -> Result<Tabular<f64>, Fault> {
        let Self { states, actions, branching, cost, gamma, model_seed } = *self;
        let shape = RandomTabular { states, actions, branching, gamma, ..RandomTabular::default() };
        let mdp = random_tabular(&mut Pcg64::new(model_seed.into(), 0), &shape)?;
        Ok(acno(&mdp, cost)?)
    }
}
