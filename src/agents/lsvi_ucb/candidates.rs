//! The features of every state and every candidate, as one matrix.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector, Dim, Dyn};

use crate::agents::error::{check_counts, check_family};
use crate::agents::{AgentError, size};
use crate::dim::FeatureDim;
use crate::features::{Dynamics, SequenceFeatures, TabularPsi};
use crate::model::{Action, Tabular};
use crate::sequence::ActionSequence;
use crate::{Discount, Real};

/// The features psi of n states and a finite family of sequences: all that Algorithm 1 needs of the model.
///
/// Column `s * family.len() + j` holds the features of state s and sequence j. Ridge regression and
/// its bonus see inner products only, so any rotation of psi gives the same algorithm; in one-hot
/// features there is one that halves the dimension.
///
/// # Example
/// ```
/// use sporadic::agents::Candidates;
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// use sporadic::sequence::runs;
/// let psi = TabularPsi::new(gallery::river_swim::<f64>(6, 0.1, 0.99)?);
/// let exact = Candidates::one_hot(&psi, runs(2, 5, 10))?;
/// assert_eq!((exact.family().len(), exact.dim()), (1012, 12));
/// let any = Candidates::new(&psi, 6, runs(2, 5, 10))?;
/// assert_eq!(any.dim(), 24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Candidates<T: Real> {
    family: Arc<[ActionSequence]>,
    num_states: usize,
    discount: Discount<T>,
    pub(super) psi: DMatrix<T>,
    /// For each s' the w with E[value] = <psi, w> of a value of 1 if s' is the next state seen, and 0 otherwise.
    pub(super) continuation: Option<DMatrix<T>>,
    /// The w whose <psi, w> is added to every K: what visits to pairs of a state and an action are worth in themselves.
    pub(super) visit_bonus: Option<DVector<T>>,
}

impl<T: Real> Candidates<T> {
    /// The features of any map on the states `0..num_states`, exact or estimated, in 2d
    /// dimensions.
    ///
    /// # Errors
    /// [`AgentError`] if there are no states, sequences or features, psi does not know the last state or an
    /// action of a sequence, a feature is not finite, or there are more features than [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS).
    pub fn new(
        psi: &impl SequenceFeatures<T, State = usize>,
        num_states: usize,
        family: impl IntoIterator<Item = ActionSequence>,
    ) -> Result<Self, AgentError> {
        let family: Arc<[ActionSequence]> = family.into_iter().collect();
        check_family(&family, psi.num_actions())?;
        let discount = Discount::new(psi.gamma())?;
        if num_states == 0 {
            return Err(AgentError::Empty);
        }
        let last = psi.check_state(&(num_states - 1));
        last.map_err(|fault| AgentError::state("the last state of the candidates", fault))?;
        let (m, width) = (family.len(), 2 * psi.dim().value());
        if width == 0 {
            return Err(AgentError::Empty);
        }
        size::check_features(psi.dim().value(), num_states, m)?;
        let mut columns = DMatrix::zeros(width, num_states * m);
        for s in 0..num_states {
            let batch = psi.batch(&s, &family);
            columns.columns_mut(s * m, m).iter_mut().zip(batch.iter()).for_each(|(to, &x)| *to = x);
        }
        Self { family, num_states, discount, psi: columns, continuation: None, visit_bonus: None }
            .finite()
    }

    /// The exact features of a tabular model, in d dimensions.
    ///
    /// One-hot psi is 1/2 ((1 - gamma) o, gamma beta o) with one occupancy o(s', a): its two halves
    /// are proportional in every coordinate. Turned onto its span it is
    /// `1/2 sqrt((1 - gamma)^2 + (gamma beta(a))^2) o(s', a)`, with the same inner products. Where reveal
    /// probabilities depend on the age the halves are not proportional, and all 2d dimensions are kept.
    ///
    /// # Errors
    /// [`AgentError`] if the family is empty or takes an action that the model does not have, or there
    /// are more features, before they are turned, than [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS).
    pub fn one_hot<D: FeatureDim>(
        psi: &TabularPsi<T, D>,
        family: impl IntoIterator<Item = ActionSequence>,
    ) -> Result<Self, AgentError> {
        let model = psi.model();
        let (num_states, num_actions) = (model.num_states(), model.num_actions());
        let gamma = model.gamma();
        let discount = Discount::new(gamma)?;
        let family: Arc<[ActionSequence]> = family.into_iter().collect();
        check_family(&family, num_actions)?;
        let d = num_states * num_actions;
        size::check_features(d, num_states, family.len())?;
        let table = psi.table(&family);
        if model.ages() > 1 {
            let psi = DMatrix::from_fn(2 * d, num_states * family.len(), |i, j| table[(i, j)]);
            return Self {
                family,
                num_states,
                discount,
                psi,
                continuation: None,
                visit_bonus: None,
            }
            .finite();
        }
        let factors = turn(model);
        let psi = DMatrix::from_fn(d, num_states * family.len(), |i, column| {
            factors[i % num_actions] * table[(i, column)]
        });
        Self { family, num_states, discount, psi, continuation: None, visit_bonus: None }.finite()
    }

    /// Tells the transition probabilities of `model`, which must be those that psi was made from:
    /// [`Continuation::Model`](super::Continuation::Model) needs them.
    ///
    /// # Errors
    /// [`AgentError::Restore`] if the model has another number of states, or of actions than the features.
    pub fn with_model(self, model: &Tabular<T>) -> Result<Self, AgentError> {
        let (n, d) = (model.num_states(), model.num_states() * model.num_actions());
        let features = if self.dim() == d { d } else { 2 * d };
        check_counts([("states", self.num_states, n), ("features", self.dim(), features)])?;
        Ok(self.continued_by(model))
    }

    /// Continuation by the transitions of `model`, which must have these states and actions: not checked here.
    pub(super) fn continued_by(self, model: &Tabular<T>) -> Self {
        let (n, m) = (model.num_states(), model.num_actions());
        let mut rows = vec![Vec::new(); n * m];
        rows.iter_mut().enumerate().for_each(|(i, row)| row.extend(model.row(i / m, i % m)));
        self.with_rows(&rows, (model.gamma(), model.betas()))
    }

    /// Tells the transition probabilities of one-hot `dynamics`, which may be estimated; see [`with_model`](Self::with_model).
    ///
    /// # Errors
    /// [`AgentError::Restore`] if the dynamics are of another dimension than the features.
    pub fn with_dynamics(self, dynamics: &Dynamics<T, Dyn>) -> Result<Self, AgentError> {
        let (d, m) = (dynamics.dim().0, dynamics.num_actions());
        // From (x, a) to (s', 0) by the matrix of action 0.
        let entry = |i: usize, next: usize| (next, dynamics.matrix(0)[(i, next * m)]);
        let row = |i: usize| (0..d / m).map(|next| entry(i, next)).collect();
        let rows: Vec<Vec<(usize, T)>> = (0..d).map(row).collect();
        let features = if self.dim() == d { d } else { 2 * d };
        check_counts([("states", self.num_states, d / m), ("features", self.dim(), features)])?;
        Ok(self.with_rows(&rows, (dynamics.gamma(), dynamics.betas())))
    }

    /// Adds `bonus(s, a)` to the value of a sequence for every visit to state s in which it takes action a, in the mean and discounted.
    ///
    /// # Errors
    /// [`AgentError::Restore`] if the features are not the one-hot ones of so many actions.
    pub(super) fn with_visit_bonus(
        mut self,
        (gamma, beta): (T, &[T]),
        bonus: impl Fn(usize, Action) -> T,
    ) -> Result<Self, AgentError> {
        let (m, rows) = (beta.len(), self.psi.nrows());
        let d = self.num_states * m;
        check_counts([("features", rows, if rows == d { d } else { 2 * d })])?;
        // A visit is this much of a coordinate of the reward half of psi.
        let visit = |a: Action| {
            let turned = if rows == d { factor(gamma, gamma * beta[a]) } else { T::one() };
            turned * T::of(0.5) * (T::one() - gamma)
        };
        let weight = |i: usize| if i < d { bonus(i / m, i % m) / visit(i % m) } else { T::zero() };
        self.visit_bonus = Some(DVector::from_fn(rows, |i, _| weight(i)));
        Ok(self)
    }

    /// The mean number of visits o(x, a) before the next sighting is a coordinate of psi divided by a factor, and each visit leads to
    /// the sighting of s' with probability gamma beta(a) P(s'|x, a).
    fn with_rows(mut self, transitions: &[Vec<(usize, T)>], (gamma, beta): (T, &[T])) -> Self {
        let (d, m, rows) = (transitions.len(), beta.len(), self.psi.nrows());
        let scale = |a: Action| {
            let seen = gamma * beta[a];
            let visit = factor(gamma, seen) * T::of(0.5) * (T::one() - gamma);
            if rows == d { seen / visit } else { T::of(2.0) }
        };
        let mut continuation = DMatrix::zeros(rows, self.num_states);
        for (i, row) in transitions.iter().enumerate() {
            for &(next, p) in row {
                continuation[(rows - d + i, next)] = scale(i % m) * p;
            }
        }
        self.continuation = Some(continuation);
        self
    }

    /// Features that are known: column `s * family.len() + j` of state s and sequence j.
    pub(super) fn known(
        family: Arc<[ActionSequence]>,
        num_states: usize,
        discount: Discount<T>,
        psi: DMatrix<T>,
    ) -> Self {
        Self { family, num_states, discount, psi, continuation: None, visit_bonus: None }
    }

    fn finite(self) -> Result<Self, AgentError> {
        match self.psi.iter().position(|x| !x.is_finite()) {
            None => Ok(self),
            Some(at) => {
                let column = at / self.psi.nrows();
                let sequence = self.family[column % self.family.len()].clone();
                Err(AgentError::Features { state: column / self.family.len(), sequence })
            }
        }
    }

    /// The family, in the order in which ties are broken.
    pub fn family(&self) -> &[ActionSequence] {
        &self.family
    }

    pub(super) fn shared_family(&self) -> Arc<[ActionSequence]> {
        Arc::clone(&self.family)
    }

    /// The number of states.
    pub fn num_states(&self) -> usize {
        self.num_states
    }

    /// The discount factor.
    pub fn gamma(&self) -> T {
        self.discount.get()
    }

    pub(super) fn discount(&self) -> Discount<T> {
        self.discount
    }

    /// The dimension of the features: d for [`one_hot`](Self::one_hot) of a model whose reveal
    /// probabilities do not depend on the age, otherwise 2d.
    pub fn dim(&self) -> usize {
        self.psi.nrows()
    }
}

/// What the reward half of one-hot psi is multiplied by, for each action, when psi is turned onto its span.
pub(super) fn turn<T: Real>(model: &Tabular<T>) -> Vec<T> {
    (0..model.num_actions()).map(|a| factor(model.gamma(), model.seen(a))).collect()
}

/// The factor of an action after which the state is seen with probability `seen` = gamma beta(a).
fn factor<T: Real>(gamma: T, seen: T) -> T {
    let ratio = seen / (T::one() - gamma);
    (T::one() + ratio * ratio).sqrt()
}
