//! K on any features, with bounds from norms.

use std::fmt;

use nalgebra::{OMatrix, OVector};

use super::checks::{check_bonus, check_finite};
use super::{ObjectiveError, SequenceObjective};
use crate::Real;
use crate::dim::{Doubled, FeatureDim};
use crate::features::{Cursor, FeatureMap, Psi, SequenceFeatures};
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
    w: OVector<T, Doubled<D>>,
    bonus: Option<Bonus<T, D>>,
    clip: Option<T>,
    /// What a tail of weight 1 can add to <psi, w>.
    rest: T,
    /// The last prefix, and the cursor before each of its actions and after the last.
    actions: Vec<Action>,
    cursors: Vec<Cursor<'a, T, D, F>>,
}

struct Bonus<T: Real, D: FeatureDim> {
    rho: T,
    inverse: OMatrix<T, Doubled<D>, Doubled<D>>,
    /// What a tail of weight 1 can add to the norm.
    rest: T,
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
        let (reward, continuation) = halves(psi);
        let norm = |half: &[T]| half.iter().fold(T::zero(), |sum, &x| sum + x * x).sqrt();
        let rest = reward * norm(&w.as_slice()[..d]) + continuation * norm(&w.as_slice()[d..]);
        let cursors = vec![psi.cursor(s.clone())];
        Ok(Self { psi, state: s, w, bonus: None, clip: None, rest, actions: Vec::new(), cursors })
    }

    /// Adds rho ||psi||, in the norm of `inverse`, which is Lambda^-1: 2d x 2d, symmetric, positive
    /// semidefinite.
    ///
    /// # Errors
    /// [`ObjectiveError`] if rho is negative, or the matrix is not 2d x 2d, finite and symmetric.
    pub fn with_bonus(
        mut self,
        rho: T,
        inverse: OMatrix<T, Doubled<D>, Doubled<D>>,
    ) -> Result<Self, ObjectiveError> {
        check_bonus(rho, self.w.len(), inverse.shape(), |i, j| inverse[(i, j)])?;
        // No eigenvalue is above the largest sum of a row, nor above the root of all squares.
        let row_sum = |i| inverse.row(i).iter().fold(T::zero(), |sum, x| sum + x.abs());
        let largest = (0..inverse.nrows()).map(row_sum).fold(T::zero(), T::max);
        let (reward, continuation) = halves(self.psi);
        let radius = (reward * reward + continuation * continuation).sqrt();
        let rest = radius * largest.min(inverse.norm()).sqrt();
        self.bonus = Some(Bonus { rho, inverse, rest });
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

/// The largest norms R and C of the halves of psi(x, .).
fn halves<T: Real, D: FeatureDim, F: FeatureMap<T, D>>(psi: &Psi<T, D, F>) -> (T, T) {
    let (dynamics, half) = (psi.dynamics(), T::of(0.5));
    let gamma = dynamics.gamma();
    let (least, most) = dynamics
        .betas()
        .iter()
        .fold((T::one(), T::zero()), |(least, most), &b| (least.min(b), most.max(b)));
    let blind = |beta: T| T::one() - gamma * (T::one() - beta);
    (half * (T::one() - gamma) / blind(least), half * gamma * most / blind(most))
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

    /// psi of the whole family, then one matrix product.
    fn values(&mut self, seqs: &[ActionSequence]) -> Vec<T> {
        let psi = self.psi.batch(&self.state, seqs);
        let bonus = self.bonus.as_ref().map(|bonus| (bonus.rho, &bonus.inverse * &psi));
        (0..seqs.len())
            .map(|j| {
                let column = psi.column(j);
                let linear = column.dot(&self.w);
                self.clipped(bonus.as_ref().map_or(linear, |(rho, product)| {
                    linear + *rho * column.dot(&product.column(j)).max(T::zero()).sqrt()
                }))
            })
            .collect()
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> T {
        let shared = self.actions.iter().zip(prefix).take_while(|(a, b)| a == b).count();
        self.actions.truncate(shared);
        self.cursors.truncate(shared + 1);
        for &a in &prefix[shared..] {
            let mut next = self.cursors[self.actions.len()].clone();
            next.push(a);
            self.cursors.push(next);
            self.actions.push(a);
        }
        let cursor = &self.cursors[prefix.len()];
        let (psi, weight) = (cursor.psi(), cursor.weight());
        let mut bound = psi.dot(&self.w) + weight * self.rest;
        if let Some(bonus) = &self.bonus {
            let square = psi.dot(&(&bonus.inverse * &psi)).max(T::zero());
            bound += bonus.rho * (square.sqrt() + weight * bonus.rest);
        }
        self.clipped(bound + bound.abs() * T::of(64.0) * T::epsilon())
    }
}
