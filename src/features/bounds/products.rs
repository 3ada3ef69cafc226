//! Bounds for psi made of action matrices.

use nalgebra::{DMatrix, DVector, Dim};

use super::{Bonus, Optimism, PrefixBounds};
use crate::Real;
use crate::dim::FeatureDim;
use crate::features::{Dynamics, FeatureMap, Psi};
use crate::model::Action;

/// Bounds on K(s, .) from the part of psi that a prefix decides.
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
/// This assumes `||phi(x)|| <= 1`, as exact dynamics grant; estimated ones may not.
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
#[derive(Debug)]
pub(in crate::features) struct ProductBounds<'a, T: Real, F: FeatureMap<T>> {
    psi: &'a Psi<T, F>,
    w: DVector<f64>,
    bonus: Option<Bonus>,
    /// The action matrices.
    matrices: Vec<DMatrix<f64>>,
    /// What a tail of weight 1 can add to K.
    rest: f64,
    /// What rounding can cost a bound.
    raise: f64,
    /// phi(s, a) of the state moved to, for each action.
    first: Vec<DVector<f64>>,
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

impl<'a, T: Real, F: FeatureMap<T, Dim: FeatureDim>> ProductBounds<'a, T, F> {
    pub(in crate::features) fn new(psi: &'a Psi<T, F>, k: &Optimism) -> Self {
        let dynamics = psi.dynamics();
        let d = dynamics.dim().value();
        let matrices: Vec<_> = (0..dynamics.num_actions())
            .map(|a| DMatrix::from_fn(d, d, |i, j| dynamics.matrix(a)[(i, j)].as_f64()))
            .collect();
        let (reward, continuation) = halves(dynamics);
        let linear = reward * k.w.rows(0, d).norm() + continuation * k.w.rows(d, d).norm();
        let largest = k.largest_bonus();
        let (bonus, slack) = match &k.bonus {
            None => (None, 0.0),
            Some((rho, g)) => {
                let roots: Vec<f64> = (0..2 * d).map(|i| g[(i, i)].sqrt()).collect();
                let mut bonus = Bonus::new(*rho, g.clone(), &roots);
                bonus.prepare();
                let squares = (0..2 * d).map(|i| bonus.slack(i) * bonus.slack(i));
                // The tail of psi has norm 1 at most, and so has the prefix.
                let slack = rho * 2.0 * squares.sum::<f64>().sqrt();
                (Some(bonus), slack)
            }
        };
        let root = Step { features: DVector::zeros(0), psi: DVector::zeros(2 * d), weight: 1.0 };
        Self {
            psi,
            bonus,
            rest: linear + reward.hypot(continuation) * largest,
            raise: margin(dynamics, &matrices) * (k.w.norm() + largest) + slack + f64::MIN_POSITIVE,
            w: k.w.clone(),
            matrices,
            first: Vec::new(),
            actions: Vec::new(),
            steps: vec![root],
        }
    }

    /// Where `step` leads by action `a`.
    fn after(&self, step: &Step, a: Action) -> Step {
        let (d, dynamics) = (self.w.len() / 2, self.psi.dynamics());
        let features = if step.features.is_empty() {
            self.first[a].clone()
        } else {
            self.matrices[a].tr_mul(&step.features)
        };
        let (gamma, beta) = (dynamics.gamma().as_f64(), dynamics.beta(a).as_f64());
        let mut psi = step.psi.clone();
        psi.rows_mut(0, d).axpy(0.5 * (1.0 - gamma) * step.weight, &features, 1.0);
        psi.rows_mut(d, d).axpy(0.5 * gamma * beta * step.weight, &features, 1.0);
        Step { features, psi, weight: step.weight * dynamics.blind_f64(a) }
    }
}

/// A bound on the norm of the rounding in psi of a prefix.
fn margin<T: Real, D: FeatureDim>(dynamics: &Dynamics<T, D>, matrices: &[DMatrix<f64>]) -> f64 {
    let (d, reach) = (dynamics.dim().value() as f64, reach(dynamics));
    let largest = matrices.iter().map(DMatrix::norm).fold(0.0, f64::max);
    16.0 * d * d.sqrt() * (largest + 8.0) * reach * reach * f64::EPSILON
}

/// The largest norms R and C of the halves of psi(x, .), with room for rounding in `T`.
fn halves<T: Real, D: FeatureDim>(dynamics: &Dynamics<T, D>) -> (f64, f64) {
    let gamma = dynamics.gamma().as_f64();
    let most = dynamics.betas().iter().map(|b| b.as_f64()).fold(0.0, f64::max);
    let room = 1.0 + 64.0 * reach(dynamics) * T::epsilon().as_f64();
    let reward = 0.5 * (1.0 - gamma) * reach(dynamics);
    (room * reward, room * 0.5 * gamma * most / (1.0 - gamma * (1.0 - most)))
}

/// N = 1 / (1 - gamma (1 - `beta_min`)).
fn reach<T: Real, D: FeatureDim>(dynamics: &Dynamics<T, D>) -> f64 {
    let blind = (0..dynamics.num_actions()).map(|a| dynamics.blind_f64(a));
    1.0 / (1.0 - blind.fold(0.0, f64::max))
}

impl<T: Real, F: FeatureMap<T, Dim: FeatureDim>> PrefixBounds<F::State>
    for ProductBounds<'_, T, F>
{
    fn move_to(&mut self, s: &F::State) {
        let d = self.w.len() / 2;
        let phi = |a| {
            let phi = self.psi.phi().phi(s, a);
            DVector::from_iterator(d, phi.iter().map(|x| x.as_f64()))
        };
        self.first = (0..self.matrices.len()).map(phi).collect();
        self.actions.clear();
        self.steps.truncate(1);
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> f64 {
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
        bound
    }
}
