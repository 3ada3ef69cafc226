//! What bounds need of Lambda, and not of w: the axes of the bonus and their tables.

use std::sync::{Arc, Mutex, PoisonError};

use super::delayed::Delayed;
use super::lifted::Lifted;
use crate::features::bounds::Bonus;

/// The columns of F, their tables, and what the columns leave out.
#[derive(Debug, Clone)]
pub(super) struct Axes {
    pub(super) model: Lifted,
    /// The columns of F, one after the other; none if there is no bonus or no room for their tables.
    pub(super) f: Vec<f64>,
    pub(super) rho: f64,
    /// What has to be added to the linear weights c.
    pub(super) extra: Vec<f64>,
    /// For 0, which stands for c, then the columns of F, then their negatives.
    pub(super) table: Delayed,
}

impl Axes {
    pub(super) fn new(
        model: Lifted,
        (f, rho): (Vec<f64>, f64),
        extra: Vec<f64>,
        delay: usize,
    ) -> Self {
        let d = extra.len();
        let mut rewards = Vec::with_capacity(d + 2 * f.len());
        for i in 0..d {
            rewards.push(0.0);
            rewards.extend(f.iter().skip(i).step_by(d));
            rewards.extend(f.iter().skip(i).step_by(d).map(|&x| -x));
        }
        let table = Delayed::new(&model, delay, rewards);
        Self { model, f, rho, extra, table }
    }
}

/// What axes are made for: the bonus, and how large tables may be.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub(super) bonus: Option<Bonus>,
    pub(super) states: usize,
    pub(super) delay: Option<usize>,
}

/// The axes that were asked for last. A learner asks for the same ones for every u and every sighting between two
/// planning phases. They depend on the key alone, so that keeping them changes no bound.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastAxes(Arc<Mutex<Option<(Key, Arc<Axes>)>>>);

impl LastAxes {
    pub(super) fn get(&self, key: Key, make: impl FnOnce() -> Axes) -> Arc<Axes> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((before, axes)) if *before == key => Arc::clone(axes),
            _ => {
                let axes = Arc::new(make());
                *last = Some((key, Arc::clone(&axes)));
                axes
            }
        }
    }
}
