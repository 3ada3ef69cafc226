//! Observers of a run.

use super::{EpisodeSummary, Step};
use crate::agents::Segment;
use crate::planning::BurstPolicy;

/// An observer of a run, which sees every round with its latent states. Every hook does nothing unless
/// it is implemented.
///
/// In an episode the hooks come in this order: [`episode_start`](Self::episode_start);
/// [`policy`](Self::policy) if the agent shows one; one [`step`](Self::step) per round, followed by
/// [`segment`](Self::segment) if the round ended one; [`episode_end`](Self::episode_end). Each hook is
/// called before the agent hears of the event, except the policy, which comes after the agent's
/// `begin_episode`, and the last, which comes after its `end_episode`.
///
/// `()` observes nothing at no cost, `(a, b)` combines two observers, `&mut o` lends one out, and
/// [`Every`]`(n, o)` observes every n-th episode.
///
/// # Example
/// The longest segment of a run.
/// ```
/// use sporadic::agents::{FixedSequence, Segment};
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Observer, Returns, Simulation, Streams};
///
/// #[derive(Default)]
/// struct Longest(usize);
///
/// impl<S, T> Observer<S, T> for Longest {
///     fn segment(&mut self, _episode: u64, segment: &Segment<S, T>) {
///         self.0 = self.0.max(segment.actions().len());
///     }
/// }
///
/// let swim = gallery::river_swim::<f64>(6, 0.5, 0.99)?;
/// let mut agent = FixedSequence::new("(1)".parse()?);
/// let mut watching = (Longest::default(), Returns::new());
/// Simulation::new(&swim, Streams::new(1)).run(0..100, &mut agent, &mut watching)?;
/// assert!(watching.0.0 > 5);
/// assert_eq!(watching.1.returns().len(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[allow(unused_variables)]
pub trait Observer<S, T> {
    /// Episode `episode` starts in `start`.
    #[inline]
    fn episode_start(&mut self, episode: u64, start: &S) {}

    /// The agent has begun the episode and shows the policy that it will play.
    #[inline]
    fn policy(&mut self, episode: u64, policy: &dyn BurstPolicy<S>) {}

    /// A round was played.
    #[inline]
    fn step(&mut self, step: &Step<'_, S, T>) {}

    /// A segment is complete.
    #[inline]
    fn segment(&mut self, episode: u64, segment: &Segment<S, T>) {}

    /// An episode is over.
    #[inline]
    fn episode_end(&mut self, summary: &EpisodeSummary<T>) {}
}

impl<S, T> Observer<S, T> for () {}

impl<S, T, O: Observer<S, T> + ?Sized> Observer<S, T> for &mut O {
    #[inline]
    fn episode_start(&mut self, episode: u64, start: &S) {
        (**self).episode_start(episode, start);
    }

    #[inline]
    fn policy(&mut self, episode: u64, policy: &dyn BurstPolicy<S>) {
        (**self).policy(episode, policy);
    }

    #[inline]
    fn step(&mut self, step: &Step<'_, S, T>) {
        (**self).step(step);
    }

    #[inline]
    fn segment(&mut self, episode: u64, segment: &Segment<S, T>) {
        (**self).segment(episode, segment);
    }

    #[inline]
    fn episode_end(&mut self, summary: &EpisodeSummary<T>) {
        (**self).episode_end(summary);
    }
}

impl<S, T, A: Observer<S, T>, B: Observer<S, T>> Observer<S, T> for (A, B) {
    #[inline]
    fn episode_start(&mut self, episode: u64, start: &S) {
        self.0.episode_start(episode, start);
        self.1.episode_start(episode, start);
    }

    #[inline]
    fn policy(&mut self, episode: u64, policy: &dyn BurstPolicy<S>) {
        self.0.policy(episode, policy);
        self.1.policy(episode, policy);
    }

    #[inline]
    fn step(&mut self, step: &Step<'_, S, T>) {
        self.0.step(step);
        self.1.step(step);
    }

    #[inline]
    fn segment(&mut self, episode: u64, segment: &Segment<S, T>) {
        self.0.segment(episode, segment);
        self.1.segment(episode, segment);
    }

    #[inline]
    fn episode_end(&mut self, summary: &EpisodeSummary<T>) {
        self.0.episode_end(summary);
        self.1.episode_end(summary);
    }
}

/// An observer of the episodes 0, n, 2n, ... only, which it passes to another one; of none if n = 0.
///
/// Which episodes those are depends on their numbers alone, so a resumed run watches the same ones.
///
/// # Example
/// ```
/// use sporadic::agents::FixedSequence;
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Every, Returns, Simulation, Streams};
/// let swim = gallery::river_swim::<f64>(6, 0.5, 0.9)?;
/// let mut tenth = Every(10, Returns::new());
/// let mut agent = FixedSequence::new("(1)".parse()?);
/// Simulation::new(&swim, Streams::new(1)).run(0..100, &mut agent, &mut tenth)?;
/// assert_eq!(tenth.1.returns().len(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Every<O>(
    /// The distance n between two episodes watched.
    pub u64,
    /// The observer.
    pub O,
);

impl<O> Every<O> {
    #[inline]
    fn at(&mut self, episode: u64) -> Option<&mut O> {
        (self.0 > 0 && episode.is_multiple_of(self.0)).then_some(&mut self.1)
    }
}

impl<S, T, O: Observer<S, T>> Observer<S, T> for Every<O> {
    #[inline]
    fn episode_start(&mut self, episode: u64, start: &S) {
        if let Some(o) = self.at(episode) {
            o.episode_start(episode, start);
        }
    }

    #[inline]
    fn policy(&mut self, episode: u64, policy: &dyn BurstPolicy<S>) {
        if let Some(o) = self.at(episode) {
            o.policy(episode, policy);
        }
    }

    #[inline]
    fn step(&mut self, step: &Step<'_, S, T>) {
        if let Some(o) = self.at(step.episode) {
            o.step(step);
        }
    }

    #[inline]
    fn segment(&mut self, episode: u64, segment: &Segment<S, T>) {
        if let Some(o) = self.at(episode) {
            o.segment(episode, segment);
        }
    }

    #[inline]
    fn episode_end(&mut self, summary: &EpisodeSummary<T>) {
        if let Some(o) = self.at(summary.episode) {
            o.episode_end(summary);
        }
    }
}
