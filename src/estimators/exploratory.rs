//! Samples (s, a, s', b) with (s, a) from an exploratory distribution.

use rand::Rng;

use super::{EstimateError, Transition};
use crate::Real;
use crate::model::{Action, Environment, Tabular, draw};

/// How well a distribution D over (s, a) explores: `lambda_min`(Sigma), the smallest eigenvalue of
/// E[phi phi^T], and `p_min`, the probability of the rarest action.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Exploration {
    lambda_min: f64,
    p_min: f64,
}

impl Exploration {
    /// Exploration with this `lambda_min`(Sigma) and this `p_min`.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if one is not in (0, 1]: the lemmas assume that D explores every
    /// direction and takes every action, and ||phi|| <= 1.
    pub fn new(lambda_min: f64, p_min: f64) -> Result<Self, EstimateError> {
        for (name, value) in [("lambda_min", lambda_min), ("p_min", p_min)] {
            if !(value > 0.0 && value <= 1.0) {
                return Err(EstimateError::Setting { name, value, needed: "in (0, 1]" });
            }
        }
        Ok(Self { lambda_min, p_min })
    }

    /// The smallest eigenvalue of Sigma.
    pub fn lambda_min(&self) -> f64 {
        self.lambda_min
    }

    /// The probability of the rarest action.
    pub fn p_min(&self) -> f64 {
        self.p_min
    }
}

/// Independent samples from a tabular model, (s, a) from a given distribution.
///
/// A sample takes three words of the generator: for (s, a), for s', for b, in this order, all
/// through [`draw`]; so it is the same for ever.
///
/// # Example
/// ```
/// use rand_pcg::Pcg64;
/// use sporadic::estimators::Exploratory;
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let sampler = Exploratory::uniform(&swim);
/// let t = sampler.sample(&mut Pcg64::new(1, 1));
/// assert!(swim.probability(t.state, t.action, t.next) > 0.0);
/// assert!((sampler.exploration()?.p_min() - 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Exploratory<'m, T> {
    model: &'m Tabular<T>,
    /// Probabilities of the pairs, at s |A| + a.
    weights: Vec<f64>,
    cdf: Vec<f64>,
}

impl<'m, T: Real> Exploratory<'m, T> {
    /// Draws every pair (s, a) with the same probability.
    pub fn uniform(model: &'m Tabular<T>) -> Self {
        let pairs = model.num_states() * model.num_actions();
        Self::from_weights(model, vec![1.0; pairs], pairs as f64)
    }

    /// Draws pair (s, a) with probability proportional to `weights[s * |A| + a]`.
    ///
    /// # Errors
    /// [`EstimateError`] if there is not one finite nonnegative weight per pair, or all are 0.
    pub fn new(model: &'m Tabular<T>, weights: &[T]) -> Result<Self, EstimateError> {
        let expected = model.num_states() * model.num_actions();
        if weights.len() != expected {
            let (what, found) = ("the list of weights of (s, a)", weights.len());
            return Err(EstimateError::Length { what, expected, found });
        }
        let weights: Vec<f64> = weights.iter().map(|w| w.as_f64()).collect();
        if let Some(&value) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            let needed = "finite and at least 0";
            return Err(EstimateError::Setting { name: "a weight of (s, a)", value, needed });
        }
        let sum: f64 = weights.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            let name = "the sum of weights of (s, a)";
            return Err(EstimateError::Setting { name, value: sum, needed: "finite and above 0" });
        }
        Ok(Self::from_weights(model, weights, sum))
    }

    fn from_weights(model: &'m Tabular<T>, mut weights: Vec<f64>, sum: f64) -> Self {
        for w in &mut weights {
            *w /= sum;
        }
        let mut cdf: Vec<f64> = weights
            .iter()
            .scan(0.0, |sum, w| {
                *sum += w;
                Some(*sum)
            })
            .collect();
        // The last index takes what rounding leaves; it must be one that is possible.
        let last = weights.iter().rposition(|&w| w > 0.0).unwrap_or(0);
        cdf.truncate(last + 1);
        Self { model, weights, cdf }
    }

    /// `lambda_min`(Sigma) in one-hot features, so the smallest probability of a pair, and `p_min`. Where reveal probabilities
    /// depend on the age, the latter is the probability of the rarest action at one age, as [`sample_at_ages`](Self::sample_at_ages)
    /// draws it: to the lemma an action at an age is an action.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if a pair is never sampled.
    pub fn exploration(&self) -> Result<Exploration, EstimateError> {
        let m = self.model.num_actions();
        let least = self.weights.iter().copied().fold(1.0, f64::min);
        let of_action = |a: usize| self.weights.iter().skip(a).step_by(m).sum::<f64>();
        let rarest = (0..m).map(of_action).fold(1.0, f64::min);
        Exploration::new(least, rarest / self.model.ages() as f64)
    }

    /// Draws one sample, whose action is the first one after a sighting of its state.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Transition<usize> {
        let (s, a) = self.pair(rng);
        outcome(self.model, s, a, 1, rng)
    }

    /// Draws one sample and the age n of its action, where each age up to the one from which on reveal probabilities do not
    /// change is as likely as the others: the state s is known, and so that n - 1 actions before have shown nothing.
    ///
    /// The age takes a word between those of (s, a) and of s'. Where reveal probabilities do not depend on it, it is 1 and takes
    /// none: then this is [`sample`](Self::sample).
    ///
    /// # Example
    /// ```
    /// use rand_pcg::Pcg64;
    /// use sporadic::estimators::Exploratory;
    /// use sporadic::model::{Reveal, gallery, intermittent};
    /// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
    /// let every_third = intermittent(&swim, Reveal::every(3)?)?;
    /// let (sampler, mut rng) = (Exploratory::uniform(&every_third), Pcg64::new(1, 1));
    /// for _ in 0..100 {
    ///     let (t, age) = sampler.sample_at_ages(&mut rng);
    ///     assert_eq!(t.burst, age == 3);
    /// }
    /// # Ok::<(), sporadic::model::ModelError>(())
    /// ```
    pub fn sample_at_ages<R: Rng + ?Sized>(&self, rng: &mut R) -> (Transition<usize>, usize) {
        let ((s, a), ages) = (self.pair(rng), self.model.ages());
        let age = if ages > 1 { 1 + draw::index(ages, rng) } else { 1 };
        (outcome(self.model, s, a, age, rng), age)
    }

    fn pair<R: Rng + ?Sized>(&self, rng: &mut R) -> (usize, Action) {
        let (pair, m) = (draw::categorical(&self.cdf, rng), self.model.num_actions());
        (pair / m, pair % m)
    }
}

/// Independent samples from any environment, (s, a) from a closure.
///
/// # Example
/// ```
/// use rand_pcg::Pcg64;
/// use sporadic::estimators::ExploratoryFn;
/// use sporadic::model::{draw, gallery};
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// // Always from the left bank, either action.
/// let mut sampler = ExploratoryFn::new(&swim, |rng| (0, usize::from(draw::bernoulli(0.5, rng))));
/// assert_eq!(sampler.sample(&mut Pcg64::new(1, 1)).state, 0);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ExploratoryFn<M, G> {
    env: M,
    pair: G,
}

impl<M, G> ExploratoryFn<M, G> {
    /// Samples of `env` from the pairs that `pair` draws.
    pub fn new<S>(env: M, pair: G) -> Self
    where
        G: FnMut(&mut dyn Rng) -> (S, Action),
    {
        Self { env, pair }
    }

    /// One sample: the closure's words first, then those of s', then one for b.
    pub fn sample<R>(&mut self, mut rng: &mut R) -> Transition<M::State>
    where
        M: Environment,
        G: FnMut(&mut dyn Rng) -> (M::State, Action),
        R: Rng + ?Sized,
    {
        let (state, action) = (self.pair)(&mut rng);
        outcome(&self.env, state, action, 1, rng)
    }
}

fn outcome<M: Environment, R: Rng + ?Sized>(
    env: &M,
    state: M::State,
    action: Action,
    age: usize,
    rng: &mut R,
) -> Transition<M::State> {
    let next = env.next(&state, action, rng);
    let burst = draw::bernoulli(env.beta_at(action, age).as_f64(), rng);
    Transition { state, action, next, burst }
}
