//! The learner inside, which is told new features now and then.

use nalgebra::{DVectorView, Dyn};

use crate::Real;
use crate::agents::lsvi_ucb::random_play::draws;
use crate::agents::lsvi_ucb::ridge::Ridge;
use crate::agents::{AdaptiveLsviUcb, Agent, AgentError, HistoryEntry, TabularLsviUcb};

impl<T: Real> TabularLsviUcb<T> {
    /// Plays at random in the episode that has just begun in `start`.
    pub(in crate::agents::lsvi_ucb) fn play_at_random(&mut self, start: usize) {
        let m = self.plan.family().len();
        self.plan.play(draws(self.memory.episodes, m));
        // The plan is no longer that of the last planning phase.
        self.memory.planned_at = None;
        self.execute(start);
    }

    /// Line 4 and the sums of line 6, redone from all segments with the features that `psi` gives.
    ///
    /// # Errors
    /// [`AgentError::Inverse`] if Lambda^-1 loses its accuracy.
    pub(in crate::agents::lsvi_ucb) fn redo<'a>(
        &mut self,
        entries: &[HistoryEntry<usize, T>],
        psi: impl Fn(&HistoryEntry<usize, T>) -> &'a [T],
    ) -> Result<(), AgentError>
    where
        T: 'a,
    {
        let memory = &mut self.memory;
        memory.ridge = Ridge::new(Dyn(self.candidates.dim()), self.params.lambda());
        memory.sums.fill(T::zero());
        memory.planned_at = None;
        for entry in entries {
            let psi = DVectorView::from_slice(psi(entry), self.candidates.dim());
            memory.sums.column_mut(0).axpy(entry.reward, &psi, T::one());
            for &(next, count) in &entry.ends {
                memory.sums.column_mut(1 + next).axpy(T::of(count as f64), &psi, T::one());
            }
            memory.ridge.add(&psi, T::of(entry.count as f64), &mut self.scratch.z)?;
        }
        Ok(())
    }
}

/// Algorithm 1 with the candidates of a family, or with a pool of candidates over all sequences.
#[derive(Debug, Clone)]
pub(super) enum Learner<T: Real> {
    Family(Box<TabularLsviUcb<T>>),
    Pool(Box<AdaptiveLsviUcb<T>>),
}

impl<T: Real> Learner<T> {
    pub(super) fn inner(&self) -> &TabularLsviUcb<T> {
        match self {
            Self::Family(learner) => learner,
            Self::Pool(learner) => learner.learner(),
        }
    }

    pub(super) fn inner_mut(&mut self) -> &mut TabularLsviUcb<T> {
        match self {
            Self::Family(learner) => learner,
            Self::Pool(learner) => learner.learner_mut(),
        }
    }

    pub(super) fn agent(&mut self) -> &mut dyn Agent<usize, T> {
        match self {
            Self::Family(learner) => &mut **learner,
            Self::Pool(learner) => &mut **learner,
        }
    }
}
