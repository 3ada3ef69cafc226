//! A given policy, for example the optimum of a known model.

use super::{Agent, Segment};
use crate::belief::AugmentedState;
use crate::model::Action;
use crate::planning::BurstPolicy;
use crate::sequence::ActionSequence;

/// Plays a burst-dependent policy given from outside and learns nothing.
///
/// With the policy of [`class_optimum`](crate::planning::class_optimum), or any other planner's, it
/// is the agent that knows the model: what learners are measured against.
///
/// # Example
/// ```
/// use sporadic::agents::FixedPolicy;
/// use sporadic::model::gallery;
/// use sporadic::planning::class_optimum;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Returns, Simulation, Streams};
/// let balance = gallery::river_balance::<f64>(6, 0.2, 0.9)?;
/// let best = class_optimum(&balance, &runs(2, 2, 3).collect::<Vec<_>>())?;
/// let mut agent = FixedPolicy::new(best.policy);
/// let mut returns = Returns::new();
/// Simulation::new(&balance, Streams::new(1)).run(0..4_000, &mut agent, &mut returns)?;
/// assert!((returns.mean().unwrap_or(0.0) - best.values[0]).abs() < 0.4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FixedPolicy<P> {
    policy: P,
    sighting: usize,
    playing: ActionSequence,
}

impl<P> FixedPolicy<P> {
    /// Plays `policy`.
    pub fn new(policy: P) -> Self {
        Self { policy, sighting: 1, playing: ActionSequence::constant(0) }
    }
}

impl<S, T, P: BurstPolicy<S>> Agent<S, T> for FixedPolicy<P> {
    fn begin_episode(&mut self, start: &S) {
        self.sighting = 1;
        self.playing = self.policy.sequence(1, start).into_owned();
    }

    fn act(&mut self, x: &AugmentedState<S>) -> Action {
        self.playing.action(x.actions().len())
    }

    fn observe(&mut self, segment: &Segment<S, T>) {
        if let Some(next) = segment.next() {
            self.sighting += 1;
            self.playing = self.policy.sequence(self.sighting, next).into_owned();
        }
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<S>> {
        Some(&self.policy)
    }
}
