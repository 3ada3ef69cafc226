//! The returns of a run.

use super::{Curve, EpisodeSummary, Observer};
use crate::Real;

/// An observer that records the undiscounted return of every episode.
///
/// # Example
/// ```
/// use sporadic::simulation::{EpisodeSummary, Observer, Returns};
/// let mut returns = Returns::new();
/// for (episode, reward) in [(0, 2.0), (1, 4.0)] {
///     let end = EpisodeSummary { episode, rounds: 9, bursts: 0, reward };
///     Observer::<(), f64>::episode_end(&mut returns, &end);
/// }
/// assert_eq!(returns.returns(), [2.0, 4.0]);
/// assert_eq!(returns.running_mean().collect::<Vec<_>>(), [2.0, 3.0]);
/// assert_eq!(returns.mean(), Some(3.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Returns<T> {
    returns: Vec<T>,
}

impl<T> Default for Returns<T> {
    fn default() -> Self {
        Self { returns: Vec::new() }
    }
}

impl<T: Real> Returns<T> {
    /// Makes an observer without any episode yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an observer with room for `episodes`, so that recording them allocates nothing.
    pub fn with_capacity(episodes: usize) -> Self {
        Self { returns: Vec::with_capacity(episodes) }
    }

    /// The returns, in the order of the episodes.
    pub fn returns(&self) -> &[T] {
        &self.returns
    }

    /// For each episode, the mean of the returns so far.
    pub fn running_mean(&self) -> impl Iterator<Item = T> + '_ {
        let sums = self.returns.iter().scan(T::zero(), |sum, &r| {
            *sum += r;
            Some(*sum)
        });
        sums.enumerate().map(|(k, sum)| sum / T::of((k + 1) as f64))
    }

    /// The mean return; `None` before the first episode.
    pub fn mean(&self) -> Option<T> {
        self.running_mean().last()
    }

    /// The learning curve with a point after each episode: the mean return, and nothing else.
    pub fn curve(&self) -> Curve {
        Curve {
            episodes: (1..).take(self.returns.len()).collect(),
            average: self.running_mean().map(Real::as_f64).collect(),
            ..Curve::default()
        }
    }

    /// Adds the episodes of `later` after one's own: how parts run on several threads are joined.
    pub fn append(&mut self, mut later: Self) {
        self.returns.append(&mut later.returns);
    }
}

impl<S, T: Real> Observer<S, T> for Returns<T> {
    #[inline]
    fn episode_end(&mut self, summary: &EpisodeSummary<T>) {
        self.returns.push(summary.reward);
    }
}
