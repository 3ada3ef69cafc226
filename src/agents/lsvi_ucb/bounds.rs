//! What an oracle that prunes may know of K_u(s, .).

use nalgebra::{OMatrix, OVector};

use super::LsviUcb;
use crate::Real;
use crate::dim::{Doubled, FeatureDim};
use crate::features::{SequenceFeatures, TabularPsi};
use crate::model::Action;
use crate::oracles::{SequenceObjective, TabularObjective};
use crate::sequence::ActionSequence;

/// Bounds on <psi(s, .), w> + rho ||psi(s, .)||, for every state s.
///
/// One w serves all states: so tables that do not depend on the state are made once.
pub(super) trait PrefixBounds<T, S> {
    /// A bound on the value of every sequence that starts with `prefix`.
    fn upper_bound(&mut self, s: &S, prefix: &[Action]) -> T;

    /// A promising sequence that starts with `prefix`.
    fn suggest(&mut self, s: &S, prefix: &[Action]) -> ActionSequence;
}

/// Nothing, where nothing but the clip is known.
pub(super) type Bounds<'p, T, S> = Option<Box<dyn PrefixBounds<T, S> + 'p>>;

/// Bounds from psi, w, rho and Lambda^-1.
pub(super) type MakeBounds<T, D, P> =
    for<'p> fn(
        &'p P,
        &OVector<T, Doubled<D>>,
        T,
        &OMatrix<T, Doubled<D>, Doubled<D>>,
    ) -> Bounds<'p, T, <P as SequenceFeatures<T, D>>::State>;

/// The most delayed states of a table. Every sighting of every episode makes a table anew, so it is
/// a small one: the search makes up for bounds that are a little larger.
const DELAYED_STATES: usize = 1 << 6;

impl<T: Real, D: FeatureDim, O> LsviUcb<T, D, TabularPsi<T, D>, O> {
    /// Lets an oracle that prunes use the bounds of [`TabularObjective`] in place of the clip.
    ///
    /// They are made when they are first asked for: oracles that score a family never do.
    ///
    /// # Example
    /// ```
    /// use sporadic::agents::{LsviUcb, LsviUcbParams};
    /// use sporadic::features::TabularPsi;
    /// use sporadic::model::gallery;
    /// use sporadic::oracles::BranchAndBound;
    /// use sporadic::simulation::{Simulation, Streams};
    ///
    /// let swim = gallery::river_swim::<f64>(3, 0.5, 0.8)?;
    /// let psi = TabularPsi::new(swim.clone());
    /// let params = LsviUcbParams::default().with_horizon(6).with_rho(1.0);
    /// let mut agent = LsviUcb::new(psi, BranchAndBound::new(0.01), params)?.with_bounds();
    /// Simulation::new(&swim, Streams::new(1)).run(0..10, &mut agent, &mut ())?;
    /// assert!(agent.error().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_bounds(mut self) -> Self {
        self.make_bounds = Some(tabular);
        self
    }
}

fn tabular<'p, T: Real, D: FeatureDim>(
    psi: &'p TabularPsi<T, D>,
    w: &OVector<T, Doubled<D>>,
    rho: T,
    inverse: &OMatrix<T, Doubled<D>, Doubled<D>>,
) -> Bounds<'p, T, usize> {
    let model = psi.model();
    let fits = |k: u32| {
        let words = model.num_actions().checked_pow(k);
        words.is_some_and(|words| words.saturating_mul(model.num_states()) <= DELAYED_STATES)
    };
    // With one action every delay fits, and none is needed.
    let delay = (1..=6).take_while(|&k| fits(k)).count();
    let k = TabularObjective::new(psi, 0, w).and_then(|k| k.with_bonus(rho, inverse)).ok()?;
    Some(Box::new(k.with_delay(delay)))
}

impl<T: Real, D: FeatureDim> PrefixBounds<T, usize> for TabularObjective<'_, T, D> {
    fn upper_bound(&mut self, s: &usize, prefix: &[Action]) -> T {
        match self.move_to(*s) {
            Ok(()) => SequenceObjective::upper_bound(self, prefix),
            Err(_) => T::of(f64::INFINITY),
        }
    }

    fn suggest(&mut self, s: &usize, prefix: &[Action]) -> ActionSequence {
        match self.move_to(*s) {
            Ok(()) => SequenceObjective::suggest(self, prefix),
            Err(_) => crate::oracles::hold(prefix),
        }
    }
}
