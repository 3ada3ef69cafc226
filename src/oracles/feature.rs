//! K on features psi.

use std::fmt;

use nalgebra::{DMatrix, DVector, Dim, OMatrix, OVector};

use super::checks::{check_bonus, check_finite};
use super::{ObjectiveError, SequenceObjective};
use crate::dim::{Doubled, FeatureDim};
use crate::features::{
    Bonus, LazyBounds, Optimism, PrefixBounds, SequenceFeatures, TabularBounds, TabularPsi, hold,
};
use crate::model::Action;
use crate::sequence::ActionSequence;
use crate::{CustomError, Real};

/// The optimistic K(s, .) of Algorithm 1, on any features:
/// `min { <psi(s, a), w> + rho ||psi(s, a)||_{Lambda^-1}, clip }`.
///
/// Without bonus and clip it is linear in psi, as the exact K of planning is. Its bounds are those that the
/// features [give](SequenceFeatures::bounds), and are made when they are first asked for; those of
/// [`TabularPsi`] are the smallest.
///
/// What oracles certify is as true as these bounds: those of [`TabularPsi`] and of an
/// [estimated](crate::features::Psi::estimated) psi hold without further assumptions, those of an exact
/// [`Psi`](crate::features::Psi) assume that it is exact.
///
/// Values and bounds are computed in double precision, whatever `T` is.
///
/// # Complexity
/// [`values`](SequenceObjective::values): psi of the family and one product of a 2d x 2d matrix with a 2d x n
/// one.
///
/// # Example
/// ```
/// use nalgebra::{DMatrix, DVector};
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::oracles::{BranchAndBound, FeatureObjective, SequenceOracle};
/// let psi = TabularPsi::new(gallery::river_swim::<f64>(3, 0.5, 0.9)?);
/// let w = DVector::from_element(12, 1.0);
/// let inverse = DMatrix::identity(12, 12) * 0.1; // Lambda^-1
/// let mut k = FeatureObjective::new(&psi, 0, &w)?.with_bonus(2.0, &inverse)?.with_clip(10.0)?;
/// let choice = BranchAndBound::new(0.01).maximize(&mut k)?;
/// assert!(choice.gap() <= 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FeatureObjective<'a, T: Real, P: SequenceFeatures<T>> {
    psi: &'a P,
    state: P::State,
    k: Optimism,
    bonus: Option<Bonus>,
    clip: Option<T>,
    bounds: LazyBounds<'a, P::State>,
    hints: Vec<ActionSequence>,
}

/// The most delayed states of a table, where the features make one.
const STATES: usize = 1 << 13;
/// In more dimensions than this a factor of Lambda^-1 takes too long.
const FACTORED: usize = 1 << 10;

impl<T: Real, P: SequenceFeatures<T>> fmt::Debug for FeatureObjective<'_, T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeatureObjective")
            .field("w", &self.k.w)
            .field("bonus", &self.k.bonus.is_some())
            .field("clip", &self.clip)
            .finish_non_exhaustive()
    }
}

impl<'a, T: Real, P> FeatureObjective<'a, T, P>
where
    P: SequenceFeatures<T, State: Clone>,
{
    /// The linear objective <psi(s, .), w>.
    ///
    /// # Errors
    /// [`ObjectiveError`] if psi is not defined in `s`, `w` has not 2d entries or one is not finite.
    pub fn new(
        psi: &'a P,
        s: P::State,
        w: &OVector<T, Doubled<P::Dim>>,
    ) -> Result<Self, ObjectiveError> {
        let w = DVector::from_iterator(w.len(), w.iter().map(|x| x.as_f64()));
        Self::linear(psi, s, w)
    }

    fn linear(psi: &'a P, state: P::State, w: DVector<f64>) -> Result<Self, ObjectiveError> {
        let size = 2 * psi.dim().value();
        if w.len() != size {
            let (what, expected) = ("the weight vector", format!("{size} x 1"));
            return Err(ObjectiveError::Shape { what, rows: w.len(), columns: 1, expected });
        }
        check_finite("an entry of the weight vector", w.iter())?;
        check_state(psi, &state)?;
        let k = Optimism { w, bonus: None };
        let (bounds, hints) = (LazyBounds::default(), Vec::new());
        Ok(Self { psi, state, k, bonus: None, clip: None, bounds, hints })
    }

    /// Adds rho ||psi||, in the norm of `inverse`, which is Lambda^-1: 2d x 2d, symmetric, positive
    /// semidefinite.
    ///
    /// # Errors
    /// [`ObjectiveError`] if rho is negative, or the matrix is not 2d x 2d, finite and symmetric.
    pub fn with_bonus(
        mut self,
        rho: T,
        inverse: &OMatrix<T, Doubled<P::Dim>, Doubled<P::Dim>>,
    ) -> Result<Self, ObjectiveError> {
        let size = 2 * self.psi.dim().value();
        check_bonus(rho, size, inverse.shape(), |i, j| inverse[(i, j)])?;
        // Symmetric to the last bit, whatever `inverse` is.
        let entry = |i, j| 0.5 * (inverse[(i, j)].as_f64() + inverse[(j, i)].as_f64());
        let g = DMatrix::from_fn(size, size, entry);
        let roots: Vec<f64> = (0..size).map(|i| g[(i, i)].sqrt()).collect();
        let is_positive = rho > T::zero();
        self.bonus = is_positive.then(|| Bonus::new(rho.as_f64(), g.clone(), &roots));
        self.k.bonus = is_positive.then(|| (rho.as_f64(), g));
        self.bounds = LazyBounds::default();
        Ok(self)
    }

    /// Cuts values and bounds off at `max`, as the paper does at 1/(1-gamma).
    ///
    /// # Errors
    /// [`ObjectiveError::Value`] if it is not finite.
    pub fn with_clip(mut self, max: T) -> Result<Self, ObjectiveError> {
        check_finite("the clip", [&max])?;
        self.clip = Some(max);
        Ok(self)
    }

    /// Sets sequences that a search is to try first, such as answers to questions much like this one.
    ///
    /// # Example
    /// ```
    /// use sporadic::features::TabularPsi;
    /// use sporadic::model::gallery;
    /// use sporadic::oracles::{Beam, FeatureObjective, SequenceOracle};
    /// let psi = TabularPsi::new(gallery::river_balance::<f64>(6, 0.2, 0.9)?);
    /// let ask = |v| FeatureObjective::planning(&psi, 0, &[v; 6]);
    /// let (mut beam, before) = (Beam::new(2, 4), Beam::new(8, 40).maximize(&mut ask(5.0)?)?);
    /// let hinted = beam.maximize(&mut ask(5.1)?.with_hints([before.sequence]))?;
    /// assert!(hinted.value >= beam.maximize(&mut ask(5.1)?)?.value);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_hints(mut self, hints: impl IntoIterator<Item = ActionSequence>) -> Self {
        self.hints = hints.into_iter().collect();
        self
    }

    /// Moves to another state; tables that bounds are taken from stay.
    ///
    /// # Errors
    /// [`ObjectiveError::State`] if psi is not defined there.
    pub fn with_state(mut self, state: P::State) -> Result<Self, ObjectiveError> {
        check_state(self.psi, &state)?;
        self.state = state;
        self.bounds.leave_state();
        Ok(self)
    }

    fn clipped(&self, x: T) -> T {
        self.clip.map_or(x, |max| x.min(max))
    }

    fn bounds(&mut self) -> Option<&mut (dyn PrefixBounds<P::State> + 'a)> {
        self.bounds.at(&self.state, self.psi, STATES, || self.k.clone())
    }
}

impl<'a, T: Real, D: FeatureDim> FeatureObjective<'a, T, TabularPsi<T, D>> {
    /// The exact K(s, .) = R + PV of the model's own rewards, with values V after the next sighting.
    ///
    /// # Errors
    /// [`ObjectiveError`] if `s` is not a state or V is not one finite value per state.
    pub fn planning(psi: &'a TabularPsi<T, D>, s: usize, v: &[T]) -> Result<Self, ObjectiveError> {
        let model = psi.model();
        let (n, m) = (model.num_states(), model.num_actions());
        if v.len() != n {
            let (what, expected) = ("the list of values", format!("{n} x 1"));
            return Err(ObjectiveError::Shape { what, rows: v.len(), columns: 1, expected });
        }
        check_finite("a value", v.iter())?;
        let (d, rest) = (n * m, 1.0 - model.gamma().as_f64());
        // psi = 1/2 ((1 - gamma) o, gamma beta o) with the occupancy o.
        let w = DVector::from_fn(2 * d, |i, _| {
            let (s, a) = (i % d / m, i % m);
            if i < d {
                2.0 * model.reward(s, a).as_f64() / rest
            } else {
                2.0 * model.row(s, a).map(|(t, p)| p.as_f64() * v[t].as_f64()).sum::<f64>()
            }
        });
        Self::linear(psi, s, w)
    }

    /// Takes bounds from the state of `delay` actions ago, instead of as many as fit in 2^13 delayed
    /// states.
    pub fn with_delay(mut self, delay: usize) -> Self {
        let bounds = TabularBounds::new(self.psi, &self.k, STATES).with_delay(delay);
        self.bounds = LazyBounds::from(Box::new(bounds) as Box<dyn PrefixBounds<usize>>);
        self
    }
}

fn check_state<T: Real, P: SequenceFeatures<T>>(
    psi: &P,
    state: &P::State,
) -> Result<(), ObjectiveError> {
    psi.check_state(state).map_err(|fault| ObjectiveError::State(CustomError::new(fault)))
}

impl<T: Real, P> SequenceObjective<T> for FeatureObjective<'_, T, P>
where
    P: SequenceFeatures<T, State: Clone>,
{
    fn num_actions(&self) -> usize {
        self.psi.num_actions()
    }

    fn value(&mut self, seq: &ActionSequence) -> T {
        self.values(std::slice::from_ref(seq))[0]
    }

    /// psi of the whole family, then one matrix product in double precision.
    fn values(&mut self, seqs: &[ActionSequence]) -> Vec<T> {
        let psi = self.psi.batch(&self.state, seqs);
        let psi = DMatrix::from_fn(self.k.w.len(), seqs.len(), |i, j| psi[(i, j)].as_f64());
        let mut values = psi.tr_mul(&self.k.w);
        if let Some(bonus) = &mut self.bonus {
            if bonus.dim() <= FACTORED {
                bonus.prepare();
            }
            for (value, norm) in values.iter_mut().zip(bonus.norms(&psi)) {
                *value += bonus.rho * norm;
            }
        }
        values.iter().map(|&x| self.clipped(T::of(x))).collect()
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> T {
        let bound = self.bounds().map_or(f64::INFINITY, |bounds| bounds.upper_bound(prefix));
        self.clipped(T::at_least(bound))
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        self.bounds().map_or_else(|| hold(prefix), |bounds| bounds.suggest(prefix))
    }

    fn hints(&self) -> &[ActionSequence] {
        &self.hints
    }

    fn improve(&mut self, seq: &ActionSequence, size: (usize, usize)) -> Option<ActionSequence> {
        let psi = self.psi.psi(&self.state, seq);
        let psi = DVector::from_iterator(psi.len(), psi.iter().map(|x| x.as_f64()));
        self.psi.improve(&self.state, &self.k.tangent(&psi), seq, size)
    }
}
