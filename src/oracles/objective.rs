//! What oracles maximise.

use crate::Real;
use crate::features::hold;
use crate::model::Action;
use crate::sequence::ActionSequence;

/// A function of action sequences, to be maximised over A^N.
///
/// Two methods make an objective; the others make it fast and certified. `&mut self` lets it keep
/// what it computed for the last prefix or build its tables at the first use.
///
/// # Example
/// Discounted count of action 1, with its exact bound.
/// ```
/// use sporadic::model::Action;
/// use sporadic::oracles::{BranchAndBound, SequenceObjective, SequenceOracle};
/// use sporadic::sequence::ActionSequence;
///
/// struct Ones;
///
/// fn ones(actions: impl Iterator<Item = Action>) -> f64 {
///     actions.zip(0..60).map(|(a, h)| if a == 1 { 0.5_f64.powi(h) } else { 0.0 }).sum()
/// }
///
/// impl SequenceObjective<f64> for Ones {
///     fn num_actions(&self) -> usize { 2 }
///     fn value(&mut self, seq: &ActionSequence) -> f64 { ones(seq.iter()) }
///     fn upper_bound(&mut self, prefix: &[Action]) -> f64 {
///         ones(prefix.iter().copied()) + 2.0 * 0.5_f64.powi(prefix.len() as i32)
///     }
/// }
/// let choice = BranchAndBound::new(1e-6).maximize(&mut Ones)?;
/// assert_eq!(choice.sequence.to_string(), "(1)");
/// assert!(choice.gap() <= 1e-6);
/// # Ok::<(), sporadic::oracles::OracleError>(())
/// ```
pub trait SequenceObjective<T: Real> {
    /// The number of actions: sequences are over `0..num_actions`.
    fn num_actions(&self) -> usize;

    /// The value of one sequence.
    fn value(&mut self, seq: &ActionSequence) -> T;

    /// The values of many sequences. Override it where they can share work.
    fn values(&mut self, seqs: &[ActionSequence]) -> Vec<T> {
        seqs.iter().map(|seq| self.value(seq)).collect()
    }

    /// A bound on the value of every sequence that starts with `prefix`; infinite unless overridden.
    ///
    /// Searches ask for prefixes that mostly differ in their last actions from the one before:
    /// keep the work done for the common part.
    fn upper_bound(&mut self, prefix: &[Action]) -> T {
        let _ = prefix;
        T::of(f64::INFINITY)
    }

    /// A promising sequence that starts with `prefix`. Unless overridden the last action is held
    /// forever.
    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        hold(prefix)
    }

    /// Sequences that are likely to have large values, such as the best ones of an objective that was much like this one.
    /// Searches score them first. None unless overridden.
    fn hints(&self) -> &[ActionSequence] {
        &[]
    }

    /// A sequence that is better than `seq`, from a search that keeps `width` prefixes of each length up to `depth`; `seq`
    /// itself if none is found. `None`, unless overridden, if the objective has no search of its own.
    ///
    /// It is for objectives that know more of themselves than their bounds: see
    /// [`SequenceFeatures::improve`](crate::features::SequenceFeatures::improve).
    fn improve(
        &mut self,
        seq: &ActionSequence,
        (width, depth): (usize, usize),
    ) -> Option<ActionSequence> {
        let _ = (seq, width, depth);
        None
    }

    /// Whether one of the [hints](Self::hints) answers a question so much like this one that it is enough to
    /// [improve](Self::improve) it. A search may then leave prefixes alone and answer with the upper bound of the empty one. False
    /// unless overridden.
    fn is_familiar(&self) -> bool {
        false
    }
}

impl<T: Real, O: SequenceObjective<T> + ?Sized> SequenceObjective<T> for &mut O {
    fn num_actions(&self) -> usize {
        (**self).num_actions()
    }

    fn value(&mut self, seq: &ActionSequence) -> T {
        (**self).value(seq)
    }

    fn values(&mut self, seqs: &[ActionSequence]) -> Vec<T> {
        (**self).values(seqs)
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> T {
        (**self).upper_bound(prefix)
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        (**self).suggest(prefix)
    }

    fn hints(&self) -> &[ActionSequence] {
        (**self).hints()
    }

    fn improve(&mut self, seq: &ActionSequence, size: (usize, usize)) -> Option<ActionSequence> {
        (**self).improve(seq, size)
    }

    fn is_familiar(&self) -> bool {
        (**self).is_familiar()
    }
}

/// Stands in an [`ObjectiveFn`] for bounds that are not known.
#[derive(Debug, Clone, Copy)]
pub struct Unbounded;

/// An objective whose value is computed by a closure.
///
/// # Example
/// ```
/// use sporadic::oracles::{Exhaustive, ObjectiveFn, SequenceOracle};
/// use sporadic::sequence::{ActionSequence, periodic};
/// let mut objective = ObjectiveFn::new(2, |seq: &ActionSequence| seq.period().len() as f64);
/// let choice = Exhaustive::new(periodic(2, 1, 3)).maximize(&mut objective)?;
/// assert_eq!(choice.value, 3.0);
/// assert_eq!(choice.upper_bound, f64::INFINITY); // a closure alone bounds nothing
///
/// let mut bounded = objective.with_upper_bound(|_prefix| 3.0);
/// assert_eq!(Exhaustive::new(periodic(2, 1, 3)).maximize(&mut bounded)?.gap(), 0.0);
/// # Ok::<(), sporadic::oracles::OracleError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ObjectiveFn<F, B = Unbounded> {
    num_actions: usize,
    value: F,
    bound: B,
}

impl<F> ObjectiveFn<F> {
    /// The objective `value` over this many actions, without bounds.
    pub fn new(num_actions: usize, value: F) -> Self {
        Self { num_actions, value, bound: Unbounded }
    }

    /// Sets `bound(prefix)`, an upper bound on the value of every sequence that starts with a prefix.
    pub fn with_upper_bound<T: Real, B: FnMut(&[Action]) -> T>(self, bound: B) -> ObjectiveFn<F, B>
    where
        F: FnMut(&ActionSequence) -> T,
    {
        ObjectiveFn { num_actions: self.num_actions, value: self.value, bound }
    }
}

impl<T: Real, F: FnMut(&ActionSequence) -> T> SequenceObjective<T> for ObjectiveFn<F> {
    fn num_actions(&self) -> usize {
        self.num_actions
    }

    fn value(&mut self, seq: &ActionSequence) -> T {
        (self.value)(seq)
    }
}

impl<T: Real, F, B> SequenceObjective<T> for ObjectiveFn<F, B>
where
    F: FnMut(&ActionSequence) -> T,
    B: FnMut(&[Action]) -> T,
{
    fn num_actions(&self) -> usize {
        self.num_actions
    }

    fn value(&mut self, seq: &ActionSequence) -> T {
        (self.value)(seq)
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> T {
        (self.bound)(prefix)
    }
}
