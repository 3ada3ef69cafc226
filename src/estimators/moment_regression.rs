//! The regressions of [`MomentEstimator`](super::MomentEstimator): what segments predict, and the matrices that fit it.

use nalgebra::{Cholesky, DMatrix};

use super::{EstimateError, stability};
use crate::Real;
use crate::features::Dynamics;
use crate::model::{Action, Reveal};
use crate::product::product;

/// The features of the last augmented state of every segment, given by its actions, as the matrices predict them.
pub(super) fn predict<'a>(
    segments: impl Iterator<Item = &'a [Action]>,
    first: &DMatrix<f64>,
    matrices: &[DMatrix<f64>],
    x: &mut DMatrix<f64>,
) {
    for (i, actions) in segments.enumerate() {
        let mut v = first.column(i).into_owned();
        for &a in &actions[1..] {
            v = matrices[a].tr_mul(&v);
        }
        x.set_column(i, &v);
    }
}

/// The smallest reveal probability of an action over all ages.
pub(super) fn least<T: Real>(reveal: &Reveal<T>) -> f64 {
    reveal.listed().iter().fold(1.0, |least, beta| beta.as_f64().min(least))
}

/// Divides the matrices so that psi converges, if it does not.
pub(super) fn shrink(matrices: &mut [DMatrix<f64>], beta: &[f64], gamma: f64) {
    let Ok(dynamics) = Dynamics::new(matrices.to_vec(), beta.to_vec(), gamma) else { return };
    let found = stability(&dynamics);
    if found.is_divergent() && found.lower.is_finite() {
        matrices.iter_mut().for_each(|m| *m *= 0.99 / found.lower);
    }
}

/// M-hat of every action by ridge regression of phi(s', b), below each other in `last`, on the columns of x.
pub(super) fn regress(
    x: &DMatrix<f64>,
    last: &DMatrix<f64>,
    ridge: f64,
) -> Result<Vec<DMatrix<f64>>, EstimateError> {
    let d = x.nrows();
    let mut gram = product(x, &x.transpose());
    (0..d).for_each(|i| gram[(i, i)] += ridge);
    let (index, pivot) = gram.diagonal().argmin();
    let factor = Cholesky::new(gram).ok_or(EstimateError::Singular { index, pivot, ridge })?;
    let solved = factor.solve(&product(x, &last.transpose()));
    Ok((0..last.nrows() / d).map(|b| solved.columns(b * d, d).into_owned()).collect())
}
