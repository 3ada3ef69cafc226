//! Which actions move alike and differ in whether they look.

use crate::Real;
use crate::model::{Action, Tabular};

/// The actions of a model grouped into controls: what is done, apart from whether the result is seen.
///
/// In an [ACNO](crate::model::acno) model actions 2c and 2c + 1 are control c, without and with a look at a
/// price. In any other model every action is a control of its own, and whether its result is seen is left
/// to chance.
///
/// # Example
/// ```
/// use sporadic::agents::Controls;
/// use sporadic::model::gallery;
/// let pairs = Controls::of(&gallery::measuring_value(0.1, 0.9)?);
/// assert_eq!((pairs.len(), pairs.is_paired(), pairs.action(1, true)), (2, true, 3));
/// let single = Controls::of(&gallery::river_swim(6, 0.1, 0.9)?);
/// assert_eq!((single.len(), single.is_paired(), single.action(1, true)), (2, false, 1));
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Controls {
    number: usize,
    /// The price of a look; `None` if looks cannot be chosen.
    price: Option<f64>,
}

impl Controls {
    /// The controls of `model`.
    pub fn of<T: Real>(model: &Tabular<T>) -> Self {
        match price(model) {
            Some(price) => Self { number: model.num_actions() / 2, price: Some(price) },
            None => Self { number: model.num_actions(), price: None },
        }
    }

    /// How many controls there are.
    pub fn len(&self) -> usize {
        self.number
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// Whether every control can be had with and without a look.
    pub fn is_paired(&self) -> bool {
        self.price.is_some()
    }

    /// The price of a look; 0 if looks cannot be chosen.
    pub fn price(&self) -> f64 {
        self.price.unwrap_or(0.0)
    }

    /// How many actions there are.
    pub fn num_actions(&self) -> usize {
        if self.is_paired() { 2 * self.number } else { self.number }
    }

    /// The action that is `control`, with a look or without one if that can be chosen.
    pub fn action(&self, control: usize, look: bool) -> Action {
        if self.is_paired() { 2 * control + usize::from(look) } else { control }
    }

    /// The control of an action.
    pub fn control(&self, action: Action) -> usize {
        if self.is_paired() { action / 2 } else { action }
    }

    /// What an action costs because it looks.
    pub fn price_of(&self, action: Action) -> f64 {
        if action % 2 == 1 { self.price() } else { 0.0 }
    }

    /// Every action of a control.
    pub(super) fn variants(&self, control: usize) -> std::ops::Range<Action> {
        if self.is_paired() { 2 * control..2 * control + 2 } else { control..control + 1 }
    }
}

/// The price of a look if the model is an ACNO model.
fn price<T: Real>(model: &Tabular<T>) -> Option<f64> {
    let (n, m) = (model.num_states(), model.num_actions());
    if m % 2 == 1 || model.ages() > 1 {
        return None;
    }
    let price = |s: usize, c: usize| (model.reward(s, 2 * c) - model.reward(s, 2 * c + 1)).as_f64();
    let first = price(0, 0);
    let is_pair = |c: usize| {
        let blind_and_seen = model.beta(2 * c) == T::zero() && model.beta(2 * c + 1) == T::one();
        let alike = |s: usize| {
            let close = (price(s, c) - first).abs() <= 1e-9 * (1.0 + first.abs());
            close && model.row(s, 2 * c).eq(model.row(s, 2 * c + 1))
        };
        blind_and_seen && (0..n).all(alike)
    };
    (0..m / 2).all(is_pair).then_some(first)
}
