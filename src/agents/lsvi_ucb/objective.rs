//! K_u(s, .) of line 7, as an oracle sees it.

use super::ridge::Ridge;
use crate::Real;
use crate::dim::{Batch, Doubled, FeatureDim};
use crate::features::{LazyBounds, Optimism, PrefixBounds, SequenceFeatures, hold};
use crate::model::Action;
use crate::oracles::SequenceObjective;
use crate::product::product;
use crate::sequence::ActionSequence;
use nalgebra::{DMatrix, DVector, OVector};

/// The objective min {<psi(s, .), w> + rho ||psi(s, .)||_{Lambda^-1}, 1/(1-gamma)} of one state s and step u.
///
/// It is the function that [`FeatureObjective`](crate::oracles::FeatureObjective) is, asked otherwise. A planning
/// phase asks n (H - 1) of them for one family each, so what they share is borrowed from the learner: the features of a
/// state and a family stay from phase to phase, their bonuses from step to step, and bounds are those of all states of a
/// step; a value then costs 2d multiplications instead of psi and (2d)^2. Arithmetic is in `T` with Lambda^-1 itself, as in
/// the tabular learner; the other factors Lambda^-1 in double precision, because it certifies.
pub(super) struct Optimistic<'a, 'p, T: Real, P: SequenceFeatures<T>> {
    pub(super) psi: &'p P,
    pub(super) state: &'a P::State,
    pub(super) w: &'a OVector<T, Doubled<P::Dim>>,
    pub(super) ridge: &'a Ridge<T, Doubled<P::Dim>>,
    pub(super) rho: T,
    pub(super) cap: T,
    pub(super) cache: &'a mut Cache<T, P::Dim>,
    /// Bounds on K_u(., .) for this u and every state.
    pub(super) bounds: &'a mut LazyBounds<'p, P::State>,
    /// What was answered to questions much like this one.
    pub(super) hints: Vec<ActionSequence>,
    /// Whether one of them is the answer to the last question about this state, and not at the clip.
    pub(super) is_familiar: bool,
}

/// The most delayed states of a table, where the features make one. Every sighting of every episode makes
/// a table anew, so it is a small one: the search makes up for bounds that are a little larger.
const STATES: usize = 1 << 6;

/// Width and depth of the search for the most uncertain sequence.
const UNCERTAIN: (usize, usize) = (8, 20);

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
    /// The best sequence found for the linear function of psi that each entry of psi adds its own bonus to. It is above K_u, most so
    /// where little is known: where a search by tangents may not look, because these are below K_u.
    fn most_uncertain(&self) -> ActionSequence {
        let bonus = |i: usize| self.rho * self.ridge.inverse[(i, i)].max(T::zero()).sqrt();
        let weights = (0..self.w.len()).map(|i| (self.w[i] + bonus(i)).as_f64());
        let (weights, first) = (DVector::from_iterator(self.w.len(), weights), hold(&[]));
        self.psi.improve(self.state, &weights, &first, UNCERTAIN).unwrap_or(first)
    }

    /// The bounds that the features give, at `state`.
    fn bounds(&mut self) -> Option<&mut (dyn PrefixBounds<P::State> + 'p)> {
        let (w, inverse) = (self.w, &self.ridge.inverse);
        self.bounds.at(self.state, self.psi, STATES, || Optimism {
            w: DVector::from_iterator(w.len(), w.iter().map(|x| x.as_f64())),
            bonus: Some((
                self.rho.as_f64(),
                DMatrix::from_fn(w.len(), w.len(), |i, j| inverse[(i, j)].as_f64()),
            )),
        })
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
            let product = product(&self.ridge.inverse, batch);
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
        // The minimum of NaN, where nothing is known, and the clip is the clip.
        self.bounds().map_or(cap, |bounds| T::at_least(bounds.upper_bound(prefix)).min(cap))
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        if prefix.is_empty() {
            return self.most_uncertain();
        }
        self.bounds().map_or_else(|| hold(prefix), |bounds| bounds.suggest(prefix))
    }

    fn hints(&self) -> &[ActionSequence] {
        &self.hints
    }

    /// By the tangent of K_u at `seq`.
    fn improve(&mut self, seq: &ActionSequence, size: (usize, usize)) -> Option<ActionSequence> {
        let psi = self.psi.psi(self.state, seq);
        let product = &self.ridge.inverse * &psi;
        let norm = psi.dot(&product).max(T::zero()).sqrt();
        let slope = if norm > T::zero() { self.rho / norm } else { T::zero() };
        let entries = self.w.iter().zip(product.iter()).map(|(&w, &x)| (w + slope * x).as_f64());
        let weights = DVector::from_iterator(psi.len(), entries);
        self.psi.improve(self.state, &weights, seq, size)
    }

    fn is_familiar(&self) -> bool {
        self.is_familiar
    }
}
