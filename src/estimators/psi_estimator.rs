//! Estimators of psi itself, for agents that learn it on the way.

use super::{EmEstimator, EstimateError, Estimator as _};
use crate::features::{SequenceFeatures, TabularPsi};
use crate::model::Action;
use crate::{Fault, Real};

/// An estimator that learns from segments and makes a psi of what it has learnt, when told to.
///
/// This is all that [`OnlineLsviUcb`](crate::agents::OnlineLsviUcb) needs to know. Segments are all that it is ever given, so it cannot
/// see a latent state. [`EmEstimator`] is one for finite models; [`MomentEstimator`](super::MomentEstimator) for linear
/// ones with features phi.
pub trait PsiEstimator<T: Real> {
    /// The state that is seen at sightings.
    type State;
    /// The map that it makes.
    type Psi: SequenceFeatures<T, State = Self::State>;
    /// What it has learnt, as plain data.
    type Saved;

    /// Learns from a segment: from the sighting of `start` through `actions` to the sighting of `next`, or to the end of the
    /// episode if that is `None`. Changes nothing about [`psi`](Self::psi) before the next [`refit`](Self::refit).
    fn learn(&mut self, start: &Self::State, actions: &[Action], next: Option<&Self::State>);

    /// The number of segments that told something of the transitions.
    fn segments(&self) -> u64;

    /// Estimates anew from all segments.
    ///
    /// # Errors
    /// [`EstimateError`] if something that was learnt cannot be used.
    fn refit(&mut self) -> Result<(), EstimateError>;

    /// psi of the last estimate, or, before the first, of what is assumed when nothing is known. The same until the next
    /// [`refit`](Self::refit), also after the estimator was saved and read back.
    ///
    /// # Errors
    /// [`EstimateError`] if there is none.
    fn psi(&self) -> Result<Self::Psi, EstimateError>;

    /// For each state s' the weights w with <psi(s, a), w> = the probability, under the last estimate, that s' is the next state seen;
    /// empty if states cannot be listed. What [`Continuation::Model`](crate::agents::Continuation::Model) needs.
    fn continuation(&self) -> Vec<(Self::State, Vec<T>)> {
        Vec::new()
    }

    /// All that was learnt, as plain data.
    fn saved(&self) -> Self::Saved;

    /// Makes the estimator one that has learnt `saved`.
    ///
    /// # Errors
    /// Any error, if that is not of an estimator made alike; the estimator is then as it was.
    fn restore(&mut self, saved: Self::Saved) -> Result<(), Fault>;
}

impl<T: Real> PsiEstimator<T> for EmEstimator<T> {
    type State = usize;
    type Psi = TabularPsi<T>;
    type Saved = Self;

    fn learn(&mut self, start: &usize, actions: &[Action], next: Option<&usize>) {
        self.observe_segment(start, actions, next);
    }

    fn segments(&self) -> u64 {
        self.samples()
    }

    fn refit(&mut self) -> Result<(), EstimateError> {
        self.fit();
        Ok(())
    }

    fn psi(&self) -> Result<TabularPsi<T>, EstimateError> {
        Ok(TabularPsi::new(self.model()?))
    }

    fn continuation(&self) -> Vec<(usize, Vec<T>)> {
        let (n, m) = (self.num_states(), self.num_actions());
        // The continuation half of psi is 1/2 gamma beta(a) o(x, a), with o the mean number of visits.
        let weight = |i: usize, next| match i.checked_sub(n * m) {
            None => T::zero(),
            Some(i) => T::of(2.0 * self.probability(i / m, i % m, next)),
        };
        let weights = |next| (0..2 * n * m).map(|i| weight(i, next)).collect();
        (0..n).map(|next| (next, weights(next))).collect()
    }

    fn saved(&self) -> Self {
        self.clone()
    }

    fn restore(&mut self, saved: Self) -> Result<(), Fault> {
        self.check_like(&saved)?;
        *self = saved;
        Ok(())
    }
}
