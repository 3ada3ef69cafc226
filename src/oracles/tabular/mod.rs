//! K on tabular models, with bounds that prune.

mod bounds;
mod delayed;
mod lifted;
mod path;

use nalgebra::{DMatrix, DVector, OMatrix, OVector};

use self::bounds::Bounds;
use self::lifted::Lifted;
use super::bonus::Bonus;
use super::checks::{above, check_bonus, check_finite};
use super::{ObjectiveError, SequenceObjective};
use crate::Real;
use crate::dim::{Doubled, FeatureDim};
use crate::features::{SequenceFeatures, TabularPsi};
use crate::model::Action;
use crate::sequence::ActionSequence;

/// The optimistic K(s, .) of Algorithm 1 on a tabular model in one-hot features:
/// `min { <psi(s, a), w> + rho ||psi(s, a)||_{Lambda^-1}, clip }`.
///
/// In one-hot features psi is a linear function of the discounted occupancy o(s', a) >= 0, so the
/// objective is `<c, o> + rho sqrt(o^T G o)` with d numbers `c` and a d x d matrix G. Its bounds are
/// those of a player who is told, always, the state of k actions ago: an MDP with |S| A^k states,
/// solved at the first call of [`upper_bound`](SequenceObjective::upper_bound) or
/// [`suggest`](SequenceObjective::suggest) for c and for each axis of G. A larger delay k gives
/// smaller bounds.
///
/// Values and bounds are computed in double precision, whatever `T` is, and bounds are raised by what
/// rounding can cost them: no sequence has a value above them, in exact arithmetic.
///
/// # Complexity
/// [`values`](SequenceObjective::values): psi of the family and one product of a d x d matrix with a
/// d x n one. The tables: sweeps over |S| A^k (2d + 1) numbers. Then a bound costs (2d + 1) |S|
/// operations per anchor and one push-forward per action that was not in the last prefix.
///
/// # Example
/// ```
/// use nalgebra::{DMatrix, DVector};
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::oracles::{BranchAndBound, SequenceOracle, TabularObjective};
/// let psi = TabularPsi::new(gallery::river_swim::<f64>(3, 0.5, 0.9)?);
/// let w = DVector::from_element(12, 1.0);
/// let inverse = DMatrix::identity(12, 12) * 0.1; // Lambda^-1
/// let mut k = TabularObjective::new(&psi, 0, &w)?.with_bonus(2.0, &inverse)?.with_clip(10.0)?;
/// let choice = BranchAndBound::new(0.01).maximize(&mut k)?;
/// assert!(choice.gap() <= 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TabularObjective<'a, T: Real, D: FeatureDim> {
    psi: &'a TabularPsi<T, D>,
    state: usize,
    /// <psi, w> = <c, o>.
    c: Vec<f64>,
    /// rho and G: the squared norm of psi is `o^T G o`.
    bonus: Option<Bonus>,
    clip: Option<T>,
    delay: Option<usize>,
    bounds: Option<Bounds>,
}

/// The most delayed states, and numbers in a table of all functions, unless a delay is given.
const STATES: usize = 1 << 13;
const NUMBERS: usize = 1 << 19;
const LONGEST_DELAY: usize = 12;

impl<'a, T: Real, D: FeatureDim> TabularObjective<'a, T, D> {
    /// The linear objective <psi(s, .), w>.
    ///
    /// # Errors
    /// [`ObjectiveError`] if `s` is not a state, `w` has not 2d entries or one is not finite.
    pub fn new(
        psi: &'a TabularPsi<T, D>,
        s: usize,
        w: &OVector<T, Doubled<D>>,
    ) -> Result<Self, ObjectiveError> {
        let d = psi.dim().value();
        if w.len() != 2 * d {
            let (what, expected) = ("the weight vector", format!("{} x 1", 2 * d));
            return Err(ObjectiveError::Shape { what, rows: w.len(), columns: 1, expected });
        }
        check_finite("an entry of the weight vector", w.iter())?;
        let scales = Scales::of(psi);
        let w = |i: usize| w[i].as_f64();
        let c = (0..d).map(|i| scales.reward * w(i) + scales.continuation(i) * w(d + i)).collect();
        Self::from_coefficients(psi, s, c)
    }

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
        let mut c = vec![0.0; n * m];
        for (i, c) in c.iter_mut().enumerate() {
            let (s, a) = (i / m, i % m);
            let next: f64 = model.row(s, a).map(|(t, p)| p.as_f64() * v[t].as_f64()).sum();
            let seen = model.gamma().as_f64() * model.beta(a).as_f64();
            *c = model.reward(s, a).as_f64() + seen * next;
        }
        Self::from_coefficients(psi, s, c)
    }

    fn from_coefficients(
        psi: &'a TabularPsi<T, D>,
        state: usize,
        c: Vec<f64>,
    ) -> Result<Self, ObjectiveError> {
        let num_states = psi.model().num_states();
        if state >= num_states {
            return Err(ObjectiveError::State { state, num_states });
        }
        Ok(Self { psi, state, c, bonus: None, clip: None, delay: None, bounds: None })
    }

    /// Adds rho ||psi||, in the norm of `inverse`, which is Lambda^-1: 2d x 2d, symmetric, positive
    /// semidefinite.
    ///
    /// # Errors
    /// [`ObjectiveError`] if rho is negative, or the matrix is not 2d x 2d, finite and symmetric.
    pub fn with_bonus(
        mut self,
        rho: T,
        inverse: &OMatrix<T, Doubled<D>, Doubled<D>>,
    ) -> Result<Self, ObjectiveError> {
        let d = self.psi.dim().value();
        check_bonus(rho, 2 * d, inverse.shape(), |i, j| inverse[(i, j)])?;
        let scales = Scales::of(self.psi);
        let g = DMatrix::from_fn(d, d, |i, j| {
            let (x, y) = (scales.continuation(i), scales.continuation(j));
            // Symmetric to the last bit, whatever `inverse` is.
            let entry = |i, j| 0.5 * (inverse[(i, j)].as_f64() + inverse[(j, i)].as_f64());
            scales.reward * scales.reward * entry(i, j)
                + scales.reward * (y * entry(i, d + j) + x * entry(d + i, j))
                + x * y * entry(d + i, d + j)
        });
        let root = |i: usize| inverse[(i, i)].as_f64().sqrt();
        let terms: Vec<f64> = (0..d)
            .map(|i| scales.reward * root(i) + scales.continuation(i) * root(d + i))
            .collect();
        self.bonus = (rho > T::zero()).then(|| Bonus::new(rho.as_f64(), g, &terms));
        self.bounds = None;
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

    /// Takes bounds from the state of `delay` actions ago, instead of as many as fit in 2^13 delayed
    /// states.
    pub fn with_delay(mut self, delay: usize) -> Self {
        self.delay = Some(delay);
        self.bounds = None;
        self
    }

    /// The same objective at another state; the tables stay.
    ///
    /// # Errors
    /// [`ObjectiveError::State`] if it is not a state.
    pub fn with_state(mut self, state: usize) -> Result<Self, ObjectiveError> {
        self.move_to(state)?;
        Ok(self)
    }

    pub(crate) fn move_to(&mut self, state: usize) -> Result<(), ObjectiveError> {
        let model = self.psi.model();
        if state >= model.num_states() {
            return Err(ObjectiveError::State { state, num_states: model.num_states() });
        }
        self.state = state;
        if let Some(bounds) = &mut self.bounds {
            bounds.restart(state);
        }
        Ok(())
    }

    fn clipped(&self, x: T) -> T {
        self.clip.map_or(x, |max| x.min(max))
    }

    /// The tables, made at the first call.
    fn bounds(&mut self) -> &mut Bounds {
        let Self { psi, state, c, bonus, delay, bounds, .. } = self;
        bounds.get_or_insert_with(|| {
            let model = Lifted::new(psi.model());
            let (n, m) = (model.num_states(), model.num_actions());
            let (mut c, mut f, mut rho) = (c.clone(), Vec::new(), 0.0);
            if let Some(bonus) = bonus {
                let small = is_small(n, c.len());
                if small {
                    (f, rho) = (bonus.axes(), bonus.rho);
                }
                for (i, x) in c.iter_mut().enumerate() {
                    // What the axes leave out; or, where a table per axis would be too large, the
                    // whole bonus by the triangle inequality, visit by visit.
                    let unit = if small { 0.0 } else { bonus.unit(i) };
                    *x += bonus.rho * (unit + bonus.slack(i));
                }
            }
            let width = 1 + 2 * f.len() / c.len();
            let fits = |k: u32| {
                m.checked_pow(k)
                    .and_then(|words| words.checked_mul(n))
                    .is_some_and(|states| states <= STATES && states * m * width <= NUMBERS)
            };
            let longest =
                (1..=LONGEST_DELAY).take_while(|&k| u32::try_from(k).is_ok_and(fits)).count();
            Bounds::new(model, &c, &f, rho, delay.unwrap_or(longest), *state)
        })
    }
}

/// Whether there is room for a table per axis of the bonus, and time to find the axes.
fn is_small(num_states: usize, d: usize) -> bool {
    num_states * (2 * d + 1) <= NUMBERS
}

/// psi = (reward o, continuation(a) o), in double precision.
struct Scales {
    reward: f64,
    continuation: Vec<f64>,
}

impl Scales {
    fn of<T: Real, D: FeatureDim>(psi: &TabularPsi<T, D>) -> Self {
        let gamma = psi.model().gamma().as_f64();
        Self {
            reward: 0.5 * (1.0 - gamma),
            continuation: psi.model().betas().iter().map(|b| 0.5 * gamma * b.as_f64()).collect(),
        }
    }

    fn continuation(&self, i: usize) -> f64 {
        self.continuation[i % self.continuation.len()]
    }
}

impl<T: Real, D: FeatureDim> SequenceObjective<T> for TabularObjective<'_, T, D> {
    fn num_actions(&self) -> usize {
        self.psi.model().num_actions()
    }

    fn value(&mut self, seq: &ActionSequence) -> T {
        self.values(std::slice::from_ref(seq))[0]
    }

    /// psi of the whole family, then one matrix product in double precision.
    fn values(&mut self, seqs: &[ActionSequence]) -> Vec<T> {
        let d = self.c.len();
        let psi = self.psi.batch(&self.state, seqs);
        // The reward half is the occupancy up to a factor: the one that psi was scaled by.
        let reward = T::of(0.5) * (T::one() - self.psi.model().gamma());
        let scale = 1.0 / reward.as_f64();
        let occupancy = DMatrix::from_fn(d, seqs.len(), |i, j| psi[(i, j)].as_f64() * scale);
        let mut values = occupancy.tr_mul(&DVector::from_column_slice(&self.c));
        if let Some(bonus) = &mut self.bonus {
            if is_small(self.psi.model().num_states(), d) {
                bonus.prepare();
            }
            for (value, norm) in values.iter_mut().zip(bonus.norms(&occupancy)) {
                *value += bonus.rho * norm;
            }
        }
        values.iter().map(|&x| self.clipped(T::of(x))).collect()
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> T {
        let bound = self.bounds().upper_bound(prefix);
        self.clipped(above(bound))
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        self.bounds().suggest(prefix)
    }
}
