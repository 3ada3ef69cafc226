//! Random finite models.

use std::ops::RangeInclusive;

use rand::Rng;

use super::{MAX_STATES, MAX_TRANSITIONS, check_limit};
use crate::Real;
use crate::model::{ModelError, Tabular, draw};

/// The size and parameters of a model that [`random_tabular`] draws.
///
/// | field | default | meaning | range |
/// |---|---|---|---|
/// | `states` | 5 | number of states | at least 1 |
/// | `actions` | 2 | number of actions | at least 1 |
/// | `branching` | 3 | possible next states per state and action | 1 to `states` |
/// | `gamma` | 0.9 | discount factor | (0, 1) |
/// | `beta` | 0 to 1 | where reveal probabilities are drawn from | inside [0, 1] |
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RandomTabular<T> {
    /// The number of states.
    pub states: usize,
    /// The number of actions.
    pub actions: usize,
    /// The number of possible next states of each state and action.
    pub branching: usize,
    /// The discount factor.
    pub gamma: T,
    /// The interval reveal probabilities are drawn from.
    pub beta: RangeInclusive<T>,
}

impl<T: Real> Default for RandomTabular<T> {
    fn default() -> Self {
        Self { states: 5, actions: 2, branching: 3, gamma: T::of(0.9), beta: T::zero()..=T::one() }
    }
}

impl<T: Real> RandomTabular<T> {
    fn check(&self) -> Result<(), ModelError> {
        if self.states == 0 {
            return Err(ModelError::Empty { what: "state" });
        }
        if self.actions == 0 {
            return Err(ModelError::Empty { what: "action" });
        }
        if self.branching == 0 || self.branching > self.states {
            return Err(ModelError::Parameter {
                parameter: "branching",
                value: self.branching as f64,
                needed: "between 1 and the number of states",
            });
        }
        check_limit("states", self.states as u128, MAX_STATES)?;
        check_limit("actions", self.actions as u128, MAX_TRANSITIONS)?;
        // The first two factors are below 2^24 by now, and the third is at most the first.
        let transitions = self.states as u128 * self.actions as u128 * self.branching as u128;
        check_limit("states x actions x branching", transitions, MAX_TRANSITIONS)?;
        let (low, high) = (*self.beta.start(), *self.beta.end());
        for (parameter, beta) in [("beta.start", low), ("beta.end", high)] {
            if !(beta >= T::zero() && beta <= T::one()) {
                let value = beta.as_f64();
                return Err(ModelError::Parameter { parameter, value, needed: "in [0, 1]" });
            }
        }
        if low > high {
            return Err(ModelError::Parameter {
                parameter: "beta.start",
                value: low.as_f64(),
                needed: "at most beta.end",
            });
        }
        Ok(())
    }
}

/// Draws a random model; equal generators give equal models on every machine.
///
/// Reveal probabilities are uniform on their interval and rewards on [0, 1). Each state and action
/// has `branching` distinct next states, every set as likely as any other, with probabilities
/// uniform on the simplex. Actions are named `0`, `1`, ...; episodes start in `s1`.
///
/// Draws, each one [`draw::uniform`]: the reveal probabilities; then for each action and state the
/// reward, the next states (Floyd's sampling, one each) and their probabilities (the gaps between
/// `branching - 1` sorted points of the unit interval).
///
/// # Errors
/// [`ModelError::Empty`], [`ModelError::Parameter`] or [`ModelError::Discount`] if a field is out of
/// range, [`ModelError::TooLarge`] if there would be more than [`MAX_STATES`] states or
/// [`MAX_TRANSITIONS`] transitions; nothing is drawn then, but for gamma, which is checked last.
///
/// # Example
/// ```
/// use rand_pcg::Pcg64;
/// use sporadic::model::gallery::{RandomTabular, random_tabular};
///
/// let shape = RandomTabular { states: 50, beta: 0.1..=0.3, ..RandomTabular::default() };
/// let model = random_tabular(&mut Pcg64::new(1, 0), &shape)?;
/// assert_eq!(model.num_transitions(), 50 * 2 * 3);
/// assert!(model.betas().iter().all(|b| (0.1..=0.3).contains(b)));
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn random_tabular<T: Real, R: Rng + ?Sized>(
    rng: &mut R,
    shape: &RandomTabular<T>,
) -> Result<Tabular<T>, ModelError> {
    shape.check()?;
    let (low, high) = (shape.beta.start().as_f64(), shape.beta.end().as_f64());
    let betas: Vec<T> = (0..shape.actions)
        .map(|_| T::of((low + (high - low) * draw::uniform(rng)).clamp(low, high)))
        .collect();
    let mut builder = Tabular::builder(shape.gamma).name("random-tabular");
    for (a, beta) in betas.into_iter().enumerate() {
        let mut reward = Vec::with_capacity(shape.states);
        let mut rows = Vec::with_capacity(shape.states);
        for _ in 0..shape.states {
            reward.push(T::of(draw::uniform(rng)));
            let next = subset(shape.states, shape.branching, rng);
            let mass = simplex(shape.branching, rng);
            rows.push(next.into_iter().zip(mass).map(|(s, p)| (s, T::of(p))).collect());
        }
        builder = builder.sparse_action(a.to_string(), beta, reward, rows);
    }
    builder.build()
}

/// A uniform set of `k` numbers below `n` (Floyd): `k` draws whatever `n` is.
fn subset<R: Rng + ?Sized>(n: usize, k: usize, rng: &mut R) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::with_capacity(k);
    for j in n - k..n {
        let candidate = draw::index(j + 1, rng);
        // Kept sorted, so that looking up stays cheap and the set has one representation.
        match chosen.binary_search(&candidate) {
            Ok(_) => chosen.push(j),
            Err(place) => chosen.insert(place, candidate),
        }
    }
    chosen
}

/// A uniform point of the simplex with `k` corners: `k - 1` draws and no transcendental function,
/// whose last digit could differ between machines.
fn simplex<R: Rng + ?Sized>(k: usize, rng: &mut R) -> Vec<f64> {
    let mut cuts: Vec<f64> = (1..k).map(|_| draw::uniform(rng)).collect();
    cuts.sort_by(f64::total_cmp);
    cuts.push(1.0);
    let mut before = 0.0;
    cuts.into_iter().map(|cut| cut - std::mem::replace(&mut before, cut)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::Pcg64;

    #[test]
    fn subsets_have_distinct_members_and_every_member_is_equally_likely() {
        let mut rng = Pcg64::new(1, 2);
        let (n, k, runs) = (7, 3, 20_000);
        let mut hits = vec![0.0; n];
        for _ in 0..runs {
            let set = subset(n, k, &mut rng);
            assert_eq!(set.len(), k);
            assert!(set.windows(2).all(|w| w[0] < w[1]));
            for s in set {
                hits[s] += 1.0;
            }
        }
        let p = k as f64 / n as f64;
        let sd = (f64::from(runs) * p * (1.0 - p)).sqrt();
        // z = 5 for each of seven counts.
        assert!(hits.iter().all(|h| (h - f64::from(runs) * p).abs() < 5.0 * sd), "{hits:?}");
    }

    #[test]
    fn simplex_points_are_distributions() {
        let mut rng = Pcg64::new(3, 4);
        for k in 1..20 {
            let point = simplex(k, &mut rng);
            assert_eq!(point.len(), k);
            assert!(point.iter().all(|&p| p >= 0.0));
            assert!((point.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }
}
