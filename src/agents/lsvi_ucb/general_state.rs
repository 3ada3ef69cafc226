//! What the general learner has learnt, as plain data.

use nalgebra::{OMatrix, OVector, U1};

use super::LsviUcb;
use super::answers::Answers;
use super::end::End;
use super::ridge::Ridge;
use crate::agents::error::{check_counts, check_finite};
use crate::agents::{AgentError, Resume};
use crate::dim::{Dimension, Double};
use crate::features::SequenceFeatures;
use crate::oracles::SequenceOracle;
use crate::sequence::ActionSequence;
use crate::{Fault, Real};

/// What an [`LsviUcb`] has learnt on states `S`, between two episodes: to be written to a file and
/// read back. An agent made from the same psi, oracle and parameters that is given it continues bit
/// for bit.
///
/// # Example
/// ```
/// use sporadic::agents::{LsviUcb, LsviUcbParams, Resume};
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::oracles::Periodic;
/// use sporadic::simulation::{Simulation, Streams};
/// let swim = gallery::river_swim::<f64>(3, 0.5, 0.8)?;
/// let psi = TabularPsi::new(swim.clone());
/// let params = LsviUcbParams::default().with_horizon(10);
/// let make = || LsviUcb::new(&psi, Periodic { prefix: 1, period: 2 }, params);
/// let (mut agent, mut other) = (make()?, make()?);
/// let world = Simulation::new(&swim, Streams::new(1));
/// world.run(0..10, &mut agent, &mut ())?;
/// other.restore(agent.state())?;
/// world.run(10..20, &mut agent, &mut ())?;
/// world.run(10..20, &mut other, &mut ())?;
/// assert_eq!(agent.state(), other.state());
/// # Ok::<(), sporadic::Fault>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LsviUcbState<T, S> {
    ridge: RidgeState<T>,
    planned: Option<RidgeState<T>>,
    rewards: Vec<T>,
    ends: Vec<EndState<T, S>>,
    weights: Vec<Vec<T>>,
}

/// Lambda, as its inverse, column by column, and the logarithm of its determinant.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RidgeState<T> {
    inverse: Vec<T>,
    log_det: T,
}

/// A state in which segments have ended, the sum of their psi, and what an oracle that searches answered for it in the last
/// planning phase, which is where the next searches start from.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EndState<T, S> {
    state: S,
    sum: Vec<T>,
    #[cfg_attr(
        feature = "serde",
        serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")
    )]
    answers: Vec<(ActionSequence, T)>,
}

impl<T: Real> RidgeState<T> {
    fn of<N: Dimension>(ridge: &Ridge<T, N>) -> Self {
        Self { inverse: ridge.inverse.as_slice().to_vec(), log_det: ridge.log_det }
    }

    fn check(&self, width: usize) -> Result<(), AgentError> {
        check_counts([("entries of the inverse", width * width, self.inverse.len())])?;
        check_finite("an entry of the inverse", &self.inverse)?;
        check_finite("a log-determinant", [&self.log_det])
    }

    fn ridge<N: Dimension>(&self, dim: N, lambda: T) -> Ridge<T, N> {
        let inverse = OMatrix::from_column_slice_generic(dim, dim, &self.inverse);
        Ridge { inverse, log_det: self.log_det, lambda }
    }
}

impl<T: Real, S> LsviUcbState<T, S> {
    /// The states in which segments have ended.
    pub fn states(&self) -> impl Iterator<Item = &S> {
        self.ends.iter().map(|end| &end.state)
    }

    /// Refuses what is not of an agent with features of this `width` and so many `stages`.
    fn check(&self, width: usize, stages: usize, num_actions: usize) -> Result<(), AgentError> {
        self.ridge.check(width)?;
        self.planned.iter().try_for_each(|planned| planned.check(width))?;
        check_counts([("stages", stages, self.weights.len())])?;
        let sums = self.ends.iter().map(|end| ("a sum of features", &end.sum));
        let weights = self.weights.iter().map(|w| ("a weight", w));
        for (what, vector) in sums.chain(weights).chain([("a sum of rewards", &self.rewards)]) {
            check_counts([("features", width, vector.len())])?;
            check_finite(what, vector)?;
        }
        for end in &self.ends {
            let (what, value) = ("answers for a state, in number", end.answers.len());
            if value > stages {
                let (value, needed) = (value as f64, "at most one for each stage");
                return Err(AgentError::Saved { what, value, needed });
            }
            for (sequence, value) in &end.answers {
                check_finite("the value of an answer", [value])?;
                let action = sequence.max_action();
                if action >= num_actions {
                    let sequence = sequence.clone();
                    return Err(AgentError::Action { sequence, action, num_actions });
                }
            }
        }
        Ok(())
    }
}

impl<T, P, O> Resume for LsviUcb<T, P, O>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone + PartialEq>,
    O: SequenceOracle<T>,
{
    type State = LsviUcbState<T, P::State>;

    /// What the agent has learnt. To be taken between two episodes; an
    /// [`error`](LsviUcb::error) and what the oracle remembers are no part of it.
    fn state(&self) -> LsviUcbState<T, P::State> {
        let ends = self.ends.iter().map(|end| {
            // A family is asked again.
            let answers = end.answers().filter(|_| self.is_search);
            let answers = answers.map_or_else(Vec::new, |answers| answers.as_slice().to_vec());
            EndState { state: end.state.clone(), sum: end.sum.as_slice().to_vec(), answers }
        });
        LsviUcbState {
            ridge: RidgeState::of(&self.ridge),
            planned: self.planned.as_ref().map(RidgeState::of),
            rewards: self.rewards.as_slice().to_vec(),
            ends: ends.collect(),
            weights: self.weights.iter().map(|w| w.as_slice().to_vec()).collect(),
        }
    }

    /// Makes the agent one that has learnt `state`.
    ///
    /// # Errors
    /// [`AgentError`] if it comes from an agent with features of another dimension or another
    /// horizon, a number in it is not finite, or psi [refuses](SequenceFeatures::check_state) a
    /// state in it; the agent is then as it was.
    fn restore(&mut self, state: Self::State) -> Result<(), Fault> {
        let dim = self.psi.dim().double();
        state.check(self.rewards.len(), self.weights.len(), self.psi.num_actions())?;
        for s in state.states() {
            let known = self.psi.check_state(s);
            known.map_err(|fault| AgentError::state("a state in the saved state", fault))?;
        }
        let lambda = self.ridge.lambda;
        self.ridge = state.ridge.ridge(dim, lambda);
        self.planned = state.planned.as_ref().map(|planned| planned.ridge(dim, lambda));
        self.rewards = OVector::from_column_slice_generic(dim, U1, &state.rewards);
        self.ends.clear();
        if let Some(batched) = &mut self.batched {
            batched.clear();
            if let Some(planned) = &self.planned {
                batched.set_inverse(planned.inverse.as_slice());
            }
        }
        for EndState { state, sum, answers } in state.ends {
            let sum = OVector::from_column_slice_generic(dim, U1, &sum);
            let phi = self.phi(&state);
            let mut end = End::new(state, sum);
            if !answers.is_empty() {
                end.asked.get_or_insert_default().answers = Answers::new(answers);
            }
            self.push_end(end, phi.as_deref());
        }
        for (w, saved) in self.weights.iter_mut().zip(&state.weights) {
            w.copy_from_slice(saved);
        }
        // The current episode and its error are forgotten.
        (self.sighting, self.error) = (1, None);
        self.playing = ActionSequence::constant(0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::LsviUcbParams;
    use crate::features::TabularPsi;
    use crate::model::gallery;
    use crate::oracles::{Beam, BranchAndBound};
    use crate::simulation::{Simulation, Streams};

    /// A restored learner, which has no answers of a planning phase, asks the oracle and gets the same.
    fn answers_are_those_of_the_oracle<O: SequenceOracle<f64> + Copy>(oracle: O) {
        let model = gallery::river_balance::<f64>(4, 0.2, 0.95).unwrap();
        let params = LsviUcbParams::default().with_horizon(8).with_rho(2.0);
        let make = || LsviUcb::new(TabularPsi::new(model.clone()), oracle, params).unwrap();
        let mut planned = make();
        Simulation::new(&model, Streams::new(3)).run(0..25, &mut planned, &mut ()).unwrap();
        let mut restored = make();
        restored.restore(planned.state()).unwrap();
        let mut below = 0;
        for u in 1..8 {
            for s in (0..4).rev() {
                let (sequence, value) = planned.choose(u, &s).unwrap();
                assert_eq!(restored.choose(u, &s).unwrap(), (sequence, value), "u = {u}, s = {s}");
                below += usize::from(value < 19.999);
            }
        }
        assert!(below > 0, "all values are at the clip");
    }

    #[test]
    fn a_restored_learner_gives_the_answers_of_its_planning_phase() {
        answers_are_those_of_the_oracle(Beam { width: 4, depth: 8 });
        answers_are_those_of_the_oracle(BranchAndBound::new(0.01).with_nodes(300));
    }
}
