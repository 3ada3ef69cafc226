//! The action-sequence features psi.
//!
//! With v_1 = phi(s, a_1), then v_h = M^T v_(h-1) for the matrix M of action a_h, and the weights
//! c_h = gamma^(h-1) (1 - beta(a_1)) ... (1 - beta(a_(h-1))),
//!
//! ```math
//! psi(s, a) = 1/2 ( (1 - gamma) sum_h c_h v_h ,  gamma sum_h c_h beta(a_h) v_h )   in R^{2d}
//! ```
//!
//! which is the paper's definition with its matrices multiplied out. Three roads lead there:
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
mod sums;
mod tabular;
mod tails;

pub use closed::{Psi, PsiError};
pub use cursor::Cursor;
pub use tabular::{TabularCursor, TabularPsi};

use nalgebra::{Dyn, OVector};
use sums::Sums;
pub(crate) use tails::eliminate;

use crate::Real;
use crate::dim::{Batch, Doubled, FeatureDim};
use crate::sequence::ActionSequence;

/// The action-sequence feature map psi: S x A^N -> R^2d: reward half first, then continuation half.
///
/// The value of playing sequence `a` from `s` until the next sighting and then continuing with
/// value V is linear in it: `K(s, a) = <psi(s, a), v_12>`. Exact, estimated and normalised maps
/// all implement this trait; so may yours.
///
/// # Example
/// A coarser map: the features of another one, scaled down.
/// ```
/// use nalgebra::{Dyn, OVector};
/// use sporadic::features::{SequenceFeatures, TabularPsi};
/// use sporadic::model::gallery;
/// use sporadic::sequence::ActionSequence;
///
/// struct Half(TabularPsi<f64>);
///
/// impl SequenceFeatures<f64, Dyn> for Half {
///     type State = usize;
///     fn dim(&self) -> Dyn { self.0.dim() }
///     fn psi(&self, s: &usize, seq: &ActionSequence) -> OVector<f64, Dyn> {
///         self.0.psi(s, seq) * 0.5
///     }
/// }
/// let half = Half(TabularPsi::new(gallery::river_swim(6, 0.1, 0.99)?));
/// assert!(half.psi(&0, &"1(01)".parse()?).norm() <= 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SequenceFeatures<T: Real, D: FeatureDim> {
    /// The state that features are computed of.
    type State;

    /// The dimension d of phi; psi has 2d.
    fn dim(&self) -> D;

    /// The features of state `s` and sequence `seq`. Where they do not exist, as under estimated dynamics
    /// that diverge, every entry is not a number: never a finite number that means nothing.
    ///
    /// # Panics
    /// Implementations may panic if the state or an action of `seq` is not the model's.
    fn psi(&self, s: &Self::State, seq: &ActionSequence) -> OVector<T, Doubled<D>>;

    /// The features of state `s` and every sequence of a family, one column each.
    ///
    /// Override it where sequences can share work.
    fn batch(&self, s: &Self::State, family: &[ActionSequence]) -> Batch<T, Doubled<D>> {
        let mut batch = Batch::zeros_generic(self.dim().double(), Dyn(family.len()));
        for (j, seq) in family.iter().enumerate() {
            batch.set_column(j, &self.psi(s, seq));
        }
        batch
    }
}

impl<T: Real, D: FeatureDim, P: SequenceFeatures<T, D>> SequenceFeatures<T, D> for &P {
    type State = P::State;

    fn dim(&self) -> D {
        (**self).dim()
    }

    fn psi(&self, s: &Self::State, seq: &ActionSequence) -> OVector<T, Doubled<D>> {
        (**self).psi(s, seq)
    }

    fn batch(&self, s: &Self::State, family: &[ActionSequence]) -> Batch<T, Doubled<D>> {
        (**self).batch(s, family)
    }
}
