//! The base features phi.

use std::fmt;
use std::marker::PhantomData;

use nalgebra::OVector;

use crate::Real;
use crate::dim::{Dimension, Dimensional};
use crate::model::Action;

/// The feature map phi: S x A -> R^d of a linear MDP.
///
/// The linear MDP assumption wants `||phi(s, a)|| <= 1`, P(.|s, a) = <phi(s, a), mu(.)> and
/// r(s, a) = <phi(s, a), theta>; [`check::linear_mdp`](crate::check::linear_mdp) verifies it on a model.
///
/// # Example
/// Soft membership in three overlapping regions of the unit interval, times two actions.
/// ```
/// use nalgebra::{Const, OVector, SVector};
/// use sporadic::dim::Dimensional;
/// use sporadic::features::FeatureMap;
/// use sporadic::model::Action;
///
/// struct Regions;
///
/// impl Dimensional for Regions {
///     type Dim = Const<6>;
///     fn dim(&self) -> Const<6> { Const }
/// }
///
/// impl FeatureMap<f64> for Regions {
///     type State = f64;
///     fn phi(&self, s: &f64, a: Action) -> OVector<f64, Const<6>> {
///         let (l, m, r) = ((1.0 - s) * (1.0 - s), 2.0 * s * (1.0 - s), s * s);
///         let mut phi = SVector::<f64, 6>::zeros();
///         phi.fixed_rows_mut::<3>(3 * a).copy_from_slice(&[l, m, r]);
///         phi
///     }
/// }
/// assert_eq!(Regions.phi(&0.5, 1)[4], 0.5);
/// ```
pub trait FeatureMap<T: Real>: Dimensional<Dim: Dimension> {
    /// The state that features are computed of.
    type State;

    /// The features of state `s` and action `a`.
    fn phi(&self, s: &Self::State, a: Action) -> OVector<T, Self::Dim>;
}

impl<T: Real, F: FeatureMap<T>> FeatureMap<T> for &F {
    type State = F::State;

    fn phi(&self, s: &Self::State, a: Action) -> OVector<T, F::Dim> {
        (**self).phi(s, a)
    }
}

/// A feature map made of a closure that fills a slice of zeros.
///
/// # Example
/// ```
/// use nalgebra::Dyn;
/// use sporadic::features::{FeatureMap, FeatureFn};
/// let phi = FeatureFn::new(Dyn(4), |s: &f64, a, phi: &mut [f64]| {
///     phi[2 * a] = *s;
///     phi[2 * a + 1] = 1.0 - s;
/// });
/// assert_eq!(phi.phi(&0.25, 1).as_slice(), [0.0, 0.0, 0.25, 0.75]);
/// ```
pub struct FeatureFn<S, D, G> {
    dim: D,
    fill: G,
    // A function of S, not a holder of one: Send and Sync whatever S is.
    state: PhantomData<fn(&S)>,
}

impl<S, D, G> FeatureFn<S, D, G> {
    /// Features of dimension `dim`, filled in by `fill`.
    pub fn new(dim: D, fill: G) -> Self {
        Self { dim, fill, state: PhantomData }
    }
}

impl<S, D: fmt::Debug, G> fmt::Debug for FeatureFn<S, D, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeatureFn").field("dim", &self.dim).finish_non_exhaustive()
    }
}

impl<S, D: Dimension, G> Dimensional for FeatureFn<S, D, G> {
    type Dim = D;

    fn dim(&self) -> D {
        self.dim
    }
}

impl<T, D, S, G> FeatureMap<T> for FeatureFn<S, D, G>
where
    T: Real,
    D: Dimension,
    G: Fn(&S, Action, &mut [T]),
{
    type State = S;

    fn phi(&self, s: &S, a: Action) -> OVector<T, D> {
        let mut phi = OVector::zeros_generic(self.dim, nalgebra::U1);
        (self.fill)(s, a, phi.as_mut_slice());
        phi
    }
}
