//! Does a model satisfy the linear MDP assumption?

use std::fmt;

use nalgebra::Dim;
use rand::Rng;

use super::Findings;
use crate::Real;
use crate::features::{FeatureMap, LinearModel};
use crate::model::{Environment, draw};

/// What [`linear_mdp`] measured, each against what the assumption allows.
///
/// Prints as an aligned table.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AssumptionReport {
    /// Largest `||phi(s, a)||` over the sampled pairs; at most 1.
    pub feature_norm: f64,
    /// `||theta||`; at most sqrt(d).
    pub theta_norm: f64,
    /// `|| |mu|(S) ||`; at most sqrt(d).
    pub measure_norm: f64,
    /// The dimension d.
    pub dim: usize,
    /// Largest |r(s, a) - <phi(s, a), theta>| over the sampled pairs, and where.
    pub reward_error: f64,
    /// Largest |<phi(s, a), mu(S)> - 1|: P(.|s, a) has mass 1.
    pub mass_error: f64,
    /// Largest z-score of the empirical mean of phi(s', a') against phi(s, a)^T M_a', over the
    /// sampled (s, a), all a' and all coordinates.
    pub transition_z: f64,
    /// The z-score that chance exceeds with probability 1e-3 over all comparisons made.
    pub transition_z_limit: f64,
    /// What failed and where; empty if the assumption stands.
    pub findings: Findings,
}

impl fmt::Display for AssumptionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = (self.dim as f64).sqrt();
        writeln!(f, "{:<34} {:>12} {:>12}", "linear MDP assumption", "measured", "allowed")?;
        for (name, measured, allowed) in [
            ("largest ||phi(s, a)||", self.feature_norm, 1.0),
            ("||theta||", self.theta_norm, root),
            ("|| |mu|(S) ||", self.measure_norm, root),
            ("largest error of the reward", self.reward_error, TOLERANCE),
            ("largest error of the mass", self.mass_error, TOLERANCE),
            ("largest z of the transitions", self.transition_z, self.transition_z_limit),
        ] {
            writeln!(f, "{name:<34} {measured:>12.6} {allowed:>12.6}")?;
        }
        self.findings.as_slice().iter().try_for_each(|failure| writeln!(f, "fails: {failure}"))
    }
}

/// How much rounding and quadrature may be off.
const TOLERANCE: f64 = 1e-4;

/// How many next states are drawn from each sampled (s, a).
const DRAWS: usize = 400;

/// Checks by sampling that `model` describes `env` and satisfies the linear MDP assumption.
///
/// Follows one long path of uniformly random actions, restarted now and then, for `pairs` visited
/// (s, a); compares rewards and masses exactly and next-state features by a z-test of 400 draws
/// each. A model that passes may still be wrong where the path never went.
///
/// # Example
/// ```
/// use rand_pcg::Pcg64;
/// use sporadic::check;
/// use sporadic::features::LinearModel;
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let (model, mut rng) = (LinearModel::one_hot(&swim), Pcg64::new(1, 1));
/// check::linear_mdp(&swim, &model, 50, &mut rng).findings.assert();
///
/// // The features of one river do not describe another.
/// let balance = gallery::river_balance::<f64>(6, 0.1, 0.99)?;
/// assert!(!check::linear_mdp(&balance, &model, 50, &mut rng).findings.is_empty());
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn linear_mdp<T, E, F, R>(
    env: &E,
    model: &LinearModel<T, F>,
    pairs: usize,
    rng: &mut R,
) -> AssumptionReport
where
    T: Real,
    E: Environment<Scalar = T>,
    F: FeatureMap<T, State = E::State>,
    R: Rng + ?Sized,
{
    let dim = model.phi().dim().value();
    let root = (dim as f64).sqrt();
    let actions = env.num_actions();
    let mass = model.integrate(|_| T::one());
    let matrices: Vec<_> = (0..actions).map(|a| model.action_matrix(a)).collect();
    let comparisons = (pairs * actions * dim).max(1) as f64;
    let mut report = AssumptionReport {
        feature_norm: 0.0,
        theta_norm: model.theta().norm().as_f64(),
        measure_norm: model.total_variation().norm().as_f64(),
        dim,
        reward_error: 0.0,
        mass_error: 0.0,
        transition_z: 0.0,
        transition_z_limit: z_limit(comparisons),
        findings: Findings::default(),
    };
    // Where each of these was largest.
    let [mut long, mut reward_at, mut mass_at, mut next_at] = [const { String::new() }; 4];

    let mut state = env.initial(rng);
    for pair in 0..pairs {
        if pair % 50 == 49 {
            state = env.initial(rng);
        }
        let a = draw::index(actions, rng);
        let phi = model.phi().phi(&state, a);
        let at = || format!("after {pair} steps of the sampled path, action {a}");
        raise(&mut report.feature_norm, &mut long, phi.norm().as_f64(), at);
        let reward = (env.reward(&state, a) - phi.dot(model.theta())).as_f64().abs();
        raise(&mut report.reward_error, &mut reward_at, reward, at);
        let off = (phi.dot(&mass) - T::one()).as_f64().abs();
        raise(&mut report.mass_error, &mut mass_at, off, at);

        let next: Vec<_> = (0..DRAWS).map(|_| env.next(&state, a, rng)).collect();
        for (b, matrix) in matrices.iter().enumerate() {
            let expected = matrix.tr_mul(&phi);
            let samples: Vec<_> = next.iter().map(|s| model.phi().phi(s, b)).collect();
            for i in 0..dim {
                let of_coordinate: Vec<f64> = samples.iter().map(|v| v[i].as_f64()).collect();
                let z = z_score(&of_coordinate, expected[i].as_f64());
                let at = || format!("{}, coordinate {i} of phi(s', {b})", at());
                raise(&mut report.transition_z, &mut next_at, z, at);
            }
        }
        state = next.into_iter().next().unwrap_or(state);
    }

    let limit = report.transition_z_limit;
    for (bad, what, place) in [
        (report.feature_norm > 1.0 + TOLERANCE, "||phi(s, a)|| exceeds 1", long),
        (report.theta_norm > root + TOLERANCE, "||theta|| exceeds sqrt(d)", String::new()),
        (report.measure_norm > root + TOLERANCE, "|| |mu|(S) || exceeds sqrt(d)", String::new()),
        (report.reward_error > TOLERANCE, "r(s, a) differs from <phi, theta>", reward_at),
        (report.mass_error > TOLERANCE, "<phi(s, a), mu(S)> differs from 1", mass_at),
        (report.transition_z > limit, "phi(s') does not average to M^T phi", next_at),
    ] {
        report.findings.claim(!bad, || format!("{what}{place}"));
    }
    report
}

/// Raises `record` to `value` if that is larger, and notes the place; NaN counts as infinite, so
/// that it is reported.
fn raise(record: &mut f64, place: &mut String, value: f64, at: impl FnOnce() -> String) {
    if value > *record || value.is_nan() {
        *record = if value.is_nan() { f64::INFINITY } else { value };
        *place = format!(", most {}", at());
    }
}

/// The z-score that chance exceeds with probability 1e-3 in so many comparisons: P(|Z| > z) <=
/// exp(-z^2 / 2) and the union bound.
pub(super) fn z_limit(comparisons: f64) -> f64 {
    (2.0 * libm::log(comparisons / 1e-3)).sqrt()
}

/// How many standard errors the mean of the samples is away from `expected`.
pub(super) fn z_score(samples: &[f64], expected: f64) -> f64 {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let variance = samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    let off = (mean - expected).abs();
    // The floor keeps rare events, whose sample variance says too little, from raising an alarm.
    if off <= TOLERANCE { 0.0 } else { off / (variance / n).sqrt().max(3.0 / n) }
}
