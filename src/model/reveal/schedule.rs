//! The reveal probabilities of all actions.

use super::Reveal;
use crate::Real;
use crate::model::{Action, ModelError};

/// The reveal probabilities beta_n(a) of all actions at all ages.
///
/// From age N on, [`ages`](Self::ages), they do not change. N = 1 is the paper's case of one number per
/// action.
#[derive(Debug, Clone, PartialEq)]
pub struct RevealSchedule<T> {
    /// beta_n(a) for n >= N.
    last: Vec<T>,
    /// beta_n(a) for n < N, at `(n - 1) |A| + a`.
    early: Vec<T>,
}

impl<T: Real> RevealSchedule<T> {
    /// One [`Reveal`] per action; `name` names an action in errors.
    pub(crate) fn new(
        reveals: &[Reveal<T>],
        name: impl Fn(Action) -> String,
    ) -> Result<Self, ModelError> {
        reveals.iter().enumerate().try_for_each(|(a, reveal)| reveal.check(&name(a)))?;
        Ok(Self::of(reveals))
    }

    /// One [`Reveal`] per action, checked before.
    pub(crate) fn of(reveals: &[Reveal<T>]) -> Self {
        let ages = reveals.iter().map(|reveal| reveal.listed.len()).max().unwrap_or(1);
        let early = (1..ages).flat_map(|age| reveals.iter().map(move |reveal| reveal.at(age)));
        Self { early: early.collect(), last: reveals.iter().map(|r| r.at(ages)).collect() }
    }

    /// The number of actions.
    pub fn num_actions(&self) -> usize {
        self.last.len()
    }

    /// The age N from which on no reveal probability changes; 1 if none depends on the age.
    #[inline]
    pub fn ages(&self) -> usize {
        if self.early.is_empty() { 1 } else { self.early.len() / self.last.len() + 1 }
    }

    /// Whether no reveal probability depends on the age.
    #[inline]
    pub fn is_constant(&self) -> bool {
        self.early.is_empty()
    }

    /// beta_n(a), where n = 1 is the first action after a sighting.
    ///
    /// # Panics
    /// If `a` is not an action.
    #[inline]
    pub fn at(&self, a: Action, age: usize) -> T {
        if self.early.is_empty() {
            return self.last[a];
        }
        let m = self.last.len();
        assert!(a < m, "action {a} of {m}");
        let place = age.saturating_sub(1).saturating_mul(m).saturating_add(a);
        self.early.get(place).copied().unwrap_or(self.last[a])
    }

    /// beta_n(a) for all n >= N: the reveal probability of an action for good.
    ///
    /// # Panics
    /// If `a` is not an action.
    #[inline]
    pub fn last(&self, a: Action) -> T {
        self.last[a]
    }

    /// beta_n(a) for all n >= N, one number per action.
    pub fn lasts(&self) -> &[T] {
        &self.last
    }

    /// The smallest beta_n(a) over all ages n.
    pub fn least(&self, a: Action) -> T {
        (1..self.ages()).fold(self.last[a], |least, age| least.min(self.at(a, age)))
    }

    /// The reveal probabilities of one action.
    pub fn reveal(&self, a: Action) -> Reveal<T> {
        (1..=self.ages()).map(|age| self.at(a, age)).collect::<Vec<_>>().into()
    }

    /// The reveal probabilities of every action.
    pub fn reveals(&self) -> Vec<Reveal<T>> {
        (0..self.num_actions()).map(|a| self.reveal(a)).collect()
    }
}
