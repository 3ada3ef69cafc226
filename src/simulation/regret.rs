//! Regret computed, not sampled.

use thiserror::Error;

use super::{EpisodeSummary, Observer};
use crate::Real;
use crate::model::Tabular;
use crate::planning::{BurstPolicy, Evaluator, PlanningError};

/// Records the exact value of the policy played in each episode, and what it loses.
///
/// V of the agent's burst-dependent policy is computed on the true model: from its horizon on by
/// one linear solve, before that one step back per sighting. Against a certified bracket
/// `lower <= V* <= upper` this gives an exact lower and an exact upper line of the cumulative
/// regret, without noise; the sampled returns are kept beside them.
///
/// # Complexity
/// Per episode H |S|^2 operations and |S|^3 / 3 for the solve; one psi for each (state, sequence) met
/// for the first time.
///
/// # Example
/// ```
/// use sporadic::agents::FixedSequence;
/// use sporadic::model::gallery;
/// use sporadic::planning::class_optimum;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Benchmark, Regret, Simulation, Streams};
///
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let best = class_optimum(&swim, &runs(2, 5, 10).collect::<Vec<_>>())?;
/// let mut regret = Regret::new(&swim, Benchmark::exact(best.values.clone()))?;
/// let mut agent = FixedSequence::new("(0)".parse()?); // never leaves the left bank
/// Simulation::new(&swim, Streams::new(1)).run(0..10, &mut agent, &mut regret)?;
/// let curve = regret.curve()?;
/// assert!((curve[9].upper - 10.0 * (best.values[0] - 0.5)).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Regret<'m, T: Real> {
    evaluator: Evaluator<'m, T>,
    benchmark: Benchmark<T>,
    episodes: Vec<EpisodeValue<T>>,
    start: usize,
    value: Option<T>,
    error: Option<PlanningError>,
}

/// What a policy is measured against: bounds on V*, one pair per state, and the best value within
/// a class of policies if one is of interest.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Benchmark<T> {
    /// Lower bounds on V*.
    pub lower: Vec<T>,
    /// Upper bounds on V*.
    pub upper: Vec<T>,
    /// The optimum of a class, for example [`class_optimum`](crate::planning::class_optimum)'s.
    pub class: Option<Vec<T>>,
}

impl<T: Real> Benchmark<T> {
    /// V* known exactly.
    pub fn exact(values: Vec<T>) -> Self {
        Self { lower: values.clone(), upper: values, class: None }
    }

    /// V* between two bounds.
    pub fn bracket(lower: Vec<T>, upper: Vec<T>) -> Self {
        Self { lower, upper, class: None }
    }

    /// Adds the optimum of a class.
    pub fn with_class(self, class: Vec<T>) -> Self {
        Self { class: Some(class), ..self }
    }
}

/// The worth of one episode: computed, and sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EpisodeValue<T> {
    /// The episode.
    pub episode: u64,
    /// The state it started in.
    pub start: usize,
    /// The exact value of the policy from there; none if the agent showed no policy.
    pub value: Option<T>,
    /// The return it got: a sample of that value.
    pub reward: T,
}

/// Regret accumulated up to an episode.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RegretPoint<T> {
    /// The episode.
    pub episode: u64,
    /// The regret against the lower bound of V*: it is at least this.
    pub lower: T,
    /// The regret against the upper bound of V*: it is at most this.
    pub upper: T,
    /// The regret against the optimum of the class.
    pub class: Option<T>,
    /// The upper bound of V* minus the returns: unbiased for `upper`, and noisy.
    pub sampled: T,
}

/// Why there is no regret to show.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RegretError {
    /// A benchmark that is not one number per state.
    #[error("{what} has {found} entries, but there are {expected} states")]
    Length {
        /// Which part of it.
        what: &'static str,
        /// The number of states.
        expected: usize,
        /// The number of entries.
        found: usize,
    },
    /// The agent plays no burst-dependent policy, or shows none.
    #[error("the agent showed no policy in episode {episode}")]
    NoPolicy {
        /// The first such episode.
        episode: u64,
    },
    /// A policy that cannot be evaluated.
    #[error(transparent)]
    Planning(#[from] PlanningError),
}

impl<'m, T: Real> Regret<'m, T> {
    /// Regret on `model`, whose values `benchmark` bounds.
    ///
    /// # Errors
    /// [`RegretError::Length`] if the benchmark is not one number per state.
    pub fn new(model: &'m Tabular<T>, benchmark: Benchmark<T>) -> Result<Self, RegretError> {
        let expected = model.num_states();
        let class = benchmark.class.as_ref().map(|c| ("the class optimum", c.len()));
        let parts = [
            ("the lower bound", benchmark.lower.len()),
            ("the upper bound", benchmark.upper.len()),
        ];
        for (what, found) in parts.into_iter().chain(class) {
            if found != expected {
                return Err(RegretError::Length { what, expected, found });
            }
        }
        Ok(Self {
            evaluator: Evaluator::new(model),
            benchmark,
            episodes: Vec::new(),
            start: 0,
            value: None,
            error: None,
        })
    }

    /// The episodes so far.
    pub fn episodes(&self) -> &[EpisodeValue<T>] {
        &self.episodes
    }

    /// The model that values are computed on.
    pub fn model(&self) -> &'m Tabular<T> {
        self.evaluator.model()
    }

    /// The cumulative regret after each episode.
    ///
    /// # Errors
    /// [`RegretError`] if an episode's policy was not shown or could not be evaluated.
    pub fn curve(&self) -> Result<Vec<RegretPoint<T>>, RegretError> {
        if let Some(error) = &self.error {
            return Err(error.clone().into());
        }
        let zero = T::zero();
        let mut sums = (zero, zero, zero, zero);
        let Benchmark { lower, upper, class } = &self.benchmark;
        let point = |e: &EpisodeValue<T>| {
            let (episode, s) = (e.episode, e.start);
            let value = e.value.ok_or(RegretError::NoPolicy { episode })?;
            sums.0 += lower[s] - value;
            sums.1 += upper[s] - value;
            sums.2 += upper[s] - e.reward;
            let class = class.as_ref().map(|class| {
                sums.3 += class[s] - value;
                sums.3
            });
            Ok(RegretPoint { episode, lower: sums.0, upper: sums.1, class, sampled: sums.2 })
        };
        self.episodes.iter().map(point).collect()
    }
}

impl<T: Real> Observer<usize, T> for Regret<'_, T> {
    fn episode_start(&mut self, _: u64, start: &usize) {
        (self.start, self.value) = (*start, None);
    }

    fn policy(&mut self, _: u64, policy: &dyn BurstPolicy<usize>) {
        match self.evaluator.values(policy) {
            Ok(values) => self.value = values.get(self.start).copied(),
            Err(error) => {
                self.error.get_or_insert(error);
            }
        }
    }

    fn episode_end(&mut self, summary: &EpisodeSummary<T>) {
        let (episode, reward) = (summary.episode, summary.reward);
        self.episodes.push(EpisodeValue { episode, start: self.start, value: self.value, reward });
    }
}
