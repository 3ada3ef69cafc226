//! What the general learner asks its oracle.

use nalgebra::OVector;

use super::end::{Asked, End};
use super::objective::{Cache, Optimistic};
use super::ridge::Ridge;
use super::{BeyondHorizon, LsviUcb};
use crate::Real;
use crate::agents::AgentError;
use crate::dim::Doubled;
use crate::features::{LazyBounds, SequenceFeatures};
use crate::oracles::{ObjectiveFn, SequenceOracle};
use crate::sequence::ActionSequence;

/// The most answers of the oracle that are kept from a planning phase, over all states and u.
const KEPT: usize = 1 << 14;

impl<T, P, O> LsviUcb<T, P, O>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone + PartialEq>,
    O: SequenceOracle<T>,
{
    /// V_u(s) and the sequence chosen for it: line 7 and line 12, in the units of the rewards
    /// declared.
    ///
    /// # Errors
    /// [`AgentError`] if psi is not defined in `s` or the oracle has no answer.
    pub fn choose(&self, u: usize, s: &P::State) -> Result<(ActionSequence, T), AgentError> {
        self.choose_at(u, s, self.phi(s).as_deref())
    }

    /// [`choose`](Self::choose), given the [phi](Self::phi) of the state.
    pub(super) fn choose_at(
        &self,
        u: usize,
        s: &P::State,
        phi: Option<&[T]>,
    ) -> Result<(ActionSequence, T), AgentError> {
        let known = self.psi.check_state(s);
        known.map_err(|fault| AgentError::state("the state to choose a sequence for", fault))?;
        let last = self.weights.len(); // H - 1
        let stage = match self.params.beyond_horizon() {
            _ if u <= last => u,
            BeyondHorizon::ReuseLast => last,
            BeyondHorizon::ReuseFirst => 1,
            BeyondHorizon::Constant => {
                let num_actions = self.psi.num_actions();
                let constant = ObjectiveFn::new(num_actions, |_: &ActionSequence| self.cap);
                let mut constant = constant.with_upper_bound(|_| self.cap);
                let choice = self.oracle.borrow_mut().maximize(&mut constant)?;
                return Ok((choice.sequence, self.unscale(choice.value)));
            }
        };
        let w = &self.weights[stage - 1];
        if let Some(chosen) = self.choose_batched(stage, phi) {
            return chosen.map(|(sequence, value)| (sequence, self.unscale(value)));
        }
        if let Some((sequence, value)) = self.chosen_before(stage, s, phi) {
            return Ok((sequence.clone(), self.unscale(*value)));
        }
        let (mut cache, mut bounds) = (Cache::default(), LazyBounds::default());
        let mut k = self.optimistic(s, w, &mut cache, &mut bounds);
        let choice = self.oracle.borrow_mut().maximize(&mut k)?;
        Ok((choice.sequence, self.unscale(choice.value)))
    }

    /// What the oracle answered for this u and state in the planning phase: it would answer the same again.
    fn chosen_before(
        &self,
        u: usize,
        s: &P::State,
        phi: Option<&[T]>,
    ) -> Option<&(ActionSequence, T)> {
        // The first state was there when the others were planned for.
        self.ends.first()?.answers()?.last()?;
        self.ends[self.known(s, phi)?].answers()?.get(self.weights.len() - u)
    }

    fn unscale(&self, value: T) -> T {
        self.params.unscale(value, self.discount.get())
    }

    /// K_u(s, .) with w_u.
    fn optimistic<'a, 'p: 'a>(
        &'p self,
        state: &'a P::State,
        w: &'a OVector<T, Doubled<P::Dim>>,
        cache: &'a mut Cache<T, P::Dim>,
        bounds: &'a mut LazyBounds<'p, P::State>,
    ) -> Optimistic<'a, 'p, T, P> {
        let (rho, cap, ridge) = (self.params.rho(), self.cap, self.bonus_ridge());
        bounds.leave_state();
        let (hints, is_familiar) = (Vec::new(), false);
        Optimistic { psi: &self.psi, state, w, ridge, rho, cap, cache, bounds, hints, is_familiar }
    }

    /// The Lambda that bonuses are computed with.
    fn bonus_ridge(&self) -> &Ridge<T, Doubled<P::Dim>> {
        self.planned.as_ref().unwrap_or(&self.ridge)
    }

    /// Line 7 as printed, state by state. Whether no value has changed.
    pub(super) fn ask_oracle(
        &self,
        ends: &mut [End<T, P::Dim, P::State>],
        w: &OVector<T, Doubled<P::Dim>>,
        values: &mut [T],
    ) -> Result<bool, AgentError> {
        let (mut settled, mut bounds) = (true, LazyBounds::default());
        let is_kept = ends.len() * self.weights.len() <= KEPT;
        for (end, old) in ends.iter_mut().zip(values) {
            let Asked { cache, answers } = &mut **end.asked.get_or_insert_default();
            let mut k = self.optimistic(&end.state, w, cache, &mut bounds);
            if is_kept && self.is_search {
                k.hints = answers.hints();
                k.is_familiar = answers.last().is_some_and(|(_, value)| *value < self.cap);
            }
            let choice = self.oracle.borrow_mut().maximize(&mut k)?;
            #[allow(clippy::float_cmp)] // settled to the last bit
            let is_same = *old == choice.value;
            settled &= is_same;
            *old = choice.value;
            if is_kept {
                answers.push(choice.sequence, choice.value);
            }
        }
        Ok(settled)
    }
}
