//! Reveal probabilities that depend on how long ago the state was last seen.

mod parse;
mod schedule;

pub use parse::RevealError;
pub use schedule::RevealSchedule;

use super::ModelError;
use crate::Real;

/// The most ages that a [`Reveal`] may list.
///
/// Planners unroll the listed ages, so their time and memory grow with the number of them.
pub const MAX_AGES: usize = 1000;

/// The reveal probabilities beta_1, beta_2, ... of one action: beta_n is the probability that the state is
/// seen when the action is the n-th one since the last sighting.
///
/// The number n is the *age* of what is known once the action has been taken. The probabilities of
/// the first N ages are listed, and the last one listed holds for all later ages. A single number
/// is the paper's reveal probability beta(a), which does not depend on the age; equal numbers at the
/// end of a list are one number, so a list of equal numbers is that constant.
///
/// Numbers and lists convert into it, wherever a model takes a reveal probability. They are checked by
/// the model, whose error names the action and the age.
///
/// # Settings of the literature
/// | constructor | beta_n | |
/// |---|---|---|
/// | a number | beta | the paper's model; seen or not, independently in every round |
/// | [`every`](Self::every) | 0, ..., 0, then 1 from the k-th on | sampled observation: seen in every k-th round |
/// | [`at_least`](Self::at_least) | 0 before the k-th, then beta | a random interval of at least k rounds |
/// | [`after_dead_time`](Self::after_dead_time) | 0 for k rounds, then beta | a sensor that is off for k rounds after each reading |
/// | [`recovering`](Self::recovering) | beta n / k up to n = k, then beta | a sensor that recovers with age |
/// | [`exogenous`](Self::exogenous) | P(D = n given D >= n) | random intervals D, the same for all actions |
///
/// On a command line and in specifications of sweeps they are written `0,0,0.5`, `every:5`, `at-least:5:0.3`,
/// `dead-time:4:0.3` and `recovering:5:0.3`; so they parse.
///
/// All of them say when the *current* state is seen. That is not what is called a delay in
/// Katsikopoulos and Engelbrecht (2003), in Walsh et al. (2009), or in Bouteiller et al. (2021): there
/// every state is seen in the end, but some rounds late, so that after a delay of k the agent knows an old
/// state and the k actions since. Here the states of the rounds between two sightings are
/// never seen. The two settings agree on what an agent knows k rounds after a sighting, and differ in
/// what it learns next.
///
/// # Example
/// ```
/// use sporadic::model::{Reveal, Tabular};
/// let machine = Tabular::builder(0.95)
///     .action("run", [0.0, 0.0, 0.5], [1.0, 0.2], [[0.9, 0.1], [0.0, 1.0]])
///     .action("inspect", 1.0, [0.9, 0.1], [[0.9, 0.1], [0.0, 1.0]])
///     .action("repair", Reveal::every(4)?, [0.0, 0.0], [[1.0, 0.0], [1.0, 0.0]])
///     .build()?;
/// assert_eq!(machine.beta_at(0, 2), 0.0);
/// assert_eq!(machine.beta_at(0, 7), 0.5);
/// assert_eq!(machine.ages(), 4); // nothing changes after the fourth
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Reveal<T> {
    /// beta_1, ..., beta_N, without repetitions at the end; empty only if nothing was listed.
    listed: Vec<T>,
}

impl<T: Real> Reveal<T> {
    /// One probability for all ages.
    pub fn constant(beta: T) -> Self {
        beta.into()
    }

    /// The state is seen in every k-th round: 0 for k - 1 ages, then 1.
    ///
    /// # Errors
    /// [`ModelError::Parameter`] if `k` is 0, [`ModelError::TooLarge`] if it is above [`MAX_AGES`].
    ///
    /// # Example
    /// ```
    /// use sporadic::model::Reveal;
    /// assert_eq!(Reveal::every(3)?, Reveal::from([0.0, 0.0, 1.0]));
    /// assert_eq!(Reveal::every(1)?, Reveal::constant(1.0));
    /// # Ok::<(), sporadic::model::ModelError>(())
    /// ```
    pub fn every(k: usize) -> Result<Self, ModelError> {
        Self::at_least(k, T::one())
    }

    /// The state is not seen before the k-th round after a sighting, and with probability `beta` in each
    /// round from then on.
    ///
    /// # Errors
    /// [`ModelError::Parameter`] if `k` is 0, [`ModelError::TooLarge`] if it is above [`MAX_AGES`].
    pub fn at_least(k: usize, beta: T) -> Result<Self, ModelError> {
        if k == 0 {
            return Err(ModelError::Parameter { parameter: "k", value: 0.0, needed: "at least 1" });
        }
        check_ages("k", k)?;
        let mut listed = vec![T::zero(); k];
        listed[k - 1] = beta;
        Ok(listed.into())
    }

    /// The state is not seen for `dead` rounds after a sighting, then with probability `beta` in each
    /// round: the interval between sightings is `dead` plus a geometric number of rounds.
    ///
    /// # Errors
    /// [`ModelError::TooLarge`] if `dead` + 1 is above [`MAX_AGES`].
    pub fn after_dead_time(dead: usize, beta: T) -> Result<Self, ModelError> {
        Self::at_least(dead.saturating_add(1), beta)
    }

    /// A sensor that each reading exhausts, and that recovers in k rounds: beta_n = `beta` n / k up to
    /// n = k, then `beta`.
    ///
    /// # Errors
    /// [`ModelError::Parameter`] if `k` is 0, [`ModelError::TooLarge`] if it is above [`MAX_AGES`].
    ///
    /// # Example
    /// ```
    /// use sporadic::model::Reveal;
    /// assert_eq!(Reveal::recovering(4, 0.5)?, Reveal::from([0.125, 0.25, 0.375, 0.5]));
    /// # Ok::<(), sporadic::model::ModelError>(())
    /// ```
    pub fn recovering(k: usize, beta: T) -> Result<Self, ModelError> {
        Self::at_least(k, beta)?;
        let ramp = (1..=k).map(|n| if n == k { beta } else { beta * T::of(n as f64 / k as f64) });
        Ok(ramp.collect::<Vec<_>>().into())
    }

    /// Random intervals between sightings that do not depend on the actions: `probabilities[n - 1]` is the
    /// probability that the next sighting comes after n rounds, and beta_n the probability of n given
    /// that it was not before.
    ///
    /// Where the probabilities sum to less than 1, the rest is the probability that the sighting never comes.
    ///
    /// # Errors
    /// [`ModelError::Parameter`] if a probability is not in [0, 1] or they sum to more than 1,
    /// [`ModelError::Empty`] if there is none, [`ModelError::TooLarge`] if there are more than [`MAX_AGES`].
    ///
    /// # Example
    /// After one, two or three rounds, each as likely as the others.
    /// ```
    /// use sporadic::model::Reveal;
    /// assert_eq!(Reveal::exogenous(&[0.25, 0.375, 0.375])?, Reveal::from([0.25, 0.5, 1.0]));
    /// # Ok::<(), sporadic::model::ModelError>(())
    /// ```
    pub fn exogenous(probabilities: &[T]) -> Result<Self, ModelError> {
        if probabilities.is_empty() {
            return Err(ModelError::Empty { what: "interval" });
        }
        check_ages("the number of intervals", probabilities.len())?;
        let refuse = |value: f64, needed| {
            Err(ModelError::Parameter {
                parameter: "the probability of an interval",
                value,
                needed,
            })
        };
        // Sums from the end: what is left is then exact where the last probability is all of it.
        let mut left = Vec::with_capacity(probabilities.len());
        let mut sum = 0.0;
        for &p in probabilities.iter().rev() {
            let p = p.as_f64();
            if !(0.0..=1.0).contains(&p) {
                return refuse(p, "in [0, 1]");
            }
            sum += p;
            left.push(sum);
        }
        if sum > 1.0 + 1e-9 {
            return refuse(sum, "at most 1 in sum");
        }
        // The probability that there is no sighting at all.
        let never = if sum > 1.0 - 1e-9 { 0.0 } else { 1.0 - sum };
        let hazard = |(&p, left): (&T, &f64)| {
            let left = left + never;
            T::of(if left > 0.0 { (p.as_f64() / left).min(1.0) } else { 1.0 })
        };
        let mut listed: Vec<T> = probabilities.iter().zip(left.iter().rev()).map(hazard).collect();
        if never > 0.0 {
            check_ages("the number of intervals", listed.len() + 1)?;
            listed.push(T::zero());
        }
        Ok(listed.into())
    }

    /// The listed probabilities beta_1, ..., beta_N, of which the last holds for ever.
    pub fn listed(&self) -> &[T] {
        &self.listed
    }

    /// Whether it does not depend on the age.
    pub fn is_constant(&self) -> bool {
        self.listed.len() == 1
    }

    /// beta_n, for n = 1, 2, ...
    ///
    /// # Panics
    /// If nothing was listed, which no model accepts.
    pub fn at(&self, age: usize) -> T {
        self.listed[age.max(1).min(self.listed.len()) - 1]
    }

    /// Refuses what is not one probability per age.
    pub(crate) fn check(&self, action: &str) -> Result<(), ModelError> {
        if self.listed.is_empty() {
            return Err(ModelError::NoBeta { action: action.into() });
        }
        check_ages("the number of listed reveal probabilities", self.listed.len())?;
        let is_bad = |b: &T| !(*b >= T::zero() && *b <= T::one());
        let Some(i) = self.listed.iter().position(is_bad) else { return Ok(()) };
        let (action, beta) = (action.into(), self.listed[i].as_f64());
        Err(if self.is_constant() {
            ModelError::Beta { action, beta }
        } else {
            ModelError::BetaAt { action, age: i + 1, beta }
        })
    }
}

fn check_ages(parameter: &'static str, value: usize) -> Result<(), ModelError> {
    if value <= MAX_AGES {
        Ok(())
    } else {
        Err(ModelError::TooLarge { parameter, value: value as u128, limit: MAX_AGES })
    }
}

impl<T: Real> From<T> for Reveal<T> {
    fn from(beta: T) -> Self {
        Self { listed: vec![beta] }
    }
}

impl<T: Real> From<Vec<T>> for Reveal<T> {
    fn from(mut listed: Vec<T>) -> Self {
        while let [.., before, last] = &listed[..]
            && before == last
        {
            listed.pop();
        }
        Self { listed }
    }
}

impl<T: Real, const N: usize> From<[T; N]> for Reveal<T> {
    fn from(listed: [T; N]) -> Self {
        Vec::from(listed).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_canonical_and_padded() {
        assert_eq!(Reveal::from([0.5, 0.5]), Reveal::constant(0.5));
        assert_eq!(Reveal::from(vec![0.0, 0.5, 0.5]).listed(), [0.0, 0.5]);
        let reveals = [Reveal::from([0.0, 0.0, 1.0]), Reveal::constant(0.25)];
        let schedule = RevealSchedule::new(&reveals, |a| a.to_string()).unwrap();
        assert_eq!(schedule.ages(), 3);
        let at = |age| (schedule.at(0, age), schedule.at(1, age));
        assert_eq!([1, 2, 3, 9, usize::MAX].map(at)[..2], [(0.0, 0.25); 2]);
        assert_eq!([3, 9, usize::MAX].map(at), [(1.0, 0.25); 3]);
        assert_eq!(schedule.reveals(), reveals);
        assert!(schedule.least(0) <= 0.0_f64 && schedule.least(1) >= 0.25);
    }

    #[test]
    fn intervals_and_reveal_probabilities_are_two_ways_to_say_the_same() {
        for intervals in [vec![0.2, 0.3, 0.5], vec![0.0, 1.0], vec![0.1; 10], vec![0.3, 0.0, 0.2]] {
            let reveal = Reveal::<f64>::exogenous(&intervals).unwrap();
            let mut left = 1.0;
            for (i, p) in intervals.iter().enumerate() {
                assert!((left * reveal.at(i + 1) - p).abs() < 1e-12, "{intervals:?}");
                left *= 1.0 - reveal.at(i + 1);
            }
            assert!((left - (1.0 - intervals.iter().sum::<f64>())).abs() < 1e-12);
        }
        assert!(Reveal::exogenous(&[0.7, 0.7]).is_err());
        assert!(Reveal::exogenous(&[f64::NAN]).is_err());
        assert!(Reveal::<f64>::exogenous(&[]).is_err());
    }

    #[test]
    fn lengths_are_limited_before_anything_is_allocated() {
        assert!(Reveal::<f64>::every(usize::MAX).is_err());
        assert!(Reveal::after_dead_time(usize::MAX, 0.5).is_err());
        assert!(Reveal::recovering(MAX_AGES + 1, 0.5).is_err());
        assert!(Reveal::<f64>::every(0).is_err());
        assert!(Reveal::<f64>::every(MAX_AGES).is_ok());
        let error = Reveal::from((0..=MAX_AGES).map(|n| n as f64 / 1e4).collect::<Vec<_>>());
        assert!(error.check("a").unwrap_err().to_string().contains("above the limit of 1000"));
    }
}
