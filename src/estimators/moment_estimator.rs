//! Action matrices from segments of all lengths, by regression on predicted features.

use nalgebra::{DMatrix, Dim as _, OMatrix};

use super::moment_regression::{least, predict, regress, shrink};
use super::observed::{check_gamma, check_ridge};
use super::reveals::by_action;
use super::{
    BoundKind, ErrorBounds, EstimateError, Estimator, PsiEstimator, Reveals, Transition, plug_in,
};
use crate::dim::{Dimensional, FeatureDim};
use crate::features::{Dynamics, FeatureMap, Psi};
use crate::model::{Action, Reveal};
use crate::{Fault, Real};

/// An estimator of the action matrices of a linear MDP from segments (s, `a_1` .. `a_n`, s') of every length, through moments of phi.
///
/// For every action b, E[phi(s', b)^T | s, `a_1` .. `a_n`] = x^T `M_b` with the features x^T = phi(s, `a_1`)^T `M_a2` ... `M_an` of the last
/// augmented state. Where n = 1, x is known, and this is the regression of [`RidgeEstimator`](super::RidgeEstimator). For longer
/// segments x is predicted by the estimate before, and all segments are regressed on together,
///
/// ```text
/// M-hat_b = (sum of x x^T + lambda I)^-1 (sum of x phi(s', b)^T),
/// ```
///
/// a few times over ([`with_rounds`](Self::with_rounds)). The true matrices are a fixed point of this in the limit of many segments; that it is
/// reached has not been proved, and there is no error bound. So is zero: it starts from the segments of one action, and where
/// there are none, because the state is never seen right after a sighting, it learns nothing.
///
/// If psi diverges under the estimate, which is then too large, all matrices are divided by what makes it converge.
///
/// Reveal probabilities are empirical means, per age of the last sighting if [told](Self::with_ages) that they depend on it. No
/// regression above knows them.
///
/// # Complexity
/// All segments are kept. Each round costs d^2 (n + |A|) multiplications for a segment of n actions.
///
/// # Example
/// ```
/// use sporadic::estimators::{Estimator, MomentEstimator};
/// use sporadic::features::OneHot;
/// // Two states that are swapped by action 0, which never reveals; action 1 stays, and reveals.
/// let mut moments = MomentEstimator::<f64, _>::new(OneHot::new(2, 2), 2, 0.9)?;
/// for s in 0..2 {
///     for _ in 0..1_000 {
///         moments.observe_segment(&s, &[1], Some(&s));
///         moments.observe_segment(&s, &[0, 1], Some(&(1 - s)));
///     }
/// }
/// // From (0, stay) to (0, stay), seen in segments of one action.
/// assert!(moments.estimate()?.matrix(1)[(1, 1)] > 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MomentEstimator<T: Real, F: FeatureMap<T>> {
    phi: F,
    gamma: T,
    dim: usize,
    settings: Settings,
    reveals: Reveals<T>,
    segments: Vec<Known<F::State>>,
    fitted: Fitted<T>,
    fault: Option<EstimateError>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Settings {
    ridge: f64,
    rounds: usize,
    longest: usize,
}

/// A segment that ended in a sighting.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Known<S> {
    start: S,
    actions: Vec<Action>,
    next: S,
}

/// The last estimate: from how many segments, and what.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Fitted<T> {
    segments: usize,
    /// M-hat of every action, column by column.
    matrices: Vec<Vec<f64>>,
    /// The reveal probabilities, of each pair of an age n and an action a, at `(n - 1) |A| + a`.
    beta: Vec<T>,
}

/// What a [`MomentEstimator`] on states `S` has learnt, as plain data.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(deserialize = "T: Real + serde::Deserialize<'de>, S: serde::Deserialize<'de>"))
)]
pub struct MomentEstimatorState<T, S> {
    settings: Settings,
    reveals: Reveals<T>,
    segments: Vec<Known<S>>,
    fitted: Fitted<T>,
}

impl<T: Real, F: FeatureMap<T>> MomentEstimator<T, F> {
    /// An estimator in features `phi` for this many actions and discount factor that has seen nothing.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if there is no action or gamma is not in (0, 1).
    pub fn new(phi: F, num_actions: usize, gamma: T) -> Result<Self, EstimateError> {
        check_gamma(gamma.as_f64(), num_actions)?;
        let (dim, reveals) = (phi.dim().value(), Reveals::new(num_actions));
        let settings = Settings { ridge: 1.0, rounds: 3, longest: 64 };
        let matrices = vec![vec![0.0; dim * dim]; num_actions];
        let fitted = Fitted { segments: 0, matrices, beta: reveals.estimates() };
        let segments = Vec::new();
        Ok(Self { phi, gamma, dim, settings, reveals, segments, fitted, fault: None })
    }

    /// Sets the ridge lambda, which is 1 otherwise.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if it is negative or not finite.
    pub fn with_ridge(mut self, lambda: f64) -> Result<Self, EstimateError> {
        self.settings.ridge = check_ridge(lambda)?;
        Ok(self)
    }

    /// Sets how often the regression is repeated with the features that it predicts: 3 unless set; 0 learns from segments of
    /// one action only.
    pub fn with_rounds(mut self, rounds: usize) -> Self {
        self.settings.rounds = rounds;
        self
    }

    /// Sets how many actions a segment may have to be learnt from, which is 64 otherwise. Longer ones tell of reveal probabilities only.
    pub fn with_longest(mut self, longest: usize) -> Self {
        self.settings.longest = longest;
        self
    }

    /// Estimates reveal probabilities per age, which do not change from the age `ages` on; see [`Reveals::with_ages`]. To be
    /// set before anything is observed.
    pub fn with_ages(mut self, ages: usize) -> Self {
        self.set_reveals(self.reveals.clone().with_ages(ages));
        self
    }

    /// Declares the reveal probabilities of all actions at all ages known: they are not estimated.
    ///
    /// # Errors
    /// [`EstimateError`] if they are not probabilities, one [`Reveal`] per action.
    pub fn with_known_reveals(mut self, reveals: &[Reveal<T>]) -> Result<Self, EstimateError> {
        self.set_reveals(self.reveals.clone().with_known_reveals(reveals)?);
        Ok(self)
    }

    /// Declares the reveal probabilities known: they are not estimated.
    ///
    /// # Errors
    /// [`EstimateError`] if they are not probabilities, one per action.
    pub fn with_known_beta(mut self, beta: Vec<T>) -> Result<Self, EstimateError> {
        self.set_reveals(self.reveals.clone().with_known(beta)?);
        Ok(self)
    }

    fn set_reveals(&mut self, reveals: Reveals<T>) {
        self.fitted.beta = reveals.estimates();
        self.reveals = reveals;
    }

    /// The features phi.
    pub fn phi(&self) -> &F {
        &self.phi
    }

    fn num_actions(&self) -> usize {
        self.reveals.num_actions()
    }

    fn learn_segment(&mut self, start: &F::State, actions: &[Action], next: &F::State)
    where
        F::State: Clone,
    {
        let known = actions.iter().all(|&a| a < self.num_actions());
        if known && actions.len() <= self.settings.longest {
            let (start, next, actions) = (start.clone(), next.clone(), actions.to_vec());
            self.segments.push(Known { start, actions, next });
        }
    }

    /// The features of the segments: phi(s, a_1) as columns, and phi(s', b) of all b below each other.
    fn features(&self) -> Result<(DMatrix<f64>, DMatrix<f64>), EstimateError> {
        let (d, m) = (self.dim, self.num_actions());
        let mut first = DMatrix::zeros(d, self.segments.len());
        let mut last = DMatrix::zeros(d * m, self.segments.len());
        for (i, segment) in self.segments.iter().enumerate() {
            let starts = self.phi.phi(&segment.start, segment.actions[0]);
            first.column_mut(i).iter_mut().zip(starts.iter()).for_each(|(to, x)| *to = x.as_f64());
            for (b, part) in (0..m).zip(last.column_mut(i).as_mut_slice().chunks_exact_mut(d)) {
                let ends = self.phi.phi(&segment.next, b);
                part.iter_mut().zip(ends.iter()).for_each(|(to, x)| *to = x.as_f64());
            }
            // Squares are added up.
            let bad = |x: &f64| x.is_nan() || x.abs() >= 1e150;
            let (starts, ends) = (first.column(i), last.column(i));
            if let Some((at, &value)) = starts.iter().chain(&ends).enumerate().find(|(_, x)| bad(x))
            {
                let features =
                    if at < d { "phi(s, a)".into() } else { format!("phi(s', {})", at / d - 1) };
                let (sample, coordinate) = (i as u64, at % d);
                return Err(EstimateError::Feature { sample, features, coordinate, value });
            }
        }
        Ok((first, last))
    }

    /// Fits the matrices to all segments.
    fn fit(&mut self) -> Result<(), EstimateError> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let (first, last) = self.features()?;
        // The matrices of an MDP keep psi bounded whatever reveal probabilities are, so also at the least ones.
        let beta: Vec<f64> = self.reveals.estimate().iter().map(|reveal| least(reveal)).collect();
        let mut x = first.clone();
        for (i, segment) in self.segments.iter().enumerate() {
            // Of these nothing is known yet: they add nothing.
            if segment.actions.len() > 1 {
                x.column_mut(i).fill(0.0);
            }
        }
        let mut matrices = regress(&x, &last, self.settings.ridge)?;
        for _ in 0..self.settings.rounds {
            shrink(&mut matrices, &beta, self.gamma.as_f64());
            let actions = self.segments.iter().map(|segment| &*segment.actions);
            predict(actions, &first, &matrices, &mut x);
            matrices = regress(&x, &last, self.settings.ridge)?;
        }
        shrink(&mut matrices, &beta, self.gamma.as_f64());
        let matrices = matrices.iter().map(|m| m.as_slice().to_vec()).collect();
        let (segments, beta) = (self.segments.len(), self.reveals.estimates());
        self.fitted = Fitted { segments, matrices, beta };
        Ok(())
    }

    fn dynamics(&self) -> Result<Dynamics<T, F::Dim>, EstimateError> {
        let dim = self.phi.dim();
        let matrix =
            |m: &Vec<f64>| OMatrix::from_fn_generic(dim, dim, |i, j| T::of(m[j * self.dim + i]));
        let matrices = self.fitted.matrices.iter().map(matrix).collect();
        let reveals = by_action(&self.fitted.beta, self.num_actions());
        Ok(Dynamics::with_reveals(matrices, reveals, self.gamma)?)
    }
}

impl<T: Real, F: FeatureMap<T>> Dimensional for MomentEstimator<T, F> {
    type Dim = F::Dim;

    fn dim(&self) -> F::Dim {
        self.phi.dim()
    }
}

impl<T, F> Estimator<T> for MomentEstimator<T, F>
where
    T: Real,
    F: FeatureMap<T, State: Clone> + Clone,
{
    type State = F::State;

    fn observe(&mut self, t: &Transition<F::State>) {
        self.observe_at(t, 1);
    }

    fn observe_at(&mut self, t: &Transition<F::State>, age: usize) {
        self.observe_reveal_at(t.action, age, t.burst);
        self.learn_segment(&t.state, &[t.action], &t.next);
    }

    fn observe_reveal(&mut self, a: Action, burst: bool) {
        self.observe_reveal_at(a, 1, burst);
    }

    fn observe_reveal_at(&mut self, a: Action, age: usize, burst: bool) {
        if !self.reveals.observe_at(a, age, burst) {
            let (sample, num_actions) = (self.segments.len() as u64, self.num_actions());
            self.fault.get_or_insert(EstimateError::Action { sample, action: a, num_actions });
        }
    }

    /// Learns from the whole segment, however many actions it has.
    fn observe_segment(&mut self, start: &F::State, actions: &[Action], next: Option<&F::State>) {
        let Some((&last, before)) = actions.split_last() else { return };
        for (&a, age) in before.iter().zip(1..) {
            self.observe_reveal_at(a, age, false);
        }
        if let Some(next) = next {
            self.observe_reveal_at(last, actions.len(), true);
            self.learn_segment(start, actions, next);
        }
    }

    fn samples(&self) -> u64 {
        self.segments.len() as u64
    }

    /// From all segments so far, made on a copy.
    fn estimate(&self) -> Result<Dynamics<T, F::Dim>, EstimateError> {
        let mut fresh = self.clone();
        fresh.fit()?;
        fresh.dynamics()
    }

    /// Infinite for the matrices: nothing is proved here.
    fn error_bounds(&self, confidence: T) -> ErrorBounds<T> {
        let beta = T::of(self.reveals.error_bound(confidence.as_f64()));
        ErrorBounds::new(BoundKind::Observed, self.dim, self.gamma, T::of(f64::INFINITY), beta)
            .with_large_enough(false)
    }
}

impl<T, F> PsiEstimator<T> for MomentEstimator<T, F>
where
    T: Real,
    F: FeatureMap<T, Dim: FeatureDim, State: Clone> + Clone,
{
    type State = F::State;
    type Psi = Psi<T, F>;
    type Saved = MomentEstimatorState<T, F::State>;

    fn learn(&mut self, start: &F::State, actions: &[Action], next: Option<&F::State>) {
        self.observe_segment(start, actions, next);
    }

    fn segments(&self) -> u64 {
        self.segments.len() as u64
    }

    fn refit(&mut self) -> Result<(), EstimateError> {
        self.fit()
    }

    fn psi(&self) -> Result<Psi<T, F>, EstimateError> {
        let dynamics = self.dynamics()?;
        plug_in(self.phi.clone(), dynamics).map_err(EstimateError::custom)
    }

    fn saved(&self) -> MomentEstimatorState<T, F::State> {
        let (settings, reveals) = (self.settings, self.reveals.clone());
        let (segments, fitted) = (self.segments.clone(), self.fitted.clone());
        MomentEstimatorState { settings, reveals, segments, fitted }
    }

    fn restore(&mut self, saved: MomentEstimatorState<T, F::State>) -> Result<(), Fault> {
        self.reveals.check(&saved.reveals)?;
        let (d, m) = (self.dim, self.num_actions());
        let MomentEstimatorState { settings, reveals, segments, fitted } = saved;
        let shaped = fitted.matrices.len() == m
            && fitted.matrices.iter().all(|x| x.len() == d * d)
            && fitted.beta.len() == reveals.num_pairs();
        let odd = |known: &Known<F::State>| {
            known.actions.is_empty() || known.actions.iter().any(|&a| a >= m)
        };
        if settings != self.settings
            || !shaped
            || segments.iter().any(odd)
            || fitted.segments > segments.len()
        {
            let message =
                format!("not saved by such an estimator in dimension {d} with {m} actions");
            return Err(EstimateError::custom(message).into());
        }
        let before = std::mem::replace(&mut self.fitted, fitted);
        if let Err(fault) = self.psi() {
            self.fitted = before;
            return Err(fault.into());
        }
        (self.reveals, self.segments) = (reveals, segments);
        Ok(())
    }
}
