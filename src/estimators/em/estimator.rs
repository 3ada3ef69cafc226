//! EM as an estimator like any other.

use nalgebra::{DMatrix, Dyn};

use super::EmEstimator;
use crate::Real;
use crate::dim::Dimensional;
use crate::estimators::{BoundKind, ErrorBounds, EstimateError, Estimator, Transition};
use crate::features::Dynamics;
use crate::model::Action;

impl<T> Dimensional for EmEstimator<T> {
    type Dim = Dyn;

    fn dim(&self) -> Dyn {
        Dyn(self.tree.roots() * self.num_actions)
    }
}

impl<T: Real> Estimator<T> for EmEstimator<T> {
    type State = usize;

    fn observe(&mut self, t: &Transition<usize>) {
        self.observe_at(t, 1);
    }

    fn observe_at(&mut self, t: &Transition<usize>, age: usize) {
        self.observe_reveal_at(t.action, age, t.burst);
        self.learn(t.state, &[t.action], t.next);
    }

    fn observe_reveal(&mut self, a: Action, burst: bool) {
        self.observe_reveal_at(a, 1, burst);
    }

    fn observe_reveal_at(&mut self, a: Action, age: usize, burst: bool) {
        if !self.reveals.observe_at(a, age, burst) {
            let (sample, num_actions) = (self.segments, self.num_actions);
            self.blame(EstimateError::Action { sample, action: a, num_actions });
        }
    }

    /// Learns from the whole segment, however many actions it has.
    fn observe_segment(&mut self, start: &usize, actions: &[Action], next: Option<&usize>) {
        let Some((&last, before)) = actions.split_last() else { return };
        for (&a, age) in before.iter().zip(1..) {
            self.observe_reveal_at(a, age, false);
        }
        if let Some(&next) = next {
            self.observe_reveal_at(last, actions.len(), true);
            self.learn(*start, actions, next);
        }
    }

    /// The number of segments, and of transitions given one by one, learnt from.
    fn samples(&self) -> u64 {
        self.segments
    }

    /// The last [`fit`](EmEstimator::fit) if nothing was learnt since, otherwise a new one, made on a copy.
    fn estimate(&self) -> Result<Dynamics<T, Dyn>, EstimateError> {
        self.check()?;
        let mut fresh = self.clone();
        if fresh.fitted.segments != self.segments {
            fresh.fit();
        }
        let (n, m) = (self.num_states(), self.num_actions);
        let matrix = |b: usize| {
            DMatrix::from_fn(n * m, n * m, |i, j| {
                let p = fresh.fitted.transitions.action(i % m)[i / m * n + j / m];
                T::of(if j % m == b { p } else { 0.0 })
            })
        };
        let reveals = self.reveals.estimate();
        Ok(Dynamics::with_reveals((0..m).map(matrix).collect(), reveals, self.gamma)?)
    }

    /// Infinite for the matrices: nothing is proved of EM here. For the reveal probabilities, Clopper-Pearson intervals.
    fn error_bounds(&self, confidence: T) -> ErrorBounds<T> {
        let dim = self.num_states() * self.num_actions;
        let beta = T::of(self.reveals.error_bound(confidence.as_f64()));
        ErrorBounds::new(BoundKind::Observed, dim, self.gamma, T::of(f64::INFINITY), beta)
            .with_large_enough(false)
    }
}
