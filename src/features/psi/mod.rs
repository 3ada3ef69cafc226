//! The action-sequence features psi.
//!
//! With v_1 = phi(s, a_1), then v_h = M^T v_(h-1) for the matrix M of action a_h, and the weights
//! c_h = gamma^(h-1) (1 - beta(a_1)) ... (1 - beta(a_(h-1))), psi is
//!
//! ```math
//! psi(s, a) = 1/2 ( (1 - gamma) sum_h c_h v_h ,  gamma sum_h c_h beta(a_h) v_h )   in R^{2d}
//! ```
//!
//! which is the paper's definition with its matrices multiplied out. Where reveal probabilities depend on the age of the last
//! sighting, beta(a_h) stands for that of age h. Once h has passed the age from which on
//! nothing changes, the rest of a sequence is the paper's case: closed forms treat the actions before
//! as part of the prefix. Three roads lead there:
//!
//! | road | how | cost for prefix P, period L |
//! |---|---|---|
//! | [`Psi::series`] | the sum itself, to a stated error | d^2 per term |
//! | [`Psi::psi`](SequenceFeatures::psi) | geometric series over the period in closed form | L d^3, then (P + L) d^2 |
//! | [`Cursor`] | one action at a time, shared prefixes, bound on the rest | d^2 per action |
//!
//! On tabular models with one-hot features v_h is a belief put in the block of its action, so
//! [`TabularPsi`] works on |S|-vectors and sparse rows: see there.

mod augmented;
mod closed;
mod convergence;
mod cursor;
mod factored;
mod occupancy;
mod rounds;
mod sums;
mod tabular;
mod tails;

pub use closed::{Psi, PsiError};
pub use cursor::Cursor;
pub use factored::FactoredFeatures;
pub(crate) use factored::ScaledFactors;
pub(crate) use tabular::TOGETHER;
pub use tabular::{TabularCursor, TabularPsi, UnknownState};

use nalgebra::{DVector, Dyn, OVector};
pub(crate) use occupancy::OccupancyScales;
use sums::Sums;
pub(crate) use tails::geometric_sum;

use super::bounds::NormBounds;
use super::{Optimism, PrefixBounds};
use crate::dim::{Batch, Dimensional, Double, Doubled, FeatureDim};
use crate::model::Action;
use crate::sequence::ActionSequence;
use crate::{Fault, Real};

/// The action-sequence feature map psi: S x A^N -> R^2d: reward half first, then continuation half.
///
/// The value of playing sequence `a` from `s` until the next sighting and then continuing with
/// value V is linear in it: `K(s, a) = <psi(s, a), v_12>`. Exact, estimated and normalised maps
/// all implement this trait; so may yours.
///
/// [`check::sequence_features`](crate::check::sequence_features) tests an implementation.
///
/// # Example
/// A coarser map: the features of another one, scaled down.
/// ```
/// use nalgebra::{Dyn, OVector};
/// use sporadic::dim::Dimensional;
/// use sporadic::features::{SequenceFeatures, TabularPsi};
/// use sporadic::model::gallery;
/// use sporadic::sequence::ActionSequence;
///
/// struct Half(TabularPsi<f64>);
///
/// impl Dimensional for Half {
///     type Dim = Dyn;
///     fn dim(&self) -> Dyn { self.0.dim() }
/// }
///
/// impl SequenceFeatures<f64> for Half {
///     type State = usize;
///     fn num_actions(&self) -> usize { self.0.num_actions() }
///     fn gamma(&self) -> f64 { self.0.gamma() }
///     fn psi(&self, s: &usize, seq: &ActionSequence) -> OVector<f64, Dyn> {
///         self.0.psi(s, seq) * 0.5
///     }
/// }
/// let half = Half(TabularPsi::new(gallery::river_swim(6, 0.1, 0.99)?));
/// assert!(half.psi(&0, &"1(01)".parse()?).norm() <= 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SequenceFeatures<T: Real>: Dimensional<Dim: FeatureDim> {
    /// The state that features are computed of.
    type State;

    /// The number of actions: sequences are over `0..num_actions`.
    fn num_actions(&self) -> usize;

    /// The discount factor gamma that the features were made with.
    fn gamma(&self) -> T;

    /// gamma (1 - beta(a)), which the weight of all that follows action `a` is multiplied by; or a larger
    /// number, such as gamma, which it is unless overridden. The smaller it is, the better are
    /// bounds on the features of all sequences that start with the same actions.
    fn blind(&self, a: Action) -> T {
        let _ = a;
        self.gamma()
    }

    /// gamma (1 - beta_n(a)), which the weight of all that follows action `a` as the n-th one is multiplied
    /// by; [`blind`](Self::blind) unless overridden, which must not be smaller at any age n.
    fn blind_at(&self, a: Action, age: usize) -> T {
        let _ = age;
        self.blind(a)
    }

    /// The age N from which on reveal probabilities, and so [`blind_at`](Self::blind_at), do not change; 1
    /// unless overridden.
    fn ages(&self) -> usize {
        1
    }

    /// Refuses a state that the features are not defined for. Saved states are checked by it
    /// when they are restored; every state is accepted unless overridden.
    ///
    /// # Errors
    /// Any error that names the state.
    fn check_state(&self, s: &Self::State) -> Result<(), Fault> {
        let _ = s;
        Ok(())
    }

    /// The features of state `s` and sequence `seq`. Where they do not exist, as under estimated dynamics
    /// that diverge, every entry is not a number: never a finite number that means nothing.
    ///
    /// # Panics
    /// Implementations may panic if the state or an action of `seq` is not the model's.
    fn psi(&self, s: &Self::State, seq: &ActionSequence) -> OVector<T, Doubled<Self::Dim>>;

    /// The features of state `s` and every sequence of a family, one column each.
    ///
    /// Override it where sequences can share work.
    fn batch(&self, s: &Self::State, family: &[ActionSequence]) -> Batch<T, Doubled<Self::Dim>> {
        let mut batch = Batch::zeros_generic(self.dim().double(), Dyn(family.len()));
        for (j, seq) in family.iter().enumerate() {
            batch.set_column(j, &self.psi(s, seq));
        }
        batch
    }

    /// The factors of psi(s, a) = 1/2 W(a)^T phi(s, a_1), with W independent of the state: what lets a learner
    /// plan for many states at once. `None`, unless overridden, if the features do not factor.
    fn factors(&self) -> Option<Box<dyn FactoredFeatures<T, Self::State> + '_>> {
        None
    }

    /// Upper bounds on K(s, .) = <psi(s, .), w> + rho ||psi(s, .)||_{Lambda^-1} over all sequences that start
    /// with the same actions, for every state s: what lets oracles prune. `None` if nothing is known.
    ///
    /// Unless overridden they assume `||psi(x, .)|| <= 1` at every augmented state x, as exact and normalised
    /// features have it, and are infinite once longer features are met. Whoever implements this trait for features that
    /// may be longer should override them, or return `None`. `states` is the most pairs of a state and the
    /// actions after it that a table may have; these bounds have no table.
    ///
    /// # Example
    /// ```
    /// use nalgebra::DVector;
    /// use sporadic::features::{Optimism, SequenceFeatures, TabularPsi};
    /// use sporadic::model::gallery;
    /// let psi = TabularPsi::new(gallery::river_swim::<f64>(3, 0.5, 0.9)?);
    /// let k = Optimism { w: DVector::from_element(12, 1.0), bonus: None };
    /// let mut bounds = psi.bounds(&k, 64).ok_or("no bounds")?;
    /// bounds.move_to(&0);
    /// assert!(psi.psi(&0, &"1(01)".parse()?).dot(&k.w) <= bounds.upper_bound(&[1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn bounds<'a>(
        &'a self,
        k: &Optimism,
        states: usize,
    ) -> Option<Box<dyn PrefixBounds<Self::State> + 'a>>
    where
        Self::State: Clone,
    {
        let _ = states;
        k.is_finite().then(|| Box::new(NormBounds::new(self, k)) as _)
    }

    /// A sequence with a larger <psi(s, .), weights> than `around`, from a search that keeps `width` prefixes of each
    /// length up to `depth`; `around` itself if none is found. `None` if there is no such search, as there is not unless
    /// overridden.
    ///
    /// Searches for the maximum of K(s, .) = <psi(s, .), w> + rho ||psi(s, .)||_{Lambda^-1} ask for it with the weights
    /// w + rho Lambda^-1 psi / ||psi||_{Lambda^-1}, psi that of `around`: K is convex in psi, so what is better under these is
    /// better under K.
    ///
    /// # Example
    /// ```
    /// use nalgebra::DVector;
    /// use sporadic::features::{SequenceFeatures, TabularPsi};
    /// use sporadic::model::gallery;
    /// let psi = TabularPsi::new(gallery::river_swim::<f64>(3, 0.5, 0.9)?);
    /// let weights = DVector::from_fn(12, |i, _| i as f64);
    /// let (around, value) = ("(0)".parse()?, |seq| psi.psi(&0, seq).dot(&weights));
    /// let better = psi.improve(&0, &weights, &around, (4, 10)).ok_or("no search")?;
    /// assert!(value(&better) > value(&around));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn improve(
        &self,
        s: &Self::State,
        weights: &DVector<f64>,
        around: &ActionSequence,
        (width, depth): (usize, usize),
    ) -> Option<ActionSequence> {
        let _ = (s, weights, around, width, depth);
        None
    }
}

impl<T: Real, P: SequenceFeatures<T>> SequenceFeatures<T> for &P {
    type State = P::State;

    fn num_actions(&self) -> usize {
        (**self).num_actions()
    }

    fn gamma(&self) -> T {
        (**self).gamma()
    }

    fn blind(&self, a: Action) -> T {
        (**self).blind(a)
    }

    fn blind_at(&self, a: Action, age: usize) -> T {
        (**self).blind_at(a, age)
    }

    fn ages(&self) -> usize {
        (**self).ages()
    }

    fn check_state(&self, s: &Self::State) -> Result<(), Fault> {
        (**self).check_state(s)
    }

    fn psi(&self, s: &Self::State, seq: &ActionSequence) -> OVector<T, Doubled<P::Dim>> {
        (**self).psi(s, seq)
    }

    fn batch(&self, s: &Self::State, family: &[ActionSequence]) -> Batch<T, Doubled<P::Dim>> {
        (**self).batch(s, family)
    }

    fn factors(&self) -> Option<Box<dyn FactoredFeatures<T, Self::State> + '_>> {
        (**self).factors()
    }

    fn bounds<'a>(
        &'a self,
        k: &Optimism,
        states: usize,
    ) -> Option<Box<dyn PrefixBounds<Self::State> + 'a>>
    where
        Self::State: Clone,
    {
        (**self).bounds(k, states)
    }

    fn improve(
        &self,
        s: &Self::State,
        weights: &DVector<f64>,
        around: &ActionSequence,
        size: (usize, usize),
    ) -> Option<ActionSequence> {
        (**self).improve(s, weights, around, size)
    }
}
