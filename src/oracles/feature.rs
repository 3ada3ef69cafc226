//! K on any features, with bounds from norms.

use std::fmt;

use nalgebra::{DMatrix, DVector, OMatrix, OVector};

use super::bonus::Bonus;
use super::checks::{above, check_bonus, check_finite};
use super::{ObjectiveError, SequenceObjective};
use crate::Real;
use crate::dim::{Doubled, FeatureDim};
use crate::features::{FeatureMap, Psi, SequenceFeatures};
use crate::model::Action;
use crate::sequence::ActionSequence;

/// The optimistic K(s, .) of Algorithm 1 on any features:
/// `min { <psi(s, a), w> + rho ||psi(s, a)||_{Lambda^-1}, clip }`.
///
/// After a prefix of weight c the tail adds c psi(x, tail). Its reward half has norm at most
/// R = (1 - gamma) / (2 (1 - gamma (1 - `beta_min`))), its continuation half at most
/// C = gamma `beta_max` / (2 (1 - gamma (1 - `beta_max`))), so
///
/// ```text
/// <psi, w> <= <psi(prefix), w> + c (R ||w_1|| + C ||w_2||)
/// ||psi||  <= ||psi(prefix)|| + c sqrt(R^2 + C^2) sqrt(lambda_max)     in the Lambda^-1 norm
/// ```
///
/// This assumes `||phi(x)|| <= 1`, as exact dynamics grant; estimated ones may not. It knows nothing
/// of which tails can be reached, so it prunes little:
/// [`TabularObjective`](super::TabularObjective) does far better where it applies.
///
/// Bounds are computed in double precision, whatever `T` is, and raised by what rounding can cost them.
///
/// # Rounding
/// With N = 1 / (1 - gamma (1 - `beta_min`)) and m the largest Frobenius norm of an action matrix, features
/// after h actions are off by h d^(3/2) m eps in norm at most, since products of action matrices have norm
/// sqrt(d) at most. So psi of a prefix is off by 16 d^(3/2) (m + 8) N^2 eps at most, and bounds are raised
/// by as much times `||w||` + rho sqrt(`lambda_max`), and by rho ||t|| for the bonus's own rounding t. In
/// single precision `||phi(x)||` may exceed 1 by rounding: what a tail can add is taken larger by the factor
/// 1 + 64 N eps.
///
/// # Complexity
/// A bound: d^2 per action that was not in the last prefix, and 4 d^2 for the bonus.
///
/// # Example
/// ```
/// use nalgebra::{Const, SVector};
/// use sporadic::features::{Dynamics, OneHot, Psi};
/// use sporadic::model::gallery;
/// use sporadic::oracles::{Beam, FeatureObjective, SequenceOracle};
/// let swim = gallery::river_swim::<f64>(3, 0.5, 0.9)?;
/// let phi = OneHot::with_dim(3, 2, Const::<6>)?;
/// let psi = Psi::new(phi, Dynamics::one_hot(&swim, phi))?;
/// let mut k = FeatureObjective::new(&psi, 0, SVector::<f64, 12>::repeat(1.0))?;
/// let choice = Beam { width: 8, depth: 12 }.maximize(&mut k)?;
/// assert!(choice.gap() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FeatureObjective<'a, T: Real, D: FeatureDim, F: FeatureMap<T, D>> {
    psi: &'a Psi<T, D, F>,
    state: F::State,
    w: DVector<f64>,
    bonus: Option<Bonus>,
    clip: Option<T>,
    /// The action matrices.
    matrices: Vec<DMatrix<f64>>,
    /// What a tail of weight 1 can add to the objective.
    rest: f64,
    /// What rounding can cost a bound.
    raise: f64,
    /// The last prefix, and where it led: before each of its actions and after the last.
    actions: Vec<Action>,
    steps: Vec<Step>,
}

/// psi of a prefix, in double precision.
#[derive(Debug, Clone)]
struct Step {
    /// The features after the last action; empty before the first.
    features: DVector<f64>,
    psi: DVector<f64>,
    weight: f64,
}

impl<T: Real, D: FeatureDim, F: FeatureMap<T, D>> fmt::Debug for FeatureObjective<'_, T, D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeatureObjective")
            .field("w", &self.w)
            .field("bonus", &self.bonus.is_some())
            .field("clip", &self.clip)
            .finish_non_exhaustive()
    }
}

impl<'a, T: Real, D: FeatureDim, F: FeatureMap<T, D, State: Clone>> FeatureObjective<'a, T, D, F> {
    /// The linear objective <psi(s, .), w>.
    ///
    /// # Errors
    /// [`ObjectiveError`] if `w` has not 2d entries or one is not finite.
    #[allow(clippy::needless_pass_by_value)] // copied to double precision; the signature is older
    pub fn new(
        psi: &'a Psi<T, D, F>,
        s: F::State,
        w: OVector<T, Doubled<D>>,
    ) -> Result<Self, ObjectiveError> {
        let d = psi.dim().value();
        if w.len() != 2 * d {
            let (what, expected) = ("the weight vector", format!("{} x 1", 2 * d));
            return Err(ObjectiveError::Shape { what, rows: w.len(), columns: 1, expected });
        }
        check_finite("an entry of the weight vector", w.iter())?;
        let w = DVector::from_iterator(2 * d, w.iter().map(|x| x.as_f64()));
        let dynamics = psi.dynamics();
        let matrices: Vec<_> = (0..dynamics.num_actions())
            .map(|a| DMatrix::from_fn(d, d, |i, j| dynamics.matrix(a)[(i, j)].as_f64()))
            .collect();
        let (reward, continuation) = halves(psi);
        let rest = reward * w.rows(0, d).norm() + continuation * w.rows(d, d).norm();
        let root = Step { features: DVector::zeros(0), psi: DVector::zeros(2 * d), weight: 1.0 };
        let mut objective = Self {
            psi,
            state: s,
            bonus: None,
            clip: None,
            matrices,
            rest,
            raise: 0.0,
            actions: Vec::new(),
            steps: vec![root],
            w,
        };
        objective.raise = objective.margin() * objective.w.norm() + f64::MIN_POSITIVE;
        Ok(objective)
    }

    /// A bound on the norm of the rounding in psi of a prefix.
    fn margin(&self) -> f64 {
        let dynamics = self.psi.dynamics();
        let (d, reach) = (dynamics.dim().value() as f64, reach(self.psi));
        let largest = self.matrices.iter().map(DMatrix::norm).fold(0.0, f64::max);
        16.0 * d * d.sqrt() * (largest + 8.0) * reach * reach * f64::EPSILON
    }

    /// Adds rho ||psi||, in the norm of `inverse`, which is Lambda^-1: 2d x 2d, symmetric, positive
    /// semidefinite.
    ///
    /// # Errors
    /// [`ObjectiveError`] if rho is negative, or the matrix is not 2d x 2d, finite and symmetric.
    #[allow(clippy::needless_pass_by_value)] // as above
    pub fn with_bonus(
        mut self,
        rho: T,
        inverse: OMatrix<T, Doubled<D>, Doubled<D>>,
    ) -> Result<Self, ObjectiveError> {
        let size = self.w.len();
        check_bonus(rho, size, inverse.shape(), |i, j| inverse[(i, j)])?;
        let g = DMatrix::from_fn(size, size, |i, j| {
            0.5 * (inverse[(i, j)].as_f64() + inverse[(j, i)].as_f64())
        });
        // No eigenvalue is above the largest sum of a row, nor above the root of all squares.
        let row_sum = |i: usize| g.column(i).iter().map(|x| x.abs()).sum();
        let row_sum = (0..size).map(row_sum).fold(0.0, f64::max);
        let largest = (row_sum.min(g.norm()) * (1.0 + 4.0 * size as f64 * f64::EPSILON)).sqrt();
        let roots: Vec<f64> = (0..size).map(|i| g[(i, i)].sqrt()).collect();
        let rho = rho.as_f64();
        let mut bonus = Bonus::new(rho, g, &roots);
        bonus.prepare();
        let slack = (0..size).map(|i| bonus.slack(i) * bonus.slack(i)).sum::<f64>().sqrt();
        let (reward, continuation) = halves(self.psi);
        let linear = reward * self.w.rows(0, size / 2).norm()
            + continuation * self.w.rows(size / 2, size / 2).norm();
        self.rest = linear + rho * reward.hypot(continuation) * largest;
        self.raise = self.margin() * (self.w.norm() + rho * largest)
            // The tail of psi has norm 1 at most, and so has the prefix.
            + rho * 2.0 * slack
            + f64::MIN_POSITIVE;
        self.bonus = Some(bonus);
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

    fn clipped(&self, x: T) -> T {
        self.clip.map_or(x, |max| x.min(max))
    }
}

/// The largest norms R and C of the halves of psi(x, .), with room for rounding in `T`.
fn halves<T: Real, D: FeatureDim, F: FeatureMap<T, D>>(psi: &Psi<T, D, F>) -> (f64, f64) {
    let gamma = psi.dynamics().gamma().as_f64();
    let betas = || psi.dynamics().betas().iter().map(|b| b.as_f64());
    let most = betas().fold(0.0, f64::max);
    let room = 1.0 + 64.0 * reach(psi) * T::epsilon().as_f64();
    let reward = 0.5 * (1.0 - gamma) * reach(psi);
    (room * reward, room * 0.5 * gamma * most / (1.0 - gamma * (1.0 - most)))
}

/// N = 1 / (1 - gamma (1 - `beta_min`)).
fn reach<T: Real, D: FeatureDim, F: FeatureMap<T, D>>(psi: &Psi<T, D, F>) -> f64 {
    let least = psi.dynamics().betas().iter().map(|b| b.as_f64()).fold(1.0, f64::min);
    1.0 / (1.0 - psi.dynamics().gamma().as_f64() * (1.0 - least))
}

impl<T: Real, D: FeatureDim, F: FeatureMap<T, D, State: Clone>> FeatureObjective<'_, T, D, F> {
    /// Where the last of `steps` leads by action `a`.
    fn after(&self, step: &Step, a: Action) -> Step {
        let d = self.w.len() / 2;
        let dynamics = self.psi.dynamics();
        let features = if step.features.is_empty() {
            let phi = self.psi.phi().phi(&self.state, a);
            DVector::from_iterator(d, phi.iter().map(|x| x.as_f64()))
        } else {
            self.matrices[a].tr_mul(&step.features)
        };
        let (gamma, beta) = (dynamics.gamma().as_f64(), dynamics.beta(a).as_f64());
        let mut psi = step.psi.clone();
        psi.rows_mut(0, d).axpy(0.5 * (1.0 - gamma) * step.weight, &features, 1.0);
        psi.rows_mut(d, d).axpy(0.5 * gamma * beta * step.weight, &features, 1.0);
        Step { features, psi, weight: step.weight * gamma * (1.0 - beta) }
    }
}

impl<T: Real, D: FeatureDim, F: FeatureMap<T, D, State: Clone>> SequenceObjective<T>
    for FeatureObjective<'_, T, D, F>
{
    fn num_actions(&self) -> usize {
        self.psi.dynamics().num_actions()
    }

    fn value(&mut self, seq: &ActionSequence) -> T {
        self.values(std::slice::from_ref(seq))[0]
    }

    /// psi of the whole family, then one matrix product in double precision.
    fn values(&mut self, seqs: &[ActionSequence]) -> Vec<T> {
        let psi = self.psi.batch(&self.state, seqs);
        let psi = DMatrix::from_fn(self.w.len(), seqs.len(), |i, j| psi[(i, j)].as_f64());
        let mut values = psi.tr_mul(&self.w);
        if let Some(bonus) = &self.bonus {
            for (value, norm) in values.iter_mut().zip(bonus.norms(&psi)) {
                *value += bonus.rho * norm;
            }
        }
        values.iter().map(|&x| self.clipped(T::of(x))).collect()
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> T {
        let shared = self.actions.iter().zip(prefix).take_while(|(a, b)| a == b).count();
        self.actions.truncate(shared);
        self.steps.truncate(shared + 1);
        for &a in &prefix[shared..] {
            let next = self.after(&self.steps[self.actions.len()], a);
            self.steps.push(next);
            self.actions.push(a);
        }
        let Step { psi, weight, .. } = &self.steps[prefix.len()];
        let mut bound = psi.dot(&self.w) + weight * self.rest + self.raise;
        if let Some(bonus) = &self.bonus {
            let column = DMatrix::from_column_slice(psi.len(), 1, psi.as_slice());
            bound += bonus.rho * bonus.norms(&column)[0];
        }
        self.clipped(above(bound))
    }
}
