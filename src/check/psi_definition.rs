//! The check that psi is what its definition says.

use std::fmt::Debug;

use nalgebra::Dim;
use rand_pcg::Pcg64;

use super::Findings;
use super::linear_mdp::{z_limit, z_score};
use super::replay::visited;
use crate::features::{FeatureMap, SequenceFeatures};
use crate::model::{Environment, draw};
use crate::sequence::{ActionSequence, periodic};
use crate::{Discount, Number, Real};

/// How many states are visited, sequences played there, and segments simulated of each.
const STATES: usize = 3;
const SEQUENCES: usize = 6;
const SEGMENTS: usize = 2_000;

/// Checks by simulation that psi is the sequence feature map of phi in `env`.
///
/// Over segments of a sequence that start in s, until a data-burst or the end of the episode,
/// psi(s, a) is 1/2 of the mean of
///
/// ```text
/// ( (1 - gamma) sum of phi over all rounds ,  phi of the last round if revealed, else 0 )
/// ```
///
/// which is the definition of psi with its weights read as probabilities. Three visited states, six
/// sequences and 2,000 segments of each are compared, entry by entry; chance makes a finding with
/// probability 1e-3. Features that are estimated or scaled are no such psi.
///
/// # Example
/// ```
/// use sporadic::check;
/// use sporadic::features::{OneHot, TabularPsi};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(3, 0.5, 0.9)?;
/// let psi = TabularPsi::new(swim.clone());
/// check::psi_definition(&swim, &OneHot::of(&swim), &psi).assert();
///
/// // The dynamics are those of another river.
/// let other = gallery::river_swim::<f64>(3, 0.2, 0.9)?;
/// assert!(!check::psi_definition(&other, &OneHot::of(&swim), &psi).is_empty());
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn psi_definition<T, M, F, P>(env: &M, phi: &F, psi: &P) -> Findings
where
    T: Real,
    M: Environment<Scalar = T, State: Debug>,
    F: FeatureMap<T, State = M::State>,
    P: SequenceFeatures<T, State = M::State>,
{
    let mut findings = Findings::default();
    let (dim, double) = (phi.dim().value(), 2 * psi.dim().value());
    findings.claim(2 * dim == double, || format!("phi has {dim} entries, psi has {double}"));
    if let Err(error) = Discount::new(env.gamma()) {
        findings.add(error.to_string());
    }
    if !findings.is_empty() {
        return findings;
    }
    let limit = z_limit((STATES * SEQUENCES * double) as f64);
    let mut rng = Pcg64::new(1, 3);
    // Far apart on the path, so that they differ.
    for s in visited(env, 10 * STATES).iter().step_by(10) {
        for seq in periodic(env.num_actions(), 1, 2).take(SEQUENCES) {
            let samples: Vec<Vec<f64>> =
                (0..SEGMENTS).map(|_| segment(env, phi, s, &seq, &mut rng)).collect();
            let expected = psi.psi(s, &seq);
            for i in 0..double {
                let entry: Vec<f64> = samples.iter().map(|sample| sample[i]).collect();
                let z = z_score(&entry, expected[i].as_f64());
                // Written so that NaN is a finding.
                findings.claim(z <= limit, || {
                    let mean = Number(entry.iter().sum::<f64>() / SEGMENTS as f64);
                    let (psi, z) = (Number(expected[i].as_f64()), Number(z));
                    let at = format!("state {s:?}, sequence {seq}: entry {i}");
                    format!("{at} of psi is {psi}, its simulated mean {mean}, z = {z:.1}")
                });
            }
            if !findings.is_empty() {
                return findings;
            }
        }
    }
    findings
}

/// One sample of psi: a segment of `seq` that starts in `s`.
fn segment<T, M, F>(
    env: &M,
    phi: &F,
    s: &M::State,
    seq: &ActionSequence,
    rng: &mut Pcg64,
) -> Vec<f64>
where
    T: Real,
    M: Environment<Scalar = T>,
    F: FeatureMap<T, State = M::State>,
{
    let (dim, gamma) = (phi.dim().value(), env.gamma().as_f64());
    let (mut sample, mut state) = (vec![0.0; 2 * dim], s.clone());
    for (age, a) in seq.iter().enumerate() {
        let x = phi.phi(&state, a);
        for i in 0..dim {
            sample[i] += 0.5 * (1.0 - gamma) * x[i].as_f64();
        }
        state = env.next(&state, a, rng);
        if !draw::bernoulli(gamma, rng) {
            break;
        }
        if draw::bernoulli(env.beta_at(a, age + 1).as_f64(), rng) {
            (0..dim).for_each(|i| sample[dim + i] = 0.5 * x[i].as_f64());
            break;
        }
    }
    sample
}
