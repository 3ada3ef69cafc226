//! Export to Cassandra's `.pomdp` format, which POMDP solvers read.

use std::collections::HashSet;
use std::fmt::Write;

use crate::Real;
use crate::model::Tabular;

/// Writes the model as a `.pomdp` text: observations are the states, prefixed `see-`, and `none`.
///
/// Where reveal probabilities depend on the age, the states are pairs of a state and the number n of actions
/// since the last sighting, up to the N - 1 after which nothing changes, named `s2-0` to `s2-(N-1)`: N times
/// as many. An action leads to a pair of age 0, in which the state is seen, or to one of a greater age, in
/// which it is not, so what is observed follows from the pair.
///
/// Names keep letters, digits, `_` and `-`; what else they have becomes `_`, and a name that is
/// then no longer unique, or does not start with a letter, gets its number in front.
///
/// # Example
/// ```
/// use sporadic::model::gallery;
/// use sporadic::planning::pomdp;
/// let text = pomdp::export(&gallery::river_swim::<f64>(3, 0.25, 0.9)?);
/// assert!(text.contains("O: a-1 : s2 : none 0.75"));
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn export<T: Real>(model: &Tabular<T>) -> String {
    let names = plain_names(model.state_names(), "s");
    let actions = plain_names(model.action_names(), "a");
    let states: Vec<String> = match model.ages() {
        1 => names.clone(),
        ages => (0..ages).flat_map(|n| names.iter().map(move |s| format!("{s}-{n}"))).collect(),
    };
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    if !model.name().is_empty() {
        line(format!("# {}", model.name().replace(['\n', '\r'], " ")));
    }
    line(format!("discount: {}", model.gamma()));
    line("values: reward".into());
    line(format!("states: {}", states.join(" ")));
    line(format!("actions: {}", actions.join(" ")));
    let seen: Vec<String> = names.iter().map(|s| format!("see-{s}")).collect();
    line(format!("observations: {} none", seen.join(" ")));
    let later = vec![T::zero(); states.len() - names.len()];
    let start =
        model.initial_distribution().iter().chain(&later).fold(String::new(), |mut text, p| {
            // Writing to a string cannot fail.
            let _ = write!(text, " {p}");
            text
        });
    line(format!("start:{start}"));
    if model.ages() > 1 {
        by_age(model, &states, &actions, &seen, line);
        return out;
    }
    for (a, action) in actions.iter().enumerate() {
        for (s, state) in states.iter().enumerate() {
            for (t, p) in model.row(s, a) {
                line(format!("T: {action} : {state} : {} {p}", states[t]));
            }
            line(format!("R: {action} : {state} : * : * {}", model.reward(s, a)));
        }
        let beta = model.beta(a);
        for (state, see) in states.iter().zip(&seen) {
            if beta > T::zero() {
                line(format!("O: {action} : {state} : {see} {beta}"));
            }
            if beta < T::one() {
                line(format!("O: {action} : {state} : none {}", T::one() - beta));
            }
        }
    }
    out
}

/// The lines for pairs of a state and an age; that of state s and age n has number n |S| + s.
fn by_age<T: Real>(
    model: &Tabular<T>,
    states: &[String],
    actions: &[String],
    seen: &[String],
    mut line: impl FnMut(String),
) {
    let (size, ages) = (model.num_states(), model.ages());
    for (a, action) in actions.iter().enumerate() {
        for (i, state) in states.iter().enumerate() {
            let (s, n) = (i % size, i / size);
            let (beta, older) = (model.beta_at(a, n + 1), (n + 1).min(ages - 1) * size);
            for (t, p) in model.row(s, a) {
                if beta > T::zero() {
                    line(format!("T: {action} : {state} : {} {}", states[t], p * beta));
                }
                if beta < T::one() {
                    let hidden = p * (T::one() - beta);
                    line(format!("T: {action} : {state} : {} {hidden}", states[older + t]));
                }
            }
            line(format!("R: {action} : {state} : * : * {}", model.reward(s, a)));
            let observed = seen.get(i).map_or("none", String::as_str);
            line(format!("O: {action} : {state} : {observed} 1"));
        }
    }
}

fn plain_names(names: &[String], letter: &str) -> Vec<String> {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let mut taken = HashSet::new();
    names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let mut plain: String = name.chars().map(keep).collect();
            let starts_well = plain.starts_with(|c: char| c.is_ascii_alphabetic());
            if !starts_well && name.chars().all(|c| c.is_ascii_digit()) {
                plain = format!("{letter}-{plain}");
            } else if !starts_well {
                plain = format!("{letter}{i}-{plain}");
            }
            if !taken.insert(plain.clone()) {
                plain = format!("{letter}{i}-{plain}");
                taken.insert(plain.clone());
            }
            plain
        })
        .collect()
}
