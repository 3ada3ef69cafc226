//! Upper bounds on K(s, .) = <psi(s, .), w> + rho ||psi(s, .)||_{Lambda^-1} over all sequences that start with
//! the same actions: what lets an oracle leave out whole branches of A^N.
//!
//! | features | bounds from | file |
//! |---|---|---|
//! | any [`SequenceFeatures`](super::SequenceFeatures) | the norm of psi, which is at most 1 | `norms` |
//! | [`Psi`](super::Psi) | the part of psi that a prefix decides, and norms of what follows | `products` |
//! | [`TabularPsi`](super::TabularPsi) | the state seen k actions late, for each axis of the bonus | `tabular` |

mod bonus;
mod lazy;
mod norms;
mod products;
mod tabular;

pub(crate) use bonus::Bonus;
pub(crate) use lazy::LazyBounds;
pub(super) use norms::NormBounds;
pub(super) use products::ProductBounds;
pub(crate) use tabular::{LastAxes, TabularBounds};

use nalgebra::{DMatrix, DVector};

use crate::model::Action;
use crate::sequence::ActionSequence;

/// The parameters w, rho and Lambda^-1 of the optimistic K(s, .) = <psi(s, .), w> + rho ||psi(s, .)||_{Lambda^-1},
/// in double precision.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimism {
    /// The weights w, of dimension 2d.
    pub w: DVector<f64>,
    /// rho >= 0 and the symmetric matrix Lambda^-1; without them K is linear in psi.
    pub bonus: Option<(f64, DMatrix<f64>)>,
}

impl Optimism {
    /// K with `factor` psi in place of psi.
    pub fn scaled(&self, factor: f64) -> Self {
        let bonus = self.bonus.as_ref().map(|(rho, inverse)| (factor * rho, inverse.clone()));
        Self { w: &self.w * factor, bonus }
    }

    /// The weights of the linear function of psi that is nowhere above K and equal to it at `psi`.
    ///
    /// # Example
    /// ```
    /// use nalgebra::{DMatrix, DVector};
    /// use sporadic::features::Optimism;
    /// let bonus = Some((2.0, DMatrix::identity(2, 2)));
    /// let k = Optimism { w: DVector::from_vec(vec![1.0, 0.0]), bonus };
    /// let weights = k.tangent(&DVector::from_vec(vec![0.0, 3.0]));
    /// assert_eq!(weights.as_slice(), [1.0, 2.0]); // K is 6 at (0, 3)
    /// ```
    pub fn tangent(&self, psi: &DVector<f64>) -> DVector<f64> {
        let mut weights = self.w.clone();
        if let Some((rho, inverse)) = &self.bonus {
            let product = inverse * psi;
            let norm = psi.dot(&product).max(0.0).sqrt();
            if norm > 0.0 {
                weights.axpy(rho / norm, &product, 1.0);
            }
        }
        weights
    }

    /// Whether every number in it is finite.
    pub fn is_finite(&self) -> bool {
        let bonus = self.bonus.as_ref();
        self.w.iter().all(|x| x.is_finite())
            && bonus.is_none_or(|(rho, g)| rho.is_finite() && g.iter().all(|x| x.is_finite()))
    }

    /// A bound on the root of the largest eigenvalue of Lambda^-1, times rho; 0 without a bonus.
    fn largest_bonus(&self) -> f64 {
        let Some((rho, g)) = &self.bonus else { return 0.0 };
        // No eigenvalue is above the largest sum of a row, nor above the root of all squares.
        let row_sum = |i: usize| g.column(i).iter().map(|x| x.abs()).sum();
        let row_sum = (0..g.ncols()).map(row_sum).fold(0.0, f64::max);
        let rounding = 1.0 + 4.0 * g.ncols() as f64 * f64::EPSILON;
        rho * (row_sum.min(g.norm()) * rounding).sqrt()
    }
}

/// Upper bounds on K(s, .) at one state s after the other, for one w, rho and Lambda^-1.
///
/// [`SequenceFeatures::bounds`](super::SequenceFeatures::bounds) gives it.
pub trait PrefixBounds<S> {
    /// Moves to state `s`; before the first call nothing else may be asked.
    fn move_to(&mut self, s: &S);

    /// A bound on K(s, a) for every sequence a that starts with `prefix`; infinite or not a number where nothing
    /// is known.
    ///
    /// Searches ask for prefixes that mostly differ in their last actions from the one before.
    fn upper_bound(&mut self, prefix: &[Action]) -> f64;

    /// A sequence that starts with `prefix` and is likely to have a large K(s, .). Unless overridden the last
    /// action is held forever.
    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        hold(prefix)
    }
}

/// `prefix` with its last action held forever, `(0)` if it is empty.
pub(crate) fn hold(prefix: &[Action]) -> ActionSequence {
    match prefix.split_last() {
        Some((&last, head)) => ActionSequence::new(head, [last]),
        None => ActionSequence::constant(0),
    }
}
