//! The builder of [`Tabular`], which validates its tables.

use std::collections::HashSet;

use super::{ModelError, Reveal, RevealSchedule, Tabular};
use crate::{Discount, Real};

/// How far a row may be from summing to 1 before it is refused.
///
/// Rows written with six digits pass; a forgotten entry does not. A row that is off by more than
/// rounding is divided by its sum.
const ROW_TOLERANCE: f64 = 1e-5;

/// Collects the tables of a [`Tabular`] and validates them in [`build`](Self::build).
///
/// Nothing is checked before `build`, so that its error can name states and actions.
#[derive(Debug, Clone)]
pub struct TabularBuilder<T> {
    name: String,
    gamma: T,
    states: Option<Vec<String>>,
    initial: Option<Vec<T>>,
    actions: Vec<ActionTable<T>>,
}

#[derive(Debug, Clone)]
struct ActionTable<T> {
    name: String,
    beta: Reveal<T>,
    reward: Vec<T>,
    rows: Vec<Row<T>>,
}

#[derive(Debug, Clone)]
enum Row<T> {
    Dense(Vec<T>),
    Sparse(Vec<(usize, T)>),
}

impl<T: Real> TabularBuilder<T> {
    pub(super) fn new(gamma: T) -> Self {
        Self { name: String::new(), gamma, states: None, initial: None, actions: Vec::new() }
    }

    /// Names the model.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Names the states; `s1`, `s2`, ... if never called.
    pub fn states<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.states = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the distribution of the first state of episodes; if never called, they start in the state
    /// listed first.
    pub fn initial(mut self, distribution: impl Into<Vec<T>>) -> Self {
        self.initial = Some(distribution.into());
        self
    }

    /// Adds an action: its reveal probability, or a [`Reveal`] or list of one per age, its reward per
    /// state, and per state its transition probabilities to every state.
    pub fn action<R: Into<Vec<T>>>(
        mut self,
        name: impl Into<String>,
        beta: impl Into<Reveal<T>>,
        reward: impl Into<Vec<T>>,
        transition: impl IntoIterator<Item = R>,
    ) -> Self {
        let rows = transition.into_iter().map(|row| Row::Dense(row.into())).collect();
        let (name, beta, reward) = (name.into(), beta.into(), reward.into());
        self.actions.push(ActionTable { name, beta, reward, rows });
        self
    }

    /// Adds an action whose rows list only the next states that are possible, with their
    /// probabilities. A state listed twice gets the sum.
    pub fn sparse_action(
        mut self,
        name: impl Into<String>,
        beta: impl Into<Reveal<T>>,
        reward: impl Into<Vec<T>>,
        transition: impl IntoIterator<Item = Vec<(usize, T)>>,
    ) -> Self {
        let rows = transition.into_iter().map(Row::Sparse).collect();
        let (name, beta, reward) = (name.into(), beta.into(), reward.into());
        self.actions.push(ActionTable { name, beta, reward, rows });
        self
    }

    /// Validates the tables.
    ///
    /// # Errors
    /// A [`ModelError`] that names the first thing found wrong.
    pub fn build(self) -> Result<Tabular<T>, ModelError> {
        let gamma = Discount::new(self.gamma)?;
        let first = self.actions.first().ok_or(ModelError::Empty { what: "action" })?;
        let states = self
            .states
            .unwrap_or_else(|| (1..=first.reward.len()).map(|i| format!("s{i}")).collect());
        if states.is_empty() {
            return Err(ModelError::Empty { what: "state" });
        }
        let actions: Vec<String> = self.actions.iter().map(|a| a.name.clone()).collect();
        check_names("state", &states)?;
        check_names("action", &actions)?;

        let (n, m) = (states.len(), actions.len());
        for table in &self.actions {
            table.beta.check(&table.name)?;
            check_length(format!("the reward list of action {:?}", table.name), n, &table.reward)?;
            check_length(
                format!("the transition table of action {:?}", table.name),
                n,
                &table.rows,
            )?;
        }

        let reveals: Vec<Reveal<T>> = self.actions.iter().map(|a| a.beta.clone()).collect();
        let beta = RevealSchedule::new(&reveals, |a| actions[a].clone())?;
        let mut model = Tabular {
            name: self.name,
            gamma,
            beta,
            reward: Vec::with_capacity(n * m),
            offsets: vec![0],
            next: Vec::new(),
            probability: Vec::new(),
            cdf: Vec::new(),
            initial: Vec::new(),
            initial_cdf: Vec::new(),
            states,
            actions,
        };
        for s in 0..n {
            for table in &self.actions {
                model.push_reward(s, &table.name, table.reward[s])?;
                model.push_row(s, &table.name, &table.rows[s])?;
            }
        }
        model.set_initial(self.initial)?;
        Ok(model)
    }
}

impl<T: Real> Tabular<T> {
    fn push_reward(&mut self, s: usize, action: &str, reward: T) -> Result<(), ModelError> {
        if !reward.is_finite() {
            return Err(ModelError::Reward {
                state: self.states[s].clone(),
                action: action.into(),
                reward: reward.as_f64(),
            });
        }
        self.reward.push(reward);
        Ok(())
    }

    fn push_row(&mut self, s: usize, action: &str, row: &Row<T>) -> Result<(), ModelError> {
        let n = self.num_states();
        let mut entries: Vec<(usize, T)> = match row {
            Row::Dense(values) => {
                let place =
                    || format!("the row of action {action:?} in state {:?}", self.states[s]);
                check_length(place(), n, values)?;
                values.iter().copied().enumerate().collect()
            }
            Row::Sparse(entries) => entries.clone(),
        };
        for &(t, p) in &entries {
            if t >= n {
                return Err(ModelError::NextState {
                    state: self.states[s].clone(),
                    action: action.into(),
                    next: t,
                    states: n,
                });
            }
            let probability = p.as_f64();
            if !(0.0..=1.0).contains(&probability) {
                return Err(ModelError::Probability {
                    state: self.states[s].clone(),
                    action: action.into(),
                    next: self.states[t].clone(),
                    probability,
                });
            }
        }
        entries.retain(|&(_, p)| p != T::zero());
        entries.sort_by_key(|&(t, _)| t);
        entries.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 += later.1;
            }
            same
        });
        let sum = total(entries.iter().map(|&(_, p)| p.as_f64()));
        let Some(scale) = normalizer::<T>(sum) else {
            return Err(ModelError::RowSum {
                state: self.states[s].clone(),
                action: action.into(),
                sum,
            });
        };
        let start = self.next.len();
        self.next.extend(entries.iter().map(|&(t, _)| t));
        // Sums of a state listed twice may round to just above 1.
        self.probability.extend(entries.iter().map(|&(_, p)| (p * scale).min(T::one())));
        self.cdf.extend(cumulative(&self.probability[start..]));
        self.offsets.push(self.next.len());
        Ok(())
    }

    fn set_initial(&mut self, initial: Option<Vec<T>>) -> Result<(), ModelError> {
        let n = self.num_states();
        let mut initial = initial
            .unwrap_or_else(|| (0..n).map(|s| if s == 0 { T::one() } else { T::zero() }).collect());
        check_length("the initial distribution".into(), n, &initial)?;
        for (s, p) in initial.iter().enumerate() {
            let probability = p.as_f64();
            if !(0.0..=1.0).contains(&probability) {
                let state = self.states[s].clone();
                return Err(ModelError::InitialProbability { state, probability });
            }
        }
        let sum = total(initial.iter().map(|p| p.as_f64()));
        let scale = normalizer::<T>(sum).ok_or(ModelError::InitialSum { sum })?;
        for p in &mut initial {
            *p *= scale;
        }
        self.initial_cdf = cumulative(&initial).collect();
        // The last index takes what rounding leaves; it must be one that is possible.
        let last = initial.iter().rposition(|&p| p > T::zero()).unwrap_or(0);
        self.initial_cdf.truncate(last + 1);
        self.initial = initial;
        Ok(())
    }
}

fn check_length<X>(what: String, expected: usize, list: &[X]) -> Result<(), ModelError> {
    if list.len() == expected {
        Ok(())
    } else {
        Err(ModelError::Length { what, expected, found: list.len() })
    }
}

/// Refuses empty names and two of the same name.
fn check_names(what: &'static str, names: &[String]) -> Result<(), ModelError> {
    if let Some(i) = names.iter().position(|name| name.trim().is_empty()) {
        return Err(ModelError::EmptyName { what, number: i + 1 });
    }
    let mut seen = HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        None => Ok(()),
        Some(name) => Err(ModelError::DuplicateName { what, name: name.clone() }),
    }
}

/// What to multiply a row by so that it sums to 1: exactly 1 if it is off by rounding only, so
/// that a model written to a file and read back is the same; nothing if it is off by too much.
fn normalizer<T: Real>(sum: f64) -> Option<T> {
    let off = (sum - 1.0).abs();
    if off <= 8.0 * T::epsilon().as_f64() {
        Some(T::one())
    } else if off <= ROW_TOLERANCE {
        Some(T::of(1.0 / sum))
    } else {
        None
    }
}

/// The sum to within one rounding (Neumaier's compensated summation).
///
/// A plain sum of ten thousand entries can be off by more than the tolerance of [`normalizer`], and
/// a row that is right would be scaled for it.
fn total(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for x in values {
        let next = sum + x;
        lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        sum = next;
    }
    sum + lost
}

fn cumulative<T: Real>(row: &[T]) -> impl Iterator<Item = f64> + '_ {
    row.iter().scan(0.0, |sum, p| {
        *sum += p.as_f64();
        Some(*sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_row_that_is_right_is_left_alone() {
        let n = 10_000;
        let plain: f64 = std::iter::repeat_n(1e-4, n).sum();
        assert!((plain - 1.0).abs() > 8.0 * f64::EPSILON, "the case would show nothing");
        let model = Tabular::builder(0.9)
            .initial(vec![1e-4_f64; n])
            .sparse_action("a", 0.5, vec![0.0; n], (0..n).map(|s| vec![(s, 1.0)]))
            .build()
            .unwrap();
        assert!(model.initial.iter().all(|p| p.to_bits() == 1e-4_f64.to_bits()));
    }
}
