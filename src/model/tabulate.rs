//! Tabular models from functions of states.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use super::gallery::{MAX_STATES, MAX_TRANSITIONS};
use super::{ModelError, Reveal, Tabular};
use crate::{Discount, Real};

/// Makes a tabular model from functions of states and actions of any type, and finds the states by
/// itself: `start`, which comes first, and whatever can be reached from it.
///
/// | argument | meaning |
/// |---|---|
/// | `gamma` | the discount factor |
/// | `start` | the state in which every episode starts |
/// | `actions` | the actions, in order |
/// | `beta` | the reveal probability beta(a), a number or a [`Reveal`] |
/// | `reward` | the reward r(s, a) |
/// | `next` | the states that may follow s under a, with their probabilities |
///
/// States and actions are named by how they print with `{:?}`, a text without its quotes. States are
/// numbered in the order in which they are found: breadth first, actions in order, next states in
/// the order in which `next` lists them. One listed twice gets the sum, one of probability 0 is left
/// out.
///
/// # Errors
/// A [`ModelError`] that names the state and action: a number out of range, probabilities that do not
/// sum to 1, two states or actions that print alike; [`ModelError::TooLarge`] if more than
/// [`MAX_STATES`] states or [`MAX_TRANSITIONS`] transitions are found, as when the states have no end.
///
/// # Complexity
/// One call of `reward` and `next` per state and action, and a table of the states.
///
/// # Example
/// A robot on a 3 x 3 grid whose moves slip; a scan costs a little and reveals where it is.
/// ```
/// use sporadic::model::{Tabular, tabulate};
///
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// enum Do { East, North, Scan }
///
/// let grid: Tabular<f64> = tabulate(
///     0.95,
///     (0, 0),
///     [Do::East, Do::North, Do::Scan],
///     |a| if *a == Do::Scan { 1.0 } else { 0.1 },
///     |s, a| if *a == Do::Scan { -0.05 } else { f64::from(u8::from(*s == (2, 2))) },
///     |&(x, y): &(i32, i32), a| match a {
///         Do::East => vec![(((x + 1).min(2), y), 0.8), ((x, y), 0.2)],
///         Do::North => vec![((x, (y + 1).min(2)), 0.8), ((x, y), 0.2)],
///         Do::Scan => vec![((x, y), 1.0)],
///     },
/// )?;
/// assert_eq!(grid.num_states(), 9);
/// assert_eq!(grid.action_names(), ["East", "North", "Scan"]);
/// assert_eq!(grid.probability(grid.state("(1, 2)")?, 0, grid.state("(2, 2)")?), 0.8);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn tabulate<T, S, A, B, N>(
    gamma: T,
    start: S,
    actions: impl IntoIterator<Item = A>,
    beta: impl Fn(&A) -> B,
    reward: impl Fn(&S, &A) -> T,
    next: impl Fn(&S, &A) -> N,
) -> Result<Tabular<T>, ModelError>
where
    T: Real,
    S: Debug + Clone + Eq + Hash,
    A: Debug,
    B: Into<Reveal<T>>,
    N: IntoIterator<Item = (S, T)>,
{
    Discount::new(gamma)?;
    let actions: Vec<A> = actions.into_iter().collect();
    let mut index = HashMap::from([(start.clone(), 0)]);
    let mut states = vec![start];
    let mut tables: Vec<Table<T>> = actions.iter().map(|_| Table::default()).collect();
    let (mut s, mut transitions) = (0, 0);
    while s < states.len() {
        for (action, table) in actions.iter().zip(&mut tables) {
            let state = states[s].clone();
            table.reward.push(reward(&state, action));
            let mut row = Vec::new();
            for (to, p) in next(&state, action) {
                let probability = p.as_f64();
                // At once: under probabilities that are none the states may have no end.
                if !(0.0..=1.0).contains(&probability) {
                    let (state, action, next) = (name(&state), name(action), name(&to));
                    return Err(ModelError::Probability { state, action, next, probability });
                }
                if p == T::zero() {
                    continue;
                }
                let t = *index.entry(to).or_insert_with_key(|to| {
                    states.push(to.clone());
                    states.len() - 1
                });
                row.push((t, p));
                transitions += 1;
                limit("states", states.len(), MAX_STATES)?;
                limit("transitions", transitions, MAX_TRANSITIONS)?;
            }
            table.rows.push(row);
        }
        s += 1;
    }
    let mut builder = Tabular::builder(gamma).states(states.iter().map(name));
    for (action, table) in actions.iter().zip(tables) {
        builder = builder.sparse_action(name(action), beta(action), table.reward, table.rows);
    }
    builder.build()
}

/// The rewards and rows of one action, state by state.
#[derive(Default)]
struct Table<T> {
    reward: Vec<T>,
    rows: Vec<Vec<(usize, T)>>,
}

/// How a state or an action prints with `{:?}`; of a text, what stands between its quotes.
fn name(x: &impl Debug) -> String {
    let text = format!("{x:?}");
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(inner) => inner.into(),
        None => text,
    }
}

fn limit(parameter: &'static str, found: usize, limit: usize) -> Result<(), ModelError> {
    if found <= limit {
        Ok(())
    } else {
        Err(ModelError::TooLarge { parameter, value: found as u128, limit })
    }
}
