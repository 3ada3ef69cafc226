//! Estimators read from files, checked.

use super::{EmEstimator, Fitted, Reveals, Settings, Tree};
use crate::Real;

/// An [`EmEstimator`] as it was written to a file, before it is checked.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "T: Real + serde::Deserialize<'de>"))]
pub(super) struct Plain<T> {
    num_actions: usize,
    gamma: T,
    settings: Settings,
    segments: u64,
    tree: Tree,
    reveals: Reveals<T>,
    fitted: Fitted<T>,
}

impl<T: Real> TryFrom<Plain<T>> for EmEstimator<T> {
    type Error = String;

    fn try_from(plain: Plain<T>) -> Result<Self, String> {
        let (n, m) = (plain.tree.roots(), plain.num_actions);
        let Settings { pseudo, mixing, iterations, tolerance, longest } = plain.settings;
        let checked = Self::new(n, m, plain.gamma)
            .and_then(|e| e.with_pseudo_count(pseudo)?.with_mixing(mixing))
            .and_then(|e| e.with_iterations(iterations, tolerance)?.with_longest(longest))
            .map_err(|fault| fault.to_string())?;
        let Fitted { transitions, visits, beta, segments } = &plain.fitted;
        let numbers = transitions.p.iter().chain(visits);
        let fits = transitions.n == n
            && transitions.p.len() == n * n * m
            && visits.len() == n * m
            && beta.len() == plain.reveals.num_pairs()
            && plain.reveals.num_actions() == m
            && plain.tree.largest().0 < m
            && *segments <= plain.segments
            && plain.segments == plain.tree.ends().map(|(_, _, count)| count).sum::<u64>();
        if !fits {
            return Err(format!("not the estimator of {n} states and {m} actions"));
        }
        if let Some(x) = numbers.into_iter().find(|x| !(x.is_finite() && **x >= 0.0)) {
            return Err(format!("{x} is neither a probability nor a count"));
        }
        let rows = transitions.p.chunks_exact(n).map(|row| row.iter().sum::<f64>());
        if let Some(sum) = { rows }.find(|sum| (sum - 1.0).abs() > 1e-6) {
            return Err(format!("transition probabilities that sum to {sum}"));
        }
        if let Some(b) = beta.iter().find(|b| !(**b >= T::zero() && **b <= T::one())) {
            return Err(format!("a reveal probability of {b}"));
        }
        let Plain { segments, tree, reveals, fitted, .. } = plain;
        Ok(Self { segments, tree, reveals, fitted, ..checked })
    }
}
