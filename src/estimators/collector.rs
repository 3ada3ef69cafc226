//! Usable samples from protocol episodes.

use super::{Estimator, Transition};
use crate::Real;
use crate::agents::Segment;
use crate::dim::Dimension;
use crate::model::Action;
use crate::simulation::Observer;

/// Feeds an estimator what one segment of an episode tells: from a sighting of `start` through
/// `actions` to the sighting of `next`, or to termination if that is `None`.
///
/// | what | told by | estimates |
/// |---|---|---|
/// | (s, a, s', 1) | a segment of exactly one action that ends in a sighting | `M`, beta(a) |
/// | (a, 0) | every action but the last | beta(a) |
/// | (a, 1) | the last of several actions, if the segment ends in a sighting | beta(a) |
///
/// The action of the terminal round tells nothing of b: the protocol draws termination first and a
/// burst only if the episode goes on.
///
/// # Are these samples biased?
/// *Matrices.* Only transitions that were seen on both sides are used, so they are selected by
/// "the episode went on and there was a burst". Given a, both draws are independent of s' and of s:
/// P(s' | s, a, selected) = P(s' | s, a), and E[phi(s', a') | s, a, selected] is the regression
/// function as before. Selection only changes the distribution D of (s, a): it favours actions with
/// large beta and the states that they are taken in right after a sighting. An action with beta = 0
/// is never seen. That (s, a) depends on earlier samples keeps the errors martingale
/// differences, so `observed_bounds` still applies, the lemmas for independent samples do not.
///
/// *Reveal probabilities.* Given that the episode goes on, each b is a fair trial whatever came
/// before. All trials must be counted, those of terminal segments too: complete segments alone
/// all end in a burst, which would make beta-hat too large. The mean over a number of trials that
/// depends on the outcomes keeps a bias of order 1 / N, as any sequential sample does.
pub fn harvest<T, D, E>(
    estimator: &mut E,
    start: &E::State,
    actions: &[Action],
    next: Option<&E::State>,
) where
    T: Real,
    D: Dimension,
    E: Estimator<T, D, State: Clone>,
{
    let Some((&last, before)) = actions.split_last() else { return };
    for &a in before {
        estimator.observe_reveal(a, false);
    }
    match next {
        None => {}
        Some(next) if before.is_empty() => estimator.observe(&Transition {
            state: start.clone(),
            action: last,
            next: next.clone(),
            burst: true,
        }),
        Some(_) => estimator.observe_reveal(last, true),
    }
}

/// An observer of episodes that [harvests](harvest) every segment.
///
/// It looks at segments only, which the agent sees too, never at latent states.
///
/// # Example
/// ```
/// use sporadic::agents::UniformRandom;
/// use sporadic::estimators::{Collector, Estimator, TabularEstimator};
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Simulation, Streams};
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
pub struct Collector<T, D, E> {
    estimator: E,
    of: std::marker::PhantomData<fn() -> (T, D)>,
}

impl<T: Real, D: Dimension, E: Estimator<T, D>> Collector<T, D, E> {
    /// Feeds this estimator.
    pub fn new(estimator: E) -> Self {
        Self { estimator, of: std::marker::PhantomData }
    }

    /// The estimator.
    pub fn estimator(&self) -> &E {
        &self.estimator
    }

    /// The estimator, to refresh it or to feed it more.
    pub fn estimator_mut(&mut self) -> &mut E {
        &mut self.estimator
    }

    /// The estimator, released.
    pub fn into_estimator(self) -> E {
        self.estimator
    }
}

impl<S, T, D, E> Observer<S, T> for Collector<T, D, E>
where
    S: Clone,
    T: Real,
    D: Dimension,
    E: Estimator<T, D, State = S>,
{
    fn segment(&mut self, _episode: u64, segment: &Segment<S, T>) {
        harvest(&mut self.estimator, segment.start(), segment.actions(), segment.next());
    }
}
