//! The check of exact values.

use super::Findings;
use crate::agents::FixedSequence;
use crate::model::{Environment, Exact};
use crate::sequence::ActionSequence;
use crate::simulation::{Returns, Simulation, Streams};
use crate::{Fault, Number, Real};

/// A value may be so many standard errors away from the mean of simulated returns.
const Z: f64 = 5.0;

/// Checks the [exact values](crate::model::Exact) of an environment, if it has any, against
/// `episodes` simulated episodes of each constant action sequence.
///
/// - The value of a sequence is its mean return, with a z of 5; the standard error is taken to be
///   at least 3 / `episodes` of the range of returns, because rare rewards may not show up in
///   simulation.
/// - The lower bound on V\* is not above the upper one, and no value is above the upper bound.
/// - The best policy within the constant sequences is at least as good as each of them.
///
/// The bounds on V\* may take long: a table's are computed for at most a minute.
///
/// # Example
/// ```
/// use sporadic::check;
/// use sporadic::model::gallery;
/// check::exact(&gallery::river_swim::<f64>(3, 0.5, 0.9)?, 1, 1_000).assert();
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn exact<M: Environment>(env: &M, seed: u64, episodes: u64) -> Findings {
    let mut findings = Findings::default();
    if let Some(mut exact) = env.exact()
        && let Err(error) = compare(env, &mut *exact, (seed, episodes), &mut findings)
    {
        findings.add(error.to_string());
    }
    findings
}

fn compare<M: Environment>(
    env: &M,
    exact: &mut (dyn Exact<M::State> + '_),
    (seed, episodes): (u64, u64),
    findings: &mut Findings,
) -> Result<(), Fault> {
    let (low, high) = env.reward_range();
    let range = (high - low).as_f64() / (1.0 - env.gamma().as_f64());
    let rounding = 1e3 * M::Scalar::epsilon().as_f64() * (1.0 + range);
    let (lower, upper) = exact.optimum(None)?;
    findings.claim(lower <= upper + rounding, || {
        format!("V* has the lower bound {} above the upper one {}", Number(lower), Number(upper))
    });
    let family: Vec<_> = (0..env.num_actions()).map(ActionSequence::constant).collect();
    let class = exact.class(&family, None)?;
    for sequence in &family {
        let (mut agent, mut returns) = (FixedSequence::new(sequence.clone()), Returns::new());
        let value = exact.value(&agent, None)?;
        Simulation::new(env, Streams::new(seed)).run(0..episodes, &mut agent, &mut returns)?;
        let returns: Vec<f64> = returns.returns().iter().map(|r| r.as_f64()).collect();
        let n = episodes as f64;
        let mean = returns.iter().sum::<f64>() / n;
        let variance = returns.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / (n - 1.0);
        let error = (variance / n).sqrt().max(3.0 * range / n);
        findings.claim((value - mean).abs() <= Z * error + rounding, || {
            let (value, mean, error) = (Number(value), Number(mean), Number(error));
            format!("{sequence} has the exact value {value}, but earns {mean} +- {error}")
        });
        for (bound, name) in
            [(Some(upper), "the upper bound on V*"), (class, "the best of its class")]
        {
            findings.claim(bound.is_none_or(|bound| value <= bound + rounding), || {
                let bound = Number(bound.unwrap_or(f64::NAN));
                format!("{sequence} has the exact value {}, above {name}, {bound}", Number(value))
            });
        }
    }
    Ok(())
}
