//! Dimensions of feature spaces, known at compile time (`Const<N>`) or at run time (`Dyn`).
//!
//! nalgebra asks every generic function for the allocators of the matrices it uses. This file
//! states them once, in supertrait position, where the compiler takes them for granted; a bound
//! `D: Dimension` or `D: FeatureDim` is all that the rest of the crate, or a user, ever writes. Features and
//! estimators have their dimension as an associated type ([`Dimensional`]), so code that is generic over them
//! names no dimension at all: `fn f<T: Real, P: SequenceFeatures<T>>(psi: &P)`.
//!
//! One blind spot: `OVector<T, D>` must not be named inside another predicate (a closure's return,
//! an iterator's item). Name a struct or fill a slice there.

use nalgebra::allocator::Allocator;
use nalgebra::{Const, DefaultAllocator, Dim, Dyn, OMatrix, U1};

/// The dimension of a vector space: `Const<N>` or `Dyn`.
///
/// Implies that vectors, row vectors, square matrices and [batches](Batch) of this dimension can
/// be allocated.
pub trait Dimension:
    Dim
    + sealed::Sealed
    + Send
    + Sync
    + Implies<
        DefaultAllocator,
        Is: Allocator<Self>
                + Allocator<U1, Self>
                + Allocator<Self, Self>
                + Allocator<Self, Dyn>
                + Allocator<Dyn, Self>,
    >
{
}

impl<const N: usize> Dimension for Const<N> {}
impl Dimension for Dyn {}

/// A type whose values have a dimension d: feature maps, action-sequence features, estimators.
///
/// It is a trait of its own, above those of features and estimators, because bounds on an associated
/// type are taken for granted at every use if they are stated of a supertrait, as in
/// `FeatureMap<T>: Dimensional<Dim: Dimension>`, and are not if the trait itself declares the type.
pub trait Dimensional {
    /// The type of the dimension: `Const<N>` or `Dyn`.
    type Dim: Dim;

    /// The dimension d of phi; psi has 2d.
    fn dim(&self) -> Self::Dim;
}

impl<X: Dimensional + ?Sized> Dimensional for &X {
    type Dim = X::Dim;

    fn dim(&self) -> X::Dim {
        (**self).dim()
    }
}

/// A dimension `d` of base features phi, for which `2d`, the dimension of psi, exists too.
pub trait FeatureDim: Dimension + Double<Output: Dimension> {}

impl<D: Dimension + Double<Output: Dimension>> FeatureDim for D {}

/// The dimension twice as large.
#[diagnostic::on_unimplemented(
    message = "no doubled dimension is defined for `{Self}`",
    label = "psi has twice the dimension of phi, and `{Self}` has no double",
    note = "static feature dimensions go from `Const<1>` to `Const<128>`: take `nalgebra::Dyn` instead"
)]
pub trait Double: Dim {
    /// The type of the doubled dimension.
    type Output: Dim;

    /// The doubled dimension.
    fn double(self) -> Self::Output;
}

/// The dimension `2d` of psi where phi has dimension `D`.
pub type Doubled<D> = <D as Double>::Output;

/// A matrix of run-time width whose columns are vectors of dimension `N`.
///
/// One product with a batch does the work of many matrix-vector products.
pub type Batch<T, N> = OMatrix<T, N, Dyn>;

impl Double for Dyn {
    type Output = Dyn;

    fn double(self) -> Dyn {
        Dyn(2 * self.0)
    }
}

macro_rules! double {
    ($($n:literal)*) => {$(
        impl Double for Const<$n> {
            type Output = Const<{ 2 * $n }>;

            fn double(self) -> Self::Output {
                Const
            }
        }
    )*};
}

double! {
    1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
    33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
    65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96
    97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120
    121 122 123 124 125 126 127 128
}

/// Makes a bound on `Y` known wherever `Self` is bounded.
///
/// `X: Implies<Y, Is: Bound>` as a supertrait says `Y: Bound`, and bounds of supertraits are
/// implied at every use.
pub trait Implies<Y>: Project<Y, Is = Y> {}

impl<X, Y> Implies<Y> for X {}

/// The identity as an associated type; see [`Implies`].
pub trait Project<Y> {
    /// `Y` itself.
    type Is;
}

impl<X, Y> Project<Y> for X {
    type Is = Y;
}

mod sealed {
    use nalgebra::{Const, Dyn};

    pub trait Sealed {}

    impl<const N: usize> Sealed for Const<N> {}
    impl Sealed for Dyn {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::OVector;

    // No allocator clause here: that is the point.
    fn stack<T: crate::Real, D: FeatureDim>(v: &OVector<T, D>, dim: D) -> OVector<T, Doubled<D>> {
        let d = dim.value();
        OVector::from_fn_generic(dim.double(), U1, |i, _| v[i % d])
    }

    #[test]
    fn static_and_dynamic_double_agree() {
        let fixed = OVector::<f64, Const<3>>::new(1.0, 2.0, 3.0);
        let free = OVector::<f64, Dyn>::from_row_slice(&[1.0, 2.0, 3.0]);
        let a: Vec<_> = stack(&fixed, Const::<3>).iter().copied().collect();
        let b: Vec<_> = stack(&free, Dyn(3)).iter().copied().collect();
        assert_eq!(a, b);
        assert_eq!(a.len(), 6);
    }
}
