//! Models of observation from the literature, written as reveal probabilities.

use super::{ModelError, Reveal, Tabular};
use crate::Real;

/// Makes an action-contingent noiselessly observable model (ACNO-MDP): every action comes in two
/// variants, without observation and, for a price, with one.
///
/// Action `x` of `mdp` becomes two: `x` with beta = 0 and the reward r, and `x+look` with beta = 1
/// and the reward r - `cost`. Both move as `x` does. The blind variant of action `a` has index
/// `2a`, the looking one `2a + 1`. The reveal probabilities of `mdp` are ignored; names, gamma and
/// the initial distribution are kept. A negative cost pays for looking.
///
/// # Errors
/// [`ModelError::Parameter`] if `cost` is not finite, [`ModelError::Reward`] if subtracting it
/// overflows, [`ModelError::DuplicateName`] if `mdp` already has an action `x+look` next to `x`.
///
/// # Example
/// ```
/// use sporadic::model::{Tabular, acno};
/// let mdp = Tabular::builder(0.9)
///     .action("stay", 0.0, [0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]])
///     .action("jump", 0.0, [0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]])
///     .build()?;
/// let model = acno(&mdp, 0.25)?;
/// assert_eq!(model.action_names(), ["stay", "stay+look", "jump", "jump+look"]);
/// assert_eq!(model.betas(), [0.0, 1.0, 0.0, 1.0]);
/// assert_eq!((model.reward(1, 0), model.reward(1, 1)), (1.0, 0.75));
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn acno<T: Real>(mdp: &Tabular<T>, cost: T) -> Result<Tabular<T>, ModelError> {
    if !cost.is_finite() {
        return Err(ModelError::Parameter {
            parameter: "cost",
            value: cost.as_f64(),
            needed: "a finite number",
        });
    }
    let states = 0..mdp.num_states();
    let mut builder = Tabular::builder(mdp.gamma())
        .name(mdp.name())
        .states(mdp.state_names())
        .initial(mdp.initial_distribution());
    for (a, name) in mdp.action_names().iter().enumerate() {
        let rows = || states.clone().map(move |s| mdp.row(s, a).collect::<Vec<_>>());
        let reward =
            |price| -> Vec<T> { states.clone().map(|s| mdp.reward(s, a) - price).collect() };
        builder = builder.sparse_action(name, T::zero(), reward(T::zero()), rows()).sparse_action(
            format!("{name}+look"),
            T::one(),
            reward(cost),
            rows(),
        );
    }
    builder.build()
}

/// Makes a model with intermittent observations: the state is seen with probability `p` whatever the
/// action, where `p` is a number or, if it depends on the age of the last sighting, a [`Reveal`].
///
/// The reveal probabilities of `mdp` are replaced, everything else is kept. A number is the setting of
/// sensors that fail at random; [`Reveal`] lists others.
///
/// # Errors
/// [`ModelError::Beta`] or [`ModelError::BetaAt`] if a probability is not in [0, 1].
///
/// # Example
/// ```
/// use sporadic::model::{Reveal, gallery, intermittent};
/// let mdp = gallery::river_swim(6, 1.0, 0.99)?;
/// assert_eq!(intermittent(&mdp, 0.1)?, gallery::river_swim(6, 0.1, 0.99)?);
/// let sampled = intermittent(&mdp, Reveal::every(10)?)?;
/// assert_eq!((sampled.beta_at(0, 9), sampled.beta_at(0, 10)), (0.0, 1.0));
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn intermittent<T: Real>(
    mdp: &Tabular<T>,
    p: impl Into<Reveal<T>>,
) -> Result<Tabular<T>, ModelError> {
    mdp.clone().with_reveals(vec![p.into(); mdp.num_actions()])
}
