//! What the learner with a pool has learnt, as plain data.

use super::AdaptiveLsviUcb;
use crate::agents::error::check_finite;
use crate::agents::{AgentError, Resume, TabularLsviUcbState};
use crate::sequence::ActionSequence;
use crate::{Fault, Real};

/// What an [`AdaptiveLsviUcb`] has learnt and the pool that it chooses from, between two episodes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AdaptiveLsviUcbState<T> {
    learner: TabularLsviUcbState<T>,
    /// Each sequence of the pool, with the last episode whose plan had it.
    pool: Vec<(ActionSequence, u64)>,
    priced_at: Option<T>,
    searches: u64,
    bound_at: u64,
    start: usize,
}

impl<T: Real> Resume for AdaptiveLsviUcb<T> {
    type State = AdaptiveLsviUcbState<T>;

    fn state(&self) -> AdaptiveLsviUcbState<T> {
        let members = self.pool.members.iter();
        AdaptiveLsviUcbState {
            learner: self.learner.state(),
            pool: members.map(|member| (member.sequence.clone(), member.chosen)).collect(),
            priced_at: self.priced_at,
            searches: self.searches,
            bound_at: self.bound_at,
            start: self.start,
        }
    }

    /// Makes the agent one that has learnt `state`.
    ///
    /// # Errors
    /// [`AgentError`] if it comes from an agent with another model, another size of the pool or another horizon;
    /// the agent is then as it was.
    fn restore(&mut self, state: AdaptiveLsviUcbState<T>) -> Result<(), Fault> {
        let mut pool = self.pool.clone();
        pool.restore(state.pool)?;
        check_finite("a log-determinant", &state.priced_at)?;
        let n = self.learner.candidates().num_states();
        if state.start >= n {
            let (what, expected, found) = ("states or more", n, state.start.saturating_add(1));
            return Err(AgentError::Restore { what, expected, found }.into());
        }
        let mut learner = self.learner.clone();
        learner.replace_candidates(pool.candidates());
        learner.restore(state.learner)?;
        (self.learner, self.pool) = (learner, pool);
        (self.priced_at, self.searches) = (state.priced_at, state.searches);
        (self.bound_at, self.start) = (state.bound_at, state.start);
        Ok(())
    }
}
