//! The check of feature maps phi.

use nalgebra::Dim;

use super::replay::visited;
use super::{Findings, agree};
use crate::features::FeatureMap;
use crate::model::Environment;
use crate::{Number, Real};

/// How many states are visited.
const STATES: usize = 200;

/// Checks a feature map phi on 200 states that random actions visit in `env`.
///
/// phi(s, a) has the dimension that the map states, finite entries and a norm of at most 1, and is
/// the same when it is computed again. Whether phi *describes* the environment is for
/// [`linear_mdp`](super::linear_mdp).
///
/// # Example
/// ```
/// use sporadic::check;
/// use sporadic::features::{FeatureFn, OneHot};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(3, 0.5, 0.9)?;
/// check::features(&swim, &OneHot::of(&swim)).assert();
///
/// let long = FeatureFn::new(nalgebra::Dyn(2), |s: &usize, _, phi: &mut [f64]| phi[0] = *s as f64);
/// let findings = check::features(&swim, &long);
/// assert_eq!(findings.to_string(), "state 2, action 0: ||phi|| = 2, above 1");
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn features<T, M, F>(env: &M, phi: &F) -> Findings
where
    T: Real,
    M: Environment<Scalar = T, State: std::fmt::Debug>,
    F: FeatureMap<T, State = M::State>,
{
    let mut findings = Findings::default();
    let dim = phi.dim().value();
    for s in visited(env, STATES) {
        for a in 0..env.num_actions() {
            let x = phi.phi(&s, a);
            let wrong = if x.len() != dim {
                format!("phi has {} entries, but the dimension is {dim}", x.len())
            } else if let Some(i) = x.iter().position(|x| !x.is_finite()) {
                format!("entry {i} of phi is {}", Number(x[i].as_f64()))
            } else if x.norm() > T::one() && !agree(x.norm(), T::one()) {
                format!("||phi|| = {}, above 1", Number(x.norm().as_f64()))
            } else if x != phi.phi(&s, a) {
                "phi differs when it is computed again".into()
            } else {
                continue;
            };
            findings.add(format!("state {s:?}, action {a}: {wrong}"));
            return findings;
        }
    }
    findings
}
