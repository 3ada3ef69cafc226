//! psi on tabular models with one-hot features, on |S|-vectors.

use std::borrow::Cow;
use std::collections::HashMap;

use nalgebra::{DVector, Dim, Dyn, OVector, U1};
use thiserror::Error;

use super::tails::{Tails, geometric_sum};
use super::{OccupancyScales, SequenceFeatures};
use crate::dim::{Batch, Dimensional, Doubled, FeatureDim};
use crate::features::bounds::NormBounds;
use crate::features::search::{LazySearch, is_small};
use crate::features::{LastAxes, OneHot, OneHotError, Optimism, PrefixBounds, TabularBounds};
use crate::model::{Action, Tabular};
use crate::sequence::ActionSequence;
use crate::{Fault, Real};

/// psi of a tabular model in one-hot features, exact.
///
/// Here v_h is the belief before action a_h put in the block of a_h, so one discounted
/// occupancy o(s', a) = sum of `c_h b_h(s')` over the h with a_h = a gives both halves:
/// psi = 1/2 ((1 - gamma) o(s', a), gamma beta(a) o(s', a)). No d x d matrix is ever formed. Where reveal
/// probabilities depend on the age, the continuation half is a sum of its own.
///
/// # Complexity
/// One sparse push-forward per action of prefix and period. The geometric series over the period
/// is summed exactly by an |S| x |S| elimination or, where that is dearer, term by term down to
/// rounding. [`table`](Self::table) computes all states at once: one sparse product with an
/// |S| x |S||A| matrix per distinct tail of the family and one elimination per distinct period.
///
/// # Example
/// ```
/// use sporadic::features::{SequenceFeatures, TabularPsi};
/// use sporadic::model::gallery;
/// use sporadic::sequence::runs;
/// let psi = TabularPsi::new(gallery::river_balance::<f64>(6, 0.1, 0.99)?);
/// let family: Vec<_> = runs(2, 5, 10).collect();
/// let table = psi.table(&family);
/// assert_eq!(table.shape(), (24, 6 * 1012)); // state by state
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct TabularPsi<T, D = Dyn> {
    model: Tabular<T>,
    dim: D,
    last_axes: LastAxes,
    search: LazySearch,
}

impl<T: Real> TabularPsi<T> {
    /// psi of `model`, with a dimension known at run time.
    pub fn new(model: Tabular<T>) -> Self {
        let dim = Dyn(model.num_states() * model.num_actions());
        Self { model, dim, last_axes: LastAxes::default(), search: LazySearch::default() }
    }
}

/// A state that a finite model does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("state {state} of {num_states}")]
pub struct UnknownState {
    /// The state, counted from 0.
    pub state: usize,
    /// How many states there are.
    pub num_states: usize,
}

/// The most pairs of an age and a feature for which tables of delayed states are made.
const MOST_PAIRS: usize = 512;

/// The largest number of states for which all rows of a table are computed together; above it the
/// |S| x |S||A| matrix of each tail would outgrow the caches.
pub(crate) const TOGETHER: usize = 64;

impl<T: Real, D: FeatureDim> TabularPsi<T, D> {
    /// psi of `model`, with a dimension given by its type.
    ///
    /// # Errors
    /// [`OneHotError`] if `dim` is not |S| |A|.
    pub fn with_dim(model: Tabular<T>, dim: D) -> Result<Self, OneHotError> {
        OneHot::with_dim(model.num_states(), model.num_actions(), dim)?;
        let (last_axes, search) = (LastAxes::default(), LazySearch::default());
        Ok(Self { model, dim, last_axes, search })
    }

    /// The model.
    pub fn model(&self) -> &Tabular<T> {
        &self.model
    }

    /// What bounds on its objectives share.
    pub(crate) fn last_axes(&self) -> &LastAxes {
        &self.last_axes
    }

    /// A cursor at state `s`, before the first action.
    ///
    /// # Panics
    /// If `s` is not a state.
    pub fn cursor(&self, s: usize) -> TabularCursor<'_, T> {
        let mut belief = vec![T::zero(); self.model.num_states()];
        belief[s] = T::one();
        TabularCursor::new(&self.model, belief)
    }

    /// The features of every state and every sequence of a family: column `s * family.len() + j`
    /// is psi of state s and the j-th member.
    pub fn table(&self, family: &[ActionSequence]) -> Batch<T, Doubled<D>> {
        let n = self.model.num_states();
        let mut table = Batch::zeros_generic(self.dim.double(), Dyn(n * family.len()));
        if n > TOGETHER || self.model.ages() > 1 {
            for s in 0..n {
                table
                    .columns_mut(s * family.len(), family.len())
                    .copy_from(&self.batch(&s, family));
            }
            return table;
        }
        let mut tails = Tails::with_capacity(&self.model, family.len());
        let scales = OccupancyScales::of(&self.model);
        let d = self.dim.value();
        let columns = table.as_mut_slice();
        for (j, seq) in family.iter().enumerate() {
            let rows = tails.occupancies(seq);
            for (s, row) in rows.chunks_exact(d).enumerate() {
                let start = 2 * d * (s * family.len() + j);
                scales.psi_into(row, &mut columns[start..start + 2 * d]);
            }
        }
        table
    }

    /// psi of a sequence whose first action is the one after `age` others since the last sighting, from
    /// this belief.
    pub(super) fn psi_from(
        &self,
        belief: Vec<T>,
        age: usize,
        seq: &ActionSequence,
    ) -> OVector<T, Doubled<D>> {
        let mut cursor = TabularCursor::new(&self.model, belief);
        cursor.age += age;
        let cursor = self.finish(cursor, seq, &mut HashMap::new());
        let mut psi = OVector::zeros_generic(self.dim.double(), U1);
        cursor.psi_into(psi.as_mut_slice());
        psi
    }

    /// The cursor after all of `seq`; `periods` keeps the sum over all rounds of each period met.
    fn finish<'m>(
        &'m self,
        mut cursor: TabularCursor<'m, T>,
        seq: &ActionSequence,
        periods: &mut HashMap<Vec<Action>, Vec<T>>,
    ) -> TabularCursor<'m, T> {
        let model = &self.model;
        seq.prefix().iter().for_each(|&a| cursor.push(a));
        // The closed form is for ages at which nothing changes any more.
        let mut period = Cow::Borrowed(seq.period());
        if cursor.age < model.ages() {
            let more = model.ages() - cursor.age;
            seq.period().iter().cycle().take(more).for_each(|&a| cursor.push(a));
            let turns = more % period.len();
            period.to_mut().rotate_left(turns);
        }
        if cursor.weight == T::zero() {
            return cursor;
        }
        let (n, length) = (model.num_states(), period.len());
        let decay = period.iter().fold(1.0, |w, &a| w * model.blind(a).as_f64());
        // After so many rounds the rest is below rounding. Work in pushes: one each, against one
        // per state and as much again for the elimination.
        let rounds = (libm::log(T::epsilon().as_f64() / 64.0)
            / libm::log(decay.max(f64::MIN_POSITIVE)))
        .ceil();
        let elimination = (n * length) as f64 + (n * n * n) as f64 / model.num_transitions() as f64;
        if rounds * length as f64 <= elimination {
            let mut left = rounds.max(1.0);
            while left > 0.0 {
                period.iter().for_each(|&a| cursor.push(a));
                left -= 1.0;
            }
            return cursor;
        }
        let inverse = periods.entry(period.to_vec()).or_insert_with(|| self.all_rounds(&period));
        let before = std::mem::take(&mut cursor.belief);
        cursor.belief = vec![T::zero(); n];
        for (row, &mass) in inverse.chunks_exact(n).zip(&before) {
            for (b, &x) in cursor.belief.iter_mut().zip(row) {
                *b += mass * x;
            }
        }
        period.iter().for_each(|&a| cursor.push(a));
        cursor
    }

    /// The sum of the powers of C, the product of gamma (1 - beta) P over one period, row by row.
    fn all_rounds(&self, period: &[Action]) -> Vec<T> {
        let n = self.model.num_states();
        let mut rows = vec![T::zero(); n * 2 * n];
        for (s, row) in rows.chunks_exact_mut(2 * n).enumerate() {
            let mut cursor = self.cursor(s);
            cursor.age = self.model.ages();
            period.iter().for_each(|&a| cursor.push(a));
            for (x, &b) in row.iter_mut().zip(&cursor.belief) {
                *x = cursor.weight * b;
            }
            row[n + s] = T::one();
        }
        geometric_sum(&mut rows, n);
        rows.chunks_exact(2 * n).flat_map(|row| row[n..].iter().copied()).collect()
    }
}

impl<T, D: Dim> Dimensional for TabularPsi<T, D> {
    type Dim = D;

    fn dim(&self) -> D {
        self.dim
    }
}

impl<T: Real, D: FeatureDim> SequenceFeatures<T> for TabularPsi<T, D> {
    type State = usize;

    fn num_actions(&self) -> usize {
        self.model.num_actions()
    }

    fn gamma(&self) -> T {
        self.model.gamma()
    }

    fn blind(&self, a: Action) -> T {
        self.model.discount().blind(self.model.schedule().least(a))
    }

    fn blind_at(&self, a: Action, age: usize) -> T {
        self.model.blind_at(a, age)
    }

    fn ages(&self) -> usize {
        self.model.ages()
    }

    fn check_state(&self, &state: &usize) -> Result<(), Fault> {
        let num_states = self.model.num_states();
        if state < num_states { Ok(()) } else { Err(UnknownState { state, num_states }.into()) }
    }

    fn psi(&self, s: &usize, seq: &ActionSequence) -> OVector<T, Doubled<D>> {
        let mut psi = OVector::zeros_generic(self.dim.double(), U1);
        self.finish(self.cursor(*s), seq, &mut HashMap::new()).psi_into(psi.as_mut_slice());
        psi
    }

    /// Sequences with the same period share its elimination.
    fn batch(&self, s: &usize, family: &[ActionSequence]) -> Batch<T, Doubled<D>> {
        let mut batch = Batch::zeros_generic(self.dim.double(), Dyn(family.len()));
        let (mut periods, scales) = (HashMap::new(), OccupancyScales::of(&self.model));
        let width = 2 * self.dim.value();
        for (seq, psi) in family.iter().zip(batch.as_mut_slice().chunks_exact_mut(width)) {
            self.finish(self.cursor(*s), seq, &mut periods).scale(&scales, psi);
        }
        batch
    }

    /// From the optimal values of the problem in which the state of some actions ago is always known; where reveal
    /// probabilities depend on so many ages that its tables would be too large, from norms.
    fn bounds<'a>(
        &'a self,
        k: &Optimism,
        states: usize,
    ) -> Option<Box<dyn PrefixBounds<usize> + 'a>> {
        if self.model.ages().saturating_mul(self.dim.value()) > MOST_PAIRS && self.model.ages() > 1
        {
            return k.is_finite().then(|| Box::new(NormBounds::new(self, k)) as _);
        }
        k.is_finite().then(|| Box::new(TabularBounds::new(self, k, states)) as _)
    }

    /// A beam of beliefs, each completed by the best of the ends of `around`. Only where reveal probabilities do not depend
    /// on the age, and with no more than some hundred states.
    fn improve(
        &self,
        s: &usize,
        weights: &DVector<f64>,
        around: &ActionSequence,
        size: (usize, usize),
    ) -> Option<ActionSequence> {
        let knows = self.model.ages() == 1 && is_small(&self.model);
        knows.then(|| self.search.run(&self.model, *s, weights.as_slice(), around, size))
    }
}

/// The belief and the discounted occupancy of a growing action sequence on a tabular model: the
/// [`Cursor`](super::Cursor) of [`TabularPsi`].
///
/// # Complexity
/// One sparse push-forward per action.
///
/// # Example
/// ```
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// let psi = TabularPsi::new(gallery::river_swim::<f64>(6, 0.2, 0.9)?);
/// let mut cursor = psi.cursor(0);
/// cursor.push(1);
/// assert_eq!(cursor.belief()[1], 0.6);
/// assert!((cursor.weight() - 0.72).abs() < 1e-12); // 0.9 (1 - 0.2)
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct TabularCursor<'m, T> {
    model: &'m Tabular<T>,
    /// The age of the next action.
    age: usize,
    weight: T,
    belief: Vec<T>,
    next: Vec<T>,
    /// Discounted visits of (s, a) at `s * |A| + a`.
    occupancy: Vec<T>,
    /// Discounted visits, each multiplied by the probability gamma beta_n(a) of a sighting after it; empty
    /// if that does not depend on the age.
    sightings: Vec<T>,
}

impl<'m, T: Real> TabularCursor<'m, T> {
    fn new(model: &'m Tabular<T>, belief: Vec<T>) -> Self {
        let n = model.num_states();
        let occupancy = vec![T::zero(); n * model.num_actions()];
        let sightings = if model.ages() > 1 { occupancy.clone() } else { Vec::new() };
        let next = vec![T::zero(); n];
        Self { model, age: 1, weight: T::one(), next, belief, occupancy, sightings }
    }

    /// Appends an action.
    ///
    /// # Panics
    /// If `a` is not an action of the model.
    pub fn push(&mut self, a: Action) {
        let m = self.model.num_actions();
        for (o, &b) in self.occupancy[a..].iter_mut().step_by(m).zip(&self.belief) {
            *o += self.weight * b;
        }
        if !self.sightings.is_empty() {
            let weight = self.weight * self.model.seen_at(a, self.age);
            for (o, &b) in self.sightings[a..].iter_mut().step_by(m).zip(&self.belief) {
                *o += weight * b;
            }
        }
        self.model.push_forward(&self.belief, a, &mut self.next);
        std::mem::swap(&mut self.belief, &mut self.next);
        self.weight *= self.model.blind_at(a, self.age);
        self.age += 1;
    }

    /// Writes psi of the occupancy so far, given the scales of the model.
    fn scale(&self, scales: &OccupancyScales<T>, psi: &mut [T]) {
        scales.psi_into(&self.occupancy, psi);
        let half = T::of(0.5);
        let continuation = &mut psi[self.occupancy.len()..];
        for (x, &sighting) in continuation.iter_mut().zip(&self.sightings) {
            *x = half * sighting;
        }
    }

    /// The belief b(.|x) after the actions so far.
    pub fn belief(&self) -> &[T] {
        &self.belief
    }

    /// The weight gamma^h (1 - beta_1) ... (1 - beta_h) of what follows.
    pub fn weight(&self) -> T {
        self.weight
    }

    /// The discounted occupancy so far: expected discounted visits of (s, a) before the next
    /// sighting, at `s * |A| + a`.
    pub fn occupancy(&self) -> &[T] {
        &self.occupancy
    }

    /// Writes the part of psi that the actions so far decide into `psi`, of length 2 |S| |A|.
    ///
    /// # Panics
    /// If `psi` has another length.
    pub fn psi_into(&self, psi: &mut [T]) {
        assert_eq!(psi.len(), 2 * self.occupancy.len(), "psi has 2 |S| |A| entries");
        self.scale(&OccupancyScales::of(self.model), psi);
    }

    /// A bound on the norm of what the rest of the sequence can still add to psi.
    pub fn remaining(&self) -> T {
        self.weight * (T::one() + self.model.gamma()) * T::of(0.5)
    }
}
