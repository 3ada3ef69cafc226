//! Exact regret.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::{Curve, EpisodeSummary, Observer};
use crate::model::{Environment, Exact};
use crate::sequence::{ActionSequence, BurstPolicy};
use crate::{Fault, Real};

/// An observer that computes the exact value of the policy played in each episode, and its regret
/// against the optimum.
///
/// The value of the agent's burst-dependent policy comes from the [`Exact`] values of the world.
/// Against its certified bracket `lower <= V* <= upper` this gives an exact lower and an exact upper
/// line of the cumulative regret, without noise; the sampled returns are kept beside them.
///
/// Values are those at the state in which the episode started, as in the paper, where an adversary
/// picks it; [`with_mean_start`](Self::with_mean_start) takes their mean over the states in which
/// episodes start instead.
///
/// # Example
/// ```
/// use sporadic::agents::FixedSequence;
/// use sporadic::model::gallery;
/// use sporadic::sequence::runs;
/// use sporadic::simulation::{Regret, Simulation, Streams};
///
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let family: Vec<_> = runs(2, 5, 10).collect();
/// let mut regret = Regret::of(&swim).expect("tables have exact values").with_class(&family);
/// let mut agent = FixedSequence::new("(0)".parse()?); // never leaves the left bank
/// Simulation::new(&swim, Streams::new(1)).run(0..10, &mut agent, &mut regret)?;
/// let total = regret.curve()?.regret_upper[9].ok_or("the agent shows its policy")?;
/// assert!((total - 10.0 * (37.854727 - 0.5)).abs() < 1e-2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Regret<'a, S> {
    exact: Box<dyn Exact<S> + 'a>,
    family: Option<Vec<ActionSequence>>,
    mean_start: bool,
    start: Option<S>,
    /// The exact value of the policy played last.
    last: Option<f64>,
    /// The sum over all episodes so far; `None` once a policy was not evaluated.
    total: Option<f64>,
    history: Option<Vec<EpisodeValue<S>>>,
    fault: Option<Arc<dyn Error + Send + Sync>>,
}

/// One episode: the exact value of its policy, and its return.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EpisodeValue<S> {
    /// The episode.
    pub episode: u64,
    /// The state it started in.
    pub start: S,
    /// The exact value of the policy; `None` if the agent showed no policy.
    pub value: Option<f64>,
    /// The return: a sample of that value.
    pub reward: f64,
}

/// Why there is no regret to show.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum RegretError {
    /// A policy or an optimum that cannot be evaluated.
    #[error(transparent)]
    Exact(Arc<dyn Error + Send + Sync>),
    /// The episodes were not kept.
    #[error("regret was computed without history: only sums are known")]
    NoHistory,
}

impl<'a, S: Clone> Regret<'a, S> {
    /// Makes an observer of regret from these exact values.
    pub fn new(exact: impl Exact<S> + 'a) -> Self {
        Self::from_exact(Box::new(exact))
    }

    /// Makes an observer of regret in `world`; `None` if it has no exact values.
    pub fn of<M: Environment<State = S>>(world: &'a M) -> Option<Self> {
        world.exact().map(Self::from_exact)
    }

    fn from_exact(exact: Box<dyn Exact<S> + 'a>) -> Self {
        let total = exact.is_cheap().then_some(0.0);
        let (history, family) = (Some(Vec::new()), None);
        Self {
            exact,
            family,
            mean_start: false,
            start: None,
            last: None,
            total,
            history,
            fault: None,
        }
    }

    /// Takes values in the mean over the states in which episodes start, not at the state drawn, so
    /// that they do not vary with the draw.
    pub fn with_mean_start(self) -> Self {
        Self { mean_start: true, ..self }
    }

    /// Computes the regret against the best policy within `family` as well.
    pub fn with_class(self, family: &[ActionSequence]) -> Self {
        Self { family: Some(family.to_vec()), ..self }
    }

    /// Keeps sums only, so that memory does not grow with the number of episodes;
    /// [`curve`](Self::curve) is then not available.
    pub fn without_history(self) -> Self {
        Self { history: None, ..self }
    }

    /// The episodes so far; none without history.
    pub fn episodes(&self) -> &[EpisodeValue<S>] {
        self.history.as_deref().unwrap_or_default()
    }

    /// The exact value of the policy played last; `None` if the agent showed none.
    pub fn last_value(&self) -> Option<f64> {
        self.last
    }

    /// The sum over all episodes of the exact values of their policies; `None` if not all were
    /// evaluated.
    pub fn total_value(&self) -> Option<f64> {
        self.total
    }

    /// Continues from a sum saved earlier.
    pub fn restore_total(&mut self, total: Option<f64>) {
        self.total = total;
    }

    /// The exact values of the world.
    pub fn exact(&mut self) -> &mut (dyn Exact<S> + 'a) {
        &mut *self.exact
    }

    /// Takes the first error met while policies were evaluated.
    pub fn take_fault(&mut self) -> Option<Arc<dyn Error + Send + Sync>> {
        self.fault.take()
    }

    /// Evaluates `policy` now, as if it had been played in the episode begun last.
    pub fn evaluate(&mut self, policy: &dyn BurstPolicy<S>) {
        let start = self.start.as_ref().filter(|_| !self.mean_start);
        match self.exact.value(policy, start) {
            Ok(value) => self.last = Some(value),
            Err(fault) => {
                self.fault.get_or_insert(fault.into());
            }
        }
    }

    /// The learning curve with a point after each episode. Values and regret are `None` from the
    /// first episode on in which the agent showed no policy.
    ///
    /// # Errors
    /// [`RegretError`] if a policy could not be evaluated, the optimum cannot be bounded, or no
    /// history was kept.
    pub fn curve(&mut self) -> Result<Curve, RegretError> {
        if let Some(fault) = &self.fault {
            return Err(RegretError::Exact(Arc::clone(fault)));
        }
        let exact = |fault: Fault| RegretError::Exact(fault.into());
        let history = self.history.as_ref().ok_or(RegretError::NoHistory)?;
        let mut curve = Curve::default();
        let (mut reward, mut value) = (0.0, Some(0.0));
        let (mut lower, mut upper, mut class) = (0.0, 0.0, Some(0.0));
        for (n, e) in (1_u32..).map(f64::from).zip(history) {
            let start = (!self.mean_start).then_some(&e.start);
            reward += e.reward;
            value = value.zip(e.value).map(|(sum, value)| sum + value);
            curve.episodes.push(e.episode + 1);
            curve.average.push(reward / n);
            curve.value.push(e.value);
            curve.mean_policy_value.push(value.map(|sum| sum / n));
            let Some(played) = value.and(e.value) else { continue };
            let (low, high) = self.exact.optimum(start).map_err(exact)?;
            (lower, upper) = (lower + (low - played), upper + (high - played));
            curve.regret.push(Some(lower));
            curve.regret_upper.push(Some(upper));
            let best = match &self.family {
                Some(family) => self.exact.class(family, start).map_err(exact)?,
                None => None,
            };
            class = class.zip(best).map(|(sum, best)| sum + (best - played));
            curve.class_regret.push(class);
        }
        Ok(curve)
    }
}

impl<S: fmt::Debug> fmt::Debug for Regret<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Regret")
            .field("last", &self.last)
            .field("total", &self.total)
            .finish_non_exhaustive()
    }
}

impl<S: Clone, T: Real> Observer<S, T> for Regret<'_, S> {
    fn episode_start(&mut self, _: u64, start: &S) {
        (self.start, self.last) = (Some(start.clone()), None);
    }

    fn policy(&mut self, _: u64, policy: &dyn BurstPolicy<S>) {
        if self.exact.is_cheap() {
            self.evaluate(policy);
        }
    }

    fn episode_end(&mut self, summary: &EpisodeSummary<T>) {
        self.total = self.total.zip(self.last).map(|(total, last)| total + last);
        if let Some((history, start)) = self.history.as_mut().zip(self.start.clone()) {
            let (episode, reward) = (summary.episode, summary.reward.as_f64());
            history.push(EpisodeValue { episode, start, value: self.last, reward });
        }
    }
}
