//! Bounds for one-hot features of tabular models.

mod axes;
mod bounds;
mod delayed;
mod lifted;
mod path;
mod rollout;
#[cfg(test)]
mod tests;

use nalgebra::DMatrix;

pub(crate) use self::axes::LastAxes;
use self::axes::{Axes, Key};
use self::bounds::Bounds;
use self::lifted::Lifted;
use super::{Bonus, Optimism, PrefixBounds};
use crate::Real;
use crate::dim::FeatureDim;
use crate::features::{OccupancyScales, TabularPsi};
use crate::model::Action;
use crate::sequence::ActionSequence;

/// Upper bounds on K(s, .): optimal values of the problem in which the state of k actions ago is always known.
///
/// In one-hot features psi is a linear function of the discounted occupancy o(s', a) >= 0, so K is
/// `<c, o> + rho sqrt(o^T G o)` with d numbers `c` and a d x d matrix G. The problem in which the state is known
/// with a delay of k is an MDP with |S| A^k states, which is solved at the first question, for c and for
/// each axis of G. A larger delay k gives smaller bounds.
///
/// Bounds are computed in double precision, whatever `T` is, and raised by what rounding can cost them:
/// no sequence has a value above them, in exact arithmetic.
///
/// # Complexity
/// The tables: sweeps over |S| A^k (2d + 1) numbers. Then a bound costs (2d + 1) |S| operations per anchor and
/// one push-forward per action that was not in the last prefix.
#[derive(Debug)]
pub(crate) struct TabularBounds<'a, T: Real, D: FeatureDim> {
    psi: &'a TabularPsi<T, D>,
    state: usize,
    /// <psi, w> = <c, o>.
    c: Vec<f64>,
    /// rho and G, for which the squared norm of psi is o^T G o, the most delayed states, and the delay if it was given.
    key: Key,
    bounds: Option<Bounds>,
}

/// The most numbers in a table of all functions, unless a delay is given.
const NUMBERS: usize = 1 << 19;
const LONGEST_DELAY: usize = 12;

impl<'a, T: Real, D: FeatureDim> TabularBounds<'a, T, D> {
    /// Bounds from as long a delay as `states` delayed states allow.
    pub(crate) fn new(psi: &'a TabularPsi<T, D>, k: &Optimism, states: usize) -> Self {
        let d = psi.model().num_states() * psi.model().num_actions();
        let scales = OccupancyScales::<f64>::of(psi.model());
        let c = (0..d * psi.model().ages())
            .map(|i| scales.reward * k.w[i % d] + scales.continuation(i) * k.w[d + i % d]);
        let bonus = k.bonus.as_ref().filter(|(rho, _)| *rho > 0.0);
        let bonus =
            bonus.map(|(rho, inverse)| bonus_of(&scales, psi.model().ages(), *rho, inverse));
        let key = Key { bonus, states, delay: None };
        Self { psi, state: 0, c: c.collect(), key, bounds: None }
    }

    /// Bounds on `<c, o> + rho sqrt(o^T G o)` at an occupancy o, in f64, with `terms[i] terms[j]` at least the
    /// sizes of the terms that the entries of G are sums of.
    pub(crate) fn of_occupancies(
        psi: &'a TabularPsi<T, D>,
        c: Vec<f64>,
        rho: f64,
        (g, terms): (DMatrix<f64>, &[f64]),
        states: usize,
    ) -> Self {
        let bonus = (rho > 0.0).then(|| Bonus::new(rho, g, terms));
        let key = Key { bonus, states, delay: None };
        Self { psi, state: 0, c, key, bounds: None }
    }

    /// Takes bounds from the state of `delay` actions ago.
    pub(crate) fn with_delay(mut self, delay: usize) -> Self {
        (self.key.delay, self.bounds) = (Some(delay), None);
        self
    }

    /// The tables, made at the first call.
    fn bounds(&mut self) -> &mut Bounds {
        let Self { psi, state, c, key, bounds } = self;
        bounds.get_or_insert_with(|| {
            let axes = psi.last_axes().get(key.clone(), || axes(psi, key));
            Bounds::new(&axes, c, *state)
        })
    }
}

/// The axes of the bonus o^T G o, which is the squared norm of psi, and their tables.
fn axes<T: Real, D: FeatureDim>(psi: &TabularPsi<T, D>, key: &Key) -> Axes {
    let model = Lifted::new(psi.model());
    let (n, m) = (model.num_states(), model.num_actions());
    let d = n * m;
    let (mut extra, mut f, mut rho) = (vec![0.0; d], Vec::new(), 0.0);
    if let Some(mut bonus) = key.bonus.clone() {
        // Whether there is room for a table per axis of the bonus, and time to find the axes.
        let small = n * (2 * d + 1) <= NUMBERS;
        if small {
            (f, rho) = (bonus.axes(), bonus.rho);
        }
        for (i, x) in extra.iter_mut().enumerate() {
            // What the axes leave out; or, where a table per axis would be too large, the
            // whole bonus by the triangle inequality, visit by visit.
            let unit = if small { 0.0 } else { bonus.unit(i) };
            *x = bonus.rho * (unit + bonus.slack(i));
        }
    }
    let width = 1 + 2 * f.len() / d;
    let fits = |k: u32| {
        m.checked_pow(k)
            .and_then(|words| words.checked_mul(n))
            .is_some_and(|states| states <= key.states && states * m * width <= NUMBERS)
    };
    let longest = (1..=LONGEST_DELAY).take_while(|&k| u32::try_from(k).is_ok_and(fits)).count();
    Axes::new(model, (f, rho), extra, key.delay.unwrap_or(longest))
}

impl<T: Real, D: FeatureDim> PrefixBounds<usize> for TabularBounds<'_, T, D> {
    fn move_to(&mut self, s: &usize) {
        self.state = *s;
        if let Some(bounds) = &mut self.bounds {
            bounds.restart(*s);
        }
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> f64 {
        self.bounds().upper_bound(prefix)
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        self.bounds().suggest(prefix)
    }
}

/// rho and the matrix G of the bonus in terms of the occupancy, by age where there are several ages.
fn bonus_of(scales: &OccupancyScales<f64>, ages: usize, rho: f64, inverse: &DMatrix<f64>) -> Bonus {
    let (d, r) = (inverse.nrows() / 2, scales.reward);
    let g = DMatrix::from_fn(d * ages, d * ages, |i, j| {
        let (x, y) = (scales.continuation(i), scales.continuation(j));
        let (i, j) = (i % d, j % d);
        // Symmetric to the last bit, whatever `inverse` is.
        let entry = |i, j| 0.5 * (inverse[(i, j)] + inverse[(j, i)]);
        r * r * entry(i, j)
            + r * (y * entry(i, d + j) + x * entry(d + i, j))
            + x * y * entry(d + i, d + j)
    });
    let root = |i: usize| inverse[(i, i)].sqrt();
    let term = |i| r * root(i % d) + scales.continuation(i) * root(d + i % d);
    Bonus::new(rho, g, &(0..d * ages).map(term).collect::<Vec<_>>())
}
