//! Transition probabilities from segments of all lengths, by expectation maximisation.

mod estimator;
mod fit;
mod passes;
#[cfg(feature = "serde")]
mod saved;
mod tree;

use super::observed::check_gamma;
use super::reveals::by_action;
use super::{EstimateError, MergeError, Reveals};
use crate::Real;
use crate::model::{Action, Reveal, Tabular};
pub use fit::EmFit;
use passes::Transitions;
use tree::Tree;

/// The most numbers of a forward pass: 2^28, or 2 GB.
const MAX_NUMBERS: usize = 1 << 28;

/// An estimator of the transition probabilities of a finite model from segments (s, `a_1` .. `a_n`, s') of every length, by expectation
/// maximisation (EM).
///
/// A segment of one action shows a transition. At a reveal probability of .05 that is one segment in twenty; the others tell
/// of the transitions too, because their likelihood is the belief b(s' | s, `a_1` .. `a_n`), a polynomial in P. EM climbs
///
/// ```text
/// sum over segments of log b(s' | s, a_1 .. a_n)  +  (pseudo / |S|) * sum over s, a, s' of log P(s'|s, a)
/// ```
///
/// and no iteration makes it smaller. The second sum is the logarithm of a prior: a pair (s, a) of which no segment tells anything gets
/// the uniform distribution. Reveal probabilities are empirical means ([`Reveals`]), as selection by bursts does not
/// depend on states. They may depend on the age of the last sighting ([`with_ages`](Self::with_ages)): the likelihood of a segment is
/// that of its bursts, in which there is no P, times the belief above, in which there is no beta, so each of the two is
/// maximised by itself.
///
/// Each [`fit`](Self::fit) starts from the last one, mixed with a little of the uniform distribution: EM cannot leave a probability of
/// 0, and leaves a tiny one slowly. From a cold start 50 iterations are far too few where sightings are rare; from the fit
/// before, on data that have grown by a fifth, they are enough.
///
/// # Where it starts
/// Where reveal probabilities are estimated per age there may be no segment of one action at all, and of an action that never
/// reveals there is none. From the uniform distribution EM may then climb to a stationary point at which states have changed their
/// roles, and stay there. So if ages are declared, or an action was tried 200 times and never followed by a sighting, each fit
/// starts a second time, from the states in which segments ended (from s by an action that the segment took, most from short
/// segments), and keeps what has the larger objective. Otherwise there is one start.
///
/// # Settings
/// | setting | default | range |
/// |---|---|---|
/// | [`with_pseudo_count`](Self::with_pseudo_count) | .5, spread over the next states of each pair | 0 or more |
/// | [`with_mixing`](Self::with_mixing) | .02 | in [0, 1] |
/// | [`with_iterations`](Self::with_iterations) | at most 50 per fit, ended when no entry moves by more than 1e-3 | at least 1 |
/// | [`with_longest`](Self::with_longest) | 256 actions | at least 1 |
/// | [`with_ages`](Self::with_ages) | 1: reveal probabilities do not depend on the age | at least 1 |
/// | [`with_known_beta`](Self::with_known_beta), [`with_known_reveals`](Self::with_known_reveals) | estimated | in [0, 1] |
///
/// # What is guaranteed
/// The objective never falls. EM finds a stationary point of it, which need not be the highest; and actions that are
/// never followed by a sighting of their effects leave P undetermined. So there is no bound on the error:
/// [`error_bounds`](super::Estimator::error_bounds) are infinite for the matrices. The error against the number of episodes is
/// measured in `docs/em-error.svg`.
///
/// All is computed in `f64`, whatever `T` is.
///
/// # Complexity
/// Segments that start alike share a node per action of a tree; an iteration costs 4 |S|^2 multiplications a node, and the
/// passes need 16 |S| bytes a node. An estimate that would need more than 2^28 numbers fails.
///
/// # Example
/// ```
/// use sporadic::estimators::{EmEstimator, Estimator};
/// // Two states that are swapped by action 0, which never reveals; action 1 stays, and reveals.
/// let mut em = EmEstimator::<f64>::new(2, 2, 0.9)?;
/// for s in 0..2 {
///     for _ in 0..100 {
///         em.observe_segment(&s, &[1], Some(&s));
///         em.observe_segment(&s, &[0, 1], Some(&(1 - s)));
///     }
/// }
/// em.fit();
/// // No segment shows a transition by action 0 alone, and yet it is known.
/// assert!(em.probability(0, 0, 1) > 0.97 && em.probability(1, 0, 0) > 0.97);
/// assert_eq!(em.estimate()?.betas(), [0.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "T: Real + serde::Deserialize<'de>")))]
#[cfg_attr(feature = "serde", serde(try_from = "saved::Plain<T>"))]
pub struct EmEstimator<T> {
    num_actions: usize,
    gamma: T,
    settings: Settings,
    segments: u64,
    tree: Tree,
    reveals: Reveals<T>,
    fitted: Fitted<T>,
    #[cfg_attr(feature = "serde", serde(skip))]
    fault: Option<EstimateError>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Settings {
    pseudo: f64,
    mixing: f64,
    iterations: usize,
    tolerance: f64,
    longest: usize,
}

/// The last fit: from how many segments, to what.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Fitted<T> {
    segments: u64,
    transitions: Transitions,
    /// Expected numbers of visits of (s, a) at `a n + s`.
    visits: Vec<f64>,
    /// The reveal probabilities, of each pair of an age n and an action a, at `(n - 1) |A| + a`.
    beta: Vec<T>,
}

impl<T: Real> EmEstimator<T> {
    /// An estimator for this many states and actions and this discount factor that has seen nothing.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if there is no state or action or gamma is not in (0, 1).
    pub fn new(num_states: usize, num_actions: usize, gamma: T) -> Result<Self, EstimateError> {
        check_gamma(gamma.as_f64(), num_actions)?;
        let size = num_states.saturating_mul(num_states).saturating_mul(num_actions);
        if num_states == 0 || size > MAX_NUMBERS {
            let (name, value) = ("the number of states", num_states as f64);
            return Err(EstimateError::Setting {
                name,
                value,
                needed: "at least 1, and |S|^2 |A| at most 2^28",
            });
        }
        let settings =
            Settings { pseudo: 0.5, mixing: 0.02, iterations: 50, tolerance: 1e-3, longest: 256 };
        let reveals = Reveals::new(num_actions);
        let fitted = Fitted {
            segments: 0,
            transitions: Transitions::uniform(num_states, num_actions),
            visits: vec![0.0; num_states * num_actions],
            beta: reveals.estimates(),
        };
        let tree = Tree::new(num_states);
        Ok(Self { num_actions, gamma, settings, segments: 0, tree, reveals, fitted, fault: None })
    }

    /// Sets the pseudo-count of each pair (s, a), spread evenly over the next states; at 0 the estimate maximises the
    /// likelihood.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if it is negative or not finite.
    pub fn with_pseudo_count(mut self, pseudo: f64) -> Result<Self, EstimateError> {
        let needed = "finite and at least 0";
        self.settings.pseudo =
            setting("the pseudo-count", pseudo, pseudo >= 0.0 && pseudo.is_finite(), needed)?;
        Ok(self)
    }

    /// Sets the share of the uniform distribution that the last fit is mixed with before a new one.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if it is not in [0, 1].
    pub fn with_mixing(mut self, mixing: f64) -> Result<Self, EstimateError> {
        let inside = (0.0..=1.0).contains(&mixing);
        self.settings.mixing = setting("the mixing", mixing, inside, "in [0, 1]")?;
        Ok(self)
    }

    /// Sets the most iterations of a fit, and how far the farthest probability must move for another one.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if there are none, or the tolerance is negative or not a number.
    pub fn with_iterations(mut self, most: usize, tolerance: f64) -> Result<Self, EstimateError> {
        setting("the number of iterations", most as f64, most > 0, "at least 1")?;
        setting("the tolerance", tolerance, tolerance >= 0.0, "at least 0")?;
        (self.settings.iterations, self.settings.tolerance) = (most, tolerance);
        Ok(self)
    }

    /// Sets how many actions a segment may have to be learnt from. Longer ones tell of reveal probabilities only: what follows
    /// so long after a sighting hardly depends on it.
    ///
    /// # Errors
    /// [`EstimateError::Setting`] if it is 0.
    pub fn with_longest(mut self, longest: usize) -> Result<Self, EstimateError> {
        setting("the longest segment", longest as f64, longest > 0, "at least 1")?;
        self.settings.longest = longest;
        Ok(self)
    }

    /// Estimates reveal probabilities per age, which do not change from the age `ages` on; see [`Reveals::with_ages`]. To be
    /// set before anything is observed.
    ///
    /// # Example
    /// ```
    /// use sporadic::estimators::{EmEstimator, Estimator};
    /// use sporadic::model::Reveal;
    /// let mut em = EmEstimator::<f64>::new(2, 1, 0.9)?.with_ages(2);
    /// em.observe_segment(&0, &[0, 0, 0], Some(&1)); // unseen, unseen, seen
    /// em.fit();
    /// assert_eq!(em.model()?.schedule().reveals(), [Reveal::from([0.0, 0.5])]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_ages(mut self, ages: usize) -> Self {
        self.set_reveals(self.reveals.clone().with_ages(ages));
        self
    }

    /// Declares the reveal probabilities of all actions at all ages known: they are not estimated.
    ///
    /// # Errors
    /// [`EstimateError`] if they are not probabilities, one [`Reveal`] per action.
    pub fn with_known_reveals(mut self, reveals: &[Reveal<T>]) -> Result<Self, EstimateError> {
        self.set_reveals(self.reveals.clone().with_known_reveals(reveals)?);
        Ok(self)
    }

    /// Declares the reveal probabilities known: they are not estimated.
    ///
    /// # Errors
    /// [`EstimateError`] if they are not probabilities, one per action.
    pub fn with_known_beta(mut self, beta: Vec<T>) -> Result<Self, EstimateError> {
        self.set_reveals(self.reveals.clone().with_known(beta)?);
        Ok(self)
    }

    fn set_reveals(&mut self, reveals: Reveals<T>) {
        self.fitted.beta = reveals.estimates();
        self.reveals = reveals;
    }

    /// The number of states.
    pub fn num_states(&self) -> usize {
        self.tree.roots()
    }

    /// The number of actions.
    pub fn num_actions(&self) -> usize {
        self.num_actions
    }

    /// The counts of trials and bursts.
    pub fn reveals(&self) -> &Reveals<T> {
        &self.reveals
    }

    /// P(next | s, a) as fitted last; 1/|S| before the first [`fit`](Self::fit).
    ///
    /// # Panics
    /// If there is no such state or action.
    pub fn probability(&self, s: usize, a: Action, next: usize) -> f64 {
        let n = self.num_states();
        assert!(s < n && next < n, "states {s} and {next} of {n}");
        self.fitted.transitions.action(a)[s * n + next]
    }

    /// How often action `a` was taken in state `s` in the segments, in expectation, as of the last fit.
    ///
    /// # Panics
    /// If there is no such state or action.
    pub fn visits(&self, s: usize, a: Action) -> f64 {
        assert!(s < self.num_states() && a < self.num_actions, "state {s}, action {a}");
        self.fitted.visits[a * self.num_states() + s]
    }

    /// Every segment that was learnt from, with how often it was: start, actions, next state, count.
    pub fn segments(&self) -> impl Iterator<Item = (usize, Vec<Action>, usize, u64)> + '_ {
        self.tree.ends().map(|(node, next, count)| {
            let (start, actions) = self.tree.path(node);
            (start, actions, next, count)
        })
    }

    /// The model as fitted last, without rewards: its transitions, and the reveal probabilities at that time.
    ///
    /// # Errors
    /// [`EstimateError`] if something observed could not be used.
    pub fn model(&self) -> Result<Tabular<T>, EstimateError> {
        self.check()?;
        let n = self.num_states();
        let mut builder = Tabular::builder(self.gamma);
        for (a, beta) in by_action(&self.fitted.beta, self.num_actions).into_iter().enumerate() {
            let rows = self.fitted.transitions.action(a).chunks_exact(n);
            let rows = rows.map(|row| row.iter().map(|&p| T::of(p)).collect::<Vec<T>>());
            builder = builder.action(a.to_string(), beta, vec![T::zero(); n], rows);
        }
        builder.build().map_err(EstimateError::custom)
    }

    /// Refuses to be merged with, or replaced by, an estimator for other models.
    ///
    /// # Errors
    /// [`MergeError`] that names the first difference.
    pub fn check_like(&self, other: &Self) -> Result<(), MergeError> {
        let states = |e: &Self| e.num_states() as f64;
        MergeError::check("numbers of states", states(self), states(other))?;
        MergeError::check("discount factors", self.gamma.as_f64(), other.gamma.as_f64())?;
        let (ours, theirs) = (self.settings, other.settings);
        for (what, ours, theirs) in [
            ("pseudo-counts", ours.pseudo, theirs.pseudo),
            ("mixings", ours.mixing, theirs.mixing),
            ("numbers of iterations", ours.iterations as f64, theirs.iterations as f64),
            ("tolerances", ours.tolerance, theirs.tolerance),
            ("longest segments", ours.longest as f64, theirs.longest as f64),
        ] {
            MergeError::check(what, ours, theirs)?;
        }
        self.reveals.check(&other.reveals)
    }

    fn check(&self) -> Result<(), EstimateError> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    fn blame(&mut self, fault: EstimateError) {
        self.fault.get_or_insert(fault);
    }

    /// Counts a segment that ended in a sighting.
    fn learn(&mut self, start: usize, actions: &[Action], next: usize) {
        let n = self.num_states();
        if let Some(state) = [start, next].into_iter().find(|&s| s >= n) {
            let sample = self.segments;
            return self.blame(EstimateError::State { sample, state, num_states: n });
        }
        // An action out of range has been told of by `observe_reveal`.
        let known = actions.iter().all(|&a| a < self.num_actions);
        if known && actions.len() <= self.settings.longest {
            if self.tree.add(start, actions, next, MAX_NUMBERS / n) {
                self.segments += 1;
            } else {
                let (name, value) =
                    ("the number of distinct beginnings of segments", self.tree.len() as f64);
                let needed = "at most 2^28 / |S|; learn from shorter segments only";
                self.blame(EstimateError::Setting { name, value, needed });
            }
        }
    }
}

fn setting(
    name: &'static str,
    value: f64,
    fine: bool,
    needed: &'static str,
) -> Result<f64, EstimateError> {
    if fine { Ok(value) } else { Err(EstimateError::Setting { name, value, needed }) }
}
