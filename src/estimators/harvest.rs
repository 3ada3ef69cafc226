//! Usable samples from the segments of an episode.

use super::{Estimator, Transition};
use crate::Real;
use crate::model::Action;

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
/// depends on the outcomes keeps a bias of order 1 / N, as any sequential sample does. Each trial is
/// handed over with its age, the number of actions since the last sighting, for estimators that count by age.
pub fn harvest<T, E>(
    estimator: &mut E,
    start: &E::State,
    actions: &[Action],
    next: Option<&E::State>,
) where
    T: Real,
    E: Estimator<T, State: Clone> + ?Sized,
{
    let Some((&last, before)) = actions.split_last() else { return };
    for (&a, age) in before.iter().zip(1..) {
        estimator.observe_reveal_at(a, age, false);
    }
    match next {
        None => {}
        Some(next) if before.is_empty() => estimator.observe(&Transition {
            state: start.clone(),
            action: last,
            next: next.clone(),
            burst: true,
        }),
        Some(_) => estimator.observe_reveal_at(last, actions.len(), true),
    }
}
