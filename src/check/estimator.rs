//! The check of estimators.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rand_pcg::Pcg64;

use super::Findings;
use crate::dim::Dimension;
use crate::estimators::{Estimator, Transition, beta_distance, matrix_distance};
use crate::features::Dynamics;
use crate::{Number, Real};

/// How many samples are few, how many times as many are many, and how many data sets of both sizes
/// are drawn.
const FEW: usize = 500;
const TIMES: usize = 16;
const DATA_SETS: u64 = 8;

/// The mean error after many samples may be so much of that after few. Errors of order 1/sqrt(n)
/// leave 1/4.
const RATIO: f64 = 0.6;

/// Checks an estimator against the true dynamics, on samples that `sample` draws.
///
/// - Its errors, in the mean over 8 data sets, fall to 0.6 or less from 500 samples to 8,000: those
///   of the matrices, and those of the reveal probabilities. An error of 0 need not fall.
/// - It counts its samples, and the same data give the same estimate.
/// - Errors exceed the error bounds at confidence 0.9 in at most half of the data sets (chance
///   exceeds that with probability 5e-4), if samples are enough for the bounds to hold.
/// - Estimates exist; an action that does not exist is refused by an error of `estimate`, not by a
///   panic.
///
/// # Example
/// ```
/// use sporadic::check;
/// use sporadic::estimators::{Exploratory, TabularEstimator};
/// use sporadic::features::{Dynamics, OneHot};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(3, 0.3, 0.8)?;
/// let sampler = Exploratory::uniform(&swim);
/// let truth = Dynamics::one_hot(&swim, OneHot::of(&swim));
/// let estimator = TabularEstimator::new(3, 2, 0.8)?;
/// check::estimator(&truth, |rng| sampler.sample(rng), || Box::new(estimator.clone())).assert();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn estimator<'a, T, S, D>(
    truth: &Dynamics<T, D>,
    sample: impl Fn(&mut Pcg64) -> Transition<S>,
    make: impl Fn() -> Box<dyn Estimator<T, State = S, Dim = D> + 'a>,
) -> Findings
where
    T: Real,
    D: Dimension,
{
    let mut findings = Findings::default();
    match errors(truth, &sample, &make, &mut findings) {
        Ok(errors) => {
            for (few, many, what) in errors {
                findings.claim(many <= RATIO * few + 1e3 * T::epsilon().as_f64(), || {
                    let (few, many, n) = (Number(few), Number(many), FEW * TIMES);
                    format!(
                        "the error of the {what} is {few} after {FEW} samples and {many} after {n}"
                    )
                });
            }
        }
        Err(error) => findings.add(error.to_string()),
    }
    let a = truth.num_actions();
    let bad = Transition { action: a, ..sample(&mut Pcg64::new(1, 5)) };
    let refuse = |learn: &dyn Fn(&mut dyn Estimator<T, State = S, Dim = D>)| {
        catch_unwind(AssertUnwindSafe(|| {
            let mut estimator = make();
            learn(&mut *estimator);
            estimator.estimate().is_err()
        }))
    };
    for (refused, call) in [
        (refuse(&|estimator| estimator.observe(&bad)), "observe"),
        (refuse(&|estimator| estimator.observe_reveal(a, true)), "observe_reveal"),
    ] {
        match refused {
            Ok(true) => {}
            Ok(false) => findings.add(format!("{call} of action {a} of {a} is not refused")),
            Err(_) => findings.add(format!("{call} of action {a} of {a} panics")),
        }
    }
    findings
}

/// The mean errors after few and after many samples, of the matrices and of the reveal
/// probabilities.
fn errors<'a, T: Real, S, D: Dimension>(
    truth: &Dynamics<T, D>,
    sample: &impl Fn(&mut Pcg64) -> Transition<S>,
    make: &impl Fn() -> Box<dyn Estimator<T, State = S, Dim = D> + 'a>,
    findings: &mut Findings,
) -> Result<[(f64, f64, &'static str); 2], crate::estimators::EstimateError> {
    let (mut errors, mut outside) = ([[0.0; 2]; 2], 0);
    for data in 0..DATA_SETS {
        let mut rng = Pcg64::new(data.into(), 6);
        let (mut estimator, mut twin, mut seen) = (make(), make(), 0);
        for (i, n) in [FEW, FEW * TIMES].into_iter().enumerate() {
            for _ in seen..n {
                let transition = sample(&mut rng);
                estimator.observe(&transition);
                twin.observe(&transition);
            }
            seen = n;
            let estimate = estimator.estimate()?;
            let error =
                [matrix_distance(&estimate, truth), beta_distance(&estimate, truth)].map(T::as_f64);
            (0..2).for_each(|j| errors[j][i] += error[j] / DATA_SETS as f64);
            if i == 0 {
                let bounds = estimator.error_bounds(T::of(0.9));
                let within =
                    error[0] <= bounds.matrices.as_f64() && error[1] <= bounds.beta.as_f64();
                outside += u32::from(bounds.large_enough && !within);
                if data == 0 {
                    let samples = estimator.samples();
                    findings.claim(samples == n as u64, || format!("{samples} samples of {n}"));
                    findings
                        .claim(twin.estimate()? == estimate, || "same data, other estimate".into());
                }
            }
        }
    }
    findings.claim(u64::from(outside) <= DATA_SETS / 2, || {
        format!(
            "errors exceed their bounds at confidence 0.9 in {outside} of {DATA_SETS} data sets"
        )
    });
    let [matrices, betas] = errors;
    Ok([(matrices[0], matrices[1], "matrices"), (betas[0], betas[1], "reveal probabilities")])
}
