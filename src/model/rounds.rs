//! Reveal probabilities that depend on the round of the episode.

use super::gallery::{MAX_STATES, MAX_TRANSITIONS};
use super::{ModelError, Tabular};
use crate::Real;

/// Makes a model in which the reveal probability depends on the round t of the episode, as a model whose
/// states know the round: the paper's beta_t(a).
///
/// `beta[t - 1]` are the reveal probabilities of round t, one per action; those listed last hold for all later
/// rounds. Reveal probabilities that depend on the time since the last *sighting* need none of this:
/// see [`Reveal`](super::Reveal).
///
/// The states are pairs `s@t` of a state and a round, up to the last round listed; the actions are pairs `a@t`,
/// because a reveal probability belongs to an action. In round t the actions `a@t` do what `a` does. An action
/// with the wrong round changes nothing and costs more than everything that can be earned, so that no
/// optimal policy takes one. An agent that counts rounds knows which ones are right.
///
/// The reveal probabilities of `mdp` are ignored.
///
/// # Cost
/// With T rounds listed: |S| T states, |A| T actions, T times the transitions and |S| |A| T (T - 1) more; |S| |A| T^2
/// features. V* of the states `s@1` is that of the process. Learners that explore meet the price of wrong
/// actions, and the range of rewards grows by max |r| / (1 - gamma): this reduction is for planning.
///
/// # Errors
/// [`ModelError::Empty`] if no round is listed, [`ModelError::Length`] if a round has not one probability per action,
/// [`ModelError::Beta`] if one is not in [0, 1], [`ModelError::TooLarge`] above [`MAX_STATES`] states or
/// [`MAX_TRANSITIONS`] transitions.
///
/// # Example
/// The state is seen in the second round and never again.
/// ```
/// use sporadic::model::{by_round, gallery};
/// let swim = gallery::river_swim(6, 0.0, 0.9)?;
/// let model = by_round(&swim, &[vec![0.0, 0.0], vec![1.0, 1.0], vec![0.0, 0.0]])?;
/// assert_eq!((model.num_states(), model.num_actions()), (18, 6));
/// assert_eq!(model.beta(model.action("1@2")?), 1.0);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn by_round<T: Real>(mdp: &Tabular<T>, beta: &[Vec<T>]) -> Result<Tabular<T>, ModelError> {
    let (n, m, rounds) = (mdp.num_states(), mdp.num_actions(), beta.len());
    if rounds == 0 {
        return Err(ModelError::Empty { what: "round" });
    }
    if let Some((t, row)) = beta.iter().enumerate().find(|(_, row)| row.len() != m) {
        let what = format!("the list of reveal probabilities of round {}", t + 1);
        return Err(ModelError::Length { what, expected: m, found: row.len() });
    }
    let states = n.saturating_mul(rounds);
    limit("states", states as u128, MAX_STATES)?;
    let (wide, count) = (mdp.num_transitions() as u128, rounds as u128);
    limit("transitions", count * wide + (n * m) as u128 * count * (count - 1), MAX_TRANSITIONS)?;
    let names = |t: usize, names: &[String]| -> Vec<String> {
        names.iter().map(|name| format!("{name}@{}", t + 1)).collect()
    };
    let mut initial = mdp.initial_distribution().to_vec();
    initial.resize(states, T::zero());
    let mut builder = Tabular::builder(mdp.gamma())
        .name(mdp.name())
        .states((0..rounds).flat_map(|t| names(t, mdp.state_names())))
        .initial(initial);
    // With this reward once, and the largest in every later round, an episode is worth less than with the smallest
    // reward in every round.
    let (low, high) = mdp.reward_range();
    let wrong = (low - mdp.gamma() * high) / (T::one() - mdp.gamma()) - T::one();
    for (t, betas) in beta.iter().enumerate() {
        for (a, name) in names(t, mdp.action_names()).into_iter().enumerate() {
            let next = (t + 1).min(rounds - 1) * n;
            let pairs = (0..rounds).flat_map(|round| (0..n).map(move |s| (round, s)));
            let reward: Vec<T> = pairs
                .clone()
                .map(|(round, s)| if round == t { mdp.reward(s, a) } else { wrong })
                .collect();
            let rows = pairs.map(|(round, s)| {
                if round == t {
                    mdp.row(s, a).map(|(to, p)| (next + to, p)).collect()
                } else {
                    vec![(round * n + s, T::one())]
                }
            });
            builder = builder.sparse_action(name, betas[a], reward, rows);
        }
    }
    builder.build()
}

fn limit(parameter: &'static str, value: u128, limit: usize) -> Result<(), ModelError> {
    if value <= limit as u128 {
        Ok(())
    } else {
        Err(ModelError::TooLarge { parameter, value, limit })
    }
}
