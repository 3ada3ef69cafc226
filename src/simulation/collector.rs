//! Data for estimators, gathered while episodes run.

use super::Observer;
use crate::Real;
use crate::agents::Segment;
use crate::estimators::Estimator;

/// An observer of episodes that gives every segment to an [estimator](Estimator::observe_segment).
///
/// It looks at segments only, which the agent sees too, never at latent states.
///
/// # Example
/// ```
/// use sporadic::agents::UniformRandom;
/// use sporadic::estimators::{Estimator, TabularEstimator};
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Collector, Simulation, Streams};
/// let swim = gallery::river_swim::<f64>(6, 0.5, 0.9)?;
/// let world = Simulation::new(&swim, Streams::new(1));
/// let mut agent = UniformRandom::new(2, Streams::new(1).agent());
/// let mut collector = Collector::new(TabularEstimator::new(6, 2, 0.9)?);
/// world.run(0..2_000, &mut agent, &mut collector)?;
/// let estimate = collector.estimator().estimate()?;
/// assert!((estimate.beta(0) - 0.5).abs() < 0.03);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Collector<E> {
    estimator: E,
}

impl<E> Collector<E> {
    /// Makes an observer that feeds `estimator`.
    pub fn new(estimator: E) -> Self {
        Self { estimator }
    }

    /// The estimator.
    pub fn estimator(&self) -> &E {
        &self.estimator
    }

    /// The estimator, to refresh it or to feed it more.
    pub fn estimator_mut(&mut self) -> &mut E {
        &mut self.estimator
    }

    /// The estimator, taken out of the observer.
    pub fn into_estimator(self) -> E {
        self.estimator
    }
}

impl<S, T, E> Observer<S, T> for Collector<E>
where
    S: Clone,
    T: Real,
    E: Estimator<T, State = S>,
{
    fn segment(&mut self, _episode: u64, segment: &Segment<S, T>) {
        self.estimator.observe_segment(segment.start(), segment.actions(), segment.next());
    }
}
