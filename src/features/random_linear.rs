//! A random linear MDP with continuous states.

use nalgebra::{OVector, U1};
use rand::Rng;

use super::{Atom, FeatureMap, LinearModel};
use crate::dim::{Dimension, Dimensional};
use crate::model::{Action, Environment, ModelError, draw};
use crate::{Discount, Real};

/// A random ATST-MDP on the unit interval that is linear by construction.
///
/// The d measures mu are the Beta(j + 1, d - j) distributions, whose densities are d times the
/// Bernstein polynomials B_j of degree d - 1. phi(s, a) = W_a^T (B_0(s), ..., B_d-1(s)) with a random
/// row-stochastic W_a, so phi lies in the probability simplex and P(.|s, a) = <phi(s, a), mu> is a
/// mixture; theta is random in [0, 1]^d.
///
/// # Example
/// ```
/// use nalgebra::Const;
/// use rand_pcg::Pcg64;
/// use sporadic::check;
/// use sporadic::features::RandomLinear;
///
/// let mut rng = Pcg64::new(1, 1);
/// let env = RandomLinear::<f64, _>::new(Const::<4>, vec![0.1, 0.6], 0.9, &mut rng)?;
/// let model = env.linear_model(20);
/// check::linear_mdp(&env, &model, 20, &mut rng).findings.assert();
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RandomLinear<T: Real, D: Dimension> {
    dim: D,
    gamma: T,
    beta: Vec<T>,
    theta: OVector<T, D>,
    /// Row i of W_a at `mixing[a][i]`.
    mixing: Vec<Vec<Vec<f64>>>,
}

impl<T: Real, D: Dimension> RandomLinear<T, D> {
    /// Draws a model with one action per entry of `beta`.
    ///
    /// # Errors
    /// [`ModelError`] if there is no action, or gamma or a beta is out of range.
    pub fn new<R: Rng + ?Sized>(
        dim: D,
        beta: Vec<T>,
        gamma: T,
        rng: &mut R,
    ) -> Result<Self, ModelError> {
        if beta.is_empty() {
            return Err(ModelError::Empty { what: "action" });
        }
        Discount::new(gamma)?;
        for (a, &b) in beta.iter().enumerate() {
            if !(b >= T::zero() && b <= T::one()) {
                return Err(ModelError::Beta { action: a.to_string(), beta: b.as_f64() });
            }
        }
        let d = dim.value();
        let theta = OVector::from_fn_generic(dim, U1, |_, _| T::of(draw::uniform(rng)));
        // Cubes make the rows uneven, so that actions differ.
        let cube = |x: f64| x * x * x;
        let mut row = |_| {
            let raw: Vec<f64> = (0..d).map(|_| cube(draw::uniform(rng)) + 1e-3).collect();
            let sum: f64 = raw.iter().sum();
            raw.iter().map(|x| x / sum).collect()
        };
        let mixing = beta.iter().map(|_| (0..d).map(&mut row).collect()).collect();
        Ok(Self { dim, gamma, beta, theta, mixing })
    }

    /// The model as a [`LinearModel`], mu integrated by Gauss-Legendre quadrature.
    ///
    /// Exact action matrices need `nodes >= d`; integrals of a value function are as exact as the
    /// rule is for it.
    pub fn linear_model(&self, nodes: usize) -> LinearModel<T, &Self> {
        let d = self.dim.value();
        let atoms = gauss_legendre(nodes)
            .map(|(x, w)| {
                let mut basis = vec![0.0; d];
                bernstein(x, &mut basis);
                let weight = |j: usize| T::of(w * d as f64 * basis[j]);
                Atom {
                    state: T::of(x),
                    weight: OVector::from_fn_generic(self.dim, U1, |j, _| weight(j)),
                }
            })
            .collect();
        LinearModel::new(self, self.theta.clone(), atoms)
    }

    fn mixture(&self, s: T, a: Action) -> OVector<f64, D> {
        let mut basis = OVector::<f64, D>::zeros_generic(self.dim, U1);
        let mut phi = basis.clone();
        bernstein(s.as_f64(), basis.as_mut_slice());
        for (b, row) in basis.iter().zip(&self.mixing[a]) {
            for (x, w) in phi.iter_mut().zip(row) {
                *x += b * w;
            }
        }
        phi
    }
}

impl<T: Real, D: Dimension> Dimensional for RandomLinear<T, D> {
    type Dim = D;

    fn dim(&self) -> D {
        self.dim
    }
}

impl<T: Real, D: Dimension> FeatureMap<T> for RandomLinear<T, D> {
    type State = T;

    fn phi(&self, s: &T, a: Action) -> OVector<T, D> {
        let phi = self.mixture(*s, a);
        OVector::from_fn_generic(self.dim, U1, |i, _| T::of(phi[i]))
    }
}

impl<T: Real, D: Dimension> Environment for RandomLinear<T, D> {
    type Scalar = T;
    type State = T;

    fn num_actions(&self) -> usize {
        self.beta.len()
    }

    fn gamma(&self) -> T {
        self.gamma
    }

    fn beta(&self, a: Action) -> T {
        self.beta[a]
    }

    fn reward(&self, s: &T, a: Action) -> T {
        self.phi(s, a).dot(&self.theta)
    }

    /// Uniform on the interval: one draw.
    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> T {
        T::of(draw::uniform(rng))
    }

    /// One draw for the component, then d uniforms, of which Beta(j + 1, d - j) is the (j + 1)-th
    /// smallest.
    fn next<R: Rng + ?Sized>(&self, s: &T, a: Action, rng: &mut R) -> T {
        let mut sum = 0.0;
        let cdf: Vec<f64> = self
            .mixture(*s, a)
            .iter()
            .map(|p| {
                sum += p;
                sum
            })
            .collect();
        let j = draw::categorical(&cdf, rng);
        let mut uniforms: Vec<f64> = cdf.iter().map(|_| draw::uniform(rng)).collect();
        uniforms.sort_by(f64::total_cmp);
        T::of(uniforms[j])
    }
}

/// Writes the Bernstein polynomials of degree d - 1 at x, which sum to 1, by de Casteljau's recursion, into a list of d zeros.
fn bernstein(x: f64, basis: &mut [f64]) {
    basis[0] = 1.0;
    for degree in 1..basis.len() {
        for j in (1..=degree).rev() {
            basis[j] = (1.0 - x) * basis[j] + x * basis[j - 1];
        }
        basis[0] *= 1.0 - x;
    }
}

/// Nodes and weights on [0, 1], by Newton's iteration on the Legendre polynomial.
fn gauss_legendre(nodes: usize) -> impl Iterator<Item = (f64, f64)> {
    let n = nodes as f64;
    (0..nodes).map(move |i| {
        let mut x = libm::cos(std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
        let mut slope = 0.0;
        for _ in 0..20 {
            let (mut p, mut before) = (1.0, 0.0);
            for k in 0..nodes {
                let k = k as f64;
                (p, before) = (((2.0 * k + 1.0) * x * p - k * before) / (k + 1.0), p);
            }
            slope = n * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_abs_diff_eq;

    #[test]
    fn quadrature_is_exact_on_polynomials() {
        for power in 0..10 {
            let integral: f64 = gauss_legendre(5).map(|(x, w)| w * x.powi(power)).sum();
            assert_abs_diff_eq!(integral, 1.0 / f64::from(power + 1), epsilon = 1e-14);
        }
    }

    #[test]
    fn bernstein_is_a_partition_of_unity() {
        let (mut few, mut many) = ([0.0; 3], [0.0; 9]);
        bernstein(0.25, &mut few);
        bernstein(0.3, &mut many);
        assert!(
            few.iter()
                .zip([0.5625, 0.375, 0.0625])
                .all(|(x, y): (&f64, f64)| (x - y).abs() < 1e-15)
        );
        assert_abs_diff_eq!(many.iter().sum::<f64>(), 1.0, epsilon = 1e-14);
    }
}
