//! What the learner of psi and of values has learnt, as plain data.

use super::OnlineTabularLsviUcb;
use super::learner::Learner;
use crate::agents::lsvi_ucb::history::History;
use crate::agents::{AdaptiveLsviUcbState, AgentError, HistoryEntry, Resume, TabularLsviUcbState};
use crate::estimators::EmEstimator;
use crate::{Fault, Real};

/// What an [`OnlineTabularLsviUcb`] has learnt, between two episodes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "T: Real + serde::Deserialize<'de>")))]
pub struct OnlineTabularLsviUcbState<T> {
    learner: LearnerState<T>,
    estimator: EmEstimator<T>,
    history: Vec<HistoryEntry<usize, T>>,
    built_at: Option<u64>,
}

/// What a learner inside has learnt.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum LearnerState<T> {
    Family(TabularLsviUcbState<T>),
    Pool(AdaptiveLsviUcbState<T>),
}

impl<T: Real> Resume for OnlineTabularLsviUcb<T> {
    type State = OnlineTabularLsviUcbState<T>;

    fn state(&self) -> Self::State {
        OnlineTabularLsviUcbState {
            learner: match &self.learner {
                Learner::Family(learner) => LearnerState::Family(learner.state()),
                Learner::Pool(learner) => LearnerState::Pool(learner.state()),
            },
            estimator: self.estimator.clone(),
            history: self.history.entries().to_vec(),
            built_at: self.built_at,
        }
    }

    /// Makes the agent one that has learnt `state`, between two episodes.
    ///
    /// # Errors
    /// If it comes from an agent with other states, actions, candidates or settings, or its numbers contradict each
    /// other; the agent is then as it was.
    fn restore(&mut self, state: Self::State) -> Result<(), Fault> {
        self.estimator.check_like(&state.estimator)?;
        let (n, m) = (self.estimator.num_states(), self.estimator.num_actions());
        let by_family = matches!(self.learner, Learner::Family(_));
        for entry in &state.history {
            let states = entry.ends.iter().map(|(s, _)| *s).chain([entry.state]);
            let found = states.max().unwrap_or(0).saturating_add(1);
            let known = if by_family {
                self.numbers.contains_key(&entry.sequence)
            } else {
                entry.sequence.max_action() < m
            };
            if found > n || !known {
                let (what, expected) = ("states or other sequences", n);
                return Err(AgentError::Restore { what, expected, found }.into());
            }
        }
        let mut restored = self.clone();
        restored.history = History::from_entries(state.history)?;
        (restored.estimator, restored.built_at) = (state.estimator, state.built_at);
        // The features of the last fit; what was learnt in them comes with the learner's own state.
        restored.rebuild(&[])?;
        match (&mut restored.learner, state.learner) {
            (Learner::Family(learner), LearnerState::Family(state)) => learner.restore(state)?,
            (Learner::Pool(learner), LearnerState::Pool(state)) => learner.restore(state)?,
            (Learner::Family(_) | Learner::Pool(_), _) => {
                let (what, expected, found) =
                    ("pools", usize::from(!by_family), usize::from(by_family));
                return Err(AgentError::Restore { what, expected, found }.into());
            }
        }
        *self = restored;
        Ok(())
    }
}
