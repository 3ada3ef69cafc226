//! The features of every state and every candidate, as one matrix.

use std::sync::Arc;

use nalgebra::{DMatrix, Dim};

use crate::agents::error::check_family;
use crate::agents::{AgentError, size};
use crate::dim::FeatureDim;
use crate::features::{SequenceFeatures, TabularPsi};
use crate::model::Tabular;
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
        Self { family, num_states, discount, psi: columns }.finite()
    }

    /// The exact features of a tabular model, in d dimensions.
    ///
    /// One-hot psi is 1/2 ((1 - gamma) o, gamma beta o) with one occupancy o(s', a): its two halves
    /// are proportional in every coordinate. Turned onto its span it is
    /// `1/2 sqrt((1 - gamma)^2 + (gamma beta(a))^2) o(s', a)`, with the same inner products.
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
        let factors = turn(model);
        let psi = DMatrix::from_fn(d, num_states * family.len(), |i, column| {
            factors[i % num_actions] * table[(i, column)]
        });
        Self { family, num_states, discount, psi }.finite()
    }

    /// Features that are known: column `s * family.len() + j` of state s and sequence j.
    pub(super) fn known(
        family: Arc<[ActionSequence]>,
        num_states: usize,
        discount: Discount<T>,
        psi: DMatrix<T>,
    ) -> Self {
        Self { family, num_states, discount, psi }
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

    /// The dimension of the features: d for [`one_hot`](Self::one_hot), 2d for
    /// [`new`](Self::new).
    pub fn dim(&self) -> usize {
        self.psi.nrows()
    }
}

/// What the reward half of one-hot psi is multiplied by, for each action, when psi is turned onto its span.
pub(super) fn turn<T: Real>(model: &Tabular<T>) -> Vec<T> {
    let ratio = |a| model.seen(a) / (T::one() - model.gamma());
    (0..model.num_actions()).map(ratio).map(|ratio| (T::one() + ratio * ratio).sqrt()).collect()
}
