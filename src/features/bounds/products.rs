//! Bounds for psi made of action matrices.

use nalgebra::{DMatrix, DVector, Dim};

use super::{Bonus, Optimism, PrefixBounds};
use crate::Real;
use crate::dim::FeatureDim;
use crate::features::{Dynamics, FeatureMap, Psi};
use crate::model::Action;
use crate::norms::{operator_norm, row_norm, to_f64};

/// Bounds on K(s, .) from the part of psi that a prefix decides.
///
/// After a prefix of weight c that leads to features v = phi(x), the tail adds c psi(x, tail). With sigma a bound on
/// the norms of all features that can follow x, its reward half has norm at most sigma R, with
/// R = (1 - gamma) / (2 (1 - gamma (1 - `beta_min`))), and its continuation half at most sigma C, with
/// C = gamma `beta_max` / (2 (1 - gamma (1 - `beta_max`))), where `beta_min` and `beta_max` are the extremes over all
/// actions and ages, so
///
/// ```text
/// <psi, w> <= <psi(prefix), w> + c sigma (R ||w_1|| + C ||w_2||)
/// ||psi||  <= ||psi(prefix)|| + c sigma sqrt(R^2 + C^2) sqrt(lambda_max)     in the Lambda^-1 norm
/// ```
///
/// # Norms of features
/// Features of exact dynamics are means of phi(s, a), so sigma = 1. That is taken for granted until features longer
/// than 1 are met; from then on no bound is given.
///
/// Estimated dynamics promise nothing. Let kappa be the largest norm of an action matrix that acts on the 1-norm, or
/// on the 2-norm. If it is at most 1, features never grow in that norm and sigma is the norm of v. If it is more, the
/// h-th action of the tail has features of norm at most kappa^h ||v||, and both halves follow by the geometric
/// series: R is (1 - gamma) kappa / 2 (1 - g kappa) and C is gamma `beta_max` kappa / 2 (1 - g kappa) with
/// g = gamma (1 - `beta_min`). If g kappa >= 1 in both norms, there is no bound.
///
/// # Rounding
/// With N = 1 / (1 - g max(kappa, 1)) and m the largest Frobenius norm of an action matrix, features
/// after h actions are off by h d^(3/2) m kappa^h eps in norm at most, since products of h action matrices have norm
/// sqrt(d) at most if they are exact, and sqrt(d) kappa^h if not. So psi of a prefix is off by
/// 16 d^(3/2) (m + 8) N^2 eps at most, and bounds are raised
/// by as much times `||w||` + rho sqrt(`lambda_max`), and by rho ||t|| ||psi|| for the bonus's own rounding t. In
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
    /// How long features can be that follow known ones.
    growth: Growth,
    /// What a tail of weight 1 can add to K, and to the norm of psi, for each unit of sigma.
    rest: f64,
    tail: f64,
    /// What rounding can cost a bound; and the bonus, for each unit of the norm of psi.
    raise: f64,
    slack: f64,
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

/// What is known of the norms of features.
#[derive(Debug, Clone, Copy)]
enum Growth {
    /// They are at most 1, and this much more by rounding, unless longer ones are met.
    Exact { longest: f64 },
    /// Action matrices lengthen them at most by `kappa` in the p-norm, p = 1 or 2.
    Bounded { kappa: f64, p: i32 },
    /// No bound on them is known.
    Unknown,
}

impl Growth {
    fn of<T: Real, F: FeatureMap<T, Dim: FeatureDim>>(
        psi: &Psi<T, F>,
        matrices: &[DMatrix<f64>],
        slowest: f64,
    ) -> Self {
        if !psi.is_estimated() {
            return Self::Exact { longest: 1.0 + 64.0 * T::epsilon().as_f64() / (1.0 - slowest) };
        }
        // Features are rows: the 1-norm grows by the largest sum of a row, the 2-norm by the operator norm.
        let norms: [(i32, fn(&DMatrix<f64>) -> f64); 2] = [(1, row_norm), (2, operator_norm)];
        // Rounding must not make a contraction of what is none.
        let room = 1.0 + 16.0 * matrices[0].nrows() as f64 * f64::EPSILON;
        norms
            .map(|(p, norm)| (room * matrices.iter().map(norm).fold(0.0, f64::max), p))
            .into_iter()
            .filter(|&(kappa, _)| slowest * kappa < 1.0)
            .min_by(|x, y| x.0.total_cmp(&y.0))
            .map_or(Self::Unknown, |(kappa, p)| Self::Bounded { kappa, p })
    }

    /// kappa, 1 if features do not grow.
    fn kappa(self) -> f64 {
        match self {
            Self::Bounded { kappa, .. } => kappa.max(1.0),
            Self::Exact { .. } | Self::Unknown => 1.0,
        }
    }

    /// sigma after these features; infinite if nothing is known.
    fn sigma(self, features: &DVector<f64>) -> f64 {
        match self {
            Self::Exact { longest } if features.norm() <= longest => longest,
            Self::Bounded { p, .. } => {
                let sum = || features.iter().map(|x| x.abs()).sum();
                let norm: f64 = if p == 1 { sum() } else { features.norm() };
                norm * (1.0 + features.len() as f64 * f64::EPSILON)
            }
            Self::Exact { .. } | Self::Unknown => f64::INFINITY,
        }
    }
}

impl<'a, T: Real, F: FeatureMap<T, Dim: FeatureDim>> ProductBounds<'a, T, F> {
    pub(in crate::features) fn new(psi: &'a Psi<T, F>, k: &Optimism) -> Self {
        let dynamics = psi.dynamics();
        let d = dynamics.dim().value();
        let matrices: Vec<_> =
            (0..dynamics.num_actions()).map(|a| to_f64(dynamics.matrix(a))).collect();
        let least = |a| dynamics.schedule().least(a).as_f64();
        let blind = |a| dynamics.gamma().as_f64() * (1.0 - least(a));
        let slowest = (0..matrices.len()).map(blind).fold(0.0, f64::max);
        let growth = Growth::of(psi, &matrices, slowest);
        let reach = 1.0 / (1.0 - slowest * growth.kappa());
        let (reward, continuation) = halves(dynamics, growth.kappa(), reach);
        let linear = reward * k.w.rows(0, d).norm() + continuation * k.w.rows(d, d).norm();
        let largest = k.largest_bonus();
        let (bonus, slack) = match &k.bonus {
            None => (None, 0.0),
            Some((rho, g)) => {
                let roots: Vec<f64> = (0..2 * d).map(|i| g[(i, i)].sqrt()).collect();
                let mut bonus = Bonus::new(*rho, g.clone(), &roots);
                bonus.prepare();
                let squares = (0..2 * d).map(|i| bonus.slack(i) * bonus.slack(i));
                let slack = rho * squares.sum::<f64>().sqrt();
                (Some(bonus), slack)
            }
        };
        let margin = {
            let (d, longest) = (d as f64, matrices.iter().map(DMatrix::norm).fold(0.0, f64::max));
            16.0 * d * d.sqrt() * (longest + 8.0) * reach * reach * f64::EPSILON
        };
        let tail = libm::hypot(reward, continuation);
        let root = Step { features: DVector::zeros(0), psi: DVector::zeros(2 * d), weight: 1.0 };
        Self {
            psi,
            bonus,
            growth,
            rest: linear + tail * largest,
            tail,
            raise: margin * (k.w.norm() + largest) + f64::MIN_POSITIVE,
            slack,
            w: k.w.clone(),
            matrices,
            first: Vec::new(),
            actions: Vec::new(),
            steps: vec![root],
        }
    }

    /// Where `step`, that of all actions so far, leads by action `a`.
    fn after(&self, step: &Step, a: Action) -> Step {
        let (d, dynamics) = (self.w.len() / 2, self.psi.dynamics());
        let features = if step.features.is_empty() {
            self.first[a].clone()
        } else {
            self.matrices[a].tr_mul(&step.features)
        };
        let age = self.actions.len() + 1;
        let (gamma, beta) = (dynamics.gamma().as_f64(), dynamics.beta_at(a, age).as_f64());
        let mut psi = step.psi.clone();
        psi.rows_mut(0, d).axpy(0.5 * (1.0 - gamma) * step.weight, &features, 1.0);
        psi.rows_mut(d, d).axpy(0.5 * gamma * beta * step.weight, &features, 1.0);
        Step { features, psi, weight: step.weight * dynamics.blind_f64(a, age) }
    }

    /// Takes nothing for granted any more if features of this norm are longer than exact ones can be.
    fn look_at(&mut self, norm: f64) {
        if let Growth::Exact { longest } = self.growth
            && norm > longest
        {
            self.growth = Growth::Unknown;
        }
    }
}

/// R and C, the largest norms of the halves of psi(x, .) for each unit of sigma.
fn halves<T: Real, D: FeatureDim>(dynamics: &Dynamics<T, D>, kappa: f64, reach: f64) -> (f64, f64) {
    let gamma = dynamics.gamma().as_f64();
    let all = (1..=dynamics.ages()).flat_map(|n| (0..dynamics.num_actions()).map(move |a| (a, n)));
    let most = all.map(|(a, n)| dynamics.beta_at(a, n).as_f64()).fold(0.0, f64::max);
    // Without growth, what is seen now is not seen later.
    let seen = if kappa > 1.0 { kappa * reach } else { 1.0 / (1.0 - gamma * (1.0 - most)) };
    (0.5 * (1.0 - gamma) * kappa * reach, 0.5 * gamma * most * seen)
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
        self.look_at(self.first.iter().map(DVector::norm).fold(0.0, f64::max));
        self.actions.clear();
        self.steps.truncate(1);
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> f64 {
        let shared = self.actions.iter().zip(prefix).take_while(|(a, b)| a == b).count();
        self.actions.truncate(shared);
        self.steps.truncate(shared + 1);
        for &a in &prefix[shared..] {
            let next = self.after(&self.steps[self.actions.len()], a);
            self.look_at(next.features.norm());
            self.steps.push(next);
            self.actions.push(a);
        }
        let Step { psi, weight, features } = &self.steps[prefix.len()];
        // Before the first action: that of any action, which then counts as part of the tail.
        let sigma = if prefix.is_empty() {
            self.first.iter().map(|phi| self.growth.sigma(phi)).fold(0.0, f64::max)
        } else {
            self.growth.sigma(features)
        };
        // Nothing follows a sure sighting, so nothing need be known of it.
        let sigma = if *weight > 0.0 { weight * sigma } else { 0.0 };
        if !sigma.is_finite() {
            return f64::INFINITY;
        }
        let norm = psi.norm() + sigma * self.tail;
        let mut bound = psi.dot(&self.w) + sigma * self.rest + self.raise + self.slack * norm;
        if let Some(bonus) = &self.bonus {
            let column = DMatrix::from_column_slice(psi.len(), 1, psi.as_slice());
            bound += bonus.rho * bonus.norms(&column)[0];
        }
        bound
    }
}
