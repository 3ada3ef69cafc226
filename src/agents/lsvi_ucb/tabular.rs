//! Algorithm 1 on finite state spaces with finitely many candidates.

use nalgebra::{DMatrix, DVector, Dyn};

use super::memory::{Memory, check_scale};
use super::planner::{PlanningPhase, Regression};
use super::ridge::Ridge;
use super::{Candidates, Continuation, LsviUcbParams, Plan, Replanning};
use crate::agents::{Agent, AgentError, Segment, size};
use crate::belief::AugmentedState;
use crate::features::TabularPsi;
use crate::model::{Action, Tabular};
use crate::planning::BurstPolicy;
use crate::sequence::ActionSequence;
use crate::{Fault, Real};

/// ATST-LSVI-UCB (Algorithm 1) on states `0..n` with a finite family of sequences.
///
/// The history enters line 6 only through sums over the segments tau that end in the same state:
///
/// ```text
/// w_u = Lambda^-1 (q + sum over s' of b_s' V_(u+1)(s')),   q = sum of psi^tau min {R^tau, H},
///                                                          b_s' = sum of psi^tau with s_N^tau = s'
/// ```
///
/// and a segment that ends the episode adds to q alone, because bottom has value 0. So planning
/// costs the same in the first episode and in the millionth. In exact arithmetic it makes the decisions
/// that going through the history would make; in floating point the two add in another order, so they may
/// differ where candidates tie up to rounding.
///
/// # Complexity
/// With n states, m candidates and features of dimension d, an episode costs n m d (2 + n)
/// multiplications in single precision for upper bounds on the coefficients of all candidates; about
/// H n^2 for each of the few candidates that are scored at every step; some twenty n^2 m for the
/// proof that no other candidate is chosen; and d^2 for Lambda^-1 and each distinct segment. Nothing is
/// approximate: a candidate that is not ruled out is scored. Memory: about n m (12 d + 12 n) + 8 d^2 bytes,
/// all of it reused, so that planning asks the allocator for nothing as long as d <= 64. Numbers
/// outside of the range of single precision are planned with as
/// [`Planner::Plain`](super::Planner::Plain) does, at n m (d (1 + n + d) + H n) multiplications
/// and 8 n^2 m bytes more.
///
/// # Example
/// ```
/// use sporadic::agents::{LsviUcbParams, TabularLsviUcb};
/// use sporadic::model::gallery;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Returns, Simulation, Streams};
///
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
/// let params = LsviUcbParams::default().with_rho(5.0);
/// let mut agent = TabularLsviUcb::for_model(&swim, runs(2, 2, 3), params)?;
/// let mut returns = Returns::new();
/// Simulation::new(&swim, Streams::new(1)).run(0..200, &mut agent, &mut returns)?;
/// assert!(agent.values()[5] > agent.values()[0]); // the treasure is at the upper end
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TabularLsviUcb<T: Real> {
    pub(super) candidates: Candidates<T>,
    pub(super) params: LsviUcbParams<T>,
    /// 1/(1-gamma): computed once, because the ties it makes decide the first episodes.
    pub(super) cap: T,
    pub(super) memory: Memory<T>,
    pub(super) plan: Plan,
    /// V_u(s) at `(u - 1) * n + s`.
    pub(super) values: Vec<T>,
    /// The current sighting u, and the candidate being played.
    sighting: usize,
    pub(super) playing: usize,
    /// The (state, candidate) pairs of this episode, as rows of the candidates, with counts.
    episode: Vec<(usize, usize)>,
    pub(super) scratch: Scratch<T>,
    pub(super) error: Option<AgentError>,
}

/// Memory reused by every planning phase. Choices and values do not depend on what it contains.
#[derive(Debug, Clone)]
pub(super) struct Scratch<T: Real> {
    pub(super) weights: DMatrix<T>,
    /// Lambda^-1 at the last planning, which the weights belong to; none before the first, and
    /// none again after a restore.
    pub(super) planned: Option<DMatrix<T>>,
    pub(super) planner: Box<dyn PlanningPhase<T>>,
    pub(super) z: DVector<T>,
}

impl<T: Real> TabularLsviUcb<T> {
    /// An agent that has seen nothing yet.
    ///
    /// # Errors
    /// [`AgentError`] if a parameter is out of range, a bonus overflows, there are more than 2^32
    /// candidates, or H times the number of states is so large that a table of the learner would have
    /// more than [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS).
    pub fn new(candidates: Candidates<T>, params: LsviUcbParams<T>) -> Result<Self, AgentError> {
        params.check()?;
        if params.continuation() == Continuation::Model && candidates.continuation.is_none() {
            return Err(AgentError::NoModel);
        }
        let (n, m) = (candidates.num_states(), candidates.family().len());
        let (d, rows) = (candidates.dim(), n * m);
        if u32::try_from(rows).is_err() {
            return Err(AgentError::TooMany { candidates: rows });
        }
        check_scale(&candidates, &params)?;
        size::check_lambda(d)?;
        size::check_plan(params.horizon(), size::per_sighting(n))?;
        let (h, beyond) = (params.horizon(), params.beyond_horizon());
        let cap = candidates.discount().mean_rounds();
        let memory = Memory {
            ridge: Ridge::new(Dyn(d), params.lambda()),
            sums: DMatrix::zeros(d, 1 + n),
            planned_at: None,
            episodes: 0,
        };
        let scratch = Scratch {
            weights: DMatrix::zeros(d, 1 + n),
            planned: None,
            planner: params.planner().build(&candidates.psi, n, h - 1, cap),
            z: DVector::zeros(d),
        };
        Ok(Self {
            plan: Plan::new(candidates.shared_family(), n, h, beyond),
            values: vec![cap; (h - 1) * n],
            sighting: 1,
            playing: 0,
            episode: Vec::with_capacity(h),
            candidates,
            params,
            cap,
            memory,
            scratch,
            error: None,
        })
    }

    /// An agent for `model` that has seen nothing yet, with the exact one-hot psi of the model and with its
    /// range of rewards.
    ///
    /// # Errors
    /// [`AgentError`] as [`Candidates::one_hot`] and [`new`](Self::new) give it.
    pub fn for_model(
        model: &Tabular<T>,
        family: impl IntoIterator<Item = ActionSequence>,
        params: LsviUcbParams<T>,
    ) -> Result<Self, AgentError> {
        let candidates = Candidates::one_hot(&TabularPsi::new(model.clone()), family)?;
        let candidates = match params.continuation() {
            Continuation::Regression => candidates,
            Continuation::Model => candidates.with_model(model)?,
        };
        Self::new(candidates, params.with_rewards_of(model))
    }

    /// The parameters.
    pub fn params(&self) -> &LsviUcbParams<T> {
        &self.params
    }

    /// The candidates.
    pub fn candidates(&self) -> &Candidates<T> {
        &self.candidates
    }

    /// What went wrong first, if anything did: Lambda^-1 has lost its accuracy, V is not finite, or a reward
    /// is outside the range declared. The agent goes on, but what it does from then on is not
    /// Algorithm 1.
    ///
    /// # Example
    /// ```
    /// use sporadic::agents::{Candidates, LsviUcbParams, TabularLsviUcb};
    /// use sporadic::features::TabularPsi;
    /// use sporadic::model::gallery;
    /// use sporadic::sequence::runs;
    /// use sporadic::simulation::{Simulation, Streams};
    /// let swim = gallery::river_swim::<f64>(3, 0.5, 0.9)?;
    /// let candidates = Candidates::one_hot(&TabularPsi::new(swim.clone()), runs(2, 1, 2))?;
    /// for (lambda, fine) in [(0.01, true), (1e-18, false)] {
    ///     let params = LsviUcbParams::default().with_lambda(lambda);
    ///     let mut agent = TabularLsviUcb::new(candidates.clone(), params)?;
    ///     Simulation::new(&swim, Streams::new(1)).run(0..5, &mut agent, &mut ())?;
    ///     assert_eq!(agent.error().is_none(), fine);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn error(&self) -> Option<&AgentError> {
        self.error.as_ref()
    }

    /// The plan of the episode begun last.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The current sighting u of the episode, from 1.
    pub fn sighting(&self) -> usize {
        self.sighting
    }

    /// How many episodes have been learnt from.
    pub fn episodes(&self) -> u64 {
        self.memory.episodes
    }

    /// V_1(s) for every state: the optimistic values in the episode begun last, in the units of the
    /// rewards declared.
    pub fn values(&self) -> Vec<T> {
        self.values_at(1)
    }

    /// V_u(s) for every state; 1/(1-gamma), in the units of the rewards, for u >= H.
    ///
    /// # Panics
    /// If `u` is 0.
    pub fn values_at(&self, u: usize) -> Vec<T> {
        let n = self.candidates.num_states();
        let values = self.values.chunks_exact(n).nth(u - 1);
        let unscale = |&v| self.params.unscale(v, self.candidates.gamma());
        values.map_or(vec![unscale(&self.cap); n], |row| row.iter().map(unscale).collect())
    }

    /// The bonus rho ||psi(s, a)|| of every state and candidate, column by column, as Lambda is now.
    pub fn bonuses(&self) -> impl Iterator<Item = T> + '_ {
        let inverse = &self.memory.ridge.inverse;
        self.candidates.psi.column_iter().map(move |psi| {
            let square = psi.dot(&(inverse * psi));
            self.params.rho() * square.max(T::zero()).sqrt()
        })
    }

    /// Forgets the current episode and what was computed from another memory.
    pub(super) fn begin_anew(&mut self) {
        self.episode.clear();
        (self.sighting, self.playing) = (1, 0);
        self.scratch.planner.forget();
        self.scratch.planned = None;
        self.error = None;
    }

    /// Plays candidate `j` until the next sighting in place of the one chosen.
    pub(in crate::agents) fn play_instead(&mut self, j: usize) {
        self.playing = j.min(self.plan.family().len() - 1);
    }

    /// Line 14: adds a segment to the sums of the history.
    fn learn(&mut self, segment: &Segment<usize, T>, target: T) {
        let row = segment.start() * self.plan.family().len() + self.playing;
        for (i, &x) in self.candidates.psi.column(row).iter().enumerate() {
            self.memory.sums[(i, 0)] += x * target;
            if let Some(&next) = segment.next() {
                self.memory.sums[(i, 1 + next)] += x;
            }
        }
        match self.episode.iter_mut().find(|(known, _)| *known == row) {
            Some((_, count)) => *count += 1,
            None => self.episode.push((row, 1)),
        }
    }

    /// Lines 3 to 8: the planning phase.
    pub(super) fn plan_episode(&mut self) {
        let Self { candidates, params, memory, scratch, .. } = self;
        memory.weights(candidates, params.continuation(), &mut scratch.weights);
        let k = Regression {
            psi: &self.candidates.psi,
            inverse: &self.memory.ridge.inverse,
            weights: &self.scratch.weights,
            rho: self.params.rho(),
            cap: self.cap,
        };
        self.scratch.planner.plan(k, &mut self.plan.stages, &mut self.values);
        let inverse = &self.memory.ridge.inverse;
        match &mut self.scratch.planned {
            Some(planned) if planned.shape() == inverse.shape() => planned.copy_from(inverse),
            planned => *planned = Some(inverse.clone()),
        }
        self.check_values();
        self.memory.planned_at = Some(self.memory.ridge.log_det);
    }

    /// Reports the first V_u(s) that is not finite.
    fn check_values(&mut self) {
        let n = self.candidates.num_states();
        if let Some(at) = self.values.iter().position(|v| !v.is_finite()) {
            let (u, state, value) = (at / n + 1, at % n, self.values[at].as_f64());
            self.error.get_or_insert(AgentError::Value { u, state, value });
        }
    }

    /// Lines 9 and 10: an episode begins in `start`.
    pub(super) fn execute(&mut self, start: usize) {
        self.sighting = 1;
        self.playing = self.plan.index(1, start);
    }

    /// Whether the planning phase is due.
    pub(super) fn is_due(&self) -> bool {
        match (self.params.replanning(), self.memory.planned_at) {
            (Replanning::EveryEpisode, _) | (_, None) => true,
            (Replanning::DeterminantGrowth(factor), Some(then)) => {
                self.memory.ridge.log_det >= then + T::of(libm::log(factor.as_f64()))
            }
        }
    }
}

impl<T: Real> Agent<usize, T> for TabularLsviUcb<T> {
    /// Lines 2 to 10. Panics if `start` is not a state.
    fn begin_episode(&mut self, start: &usize) {
        if self.is_due() {
            self.plan_episode();
        }
        self.execute(*start);
    }

    /// Line 12: executes the sequence chosen.
    #[inline]
    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.plan.family()[self.playing].action(x.actions().len())
    }

    /// Lines 13 to 15: the segment joins the history, the next sequence is chosen.
    fn observe(&mut self, segment: &Segment<usize, T>) {
        if self.sighting <= self.params.horizon() {
            let sequence = &self.plan.family()[self.playing];
            match self.params.target(segment, sequence, Some(*segment.start())) {
                Ok(target) => self.learn(segment, target),
                Err(error) => {
                    self.error.get_or_insert(error);
                }
            }
        }
        self.sighting += 1;
        if let Some(&next) = segment.next() {
            self.playing = self.plan.index(self.sighting, next);
        }
    }

    /// Line 4: Lambda grows by the segments of the episode.
    fn end_episode(&mut self) {
        let memory = &mut self.memory;
        for &(column, count) in &self.episode {
            let psi = self.candidates.psi.column(column);
            let added = memory.ridge.add(&psi, T::of(count as f64), &mut self.scratch.z);
            if let Err(error) = added {
                self.error.get_or_insert(error);
            }
            self.scratch.planner.lambda_grew(self.scratch.z.as_slice());
        }
        memory.episodes += 1;
        self.episode.clear();
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        Some(&self.plan)
    }

    fn fault(&self) -> Option<Fault> {
        self.error().map(|error| error.clone().into())
    }
}
