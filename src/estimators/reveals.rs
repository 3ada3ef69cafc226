//! Reveal probabilities: known, or counted.

use super::{EstimateError, MergeError};
use crate::Real;
use crate::model::{Action, MAX_AGES, Reveal};
use crate::quantile::beta_quantile;

/// How often each action was followed by a data-burst, and the reveal probabilities if known.
///
/// beta-hat(a) is the empirical mean, as in the paper; an action never seen has beta-hat = 0, the
/// paper's neutral estimate: an action of which nothing is known is expected to reveal nothing.
///
/// Where reveal probabilities depend on the age of the last sighting, [`with_ages`](Self::with_ages), trials are
/// counted and means taken per action and age. Each pair is then what an action is without ages: its trials
/// are independent of each other given that they are made, its interval is its own, and bounds hold for all pairs
/// together.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "T: Real + serde::Deserialize<'de>")))]
#[cfg_attr(feature = "serde", serde(try_from = "Plain<T>"))]
pub struct Reveals<T> {
    /// One number per pair, as the counts.
    known: Option<Vec<T>>,
    /// Of each pair of an age n and an action a, at (n - 1) |A| + a; of all later ages than the last too.
    trials: Vec<u64>,
    bursts: Vec<u64>,
    ages: usize,
}

/// One [`Reveal`] per action from one number per pair of an age n and an action a, at (n - 1) |A| + a.
pub(super) fn by_action<T: Real>(pairs: &[T], num_actions: usize) -> Vec<Reveal<T>> {
    let listed = |a| pairs.iter().skip(a).step_by(num_actions).copied().collect::<Vec<_>>();
    (0..num_actions).map(|a| listed(a).into()).collect()
}

/// [`Reveals`] as they were written to a file, before they are checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Plain<T> {
    known: Option<Vec<T>>,
    trials: Vec<u64>,
    bursts: Vec<u64>,
    /// Counts that were saved without it have one.
    #[serde(default = "one")]
    ages: usize,
}

#[cfg(feature = "serde")]
fn one() -> usize {
    1
}

#[cfg(feature = "serde")]
impl<T: Real> TryFrom<Plain<T>> for Reveals<T> {
    type Error = String;

    fn try_from(Plain { known, trials, bursts, ages }: Plain<T>) -> Result<Self, String> {
        let pairs = trials.len();
        if ages == 0 || ages > MAX_AGES || pairs % ages != 0 || bursts.len() != pairs {
            let bursts = bursts.len();
            return Err(format!(
                "{pairs} and {bursts} counts for {ages} ages: not those of actions"
            ));
        }
        let total = trials.iter().try_fold(0_u64, |sum, &n| sum.checked_add(n));
        if total.is_none_or(|total| total >= u64::MAX / 2) {
            return Err("too many trials to count on".into());
        }
        if let Some((n, k)) = trials.iter().zip(&bursts).find(|(n, k)| k > n) {
            return Err(format!("{k} bursts in {n} trials"));
        }
        let counted = Self { known: None, trials, bursts, ages };
        match known {
            None => Ok(counted),
            Some(beta) => counted.with_known(beta).map_err(|fault| fault.to_string()),
        }
    }
}

impl<T: Real> Reveals<T> {
    /// Counts without any trial, of unknown reveal probabilities.
    pub fn new(num_actions: usize) -> Self {
        Self { known: None, trials: vec![0; num_actions], bursts: vec![0; num_actions], ages: 1 }
    }

    /// Counts trials per action and age, where nothing changes from the age `ages` on; at least 1 and at most
    /// [`MAX_AGES`] is used. What was counted before is forgotten.
    ///
    /// # Example
    /// ```
    /// use sporadic::estimators::Reveals;
    /// use sporadic::model::Reveal;
    /// let mut reveals = Reveals::<f64>::new(1).with_ages(2);
    /// reveals.observe_at(0, 1, false);
    /// reveals.observe_at(0, 2, true);
    /// reveals.observe_at(0, 9, false); // any age from 2 on
    /// assert_eq!(reveals.estimate(), [Reveal::from([0.0, 0.5])]);
    /// ```
    pub fn with_ages(self, ages: usize) -> Self {
        let (ages, actions) = (ages.clamp(1, MAX_AGES), self.num_actions());
        let zeros = vec![0; ages * actions];
        Self { known: None, trials: zeros.clone(), bursts: zeros, ages }
    }

    /// The age from which on no reveal probability is taken to change; 1 if none depends on the age.
    pub fn ages(&self) -> usize {
        self.ages
    }

    /// Counts of reveals where the reveal probabilities of all actions at all ages are known.
    ///
    /// # Errors
    /// [`EstimateError`] if they are not probabilities, one [`Reveal`] per action.
    pub fn with_known_reveals(self, reveals: &[Reveal<T>]) -> Result<Self, EstimateError> {
        let (expected, found) = (self.num_actions(), reveals.len());
        if found != expected {
            return Err(EstimateError::Length { what: "the list of known betas", expected, found });
        }
        let ages = reveals.iter().map(|reveal| reveal.listed().len()).max().unwrap_or(1);
        let known: Vec<T> =
            (1..=ages).flat_map(|age| reveals.iter().map(move |reveal| reveal.at(age))).collect();
        self.with_ages(ages).with_known(known)
    }

    /// Counts of reveals where the reveal probabilities are known, one per action.
    ///
    /// # Errors
    /// [`EstimateError`] if they are not probabilities, one per action.
    pub fn with_known(mut self, beta: Vec<T>) -> Result<Self, EstimateError> {
        if beta.len() != self.trials.len() {
            let (expected, found) = (self.trials.len(), beta.len());
            return Err(EstimateError::Length { what: "the list of known betas", expected, found });
        }
        if let Some(&bad) = beta.iter().find(|&&b| !(b >= T::zero() && b <= T::one())) {
            let value = bad.as_f64();
            return Err(EstimateError::Setting { name: "beta", value, needed: "in [0, 1]" });
        }
        self.known = Some(beta);
        Ok(self)
    }

    /// Whether the reveal probabilities are known.
    pub fn is_known(&self) -> bool {
        self.known.is_some()
    }

    /// The number of actions.
    pub fn num_actions(&self) -> usize {
        self.trials.len() / self.ages
    }

    /// The number of pairs of an action and an age.
    pub fn num_pairs(&self) -> usize {
        self.trials.len()
    }

    /// The place of a pair; `None` if `a` is not an action.
    fn pair(&self, a: Action, age: usize) -> Option<usize> {
        let m = self.num_actions();
        (a < m).then(|| (age.clamp(1, self.ages) - 1) * m + a)
    }

    /// The trials of action `a` at all ages, and the bursts among them. (0, 0) if it is not an action.
    pub fn count(&self, a: Action) -> (u64, u64) {
        let counts = (1..=self.ages).map(|age| self.count_at(a, age));
        counts.fold((0, 0), |(n, k), (trials, bursts)| (n + trials, k + bursts))
    }

    /// The trials of action `a` at this age, and the bursts among them. (0, 0) if it is not an action.
    pub fn count_at(&self, a: Action, age: usize) -> (u64, u64) {
        self.pair(a, age).map_or((0, 0), |pair| (self.trials[pair], self.bursts[pair]))
    }

    /// The number of trials of all actions together.
    pub fn total(&self) -> u64 {
        self.trials.iter().sum()
    }

    /// The share of the action tried least: an estimate of the lemma's `p_min`.
    pub fn least_share(&self) -> f64 {
        let least = self.trials.iter().copied().min().unwrap_or(0);
        least as f64 / self.total().max(1) as f64
    }

    /// Counts a trial of the first action after a sighting; false if `a` is not an action.
    pub fn observe(&mut self, a: Action, burst: bool) -> bool {
        self.observe_at(a, 1, burst)
    }

    /// Counts a trial of action `a` as the one of this age; false if it is not an action.
    pub fn observe_at(&mut self, a: Action, age: usize, burst: bool) -> bool {
        let Some(pair) = self.pair(a, age) else { return false };
        self.trials[pair] += 1;
        self.bursts[pair] += u64::from(burst);
        true
    }

    /// The known reveal probabilities of each action, or else the empirical means, at all ages from
    /// [`ages`](Self::ages) on.
    pub fn beta(&self) -> Vec<T> {
        self.estimates().split_off(self.num_pairs() - self.num_actions())
    }

    /// The known reveal probabilities of each action at every age, or else the empirical means.
    pub fn estimate(&self) -> Vec<Reveal<T>> {
        by_action(&self.estimates(), self.num_actions())
    }

    /// The estimates as plain data: one number per pair of an age n and an action a, at (n - 1) |A| + a.
    pub(super) fn estimates(&self) -> Vec<T> {
        self.known.clone().unwrap_or_else(|| {
            let mean = |(&n, &k): (&u64, &u64)| T::of(k as f64 / n.max(1) as f64);
            self.trials.iter().zip(&self.bursts).map(mean).collect()
        })
    }

    /// The Clopper-Pearson interval of beta(a): it covers with probability at least `confidence`
    /// whatever beta is, if the number of trials does not depend on the bursts. (0, 1) if the
    /// action was never tried or the confidence is not in (0, 1).
    ///
    /// # Example
    /// ```
    /// use sporadic::estimators::Reveals;
    /// let mut reveals = Reveals::<f64>::new(1);
    /// (0..10).for_each(|i| { reveals.observe(0, i < 3); });
    /// let (low, high) = reveals.interval(0, 0.95);
    /// assert!((low - 0.066_739).abs() < 1e-6 && (high - 0.652_453).abs() < 1e-6);
    /// ```
    ///
    /// Where trials are counted per age, it is the interval of the mean over the trials that were made, whatever
    /// their ages; [`interval_at`](Self::interval_at) is that of one age.
    pub fn interval(&self, a: Action, confidence: f64) -> (f64, f64) {
        Self::interval_of(self.count(a), confidence)
    }

    /// The Clopper-Pearson interval of beta_n(a), as [`interval`](Self::interval) gives it.
    pub fn interval_at(&self, a: Action, age: usize, confidence: f64) -> (f64, f64) {
        Self::interval_of(self.count_at(a, age), confidence)
    }

    fn interval_of((n, k): (u64, u64), confidence: f64) -> (f64, f64) {
        if n == 0 || !(confidence > 0.0 && confidence < 1.0) {
            return (0.0, 1.0);
        }
        let (n, k, tail) = (n as f64, k as f64, (1.0 - confidence) / 2.0);
        let low = if k > 0.0 { beta_quantile(k, n - k + 1.0, tail) } else { 0.0 };
        let high = if k < n { beta_quantile(k + 1.0, n - k, 1.0 - tail) } else { 1.0 };
        (low, high)
    }

    /// The largest distance of an empirical mean to an end of its interval, all intervals together
    /// covering with probability at least `confidence`; 0 if the probabilities are known.
    pub fn error_bound(&self, confidence: f64) -> f64 {
        if self.is_known() {
            return 0.0;
        }
        let each = 1.0 - (1.0 - confidence) / self.num_pairs().max(1) as f64;
        let beta = self.estimates();
        (0..self.num_pairs()).fold(0.0, |worst: f64, pair| {
            let counts = (self.trials[pair], self.bursts[pair]);
            let ((low, high), mean) = (Self::interval_of(counts, each), beta[pair].as_f64());
            worst.max(mean - low).max(high - mean)
        })
    }

    /// Whether another one may be merged into this one.
    pub(super) fn check(&self, other: &Self) -> Result<(), MergeError> {
        let actions = |r: &Self| r.num_actions() as f64;
        MergeError::check("numbers of actions", actions(self), actions(other))?;
        MergeError::check("numbers of ages", self.ages as f64, other.ages as f64)?;
        // Unknown is none of the numbers that may be known.
        let known = |r: &Self, a: usize| r.known.as_ref().map_or(-1.0, |beta| beta[a].as_f64());
        (0..self.num_pairs())
            .try_for_each(|a| MergeError::check("known beta", known(self, a), known(other, a)))
    }

    /// Adds the counts of `other`, which has the same actions.
    pub(super) fn add(&mut self, other: &Self) {
        self.trials.iter_mut().zip(&other.trials).for_each(|(n, m)| *n += m);
        self.bursts.iter_mut().zip(&other.bursts).for_each(|(n, m)| *n += m);
    }
}
