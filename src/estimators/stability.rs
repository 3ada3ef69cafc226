//! Does the series of psi converge for every action sequence?

use nalgebra::{DMatrix, linalg::Schur};

use crate::Real;
use crate::dim::Dimension;
use crate::features::Dynamics;
use crate::model::Action;
use crate::norms::{column_norm, row_norm};
use crate::product::dynamic_product;

/// Bounds on the joint spectral radius of the blind steps gamma (1 - beta(a)) `M_a`.
///
/// The series of psi converges for every sequence if it is below 1. Exact dynamics have it at most
/// gamma (1 - `beta_min`), by the paper's Lemma "action-matrix-opnorm-property". Estimated
/// matrices are those of no MDP and may exceed 1.
///
/// # Example
/// ```
/// use sporadic::estimators::stability;
/// use sporadic::features::{Dynamics, OneHot};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let found = stability(&Dynamics::one_hot(&swim, OneHot::of(&swim)));
/// assert!(found.is_contractive() && (found.upper - 0.891).abs() < 1e-12);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stability {
    /// The radius is at least this: the largest spectral radius of a product of n steps, to the power
    /// 1/n.
    pub lower: f64,
    /// The radius is at most this: the least over n of the largest norm of a product of n steps, to
    /// the power 1/n.
    pub upper: f64,
    /// The actions whose product has the spectral radius in `lower`: their periodic sequence.
    pub word: Vec<Action>,
}

impl Stability {
    /// Whether psi was shown to converge for every sequence.
    pub fn is_contractive(&self) -> bool {
        self.upper < 1.0
    }

    /// Whether psi was shown to diverge, or not to converge, for some sequence.
    pub fn is_divergent(&self) -> bool {
        self.lower >= 1.0
    }
}

/// The most products of one length that are examined.
const PRODUCTS: usize = 256;

/// The most factors of a product; there are fewer where there is more than one action.
const LENGTH: u32 = 16;

/// Bounds the joint spectral radius by products of growing length, until they tell on which side of
/// 1 it is, there are more than 256 products of a length, or they have 16 factors.
///
/// # Complexity
/// At most 512 products of d x d matrices, and their eigenvalues if norms do not decide.
pub fn stability<T: Real, D: Dimension>(dynamics: &Dynamics<T, D>) -> Stability {
    let steps: Vec<_> = (0..dynamics.num_actions()).map(|a| dynamics.blind_step(a)).collect();
    let mut found = Stability { lower: 0.0, upper: f64::INFINITY, word: Vec::new() };
    let mut level: Vec<(Vec<Action>, DMatrix<f64>)> =
        steps.iter().enumerate().map(|(a, m)| (vec![a], m.clone())).collect();
    for length in 1..=LENGTH {
        let root = |x: f64| libm::pow(x, 1.0 / f64::from(length));
        // Any one norm bounds the radius; it must be the same for all products.
        let norms: [fn(&DMatrix<f64>) -> f64; 3] = [row_norm, column_norm, DMatrix::norm];
        for norm in norms {
            let largest = level.iter().map(|(_, m)| norm(m)).fold(0.0, f64::max);
            found.upper = found.upper.min(root(largest));
        }
        if found.is_contractive() {
            break;
        }
        for (word, product) in &level {
            let radius = root(spectral_radius(product));
            if radius > found.lower || found.word.is_empty() {
                found.lower = radius;
                found.word.clone_from(word);
            }
        }
        if found.is_divergent() || level.len() * steps.len() > PRODUCTS {
            break;
        }
        level = level
            .iter()
            .flat_map(|(word, product)| {
                steps.iter().enumerate().map(move |(a, step)| {
                    let mut longer = word.clone();
                    longer.push(a);
                    (longer, dynamic_product(product, step))
                })
            })
            .collect();
    }
    found
}

/// The largest absolute value of an eigenvalue; 0, which claims nothing, if they cannot be had.
fn spectral_radius(m: &DMatrix<f64>) -> f64 {
    if !m.iter().all(|x| x.is_finite()) {
        return 0.0;
    }
    let eigenvalues = Schur::try_new(m.clone(), f64::EPSILON, 100 * m.nrows().max(10))
        .map(|schur| schur.complex_eigenvalues());
    eigenvalues.map_or(0.0, |all| all.iter().map(|z| libm::hypot(z.re, z.im)).fold(0.0, f64::max))
}
