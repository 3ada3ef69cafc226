//! The last age: a blind problem in which sightings pay V and nothing depends on the age.

use super::super::active::{Active, Closure};
use super::super::arrays::Arrays;
use super::super::limits::Limits;
use super::super::lp::DominanceLp;
use super::super::pool::Pool;
use super::{Ages, layers::Layer};
use crate::model::Tabular;
use crate::sequence::ActionSequence;

/// The vectors of the last age and their sequences; `None` if the time is up.
///
/// Where actions differ in their weight w_a, a state in which nothing is earned takes what is missing to the
/// largest of them: P_a becomes (w_a / w) P_a. It is last, and every vector is 0 there.
pub(super) fn close(
    arrays: &Arrays,
    ages: &Ages,
    base: &[Vec<f64>],
    limits: Limits,
    lp: &mut DominanceLp,
    tolerance: f64,
) -> Option<(Layer, Vec<ActionSequence>)> {
    let (n, last, actions) = (arrays.n, ages.len(), arrays.actions.len());
    let weight = |a| ages.at(last, a).0;
    let largest = (0..actions).map(weight).fold(0.0, f64::max);
    if largest <= 0.0 {
        // Every action is followed by a sighting, so only the first one matters.
        let mut layer = Layer::new(n, actions);
        base.iter().enumerate().for_each(|(a, vector)| layer.push(vector, a, 0));
        layer.error.fill(0.0);
        return Some((layer, (0..actions).map(ActionSequence::constant).collect()));
    }
    let sink = (0..actions).any(|a| weight(a) < largest);
    let model = blind_model(arrays, base, largest, sink, weight)?;
    let blind = Arrays::new(&model);
    let mut pool = Pool::new(&blind, limits);
    let mut active = Active::new(&pool);
    // In units of the blind problem's rewards.
    let scale = blind.unit;
    let gap = tolerance / scale;
    pool.explore(gap / (1.0 - blind.gamma));
    active.refresh(&pool);
    if active.close(&mut pool, lp, gap) == Closure::Abandoned {
        return None;
    }
    let mut layer = Layer::new(n, actions);
    let mut sequences = Vec::with_capacity(active.columns.len());
    for i in 0..active.columns.len() {
        let vector: Vec<f64> = active.columns.column(i)[..n].iter().map(|x| x * scale).collect();
        layer.push(&vector, 0, i);
        sequences.push(pool.sequence(active.columns.ids[i]));
    }
    for (error, &found) in layer.error.iter_mut().zip(&active.error) {
        // Where every vector is taken over as it is, the backups of both problems differ by rounding only.
        *error = found.max(0.0) * scale + 4.0 * blind.slack() * scale;
    }
    Some((layer, sequences))
}

/// The model in which nothing is ever seen; `None` if its numbers are out of range, which rounding alone can do.
fn blind_model(
    arrays: &Arrays,
    base: &[Vec<f64>],
    largest: f64,
    sink: bool,
    weight: impl Fn(usize) -> f64,
) -> Option<Tabular<f64>> {
    let n = arrays.n;
    let mut builder = Tabular::builder(largest);
    for (a, action) in arrays.actions.iter().enumerate() {
        let share = weight(a) / largest;
        let mut reward = base[a].clone();
        let mut rows: Vec<Vec<(usize, f64)>> = (0..n)
            .map(|s| {
                let mut row: Vec<_> = action.row(s).iter().map(|&(t, p)| (t, p * share)).collect();
                if sink {
                    let sum: f64 = row.iter().map(|(_, p)| p).sum();
                    row.push((n, (1.0 - sum).max(0.0)));
                }
                row
            })
            .collect();
        if sink {
            reward.push(0.0);
            rows.push(vec![(n, 1.0)]);
        }
        builder = builder.sparse_action(a.to_string(), 0.0, reward, rows);
    }
    builder.build().ok()
}
