//! Where the general learner plans for all states at once.
//!
//! [`LsviUcb`] has two ways through line 7: one question to the oracle per state (`ask_oracle` in `general`, the
//! specification), and, for a finite family and features that factor, one pass over all states and members
//! ([`Batched`]). This file is the switch between them: every method falls back on the first where the second is not to be had.

use nalgebra::{ComplexField, Dim};

use super::batched::Batched;
use super::end::End;
use super::{LsviUcb, LsviUcbParams, Planner};
use crate::Real;
use crate::agents::AgentError;
use crate::features::SequenceFeatures;
use crate::oracles::{OracleError, SequenceOracle};
use crate::sequence::ActionSequence;

/// What planning with a finite family and features that factor needs; none for other oracles and features.
pub(super) fn batched<T: Real, P: SequenceFeatures<T>>(
    psi: &P,
    oracle: &impl SequenceOracle<T>,
    params: &LsviUcbParams<T>,
    cap: T,
) -> Option<Batched<T>> {
    let num_actions = psi.num_actions();
    let (factors, family) = (psi.factors()?, oracle.family(num_actions)?);
    let size = (psi.dim().value(), num_actions);
    let screened = params.planner() == Planner::Screened;
    screened.then(|| Batched::new(&*factors, size, &family, (params.rho(), cap)))?
}

impl<T, P, O> LsviUcb<T, P, O>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone + PartialEq>,
    O: SequenceOracle<T>,
{
    /// phi of a state for all actions: `None` if states are asked about one by one, or psi is not defined in this one.
    pub(super) fn phi(&self, s: &P::State) -> Option<Vec<T>> {
        let (batched, factors) = (self.batched.as_ref()?, self.psi.factors()?);
        self.psi.check_state(s).ok().map(|()| batched.phi(&*factors, s))
    }

    /// Line 12 in the units of learning, given [phi](Self::phi): `None` if the oracle has to be asked.
    pub(super) fn choose_batched(
        &self,
        stage: usize,
        phi: Option<&[T]>,
    ) -> Option<Result<(ActionSequence, T), AgentError>> {
        // Before the first planning phase there is no Lambda to choose by.
        self.planned.as_ref()?;
        let w = self.weights[stage - 1].as_slice();
        let (sequence, value) = self.batched.as_ref()?.choose(stage, w, phi?);
        Some(if value.as_f64().is_nan() {
            Err(OracleError::NotANumber { sequence: sequence.to_string() }.into())
        } else {
            Ok((sequence.clone(), value))
        })
    }

    /// The number of a state in which a segment has ended before, given its [phi](Self::phi).
    pub(super) fn known(&self, s: &P::State, phi: Option<&[T]>) -> Option<usize> {
        match (&self.batched, phi) {
            (Some(batched), Some(phi)) => batched.find(phi, |i| self.ends[i].state == *s),
            _ => self.ends.iter().position(|end| end.state == *s),
        }
    }

    /// Adds a state in which no segment has ended before, given its [phi](Self::phi).
    pub(super) fn push_end(&mut self, end: End<T, P::Dim, P::State>, phi: Option<&[T]>) {
        if let Some(batched) = &mut self.batched {
            match phi.filter(|phi| phi.iter().all(ComplexField::is_finite)) {
                Some(phi) => batched.push(phi),
                // The oracle will name the sequence that has no value.
                None => self.batched = None,
            }
        }
        self.ends.push(end);
    }
}
