//! Linear MDPs: phi with mu and theta.

use nalgebra::{Dim, Dyn, OMatrix, OVector, U1};

use super::{Dynamics, DynamicsError, FeatureMap, OneHot};
use crate::Real;
use crate::dim::{Dimension, Dimensional, Double, Doubled, FeatureDim};
use crate::model::{Action, Reveal, Tabular};

/// A linear MDP: P(.|s, a) = <phi(s, a), mu(.)> and r(s, a) = <phi(s, a), theta>.
///
/// The d signed measures mu are given as atoms: states with a weight in R^d each. On a finite state
/// space that is mu itself; on a continuous one it is a quadrature rule, exact for the integrands
/// it is exact for. The action matrices and all integrals against mu follow.
///
/// # Example
/// ```
/// use sporadic::features::LinearModel;
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let linear = LinearModel::one_hot(&swim);
/// // The integral of the indicator of s2 against mu: the probability of s2 from each (s, a).
/// let p = linear.integrate(|&s| f64::from(u8::from(s == 1)));
/// assert_eq!(p[1], 0.6);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LinearModel<T: Real, F: FeatureMap<T>> {
    phi: F,
    theta: OVector<T, F::Dim>,
    atoms: Vec<Atom<T, F::Dim, F::State>>,
}

/// A state with the weight that each of the d measures gives to it: a term of mu.
#[derive(Debug, Clone, PartialEq)]
pub struct Atom<T: Real, D: Dimension, S> {
    /// The state.
    pub state: S,
    /// mu of that state, in R^d; a quadrature node's weight times the densities there.
    pub weight: OVector<T, D>,
}

impl<T: Real, F: FeatureMap<T>> LinearModel<T, F> {
    /// A model from features, theta, and mu as weighted states.
    ///
    /// Nothing is assumed of the numbers; [`check::linear_mdp`](crate::check::linear_mdp) tells
    /// whether they make a linear MDP.
    pub fn new(phi: F, theta: OVector<T, F::Dim>, mu: Vec<Atom<T, F::Dim, F::State>>) -> Self {
        Self { phi, theta, atoms: mu }
    }

    /// The features phi.
    pub fn phi(&self) -> &F {
        &self.phi
    }

    /// The reward parameter theta.
    pub fn theta(&self) -> &OVector<T, F::Dim> {
        &self.theta
    }

    /// The atoms of mu: states with their weights.
    pub fn atoms(&self) -> &[Atom<T, F::Dim, F::State>] {
        &self.atoms
    }

    /// The integral of `f` against mu: one number per measure.
    pub fn integrate(&self, f: impl Fn(&F::State) -> T) -> OVector<T, F::Dim> {
        let mut sum = OVector::zeros_generic(self.phi.dim(), U1);
        for atom in &self.atoms {
            sum.axpy(f(&atom.state), &atom.weight, T::one());
        }
        sum
    }

    /// The total variation of each measure: |mu|(S).
    pub fn total_variation(&self) -> OVector<T, F::Dim> {
        let mut sum: OVector<T, F::Dim> = OVector::zeros_generic(self.phi.dim(), U1);
        for atom in &self.atoms {
            for (total, &w) in sum.iter_mut().zip(atom.weight.iter()) {
                *total += w.abs();
            }
        }
        sum
    }

    /// The action matrix M_a: the integral of mu(s) phi(s, a)^T.
    ///
    /// # Complexity
    /// One rank-one update of a d x d matrix per atom.
    pub fn action_matrix(&self, a: Action) -> OMatrix<T, F::Dim, F::Dim> {
        let dim = self.phi.dim();
        let mut matrix = OMatrix::zeros_generic(dim, dim);
        for atom in &self.atoms {
            matrix.ger(T::one(), &atom.weight, &self.phi.phi(&atom.state, a), T::one());
        }
        matrix
    }

    /// The dynamics with these reveal probabilities, one per action, and discount factor.
    ///
    /// # Errors
    /// [`DynamicsError`] if they are out of range, or an integral is not finite.
    pub fn dynamics(&self, beta: &[T], gamma: T) -> Result<Dynamics<T, F::Dim>, DynamicsError> {
        let matrices = (0..beta.len()).map(|a| self.action_matrix(a)).collect();
        Dynamics::new(matrices, beta.to_vec(), gamma)
    }

    /// The dynamics with these reveal probabilities, one [`Reveal`] per action, and discount factor.
    ///
    /// # Errors
    /// [`DynamicsError`] if they are out of range, or an integral is not finite.
    pub fn scheduled_dynamics(
        &self,
        reveals: &[Reveal<T>],
        gamma: T,
    ) -> Result<Dynamics<T, F::Dim>, DynamicsError> {
        let matrices = (0..reveals.len()).map(|a| self.action_matrix(a)).collect();
        Dynamics::with_reveals(matrices, reveals.to_vec(), gamma)
    }

    /// The vector v_12 = 2 (theta / (1 - gamma), v) with v the integral of `value` against mu, so that
    /// `K(s, a) = <psi(s, a), v_12>` is the value of playing sequence a from s until the next
    /// sighting, where `value` takes over (Theorem on the linearity of K).
    pub fn value_vector(
        &self,
        gamma: T,
        value: impl Fn(&F::State) -> T,
    ) -> OVector<T, Doubled<F::Dim>>
    where
        F: Dimensional<Dim: FeatureDim>,
    {
        let dim = self.phi.dim();
        let d = dim.value();
        let v = self.integrate(value);
        let two = T::of(2.0);
        OVector::from_fn_generic(dim.double(), U1, |i, _| {
            if i < d { two * self.theta[i] / (T::one() - gamma) } else { two * v[i - d] }
        })
    }
}

impl<T: Real> LinearModel<T, OneHot<Dyn>> {
    /// A tabular model as a linear one, in one-hot features.
    ///
    /// # Complexity
    /// Memory `|S|^2 |A|`; planning on tabular models does not go through this type.
    pub fn one_hot(model: &Tabular<T>) -> Self {
        Self::one_hot_in(model, OneHot::of(model))
    }
}

impl<T: Real, D: Dimension> LinearModel<T, OneHot<D>> {
    /// A tabular model as a linear one, in one-hot features of the dimension type of `phi`.
    ///
    /// # Panics
    /// If `phi` was made for another number of states or actions.
    pub fn one_hot_in(model: &Tabular<T>, phi: OneHot<D>) -> Self {
        assert_eq!(phi.num_states(), model.num_states(), "features of another state space");
        assert_eq!(phi.num_actions(), model.num_actions(), "features of other actions");
        let dim = phi.dim();
        let m = model.num_actions();
        let theta = OVector::from_fn_generic(dim, U1, |i, _| model.reward(i / m, i % m));
        let mut atoms: Vec<_> = (0..model.num_states())
            .map(|state| Atom { state, weight: OVector::zeros_generic(dim, U1) })
            .collect();
        for i in 0..dim.value() {
            for (t, p) in model.row(i / m, i % m) {
                atoms[t].weight[i] = p;
            }
        }
        Self { phi, theta, atoms }
    }
}
