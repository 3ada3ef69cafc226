//! Algorithm 1 on finite state spaces with finitely many candidates.

use nalgebra::{DMatrix, DVector, Dyn};

use super::ridge::Ridge;
use super::sweep::Sweep;
use super::{Candidates, LsviUcbError, LsviUcbParams, Plan, Replanning};
use crate::Real;
use crate::agents::{Agent, Segment};
use crate::belief::AugmentedState;
use crate::model::Action;
use crate::planning::BurstPolicy;

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
/// costs the same in the first episode and in the millionth, and makes the decisions that going
/// through the history would make.
///
/// # Complexity
/// With n states, m candidates and features of dimension d, an episode with e distinct (state,
/// candidate) pairs costs n m d (1 + n + min {e, d}) multiplications for the table of candidates, and
/// at most n^2 m for each of the sightings u < H: most candidates are ruled out after a few of them,
/// exactly. Memory: about n m (2 d + 2 n + 6) numbers, all of it reused.
///
/// # Example
/// ```
/// use sporadic::agents::{Candidates, LsviUcbParams, TabularLsviUcb};
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Returns, Simulation, Streams};
///
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
/// let candidates = Candidates::one_hot(&TabularPsi::new(swim.clone()), runs(2, 2, 3))?;
/// let mut agent = TabularLsviUcb::new(candidates, LsviUcbParams::default().with_rho(5.0))?;
/// let mut returns = Returns::new();
/// Simulation::new(&swim, Streams::new(1)).run(0..200, &mut agent, &mut returns)?;
/// assert!(agent.values()[5] > agent.values()[0]); // the treasure is at the upper end
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TabularLsviUcb<T: Real> {
    candidates: Candidates<T>,
    params: LsviUcbParams<T>,
    /// 1/(1-gamma): computed once, because the ties it makes decide the first episodes.
    cap: T,
    pub(super) memory: Memory<T>,
    pub(super) plan: Plan,
    /// V_u(s) at `(u - 1) * n + s`.
    pub(super) values: Vec<T>,
    /// The current sighting u, and the candidate being played.
    sighting: usize,
    playing: usize,
    /// The (state, candidate) pairs of this episode, as rows of the candidates, with counts.
    episode: Vec<(usize, usize)>,
    scratch: Scratch<T>,
}

/// What is remembered of the history.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Memory<T: Real> {
    /// Lambda^-1.
    pub(super) ridge: Ridge<T, Dyn>,
    /// q, then b_s' for each state.
    pub(super) sums: DMatrix<T>,
    /// The square of `||psi||_{Lambda^-1}` for each row of the candidates, as of the last planning.
    pub(super) squares: Vec<T>,
    /// What it has lost since: each vector z takes away <psi, z>^2.
    pub(super) updates: Vec<DVector<T>>,
    /// How many of them are in use; more than there is room for means: compute afresh.
    pub(super) pending: usize,
    /// log det Lambda at the last planning; none before the first.
    pub(super) planned_at: Option<T>,
    pub(super) episodes: u64,
}

/// Memory reused by every planning phase.
#[derive(Debug, Clone)]
struct Scratch<T: Real> {
    table: DMatrix<T>,
    weights: DMatrix<T>,
    sweep: Sweep<T>,
    row: DVector<T>,
    overflow: DVector<T>,
}

impl<T: Real> TabularLsviUcb<T> {
    /// An agent that has seen nothing yet.
    ///
    /// # Errors
    /// [`LsviUcbError`] if a parameter is out of range or there are more than 2^32 candidates.
    pub fn new(candidates: Candidates<T>, params: LsviUcbParams<T>) -> Result<Self, LsviUcbError> {
        params.check()?;
        let (n, m) = (candidates.num_states(), candidates.family().len());
        let (d, rows) = (candidates.dim(), n * m);
        if u32::try_from(rows).is_err() {
            return Err(LsviUcbError::TooMany { candidates: rows });
        }
        let (h, beyond) = (params.horizon(), params.beyond_horizon());
        let cap = T::one() / (T::one() - candidates.gamma());
        let norms = candidates.rows.row_iter().map(|row| row.norm_squared() / params.lambda());
        let memory = Memory {
            ridge: Ridge::new(Dyn(d), params.lambda()),
            sums: DMatrix::zeros(d, 1 + n),
            squares: norms.collect(),
            updates: vec![DVector::zeros(d); d],
            pending: 0,
            planned_at: None,
            episodes: 0,
        };
        let scratch = Scratch {
            table: DMatrix::zeros(rows, 1 + n + d),
            weights: DMatrix::zeros(d, 1 + n + d),
            sweep: Sweep::new(n, m),
            row: DVector::zeros(d),
            overflow: DVector::zeros(d),
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
        })
    }

    /// The parameters.
    pub fn params(&self) -> &LsviUcbParams<T> {
        &self.params
    }

    /// The candidates.
    pub fn candidates(&self) -> &Candidates<T> {
        &self.candidates
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

    /// The bonus rho ||psi(s, a)|| of every state and candidate, row by row, as of the last
    /// planning.
    pub fn bonuses(&self) -> impl Iterator<Item = T> + '_ {
        self.memory.squares.iter().map(|x| self.params.rho() * x.max(T::zero()).sqrt())
    }

    /// Plays candidate `j` until the next sighting in place of the one chosen.
    pub(in crate::agents) fn play_instead(&mut self, j: usize) {
        self.playing = j.min(self.plan.family().len() - 1);
    }

    /// Lines 3 to 8: the planning phase.
    fn plan_episode(&mut self) {
        self.compose();
        let columns = 1 + self.candidates.num_states();
        let table = &self.scratch.table.as_slice()[..columns * self.candidates.rows.nrows()];
        self.scratch.sweep.run(table, self.cap, &mut self.plan.stages, &mut self.values);
        self.memory.planned_at = Some(self.memory.ridge.log_det);
    }

    /// The coefficients of K_u in (1, V_(u+1)), for every state and candidate.
    fn compose(&mut self) {
        let Memory { ridge, sums, squares, updates, pending, .. } = &mut self.memory;
        let (columns, room) = (sums.ncols(), updates.len());
        let fresh = *pending > room;
        let extra = if fresh { room } else { *pending };
        // One product for all: Lambda^-1 (q, b_1, ..., b_n), then what the bonuses need.
        let mut weights = self.scratch.weights.columns_mut(0, columns + extra);
        weights.columns_mut(0, columns).gemm(T::one(), &ridge.inverse, sums, T::zero());
        for (i, z) in updates[..extra].iter().enumerate() {
            if fresh {
                weights.column_mut(columns + i).copy_from(&ridge.inverse.column(i));
            } else {
                weights.column_mut(columns + i).copy_from(z);
            }
        }
        let mut table = self.scratch.table.columns_mut(0, columns + extra);
        table.gemm(T::one(), &self.candidates.rows, &weights, T::zero());
        let rows = self.candidates.rows.nrows();
        let (table, products) = self.scratch.table.as_mut_slice().split_at_mut(columns * rows);
        if fresh {
            squares.fill(T::zero());
        }
        for (i, product) in products.chunks_exact(rows).take(extra).enumerate() {
            let features = &self.candidates.rows.as_slice()[i * rows..(i + 1) * rows];
            for ((square, &p), &x) in squares.iter_mut().zip(product).zip(features) {
                *square += if fresh { p * x } else { -(p * p) };
            }
        }
        *pending = 0;
        // Rounding may leave a square a little below 0.
        for (constant, &square) in table.iter_mut().zip(squares.iter()) {
            let square = if square > T::zero() { square } else { T::zero() };
            *constant += self.params.rho() * square.sqrt();
        }
    }

    /// Whether the planning phase is due.
    fn is_due(&self) -> bool {
        match (self.params.replanning(), self.memory.planned_at) {
            (Replanning::EveryEpisode, _) | (_, None) => true,
            (Replanning::DeterminantGrowth(factor), Some(then)) => {
                self.memory.ridge.log_det >= then + factor.ln()
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
        self.sighting = 1;
        self.playing = self.plan.index(1, *start);
    }

    /// Line 12: executes the sequence chosen.
    #[inline]
    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.plan.family()[self.playing].action(x.actions().len())
    }

    /// Lines 13 to 15: the segment joins the history, the next sequence is chosen.
    fn observe(&mut self, segment: &Segment<usize, T>) {
        if self.sighting <= self.params.horizon() {
            let row = segment.start() * self.plan.family().len() + self.playing;
            let target = self.params.target(segment.reward(), segment.actions().len());
            for (i, &x) in self.candidates.rows.row(row).iter().enumerate() {
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
        self.sighting += 1;
        if let Some(&next) = segment.next() {
            self.playing = self.plan.index(self.sighting, next);
        }
    }

    /// Line 4: Lambda grows by the segments of the episode.
    fn end_episode(&mut self) {
        let memory = &mut self.memory;
        for &(row, count) in &self.episode {
            self.scratch.row.tr_copy_from(&self.candidates.rows.row(row));
            let z = memory.updates.get_mut(memory.pending).unwrap_or(&mut self.scratch.overflow);
            memory.ridge.add(&self.scratch.row, T::of(count as f64), z);
            memory.pending = (memory.pending + 1).min(memory.updates.len() + 1);
        }
        memory.episodes += 1;
        self.episode.clear();
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        Some(&self.plan)
    }
}
