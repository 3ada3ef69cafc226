//! From a tree and an active set to an upper bound on V*; the proof is in the [module](super) docs.

use super::active::Active;
use super::arrays::Arrays;
use super::limits::Limits;
use super::pool::Pool;
use super::tree::{Guess, Tree};

/// How many passes sharpen a constant bound state by state.
const SHARPENING: usize = 10;

/// States between two looks at the clock.
const STRIDE: usize = 256;

/// delta(D): how far the value of a belief can be above L if V* <= V + D.
fn delta(arrays: &Arrays, active: &Active, rise: f64) -> f64 {
    let worst = (arrays.actions.iter().zip(&active.error))
        .map(|(action, error)| (error + arrays.slack() + action.seen * rise) / (1.0 - action.blind))
        .fold(0.0, f64::max);
    worst * (1.0 + 1e-12)
}

/// A certificate and what it cost.
#[derive(Debug)]
struct Certificate {
    /// d with V* <= V + d, if the tree proves any.
    rise: Option<Vec<f64>>,
    nodes: usize,
    bytes: usize,
}

/// Grows a tree that aims at V* <= V + `aim` and finds out what it proves.
///
/// The sequences that beat V are added to the pool, V itself is left alone.
fn certificate(pool: &mut Pool, active: &Active, aim: f64, most: usize) -> Certificate {
    let arrays = pool.arrays;
    let slack = arrays.slack();
    let rise = 0.9 * aim;
    let stop = (arrays.actions.iter())
        .map(|action| (1.0 - arrays.gamma) / (1.0 - action.blind))
        .fold(1.0, f64::min)
        * rise;
    let guess = Guess { rise, delta: delta(arrays, active, rise), stop };
    let tree = Tree::grow(pool, active, guess, most);
    let mut scratch = Vec::new();
    let constant = least_constant(pool, active, &tree, aim, &mut scratch);
    let rise = constant.map(|constant| {
        let mut rise = vec![constant; arrays.n];
        let mut largest = constant;
        for _ in 0..SHARPENING {
            let delta = delta(arrays, active, largest);
            let new = tree.pass(pool, largest, delta, slack, &mut scratch);
            rise.iter_mut().zip(new).for_each(|(d, x)| *d = d.min(x));
            let now = rise.iter().copied().fold(0.0, f64::max);
            if now >= 0.999 * largest || pool.limits.late() {
                break;
            }
            largest = now;
        }
        rise
    });
    tree.harvest(pool, 1e-3 * stop);
    Certificate { rise, nodes: tree.len(), bytes: tree.bytes }
}

/// The least constant d that a pass does not raise, to 1% from above, by bisection.
///
/// None if there is no such d up to 2 max |r| / (1 - gamma): a larger one would say nothing, and
/// the rounding argument does not cover it. When the time is up, the least found so far, or none.
fn least_constant(
    pool: &Pool,
    active: &Active,
    tree: &Tree,
    aim: f64,
    scratch: &mut Vec<f64>,
) -> Option<f64> {
    let arrays = pool.arrays;
    let slack = arrays.slack();
    let mut holds = |d: f64| {
        let new = tree.pass(pool, d, delta(arrays, active, d), slack, scratch);
        new.iter().all(|&x| x <= d)
    };
    let ceiling = 2.0 * arrays.magnitude;
    let (mut low, mut high) = (0.0, (0.1 * aim).max(slack).min(ceiling));
    while !holds(high) {
        if high >= ceiling || pool.limits.late() {
            return None;
        }
        low = high;
        high = (2.0 * high).min(ceiling);
    }
    while high - low > 0.01 * high && high > slack && !pool.limits.late() {
        let middle = if low > 0.0 { 0.5 * (low + high) } else { 0.1 * high };
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// Lowers `upper` where a tree that aims at V* <= V + `aim` allows it. Returns the number of beliefs in
/// the tree, and what it took in bytes.
pub(super) fn certify(
    pool: &mut Pool,
    active: &Active,
    upper: &mut [f64],
    aim: f64,
    most: usize,
) -> (usize, usize) {
    let found = certificate(pool, active, aim, most);
    if let Some(rise) = found.rise {
        for ((u, v), d) in upper.iter_mut().zip(&pool.v).zip(rise) {
            *u = u.min(v + d);
        }
    }
    (found.nodes, found.bytes)
}

/// The value of the model if the state were always seen, approached from above: a first upper
/// bound. It is one after every update, so the work stops at any state when the time is up.
pub(super) fn always_seen(arrays: &Arrays, limits: &Limits, gap: f64) -> Vec<f64> {
    let mut upper = vec![arrays.trivial.1; arrays.n];
    let enough = 1e-5 * gap * (1.0 - arrays.gamma);
    let mut fall = f64::INFINITY;
    let mut upward = false;
    while fall > enough.max(1e-15 * arrays.magnitude) {
        fall = 0.0;
        // In turns from either end: where values spread along a chain, one of them is fast.
        upward = !upward;
        for k in 0..arrays.n {
            if k % STRIDE == 0 && limits.late() {
                return upper;
            }
            let s = if upward { k } else { arrays.n - 1 - k };
            let value = (arrays.actions.iter())
                .map(|action| action.reward[s] + arrays.gamma * action.pull(s, &upper))
                .fold(f64::NEG_INFINITY, f64::max);
            fall = fall.max(upper[s] - value);
            upper[s] = upper[s].min(value);
        }
    }
    upper
}
