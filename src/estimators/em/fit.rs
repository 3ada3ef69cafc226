//! The iterations of EM: where they start, and what they came to.

use super::EmEstimator;
use super::passes::{Passes, Transitions};
use crate::Real;

/// An action that was tried so often without a sighting is taken for one that shows nothing. At a reveal probability of .05 that
/// would happen with probability 4e-5.
const OFTEN: u64 = 200;

/// What iterations from one start came to.
struct Climb {
    transitions: Transitions,
    visits: Vec<f64>,
    done: EmFit,
}

/// What one [`fit`](EmEstimator::fit) did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmFit {
    /// The iterations made.
    pub iterations: usize,
    /// How far the farthest probability moved in the last of them.
    pub moved: f64,
    /// The log-likelihood of the segments before the last iteration.
    pub log_likelihood: f64,
    /// How many segments were impossible before the last iteration, and told it nothing: 0 where there is mixing or a
    /// pseudo-count.
    pub impossible: u64,
}

impl<T: Real> EmEstimator<T> {
    /// Fits the transitions to all segments so far, starting from the last fit; see [above](Self#where-it-starts) for when there
    /// is a second start.
    pub fn fit(&mut self) -> EmFit {
        let mut best = self.climb(self.fitted.transitions.clone());
        if self.may_mislead() {
            let other = self.climb(self.tree.arrivals(self.num_actions));
            if self.objective(&other.transitions) > self.objective(&best.transitions) {
                best = other;
            }
        }
        let Climb { transitions, visits, done } = best;
        self.fitted.transitions = transitions;
        self.fitted.visits = visits;
        self.fitted.segments = self.segments;
        self.fitted.beta = self.reveals.estimates();
        done
    }

    /// Whether there may be too few segments of one action for a single start.
    fn may_mislead(&self) -> bool {
        let never_seen = |a| matches!(self.reveals.count(a), (OFTEN.., 0));
        self.reveals.ages() > 1 || (0..self.num_actions).any(never_seen)
    }

    /// Iterates from these transitions, mixed with the uniform ones.
    fn climb(&self, mut transitions: Transitions) -> Climb {
        let (mut passes, settings) = (Passes::default(), self.settings);
        let n = self.num_states();
        transitions.mix(settings.mixing);
        let mut done =
            EmFit { iterations: 0, moved: f64::INFINITY, log_likelihood: 0.0, impossible: 0 };
        while done.iterations < settings.iterations && done.moved > settings.tolerance {
            passes.forward(&self.tree, &transitions);
            passes.backward(&self.tree, &transitions);
            done.moved = passes.maximize(settings.pseudo / n as f64, &mut transitions);
            done.iterations += 1;
            (done.log_likelihood, done.impossible) = (passes.log_likelihood, passes.impossible);
        }
        let visits = passes.expected.chunks_exact(n).map(|row| row.iter().sum()).collect();
        Climb { transitions, visits, done }
    }

    /// The log-likelihood of the segments as fitted last: the sum of log b(s' | s, `a_1` .. `a_n`). Minus infinity if one of them
    /// is impossible.
    pub fn log_likelihood(&self) -> f64 {
        self.likelihood(&self.fitted.transitions)
    }

    fn likelihood(&self, transitions: &Transitions) -> f64 {
        let mut passes = Passes::default();
        passes.forward(&self.tree, transitions);
        if passes.impossible > 0 { f64::NEG_INFINITY } else { passes.log_likelihood }
    }

    /// The objective of EM as fitted last: the [log-likelihood](Self::log_likelihood) and the logarithm of the prior.
    pub fn log_posterior(&self) -> f64 {
        self.objective(&self.fitted.transitions)
    }

    fn objective(&self, transitions: &Transitions) -> f64 {
        let each = self.settings.pseudo / self.num_states() as f64;
        let log = |p: &f64| if each > 0.0 { each * libm::log(*p) } else { 0.0 };
        self.likelihood(transitions) + transitions.p.iter().map(log).sum::<f64>()
    }
}
