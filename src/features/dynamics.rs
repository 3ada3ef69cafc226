//! Action matrices: how features move under blind actions.

use nalgebra::{DMatrix, OMatrix, OVector};
use thiserror::Error;

use super::FeatureMap;
use crate::belief::AugmentedState;
use crate::dim::{Dimension, Dimensional};
use crate::model::{Action, ModelError, Reveal, RevealSchedule, Tabular};
use crate::norms::to_f64;
use crate::{Discount, DiscountError, Real};

/// The dynamics in feature space: the action matrices M_a, the reveal probabilities beta(a) and
/// gamma. All of psi follows from them.
///
/// M_a is the integral of mu(s) phi(s, a)^T, so that E[phi(s', a')^T | s, a] = phi(s, a)^T M_a'.
/// Exact dynamics come from a [`LinearModel`](super::LinearModel) or [`one_hot`](Self::one_hot);
/// estimated ones need not be those of any MDP.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        into = "PlainDynamics<T>",
        try_from = "PlainDynamics<T>",
        bound(serialize = "T: serde::Serialize", deserialize = "T: serde::Deserialize<'de>")
    )
)]
pub struct Dynamics<T: Real, D: Dimension> {
    matrices: Vec<OMatrix<T, D, D>>,
    beta: RevealSchedule<T>,
    gamma: T,
}

/// Why dynamics were refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DynamicsError {
    /// There must be one matrix and one reveal probability per action, and at least one action.
    #[error("{matrices} action matrices and {betas} reveal probabilities: one of each per action")]
    Actions {
        /// How many matrices were given.
        matrices: usize,
        /// How many reveal probabilities were given.
        betas: usize,
    },
    /// All action matrices must be square of the same size.
    #[error("the matrix of action {action} is {rows} x {columns}, not {dim} x {dim}")]
    Shape {
        /// The action.
        action: Action,
        /// Its number of rows.
        rows: usize,
        /// Its number of columns.
        columns: usize,
        /// The dimension of the others.
        dim: usize,
    },
    /// An entry is not finite.
    #[error("entry ({row}, {column}) of the matrix of action {action} is {}", crate::Number(*.value))]
    Entry {
        /// The action.
        action: Action,
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The value given.
        value: f64,
    },
    /// A reveal probability outside [0, 1].
    #[error("beta = {} of action {action} is not in [0, 1]", crate::Number(*.beta))]
    Beta {
        /// The action.
        action: Action,
        /// The value given.
        beta: f64,
    },
    /// A reveal probability outside [0, 1] at some age.
    #[error("beta = {} of action {action} at age {age} is not in [0, 1]", crate::Number(*.beta))]
    BetaAt {
        /// The action.
        action: Action,
        /// The age n, counted from 1.
        age: usize,
        /// The value given.
        beta: f64,
    },
    /// No reveal probability of an action, or too many of them.
    #[error("the reveal probabilities of action {action} are not one per age: {source}")]
    Ages {
        /// The action.
        action: Action,
        /// What is wrong with them.
        source: Box<ModelError>,
    },
    /// gamma outside (0, 1).
    #[error(transparent)]
    Discount(#[from] DiscountError),
}

impl<T: Real, D: Dimension> Dynamics<T, D> {
    /// Dynamics from one matrix and one reveal probability per action.
    ///
    /// # Errors
    /// [`DynamicsError`] that names the offending entry.
    pub fn new(
        matrices: Vec<OMatrix<T, D, D>>,
        beta: Vec<T>,
        gamma: T,
    ) -> Result<Self, DynamicsError> {
        Self::with_reveals(matrices, beta.into_iter().map(Reveal::constant).collect(), gamma)
    }

    /// Dynamics from one matrix and one [`Reveal`] per action, for reveal probabilities that may depend on
    /// the age of the last sighting.
    ///
    /// # Errors
    /// [`DynamicsError`] that names the offending entry.
    #[allow(clippy::needless_pass_by_value)] // as `new` takes its list
    pub fn with_reveals(
        matrices: Vec<OMatrix<T, D, D>>,
        beta: Vec<Reveal<T>>,
        gamma: T,
    ) -> Result<Self, DynamicsError> {
        if matrices.is_empty() || matrices.len() != beta.len() {
            let (matrices, betas) = (matrices.len(), beta.len());
            return Err(DynamicsError::Actions { matrices, betas });
        }
        Discount::new(gamma)?;
        let dim = matrices[0].nrows();
        for (action, (m, b)) in matrices.iter().zip(&beta).enumerate() {
            if m.shape() != (dim, dim) {
                let (rows, columns) = m.shape();
                return Err(DynamicsError::Shape { action, rows, columns, dim });
            }
            b.check("").map_err(|fault| match fault {
                ModelError::Beta { beta, .. } => DynamicsError::Beta { action, beta },
                ModelError::BetaAt { age, beta, .. } => DynamicsError::BetaAt { action, age, beta },
                other => DynamicsError::Ages { action, source: Box::new(other) },
            })?;
            if let Some(i) = m.iter().position(|x| !x.is_finite()) {
                let (row, column) = (i % dim, i / dim);
                let value = m[(row, column)].as_f64();
                return Err(DynamicsError::Entry { action, row, column, value });
            }
        }
        Ok(Self { matrices, beta: RevealSchedule::of(&beta), gamma })
    }

    /// The dynamics of a tabular model in one-hot features: M_a' leads from (s, a) to (s', a')
    /// with probability P(s'|s, a).
    ///
    /// # Example
    /// ```
    /// use nalgebra::Const;
    /// use sporadic::features::{Dynamics, OneHot};
    /// use sporadic::model::gallery;
    /// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
    /// let dynamics = Dynamics::one_hot(&swim, OneHot::with_dim(6, 2, Const::<12>)?);
    /// assert_eq!(dynamics.matrix(0)[(1, 2)], 0.6); // (s1, right) to (s2, left)
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `phi` was made for another number of states or actions.
    pub fn one_hot(model: &Tabular<T>, phi: super::OneHot<D>) -> Self {
        assert_eq!(phi.num_states(), model.num_states(), "features of another state space");
        assert_eq!(phi.num_actions(), model.num_actions(), "features of other actions");
        let (n, m) = (model.num_states(), model.num_actions());
        let dim = phi.dim();
        let matrices = (0..m)
            .map(|b| {
                let mut matrix = OMatrix::zeros_generic(dim, dim);
                for s in 0..n {
                    for a in 0..m {
                        for (t, p) in model.row(s, a) {
                            matrix[(s * m + a, t * m + b)] = p;
                        }
                    }
                }
                matrix
            })
            .collect();
        Self { matrices, beta: model.schedule().clone(), gamma: model.gamma() }
    }

    /// The number of actions.
    pub fn num_actions(&self) -> usize {
        self.matrices.len()
    }

    /// The dimension d.
    pub fn dim(&self) -> D {
        self.matrices[0].shape_generic().0
    }

    /// The action matrix M_a.
    ///
    /// # Panics
    /// If `a` is not an action.
    #[inline]
    pub fn matrix(&self, a: Action) -> &OMatrix<T, D, D> {
        &self.matrices[a]
    }

    /// The reveal probability beta(a); where it depends on the age, that of all ages from
    /// [`ages`](Self::ages) on.
    #[inline]
    pub fn beta(&self, a: Action) -> T {
        self.beta.last(a)
    }

    /// The reveal probability beta_n(a) of action `a` as the n-th one since the last sighting.
    #[inline]
    pub fn beta_at(&self, a: Action, age: usize) -> T {
        self.beta.at(a, age)
    }

    /// The age N from which on no reveal probability changes; 1 if none depends on the age.
    #[inline]
    pub fn ages(&self) -> usize {
        self.beta.ages()
    }

    /// The reveal probabilities of all actions at all ages.
    pub fn schedule(&self) -> &RevealSchedule<T> {
        &self.beta
    }

    /// The reveal probabilities, one per action, at all ages from [`ages`](Self::ages) on.
    pub fn betas(&self) -> &[T] {
        self.beta.lasts()
    }

    /// The discount factor gamma.
    #[inline]
    pub fn gamma(&self) -> T {
        self.gamma
    }

    /// gamma (1 - beta(a)): the probability that after action `a` the episode goes on and the state is
    /// not seen, at all ages from [`ages`](Self::ages) on.
    #[inline]
    pub fn blind(&self, a: Action) -> T {
        self.gamma * (T::one() - self.beta.last(a))
    }

    /// gamma (1 - beta_n(a)): the probability that after action `a`, as the n-th one since the last
    /// sighting, the episode goes on and the state is not seen.
    #[inline]
    pub fn blind_at(&self, a: Action, age: usize) -> T {
        self.gamma * (T::one() - self.beta.at(a, age))
    }

    /// gamma (1 - beta_n(a)), computed in double precision.
    pub(crate) fn blind_f64(&self, a: Action, age: usize) -> f64 {
        self.gamma.as_f64() * (1.0 - self.beta.at(a, age).as_f64())
    }

    /// The blind step gamma (1 - beta(a)) M_a, in double precision, at the ages from which on beta(a) no longer
    /// changes: whether a series converges does not depend on its first terms.
    pub(crate) fn blind_step(&self, a: Action) -> DMatrix<f64> {
        to_f64(&self.matrices[a]) * self.blind_f64(a, self.ages())
    }

    /// gamma beta(a): the probability that after action `a` the episode goes on and the state is seen,
    /// at all ages from [`ages`](Self::ages) on.
    #[inline]
    pub fn seen(&self, a: Action) -> T {
        self.gamma * self.beta.last(a)
    }

    /// The features phi(x) = phi(s, a_1)^T M_a2 ... M_an of an augmented state with at least one
    /// action, from which b(.|x) = <phi(x), mu(.)>. `None` if no action was taken yet.
    pub fn phi<F: FeatureMap<T, Dim = D>>(
        &self,
        phi: &F,
        x: &AugmentedState<F::State>,
    ) -> Option<OVector<T, D>> {
        let (&first, rest) = x.actions().split_first()?;
        Some(rest.iter().fold(phi.phi(x.state(), first), |v, &a| self.matrices[a].tr_mul(&v)))
    }
}

/// [`Dynamics`] as nested lists, matrices row by row: what is written to a file.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct PlainDynamics<T> {
    gamma: T,
    beta: Vec<T>,
    /// The reveal probabilities of all actions at ages 1, 2, ... before those of `beta`.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    early: Vec<Vec<T>>,
    matrices: Vec<Vec<Vec<T>>>,
}

#[cfg(feature = "serde")]
impl<T: Real, D: Dimension> From<Dynamics<T, D>> for PlainDynamics<T> {
    fn from(dynamics: Dynamics<T, D>) -> Self {
        let rows = |m: &OMatrix<T, D, D>| -> Vec<Vec<T>> {
            m.row_iter().map(|row| row.iter().copied().collect()).collect()
        };
        let matrices = dynamics.matrices.iter().map(rows).collect();
        let (ages, actions) = (dynamics.ages(), dynamics.num_actions());
        let at = |age| (0..actions).map(|a| dynamics.beta_at(a, age)).collect();
        let (beta, early) = (at(ages), (1..ages).map(at).collect());
        Self { gamma: dynamics.gamma, beta, early, matrices }
    }
}

#[cfg(feature = "serde")]
impl<T: Real, D: Dimension> TryFrom<PlainDynamics<T>> for Dynamics<T, D> {
    type Error = DynamicsError;

    fn try_from(plain: PlainDynamics<T>) -> Result<Self, DynamicsError> {
        let dim = D::try_to_usize().or(plain.matrices.first().map(Vec::len)).unwrap_or(0);
        let mut matrices = Vec::with_capacity(plain.matrices.len());
        for (action, rows) in plain.matrices.iter().enumerate() {
            let odd = rows.iter().map(Vec::len).find(|&length| length != dim);
            if rows.len() != dim || odd.is_some() {
                let (rows, columns) = (rows.len(), odd.unwrap_or(dim));
                return Err(DynamicsError::Shape { action, rows, columns, dim });
            }
            let d = D::from_usize(dim);
            matrices.push(OMatrix::from_fn_generic(d, d, |i, j| rows[i][j]));
        }
        if let Some(odd) = plain.early.iter().find(|row| row.len() != plain.beta.len()) {
            return Err(DynamicsError::Actions { matrices: matrices.len(), betas: odd.len() });
        }
        let rows = || plain.early.iter().chain([&plain.beta]);
        let reveal = |a: usize| rows().map(|row| row[a]).collect::<Vec<T>>().into();
        let beta = (0..plain.beta.len()).map(reveal).collect();
        Self::with_reveals(matrices, beta, plain.gamma)
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;
    use crate::features::OneHot;
    use crate::model::gallery;
    use nalgebra::{Const, Dyn};

    #[test]
    fn files_round_trip_and_are_validated() {
        let swim = gallery::river_swim::<f64>(6, 0.1, 0.99).unwrap();
        let dynamics = Dynamics::one_hot(&swim, OneHot::of(&swim));
        let text = serde_json::to_string(&dynamics).unwrap();
        assert_eq!(serde_json::from_str::<Dynamics<f64, Dyn>>(&text).unwrap(), dynamics);
        assert!(serde_json::from_str::<Dynamics<f64, Const<12>>>(&text).is_ok());
        let error = serde_json::from_str::<Dynamics<f64, Const<11>>>(&text).unwrap_err();
        assert!(error.to_string().contains("action 0 is 12 x 12, not 11 x 11"), "{error}");
        let error = serde_json::from_str::<Dynamics<f64, Dyn>>(
            r#"{"gamma": 0.9, "beta": [0.5], "matrices": [[[1.0, 0.0], [1.0]]]}"#,
        );
        assert!(error.unwrap_err().to_string().contains("2 x 1, not 2 x 2"));
    }
}
