//! Algorithm 1 for any features, any oracle, any states.

use std::borrow::Cow;
use std::cell::RefCell;

use nalgebra::{Dim, OVector, U1};

use super::batched::Batched;
use super::end::{End, add_values};
use super::general_batched::batched;
use super::ridge::Ridge;
use super::{Continuation, LsviUcbParams, Replanning};
use crate::agents::{Agent, AgentError, Segment, size};
use crate::belief::AugmentedState;
use crate::dim::{Double, Doubled};
use crate::features::SequenceFeatures;
use crate::model::Action;
use crate::oracles::SequenceOracle;
use crate::planning::BurstPolicy;
use crate::sequence::ActionSequence;
use crate::{Discount, Fault, Real};

/// ATST-LSVI-UCB (Algorithm 1) with features psi, exact or estimated, and an oracle for the maxima
/// over A^N.
///
/// On states `0..n` with a finite family, [`TabularLsviUcb`](super::TabularLsviUcb) makes the same
/// decisions at a cost that does not grow; this one is for everything else: continuous states and
/// oracles that search. Oracles that prune get the bounds that psi
/// [gives](SequenceFeatures::bounds), made when they are first asked for.
///
/// # Complexity
/// V_(u+1) is needed at the n' distinct states in which segments have ended; where states are continuous n' grows
/// with every segment, so take [`Replanning::DeterminantGrowth`].
///
/// - With a finite family ([`SequenceOracle::family`]) of m sequences and features that
///   [factor](SequenceFeatures::factors), as those of [`Psi`](crate::features::Psi) do, all states are planned for
///   at once: sequences that are the best of no state near others are left out for all of them. A planning phase costs
///   n' (H - 1) d times the number of sequences left, often a few, plus d (d + H) for each node of a tree over the states and each
///   sequence left above it; memory is at most n' m (2 + d / 8).
/// - Else, and with [`Planner::Plain`](super::Planner::Plain), which is the specification of the other, the oracle is asked n' (H - 1)
///   times, or fewer if V settles to the last bit: with a family about 2 n' m d (2d + H) multiplications and memory
///   n' m (2d + 1).
///
/// # Example
/// ```
/// use sporadic::agents::{LsviUcb, LsviUcbParams};
/// use sporadic::features::{Dynamics, OneHot, Psi};
/// use sporadic::model::gallery;
/// use sporadic::oracles::Exhaustive;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Simulation, Streams};
///
/// let swim = gallery::river_swim::<f64>(3, 0.5, 0.8)?;
/// let psi = Psi::new(OneHot::of(&swim), Dynamics::one_hot(&swim, OneHot::of(&swim)))?;
/// let params = LsviUcbParams::default().with_horizon(10).with_rho(1.0);
/// let mut agent = LsviUcb::new(psi, Exhaustive::new(runs(2, 1, 2)), params)?;
/// Simulation::new(&swim, Streams::new(1)).run(0..50, &mut agent, &mut ())?;
/// assert!(agent.error().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LsviUcb<T: Real, P: SequenceFeatures<T>, O> {
    pub(super) psi: P,
    /// In a `RefCell`, because [`BurstPolicy::sequence`], which takes `&self`, asks it as well.
    pub(super) oracle: RefCell<O>,
    /// Whether the oracle searches, and does not just score a family.
    pub(super) is_search: bool,
    pub(super) discount: Discount<T>,
    pub(super) params: LsviUcbParams<T>,
    pub(super) cap: T,
    /// Lambda now, and as of the last planning phase, which bonuses are computed with.
    pub(super) ridge: Ridge<T, Doubled<P::Dim>>,
    pub(super) planned: Option<Ridge<T, Doubled<P::Dim>>>,
    /// The sum of psi min {R, H}.
    pub(super) rewards: OVector<T, Doubled<P::Dim>>,
    pub(super) ends: Vec<End<T, P::Dim, P::State>>,
    /// For planning with a finite family and features that factor.
    pub(super) batched: Option<Batched<T>>,
    /// w_u, u = 1 first.
    pub(super) weights: Vec<OVector<T, Doubled<P::Dim>>>,
    pub(super) sighting: usize,
    pub(super) playing: ActionSequence,
    pub(super) error: Option<AgentError>,
}

impl<T, P, O> LsviUcb<T, P, O>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone + PartialEq>,
    O: SequenceOracle<T>,
{
    /// An agent that has seen nothing yet.
    ///
    /// # Errors
    /// [`AgentError`] if the gamma of psi or a parameter is out of range, or the dimension of psi or its product
    /// with H is so large that a table would have more than [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS).
    pub fn new(psi: P, oracle: O, params: LsviUcbParams<T>) -> Result<Self, AgentError> {
        Self::with_ends(psi, oracle, params, Vec::new())
    }

    /// An agent that is told, for each state, the weights of its value, as [`Continuation::Model`] needs them.
    pub(super) fn with_ends(
        psi: P,
        oracle: O,
        params: LsviUcbParams<T>,
        ends: Vec<(P::State, Vec<T>)>,
    ) -> Result<Self, AgentError> {
        params.check()?;
        if params.continuation() == Continuation::Model && ends.is_empty() {
            return Err(AgentError::NoModel);
        }
        let discount = Discount::new(psi.gamma())?;
        let width = psi.dim().value().saturating_mul(2);
        size::check_lambda(width)?;
        size::check_plan(params.horizon(), width)?;
        let dim = psi.dim().double();
        let zero = OVector::zeros_generic(dim, U1);
        let cap = discount.mean_rounds();
        let batched = batched(&psi, &oracle, &params, cap);
        let is_search = oracle.family(psi.num_actions()).is_none();
        let mut agent = Self {
            psi,
            is_search,
            oracle: RefCell::new(oracle),
            discount,
            cap,
            batched,
            ridge: Ridge::new(dim, params.lambda()),
            rewards: zero.clone(),
            ends: Vec::new(),
            weights: vec![zero; params.horizon() - 1],
            params,
            planned: None,
            sighting: 1,
            playing: ActionSequence::constant(0),
            error: None,
        };
        agent.set_ends(ends);
        Ok(agent)
    }

    /// The features.
    pub fn psi(&self) -> &P {
        &self.psi
    }

    /// What went wrong first, if anything did: the oracle gave no answer, and the agent plays `(0)` where it got
    /// none; Lambda^-1 has lost its accuracy; or V is not finite.
    pub fn error(&self) -> Option<&AgentError> {
        self.error.as_ref()
    }

    /// How many distinct states segments have ended in: what planning goes over.
    pub fn num_ends(&self) -> usize {
        self.ends.len()
    }

    /// Lines 3 to 8: the planning phase.
    fn plan(&mut self) -> Result<(), AgentError> {
        self.planned = Some(self.ridge.clone());
        let (mut ends, mut batched) = (std::mem::take(&mut self.ends), self.batched.take());
        if let Some(batched) = &mut batched {
            batched.set_inverse(self.ridge.inverse.as_slice());
            batched.begin();
        }
        let result = self.value_iteration(&mut ends, batched.as_mut());
        if result.is_err() {
            ends.iter_mut().for_each(End::forget);
        }
        (self.ends, self.batched) = (ends, batched);
        result
    }

    fn value_iteration(
        &mut self,
        ends: &mut [End<T, P::Dim, P::State>],
        mut batched: Option<&mut Batched<T>>,
    ) -> Result<(), AgentError> {
        ends.iter_mut().for_each(End::begin);
        // V_(u+1).
        let mut values = vec![self.cap; ends.len()];
        for u in (0..self.weights.len()).rev() {
            let by_model = self.params.continuation() == Continuation::Model;
            let mut w = self.rewards.clone();
            if by_model {
                w = &self.ridge.inverse * w;
            }
            add_values(&mut w, ends, &values);
            if !by_model {
                w = &self.ridge.inverse * w;
            }
            // Line 7, where the next round of line 6 needs it.
            let settled = match &mut batched {
                Some(batched) => batched.values(u + 1, w.as_slice(), &mut values),
                None => self.ask_oracle(ends, &w, &mut values)?,
            };
            if let Some((state, value)) = values.iter().enumerate().find(|(_, x)| !x.is_finite()) {
                return Err(AgentError::Value { u: u + 1, state, value: value.as_f64() });
            }
            self.weights[u] = w;
            if settled {
                let (before, rest) = self.weights.split_at_mut(u);
                before.iter_mut().for_each(|w| w.copy_from(&rest[0]));
                break;
            }
        }
        Ok(())
    }

    /// Lines 13 and 14: the segment joins the history, and Lambda grows. `phi` is that of the state in which it ended.
    fn learn(
        &mut self,
        segment: &Segment<P::State, T>,
        phi: Option<&[T]>,
    ) -> Result<(), AgentError> {
        let target = self.params.target(segment, &self.playing, None)?;
        for s in [Some(segment.start()), segment.next()].into_iter().flatten() {
            let known = self.psi.check_state(s);
            known.map_err(|fault| AgentError::state("a state of a segment", fault))?;
        }
        let psi = self.psi.psi(segment.start(), &self.playing);
        self.rewards.axpy(target, &psi, T::one());
        if let (Some(next), Continuation::Regression) = (segment.next(), self.params.continuation())
        {
            self.add_end((next, phi), &psi, T::one());
        }
        let mut z = self.ridge.zeros();
        self.ridge.add(&psi, T::one(), &mut z)
    }

    /// Line 12: chooses the sequence to play from `s`.
    fn commit(&mut self, s: &P::State, phi: Option<&[T]>) {
        self.playing = match self.choose_at(self.sighting, s, phi) {
            Ok((sequence, _)) => sequence,
            Err(error) => {
                self.error.get_or_insert(error);
                ActionSequence::constant(0)
            }
        };
    }

    fn is_due(&self) -> bool {
        match (self.params.replanning(), &self.planned) {
            (Replanning::EveryEpisode, _) | (_, None) => true,
            (Replanning::DeterminantGrowth(factor), Some(then)) => {
                self.ridge.log_det >= then.log_det + T::of(libm::log(factor.as_f64()))
            }
        }
    }
}

impl<T, P, O> Agent<P::State, T> for LsviUcb<T, P, O>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone + PartialEq>,
    O: SequenceOracle<T>,
{
    /// Lines 2 to 10.
    fn begin_episode(&mut self, start: &P::State) {
        if self.is_due()
            && let Err(error) = self.plan()
        {
            self.error.get_or_insert(error);
        }
        self.sighting = 1;
        let phi = self.phi(start);
        self.commit(start, phi.as_deref());
    }

    fn act(&mut self, x: &AugmentedState<P::State>) -> Action {
        self.playing.action(x.actions().len())
    }

    /// Lines 13 to 15: the segment joins the history, Lambda grows, the next sequence is chosen.
    fn observe(&mut self, segment: &Segment<P::State, T>) {
        let phi = segment.next().and_then(|next| self.phi(next));
        if self.sighting <= self.params.horizon()
            && let Err(error) = self.learn(segment, phi.as_deref())
        {
            self.error.get_or_insert(error);
        }
        self.sighting += 1;
        if let Some(next) = segment.next() {
            self.commit(next, phi.as_deref());
        }
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<P::State>> {
        Some(self)
    }

    fn fault(&self) -> Option<Fault> {
        self.error().map(|error| error.clone().into())
    }
}

/// Each call chooses as an episode does: from the family, from the answers kept, or by the oracle.
impl<T, P, O> BurstPolicy<P::State> for LsviUcb<T, P, O>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone + PartialEq>,
    O: SequenceOracle<T>,
{
    fn horizon(&self) -> usize {
        self.params.horizon()
    }

    fn sequence(&self, u: usize, s: &P::State) -> Cow<'_, ActionSequence> {
        let choice = self.choose(u, s); // as in an episode
        Cow::Owned(choice.map_or_else(|_| ActionSequence::constant(0), |(sequence, _)| sequence))
    }
}
