//! Bounds made when an oracle first asks for them.

use super::{Optimism, PrefixBounds};
use crate::Real;
use crate::features::SequenceFeatures;

/// The bounds that features give on one K(., .), made at the first question: oracles that score a family never
/// ask, and tables of bounds are dear.
pub(crate) struct LazyBounds<'p, S> {
    made: Made<'p, S>,
    /// Whether the bounds have been moved to the state of the next question.
    moved: bool,
}

/// `None` before the first question, then what the features gave.
type Made<'p, S> = Option<Option<Box<dyn PrefixBounds<S> + 'p>>>;

impl<S> Default for LazyBounds<'_, S> {
    fn default() -> Self {
        Self { made: None, moved: false }
    }
}

impl<'p, S: Clone> LazyBounds<'p, S> {
    /// Declares that the next question may be about another state than the last; tables stay.
    pub(crate) fn leave_state(&mut self) {
        self.moved = false;
    }

    /// The bounds of `psi` on `k` at `state`, from tables of at most `states` delayed states; `None` if the
    /// features give none.
    pub(crate) fn at<T: Real, P: SequenceFeatures<T, State = S>>(
        &mut self,
        state: &S,
        psi: &'p P,
        states: usize,
        k: impl FnOnce() -> Optimism,
    ) -> Option<&mut (dyn PrefixBounds<S> + 'p)> {
        let made = self.made.get_or_insert_with(|| psi.bounds(&k(), states));
        let bounds = made.as_deref_mut()?;
        if !self.moved {
            bounds.move_to(state);
            self.moved = true;
        }
        Some(bounds)
    }
}

impl<'p, S> From<Box<dyn PrefixBounds<S> + 'p>> for LazyBounds<'p, S> {
    fn from(bounds: Box<dyn PrefixBounds<S> + 'p>) -> Self {
        Self { made: Some(Some(bounds)), moved: false }
    }
}
