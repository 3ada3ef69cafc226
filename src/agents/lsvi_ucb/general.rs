//! Algorithm 1 for any features, any oracle, any states.

use std::borrow::Cow;

use nalgebra::{OVector, U1};

use super::bounds::{Bounds, MakeBounds};
use super::objective::{Cache, Optimistic};
use super::ridge::Ridge;
use super::{BeyondHorizon, LsviUcbError, LsviUcbParams, Replanning};
use crate::agents::{Agent, Segment, size};
use crate::belief::AugmentedState;
use crate::dim::{Doubled, FeatureDim};
use crate::features::SequenceFeatures;
use crate::model::Action;
use crate::oracles::{FromFn, OracleError, SequenceOracle};
use crate::planning::BurstPolicy;
use crate::sequence::ActionSequence;
use crate::{Fault, Real};

/// ATST-LSVI-UCB (Algorithm 1) with features psi, exact or estimated, and an oracle for the maxima
/// over A^N.
///
/// On states `0..n` with a finite family, [`TabularLsviUcb`](super::TabularLsviUcb) makes the same
/// decisions at a cost that does not grow; this one is for everything else: continuous states and
/// oracles that search. To an oracle that prunes it offers no bound but the clip, except on finite
/// states [if asked](Self::with_bounds).
///
/// # Complexity
/// V_(u+1) is needed at the n' distinct states in which segments have ended. An episode asks the
/// oracle n' (H - 1) times, or fewer if V settles to the last bit. With a family of m sequences an
/// episode costs about 2 n' m d (2d + H) multiplications and memory n' m (2d + 1): where states are
/// continuous n' grows with every segment, so take few candidates, a short horizon and
/// [`Replanning::DeterminantGrowth`].
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
/// let mut agent = LsviUcb::new(psi, Exhaustive::new(runs(2, 1, 2)), 2, 0.8, params)?;
/// Simulation::new(&swim, Streams::new(1)).run(0..50, &mut agent, &mut ())?;
/// assert!(agent.error().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LsviUcb<T: Real, D: FeatureDim, P: SequenceFeatures<T, D>, O> {
    pub(super) psi: P,
    oracle: O,
    num_actions: usize,
    gamma: T,
    params: LsviUcbParams<T>,
    cap: T,
    /// Lambda now, and as of the last planning phase, which bonuses are computed with.
    pub(super) ridge: Ridge<T, Doubled<D>>,
    pub(super) planned: Option<Ridge<T, Doubled<D>>>,
    /// The sum of psi min {R, H}.
    pub(super) rewards: OVector<T, Doubled<D>>,
    pub(super) ends: Vec<End<T, D, P::State>>,
    /// w_u, u = 1 first.
    pub(super) weights: Vec<OVector<T, Doubled<D>>>,
    sighting: usize,
    playing: ActionSequence,
    error: Option<LsviUcbError>,
    pub(super) make_bounds: Option<MakeBounds<T, D, P>>,
}

/// A state in which segments have ended.
#[derive(Debug)]
pub(super) struct End<T: Real, D: FeatureDim, S> {
    pub(super) state: S,
    /// The sum of their psi.
    pub(super) sum: OVector<T, Doubled<D>>,
    /// V_(u+1) while planning.
    value: T,
    cache: Cache<T, D>,
}

impl<T: Real, D: FeatureDim, S> End<T, D, S> {
    /// Its value is set by planning before it is read.
    pub(super) fn new(state: S, sum: OVector<T, Doubled<D>>) -> Self {
        Self { state, sum, value: T::zero(), cache: Cache::default() }
    }
}

impl<T, D, P, O> LsviUcb<T, D, P, O>
where
    T: Real,
    D: FeatureDim,
    P: SequenceFeatures<T, D, State: Clone + PartialEq>,
    O: SequenceOracle<T>,
{
    /// An agent that has seen nothing yet.
    ///
    /// # Errors
    /// [`LsviUcbError`] if gamma or a parameter is out of range, or the dimension of psi or its product
    /// with H is so large that a table would have more than [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS).
    pub fn new(
        psi: P,
        oracle: O,
        num_actions: usize,
        gamma: T,
        params: LsviUcbParams<T>,
    ) -> Result<Self, LsviUcbError> {
        params.check()?;
        if !(gamma > T::zero() && gamma < T::one()) {
            return Err(LsviUcbError::Gamma { gamma: gamma.as_f64() });
        }
        let width = psi.dim().value().saturating_mul(2);
        size::check_lambda(width)?;
        size::check_plan(params.horizon(), width)?;
        let dim = psi.dim().double();
        let zero = OVector::zeros_generic(dim, U1);
        Ok(Self {
            psi,
            oracle,
            num_actions,
            gamma,
            cap: T::one() / (T::one() - gamma),
            ridge: Ridge::new(dim, params.lambda()),
            rewards: zero.clone(),
            ends: Vec::new(),
            weights: vec![zero; params.horizon() - 1],
            params,
            planned: None,
            sighting: 1,
            playing: ActionSequence::constant(0),
            error: None,
            make_bounds: None,
        })
    }

    /// The features.
    pub fn psi(&self) -> &P {
        &self.psi
    }

    /// What went wrong first, if anything did: the oracle gave no answer, and the agent plays `(0)` where it got
    /// none; Lambda^-1 has lost its accuracy; or V is not finite.
    pub fn error(&self) -> Option<&LsviUcbError> {
        self.error.as_ref()
    }

    /// How many distinct states segments have ended in: what planning goes over.
    pub fn num_ends(&self) -> usize {
        self.ends.len()
    }

    /// V_u(s) and the sequence chosen for it: line 7 and line 12, in the units of the rewards
    /// declared.
    ///
    /// # Errors
    /// What the oracle answers.
    pub fn choose(&self, u: usize, s: &P::State) -> Result<(ActionSequence, T), OracleError> {
        let last = self.weights.len(); // H - 1
        let stage = match self.params.beyond_horizon() {
            _ if u <= last => u,
            BeyondHorizon::ReuseLast => last,
            BeyondHorizon::ReuseFirst => 1,
            BeyondHorizon::Constant => {
                let constant = FromFn::new(self.num_actions, |_: &ActionSequence| self.cap);
                let mut constant = constant.with_upper_bound(|_| self.cap);
                let choice = self.oracle.maximize(&mut constant)?;
                return Ok((choice.sequence, self.params.unscale(choice.value, self.gamma)));
            }
        };
        let w = &self.weights[stage - 1];
        let (mut cache, mut bounds) = (Cache::default(), self.bounds(w));
        let mut k = self.optimistic(s, w, &mut cache, &mut bounds);
        let choice = self.oracle.maximize(&mut k)?;
        Ok((choice.sequence, self.params.unscale(choice.value, self.gamma)))
    }

    fn optimistic<'a, 'p>(
        &'a self,
        state: &'a P::State,
        w: &'a OVector<T, Doubled<D>>,
        cache: &'a mut Cache<T, D>,
        bounds: &'a mut Bounds<'p, T, P::State>,
    ) -> Optimistic<'a, 'p, T, D, P> {
        let (num_actions, rho, cap) = (self.num_actions, self.params.rho(), self.cap);
        let ridge = self.bonus_ridge();
        Optimistic { psi: &self.psi, state, w, ridge, num_actions, rho, cap, cache, bounds }
    }

    /// The Lambda that bonuses are computed with.
    fn bonus_ridge(&self) -> &Ridge<T, Doubled<D>> {
        self.planned.as_ref().unwrap_or(&self.ridge)
    }

    fn bounds(&self, w: &OVector<T, Doubled<D>>) -> Bounds<'_, T, P::State> {
        let make = self.make_bounds?;
        make(&self.psi, w, self.params.rho(), &self.bonus_ridge().inverse)
    }

    /// Lines 3 to 8: the planning phase.
    fn plan(&mut self) -> Result<(), LsviUcbError> {
        self.planned = Some(self.ridge.clone());
        let mut ends = std::mem::take(&mut self.ends);
        let result = self.value_iteration(&mut ends);
        self.ends = ends;
        result
    }

    fn value_iteration(&mut self, ends: &mut [End<T, D, P::State>]) -> Result<(), LsviUcbError> {
        for end in ends.iter_mut() {
            end.value = self.cap;
            end.cache.forget_bonus();
        }
        for u in (0..self.weights.len()).rev() {
            // Line 6, the history summed by next state; bottom has value 0.
            let mut target = self.rewards.clone();
            ends.iter().for_each(|end| target.axpy(end.value, &end.sum, T::one()));
            let w = &self.ridge.inverse * target;
            // Line 7, where the next round of line 6 needs it.
            let (mut settled, mut bounds) = (true, self.bounds(&w));
            for (state, end) in ends.iter_mut().enumerate() {
                let mut k = self.optimistic(&end.state, &w, &mut end.cache, &mut bounds);
                let value = self.oracle.maximize(&mut k)?.value;
                if !value.is_finite() {
                    return Err(LsviUcbError::Value { u: u + 1, state, value: value.as_f64() });
                }
                settled &= value == end.value;
                end.value = value;
            }
            drop(bounds);
            self.weights[u] = w;
            if settled {
                let (before, rest) = self.weights.split_at_mut(u);
                before.iter_mut().for_each(|w| w.copy_from(&rest[0]));
                break;
            }
        }
        Ok(())
    }

    /// Line 12: chooses the sequence to play from `s`.
    fn commit(&mut self, s: &P::State) {
        self.playing = match self.choose(self.sighting, s) {
            Ok((sequence, _)) => sequence,
            Err(error) => {
                self.error.get_or_insert(error.into());
                ActionSequence::constant(0)
            }
        };
    }

    fn is_due(&self) -> bool {
        match (self.params.replanning(), &self.planned) {
            (Replanning::EveryEpisode, _) | (_, None) => true,
            (Replanning::DeterminantGrowth(factor), Some(then)) => {
                self.ridge.log_det >= then.log_det + factor.ln()
            }
        }
    }
}

impl<T, D, P, O> Agent<P::State, T> for LsviUcb<T, D, P, O>
where
    T: Real,
    D: FeatureDim,
    P: SequenceFeatures<T, D, State: Clone + PartialEq>,
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
        self.commit(start);
    }

    fn act(&mut self, x: &AugmentedState<P::State>) -> Action {
        self.playing.action(x.actions().len())
    }

    /// Lines 13 to 15: the segment joins the history, Lambda grows, the next sequence is chosen.
    fn observe(&mut self, segment: &Segment<P::State, T>) {
        if self.sighting <= self.params.horizon() {
            let psi = self.psi.psi(segment.start(), &self.playing);
            let target = self.params.target(segment.reward(), segment.actions().len());
            self.rewards.axpy(target, &psi, T::one());
            if let Some(next) = segment.next() {
                if let Some(end) = self.ends.iter_mut().find(|end| end.state == *next) {
                    end.sum += &psi;
                } else {
                    self.ends.push(End::new(next.clone(), psi.clone()));
                }
            }
            let mut z = self.ridge.zeros();
            if let Err(error) = self.ridge.add(&psi, T::one(), &mut z) {
                self.error.get_or_insert(error);
            }
        }
        self.sighting += 1;
        if let Some(next) = segment.next() {
            self.commit(next);
        }
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<P::State>> {
        Some(self)
    }

    fn fault(&self) -> Option<Fault> {
        self.error().map(|error| error.clone().into())
    }
}

/// One question to the oracle for every sequence asked for.
impl<T, D, P, O> BurstPolicy<P::State> for LsviUcb<T, D, P, O>
where
    T: Real,
    D: FeatureDim,
    P: SequenceFeatures<T, D, State: Clone + PartialEq>,
    O: SequenceOracle<T>,
{
    fn horizon(&self) -> usize {
        self.params.horizon()
    }

    fn sequence(&self, u: usize, s: &P::State) -> Cow<'_, ActionSequence> {
        // As in an episode.
        let choice = self.choose(u, s);
        Cow::Owned(choice.map_or_else(|_| ActionSequence::constant(0), |(sequence, _)| sequence))
    }
}
