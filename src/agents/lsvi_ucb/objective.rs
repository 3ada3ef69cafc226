//! K_u(s, .) of line 7, as an oracle sees it.

use super::bounds::Bounds;
use super::ridge::Ridge;
use crate::Real;
use crate::dim::{Batch, Doubled, FeatureDim};
use crate::features::SequenceFeatures;
use crate::model::Action;
use crate::oracles::{SequenceObjective, hold};
use crate::sequence::ActionSequence;
use nalgebra::OVector;

/// min {<psi(s, .), w> + rho ||psi(s, .)||_{Lambda^-1}, 1/(1-gamma)}.
pub(super) struct Optimistic<'a, 'p, T: Real, D: FeatureDim, P: SequenceFeatures<T, D>> {
    pub(super) psi: &'a P,
    pub(super) state: &'a P::State,
    pub(super) w: &'a OVector<T, Doubled<D>>,
    pub(super) ridge: &'a Ridge<T, Doubled<D>>,
    pub(super) rho: T,
    pub(super) cap: T,
    pub(super) cache: &'a mut Cache<T, D>,
    pub(super) bounds: &'a mut Bounds<'p, T, P::State>,
}

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

impl<T: Real, D: FeatureDim, P: SequenceFeatures<T, D>> SequenceObjective<T>
    for Optimistic<'_, '_, T, D, P>
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
        match self.bounds {
            Some(bounds) if !prefix.is_empty() => {
                bounds.upper_bound(self.state, prefix).min(self.cap)
            }
            _ => self.cap,
        }
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        match self.bounds {
            Some(bounds) if !prefix.is_empty() => bounds.suggest(self.state, prefix),
            _ => hold(prefix),
        }
    }
}
