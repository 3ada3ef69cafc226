//! How much better than the sequence chosen any other could be.

use nalgebra::DMatrix;

use super::AdaptiveLsviUcb;
use super::pool::Pool;
use super::pricing::Objective;
use super::scales;
use crate::agents::AgentError;
use crate::features::{PrefixBounds as _, TabularBounds, hold};
use crate::model::Action;
use crate::oracles::{BranchAndBound, Choice, SequenceObjective, SequenceOracle as _};
use crate::sequence::ActionSequence;
use crate::{Real, features};

/// The most delayed states of the tables that bounds are taken from.
const STATES: usize = 1 << 8;
/// How many suggestions of the bounds are tried. Each may add a table for its own tangent, so that a few of them make
/// bounds smaller; many take long.
const SUGGESTIONS: usize = 8;
/// The search ends when the gap is below this share of 1/(1-gamma).
const CLOSE: f64 = 1e-4;

/// K_1(s, .) as branch and bound sees it.
struct Certified<'a, T: Real> {
    k: &'a Objective,
    pool: &'a Pool<T>,
    state: usize,
    /// The sequence chosen: what every bound is compared with.
    chosen: &'a ActionSequence,
    bounds: TabularBounds<'a, T, nalgebra::Dyn>,
    suggestions: usize,
}

impl<T: Real> SequenceObjective<f64> for Certified<'_, T> {
    fn num_actions(&self) -> usize {
        self.pool.psi().model().num_actions()
    }

    fn value(&mut self, seq: &ActionSequence) -> f64 {
        self.k.value(&self.pool.features(self.state, seq)).min(self.k.cap)
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> f64 {
        let bound = self.bounds.upper_bound(prefix);
        if bound.is_nan() { self.k.cap } else { bound.min(self.k.cap) }
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        if prefix.is_empty() {
            return self.chosen.clone();
        }
        if self.suggestions == 0 {
            return hold(prefix);
        }
        self.suggestions -= 1;
        self.bounds.suggest(prefix)
    }
}

impl<T: Real> AdaptiveLsviUcb<T> {
    /// The sequence chosen at the first sighting of state `s` in the episode begun last, its optimistic value V_1(s), and
    /// an upper bound on the optimistic value of every sequence in A^N, by branch and bound over at most
    /// `prefixes` prefixes.
    ///
    /// The bound is above the supremum over A^N of K_1(s, .) with w_1 and Lambda^-1 as of planning,
    /// rounding included, as in [`FeatureObjective`](crate::oracles::FeatureObjective). After a restore it is the
    /// clip until the agent plans again. Values are in the units of the rewards declared. The agent
    /// does not change.
    ///
    /// # Errors
    /// [`AgentError`] if `s` is not a state, or the numbers of the learner are no longer finite.
    ///
    /// # Example
    /// ```
    /// use sporadic::agents::{AdaptiveLsviUcb, LsviUcbParams};
    /// use sporadic::model::gallery;
    /// use sporadic::simulation::{Simulation, Streams};
    /// let balance = gallery::river_balance::<f64>(4, 0.3, 0.9)?;
    /// let params = LsviUcbParams::default().with_horizon(20).with_rho(5.0);
    /// let mut agent = AdaptiveLsviUcb::for_model(&balance, 64, params)?;
    /// Simulation::new(&balance, Streams::new(1)).run(0..200, &mut agent, &mut ())?;
    /// let choice = agent.certify(0, 2_000)?;
    /// assert!(choice.gap() < 0.5); // of values up to 10
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn certify(&self, s: usize, prefixes: usize) -> Result<Choice<T>, AgentError> {
        let found = self.bound(s, prefixes)?;
        let (params, gamma) = (self.learner.params(), self.learner.candidates().gamma());
        let unscale = |x| params.unscale(x, gamma);
        let value = unscale(self.learner.values[s]);
        let upper_bound = unscale(T::at_least(found.upper_bound)).max(value);
        let sequence = self.plan().family()[self.plan().index(1, s)].clone();
        Ok(Choice { sequence, value, upper_bound, evaluated: found.evaluated })
    }

    /// The best sequence that branch and bound finds at the first sighting of state `s`, starting from the one
    /// chosen, in the units of the learner.
    pub(super) fn bound(&self, s: usize, prefixes: usize) -> Result<Choice<f64>, AgentError> {
        let psi = self.pool.psi();
        features::SequenceFeatures::check_state(psi, &s)
            .map_err(|fault| AgentError::state("the state to certify", fault))?;
        if let Some(error) = self.error() {
            return Err(error.clone());
        }
        let chosen = &self.plan().family()[self.plan().index(1, s)];
        let cap = self.learner.cap.as_f64();
        // At the clip there is nothing above; without the numbers of planning nothing else is known.
        let is_clipped = self.learner.values[s] >= self.learner.cap;
        let Some(k) = self.objective(0).filter(|_| !is_clipped) else {
            let (sequence, value) = (chosen.clone(), self.learner.values[s].as_f64());
            return Ok(Choice { sequence, value, upper_bound: cap, evaluated: 0 });
        };
        let scales = scales(psi.model());
        let scale = |i: usize| scales[i % scales.len()];
        let d = k.w.len();
        let c = (0..d).map(|i| scale(i) * k.w[i]).collect();
        let g = DMatrix::from_fn(d, d, |i, j| {
            // Symmetric to the last bit.
            scale(i) * scale(j) * 0.5 * (k.inverse[(i, j)] + k.inverse[(j, i)])
        });
        let terms: Vec<f64> =
            (0..d).map(|i| scale(i) * k.inverse[(i, i)].max(0.0).sqrt()).collect();
        let mut bounds = TabularBounds::of_occupancies(psi, c, k.rho, (g, &terms), STATES);
        bounds.move_to(&s);
        let (pool, suggestions) = (&self.pool, SUGGESTIONS);
        let mut objective = Certified { k: &k, pool, state: s, chosen, bounds, suggestions };
        Ok(BranchAndBound::new(CLOSE * k.cap).with_nodes(prefixes).maximize(&mut objective)?)
    }
}
