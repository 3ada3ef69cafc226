//! Tabular models: finitely many states and actions, known exactly.

use rand::Rng;

use super::{Action, Environment, Exact, ModelError, Reveal, RevealSchedule, TabularBuilder, draw};
use crate::{Discount, Real};

/// A finite ATST-MDP known exactly: P, r, beta, gamma and an initial distribution.
///
/// States and actions are indices; each also has a name. Transition rows are stored sparsely, so
/// memory and time go with the number of possible transitions, not with the square of the number
/// of states. A value of this type has been validated: every row is a probability distribution.
///
/// # Example
/// A custom environment: a machine that wears out; looking at it costs a little.
/// ```
/// use sporadic::model::Tabular;
///
/// let machine = Tabular::builder(0.95)
///     .states(["good", "worn"])
///     .action("run", 0.0, [1.0, 0.2], [[0.9, 0.1], [0.0, 1.0]])
///     .action("inspect", 1.0, [0.9, 0.1], [[0.9, 0.1], [0.0, 1.0]])
///     .action("repair", 0.5, [0.0, 0.0], [[1.0, 0.0], [1.0, 0.0]])
///     .build()?;
/// assert_eq!(machine.num_states(), 2);
/// assert_eq!(machine.row(0, 0).collect::<Vec<_>>(), [(0, 0.9), (1, 0.1)]);
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Tabular<T> {
    pub(super) name: String,
    pub(super) states: Vec<String>,
    pub(super) actions: Vec<String>,
    pub(super) gamma: Discount<T>,
    pub(super) beta: RevealSchedule<T>,
    /// r(s, a) at `s * |A| + a`, as are the rows.
    pub(super) reward: Vec<T>,
    /// Row `i` occupies `offsets[i]..offsets[i + 1]` of the three arrays below.
    pub(super) offsets: Vec<usize>,
    pub(super) next: Vec<usize>,
    pub(super) probability: Vec<T>,
    pub(super) cdf: Vec<f64>,
    pub(super) initial: Vec<T>,
    pub(super) initial_cdf: Vec<f64>,
}

impl<T: Real> Tabular<T> {
    /// Starts a model with discount factor `gamma`; see [`TabularBuilder`].
    pub fn builder(gamma: T) -> TabularBuilder<T> {
        TabularBuilder::new(gamma)
    }

    /// The model's name, empty unless one was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of states.
    pub fn num_states(&self) -> usize {
        self.states.len()
    }

    /// The number of actions.
    pub fn num_actions(&self) -> usize {
        self.actions.len()
    }

    /// The names of the states, in order.
    pub fn state_names(&self) -> &[String] {
        &self.states
    }

    /// The names of the actions, in order.
    pub fn action_names(&self) -> &[String] {
        &self.actions
    }

    /// The index of the state with this name.
    ///
    /// # Errors
    /// [`ModelError::UnknownName`] if no state has it.
    pub fn state(&self, name: &str) -> Result<usize, ModelError> {
        position(&self.states, "state", name)
    }

    /// The index of the action with this name.
    ///
    /// # Errors
    /// [`ModelError::UnknownName`] if no action has it.
    pub fn action(&self, name: &str) -> Result<Action, ModelError> {
        position(&self.actions, "action", name)
    }

    /// The discount factor gamma.
    pub fn gamma(&self) -> T {
        self.gamma.get()
    }

    /// The discount factor gamma, as a number known to be strictly between 0 and 1.
    pub fn discount(&self) -> Discount<T> {
        self.gamma
    }

    /// The reveal probability of action `a`; where it depends on the age of the last sighting, that of
    /// all ages from [`ages`](Self::ages) on.
    ///
    /// # Panics
    /// If `a` is not an action, as in every method that takes one.
    #[inline]
    pub fn beta(&self, a: Action) -> T {
        self.beta.last(a)
    }

    /// The reveal probability beta_n(a) of action `a` as the n-th one since the last sighting.
    #[inline]
    pub fn beta_at(&self, a: Action, age: usize) -> T {
        self.beta.at(a, age)
    }

    /// The age N from which on no reveal probability changes; 1 if none depends on the age.
    #[inline]
    pub fn ages(&self) -> usize {
        self.beta.ages()
    }

    /// The reveal probabilities of all actions at all ages.
    pub fn schedule(&self) -> &RevealSchedule<T> {
        &self.beta
    }

    /// The probability gamma (1 - beta(a)) that after action `a` the episode goes on and the state
    /// stays hidden, at all ages from [`ages`](Self::ages) on.
    #[inline]
    pub fn blind(&self, a: Action) -> T {
        self.gamma.blind(self.beta.last(a))
    }

    /// The probability gamma (1 - beta_n(a)) that after action `a`, as the n-th one since the last
    /// sighting, the episode goes on and the state stays hidden.
    #[inline]
    pub fn blind_at(&self, a: Action, age: usize) -> T {
        self.gamma.blind(self.beta.at(a, age))
    }

    /// The probability gamma beta_n(a) that after action `a`, as the n-th one since the last sighting, the
    /// episode goes on and the state is seen.
    #[inline]
    pub fn seen_at(&self, a: Action, age: usize) -> T {
        self.gamma.seen(self.beta.at(a, age))
    }

    /// The probability gamma beta(a) that after action `a` the episode goes on and the state is seen, at
    /// all ages from [`ages`](Self::ages) on.
    ///
    /// # Example
    /// ```
    /// use sporadic::model::gallery;
    /// let swim = gallery::river_swim(6, 0.25, 0.5)?;
    /// assert_eq!((swim.blind(1), swim.seen(1)), (0.375, 0.125));
    /// # Ok::<(), sporadic::model::ModelError>(())
    /// ```
    #[inline]
    pub fn seen(&self, a: Action) -> T {
        self.gamma.seen(self.beta.last(a))
    }

    /// The reveal probabilities, one per action, at all ages from [`ages`](Self::ages) on.
    pub fn betas(&self) -> &[T] {
        self.beta.lasts()
    }

    /// The reward r(s, a).
    ///
    /// # Panics
    /// If `s` is not a state or `a` not an action, as in every method that takes them.
    #[inline]
    pub fn reward(&self, s: usize, a: Action) -> T {
        self.reward[s * self.actions.len() + a]
    }

    /// The smallest and the largest reward.
    pub fn reward_range(&self) -> (T, T) {
        let first = self.reward[0];
        self.reward.iter().fold((first, first), |(lo, hi), &r| (lo.min(r), hi.max(r)))
    }

    /// The states that may follow `s` under `a`, in increasing order, with their probabilities.
    #[inline]
    pub fn row(&self, s: usize, a: Action) -> impl Iterator<Item = (usize, T)> + '_ {
        let span = self.span(s, a);
        self.next[span.clone()].iter().copied().zip(self.probability[span].iter().copied())
    }

    /// The probability P(next | s, a).
    pub fn probability(&self, s: usize, a: Action, next: usize) -> T {
        self.row(s, a).find(|&(t, _)| t == next).map_or(T::zero(), |(_, p)| p)
    }

    /// The number of stored transitions: the cost of one sweep over all states and actions.
    pub fn num_transitions(&self) -> usize {
        self.next.len()
    }

    /// The distribution of the first state.
    pub fn initial_distribution(&self) -> &[T] {
        &self.initial
    }

    /// The distribution of the next state when the state is distributed as `belief` and `a` is
    /// taken: `out = belief P_a`.
    ///
    /// # Complexity
    /// One multiplication per transition stored for action `a`.
    ///
    /// # Example
    /// ```
    /// use sporadic::model::gallery;
    /// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
    /// let mut after = [0.0; 6];
    /// swim.push_forward(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1, &mut after);
    /// assert_eq!(after, [0.4, 0.6, 0.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), sporadic::model::ModelError>(())
    /// ```
    ///
    /// # Panics
    /// If the slices are not one entry per state.
    pub fn push_forward(&self, belief: &[T], a: Action, out: &mut [T]) {
        assert_eq!(belief.len(), self.num_states(), "one belief entry per state");
        assert_eq!(out.len(), self.num_states(), "one output entry per state");
        out.fill(T::zero());
        for (s, &mass) in belief.iter().enumerate() {
            if mass != T::zero() {
                for (t, p) in self.row(s, a) {
                    out[t] += mass * p;
                }
            }
        }
    }

    /// The expectation of `value` one step later, from each state: `out = P_a value`.
    ///
    /// # Panics
    /// If the slices are not one entry per state.
    pub fn pull_back(&self, value: &[T], a: Action, out: &mut [T]) {
        assert_eq!(value.len(), self.num_states(), "one value per state");
        assert_eq!(out.len(), self.num_states(), "one output entry per state");
        for (s, o) in out.iter_mut().enumerate() {
            *o = self.row(s, a).fold(T::zero(), |sum, (t, p)| sum + p * value[t]);
        }
    }

    /// Replaces the reveal probabilities by one number per action, the same at every age.
    ///
    /// # Errors
    /// [`ModelError::Beta`] or [`ModelError::Length`] if they are not probabilities, one per action.
    pub fn with_betas(self, beta: Vec<T>) -> Result<Self, ModelError> {
        self.with_reveals(beta.into_iter().map(Reveal::constant).collect())
    }

    /// Replaces the reveal probabilities, one [`Reveal`] per action.
    ///
    /// # Errors
    /// [`ModelError`] if they are not probabilities, or not one list per action.
    ///
    /// # Example
    /// ```
    /// use sporadic::model::{Reveal, gallery};
    /// let swim = gallery::river_swim(6, 0.1, 0.99)?;
    /// let swim = swim.with_reveals(vec![Reveal::constant(0.1), Reveal::every(5)?])?;
    /// assert_eq!((swim.beta_at(1, 4), swim.beta_at(1, 5)), (0.0, 1.0));
    /// # Ok::<(), sporadic::model::ModelError>(())
    /// ```
    #[allow(clippy::needless_pass_by_value)] // as `with_betas` takes its list
    pub fn with_reveals(mut self, reveals: Vec<Reveal<T>>) -> Result<Self, ModelError> {
        if reveals.len() != self.num_actions() {
            return Err(ModelError::Length {
                what: "the list of reveal probabilities".into(),
                expected: self.num_actions(),
                found: reveals.len(),
            });
        }
        self.beta = RevealSchedule::new(&reveals, |a| self.actions[a].clone())?;
        Ok(self)
    }

    /// Replaces the discount factor.
    ///
    /// # Errors
    /// [`ModelError::Discount`] if it is not in (0, 1).
    pub fn with_gamma(mut self, gamma: T) -> Result<Self, ModelError> {
        self.gamma = Discount::new(gamma)?;
        Ok(self)
    }

    #[inline]
    fn span(&self, s: usize, a: Action) -> std::ops::Range<usize> {
        let i = s * self.actions.len() + a;
        self.offsets[i]..self.offsets[i + 1]
    }
}

impl<T: Real> Environment for Tabular<T> {
    type Scalar = T;
    type State = usize;

    fn num_actions(&self) -> usize {
        self.num_actions()
    }

    fn model_name(&self) -> Option<String> {
        Some(self.name().to_owned()).filter(|name| !name.is_empty())
    }

    fn action_labels(&self) -> Vec<String> {
        self.action_names().to_vec()
    }

    fn gamma(&self) -> T {
        self.gamma.get()
    }

    #[inline]
    fn beta(&self, a: Action) -> T {
        self.beta.last(a)
    }

    #[inline]
    fn beta_at(&self, a: Action, age: usize) -> T {
        self.beta.at(a, age)
    }

    #[inline]
    fn ages(&self) -> usize {
        self.beta.ages()
    }

    #[inline]
    fn reward(&self, s: &usize, a: Action) -> T {
        self.reward(*s, a)
    }

    /// One categorical draw, also when the first state is certain.
    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> usize {
        draw::categorical(&self.initial_cdf, rng)
    }

    /// One categorical draw over the stored row, also when the next state is certain.
    #[inline]
    fn next<R: Rng + ?Sized>(&self, s: &usize, a: Action, rng: &mut R) -> usize {
        let span = self.span(*s, a);
        let start = span.start;
        self.next[start + draw::categorical(&self.cdf[span], rng)]
    }

    fn reward_range(&self) -> (T, T) {
        self.reward_range()
    }

    #[inline]
    fn is_absorbing(&self, s: &usize) -> bool {
        (0..self.num_actions())
            .all(|a| self.next[self.span(*s, a)] == [*s] && self.reward(*s, a) <= T::zero())
    }

    fn exact(&self) -> Option<Box<dyn Exact<usize> + '_>> {
        Some(Box::new(crate::planning::TabularExact::new(self)))
    }
}

fn position(names: &[String], what: &'static str, name: &str) -> Result<usize, ModelError> {
    names.iter().position(|n| n == name).ok_or_else(|| ModelError::UnknownName {
        what,
        name: name.into(),
        known: names.to_vec(),
    })
}
