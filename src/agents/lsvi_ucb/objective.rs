//! K_u(s, .) of line 7, as an oracle sees it.

use super::ridge::Ridge;
use crate::Real;
use crate::dim::{Batch, Doubled, FeatureDim};
use crate::features::{Optimism, PrefixBounds, SequenceFeatures, above, hold};
use crate::model::Action;
use crate::oracles::SequenceObjective;
use crate::sequence::ActionSequence;
use nalgebra::{DMatrix, DVector, OVector};

/// min {<psi(s, .), w> + rho ||psi(s, .)||_{Lambda^-1}, 1/(1-gamma)}.
pub(super) struct Optimistic<'a, 'p, T: Real, P: SequenceFeatures<T>> {
    pub(super) psi: &'p P,
    pub(super) state: &'a P::State,
    pub(super) w: &'a OVector<T, Doubled<P::Dim>>,
    pub(super) ridge: &'a Ridge<T, Doubled<P::Dim>>,
    pub(super) rho: T,
    pub(super) cap: T,
    pub(super) cache: &'a mut Cache<T, P::Dim>,
    pub(super) bounds: &'a mut Bounds<'p, P::State>,
    /// Whether the bounds have been moved to `state`.
    pub(super) moved: bool,
}

/// Bounds on K_u(., .) for one u and every state: none until they have been asked for, then what the features
/// gave. An oracle that scores a family never asks.
pub(super) type Bounds<'p, S> = Option<Option<Box<dyn PrefixBounds<S> + 'p>>>;

/// The most delayed states of a table, where the features make one. Every sighting of every episode makes
/// a table anew, so it is a small one: the search makes up for bounds that are a little larger.
const STATES: usize = 1 << 6;

/// The features of a state and the family asked for last, and their bonuses.
#[derive(Debug)]
pub(super) struct Cache<T: Real, D: FeatureDim> {
    family: Vec<ActionSequence>,
    batch: Option<Batch<T, Doubled<D>>>,
    /// Empty if Lambda has changed since.
    bonus: Vec<T>,
}

impl<T: Real, D: FeatureDim> Default for Cache<T, D> {
    fn default() -> Self {
        Self { family: Vec::new(), batch: None, bonus: Vec::new() }
    }
}

impl<T: Real, D: FeatureDim> Cache<T, D> {
    pub(super) fn forget_bonus(&mut self) {
        self.bonus.clear();
    }
}

impl<'p, T: Real, P> Optimistic<'_, 'p, T, P>
where
    P: SequenceFeatures<T, State: Clone>,
{
    /// The bounds that the features give, at `state`.
    fn bounds(&mut self) -> Option<&mut (dyn PrefixBounds<P::State> + 'p)> {
        let bounds = self.bounds.get_or_insert_with(|| {
            let w = DVector::from_iterator(self.w.len(), self.w.iter().map(|x| x.as_f64()));
            let inverse = &self.ridge.inverse;
            let entry = |i, j| inverse[(i, j)].as_f64();
            let g = DMatrix::from_fn(w.len(), w.len(), entry);
            let k = Optimism { w, bonus: Some((self.rho.as_f64(), g)) };
            self.psi.bounds(&k, STATES)
        });
        let bounds = bounds.as_deref_mut()?;
        if !self.moved {
            bounds.move_to(self.state);
            self.moved = true;
        }
        Some(bounds)
    }
}

impl<T: Real, P> SequenceObjective<T> for Optimistic<'_, '_, T, P>
where
    P: SequenceFeatures<T, State: Clone>,
{
    fn num_actions(&self) -> usize {
        self.psi.num_actions()
    }

    fn value(&mut self, seq: &ActionSequence) -> T {
        let psi = self.psi.psi(self.state, seq);
        let square = psi.dot(&(&self.ridge.inverse * &psi)).max(T::zero());
        (psi.dot(self.w) + self.rho * square.sqrt()).min(self.cap)
    }

    /// psi is computed once per state and family, the bonus once per episode; then it is one
    /// product with w.
    fn values(&mut self, seqs: &[ActionSequence]) -> Vec<T> {
        let cache = &mut *self.cache;
        if cache.batch.is_none() || cache.family != seqs {
            cache.family = seqs.to_vec();
            cache.batch = Some(self.psi.batch(self.state, seqs));
            cache.bonus.clear();
        }
        let Some(batch) = &cache.batch else { return Vec::new() };
        if cache.bonus.len() != seqs.len() {
            let product = &self.ridge.inverse * batch;
            let square = |j: usize| batch.column(j).dot(&product.column(j)).max(T::zero());
            cache.bonus.clear();
            cache.bonus.extend((0..seqs.len()).map(|j| self.rho * square(j).sqrt()));
        }
        let linear = batch.tr_mul(self.w);
        linear.iter().zip(&cache.bonus).map(|(&k, &b)| (k + b).min(self.cap)).collect()
    }

    /// No sequence is above the clip. The empty prefix gets no other bound: it would be a
    /// certificate, which the learner has no use for, and would have tables made for oracles that
    /// ask for nothing else.
    fn upper_bound(&mut self, prefix: &[Action]) -> T {
        let cap = self.cap;
        if prefix.is_empty() {
            return cap;
        }
        match self.bounds() {
            Some(bounds) => {
                let bound = bounds.upper_bound(prefix);
                if bound.is_nan() { cap } else { above::<T>(bound).min(cap) }
            }
            None => cap,
        }
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        if prefix.is_empty() {
            return hold(prefix);
        }
        self.bounds().map_or_else(|| hold(prefix), |bounds| bounds.suggest(prefix))
    }
}
