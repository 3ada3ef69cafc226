//! The check of sequence features psi.

use std::fmt::Debug;

use nalgebra::{DMatrix, DVector, Dim};

use super::replay::visited;
use super::{Findings, agree};
use crate::features::{Optimism, SequenceFeatures};
use crate::model::{Action, Environment};
use crate::sequence::{ActionSequence, periodic};
use crate::{Number, Real};

/// How many states are visited, and the most sequences compared in each.
const STATES: usize = 20;
const SEQUENCES: usize = 40;

/// Checks sequence features psi on 20 states that random actions visit in `env`, and 40 sequences.
///
/// - The number of actions and gamma are those of the environment, and
///   gamma (1 - beta_n(a)) <= `blind_at(a, n)` <= `blind(a)`.
/// - psi(s, a) has 2d finite entries and a norm of at most 1, and `check_state` accepts s.
/// - `batch` and `factors` agree with psi.
/// - `bounds` are not below K(s, a) = <psi, w> + rho ||psi|| of a sequence with that prefix.
///
/// Findings after the first one of a state are left out. Estimated features may have larger norms:
/// check them with [`normalized`](crate::estimators::normalized). Whether psi is what its
/// definition says is for [`psi_definition`](super::psi_definition).
///
/// # Example
/// ```
/// use sporadic::check;
/// use sporadic::features::TabularPsi;
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(3, 0.5, 0.9)?;
/// check::sequence_features(&swim, &TabularPsi::new(swim.clone())).assert();
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn sequence_features<T, M, P>(env: &M, psi: &P) -> Findings
where
    T: Real,
    M: Environment<Scalar = T, State: Debug>,
    P: SequenceFeatures<T, State = M::State>,
{
    let mut findings = Findings::default();
    let (n, m) = (env.num_actions(), psi.num_actions());
    findings.claim(n == m, || format!("psi has {m} actions, the environment has {n}"));
    let (gamma, own) = (env.gamma(), psi.gamma());
    findings.claim(agree(gamma, own), || format!("psi has gamma = {own}, the environment {gamma}"));
    for (a, age) in (0..n.min(m)).flat_map(|a| (1..=env.ages()).map(move |age| (a, age))) {
        let least = gamma * (T::one() - env.beta_at(a, age));
        let (at, largest) = (psi.blind_at(a, age), psi.blind(a));
        findings.claim((at >= least || agree(at, least)) && at <= largest, || {
            format!("blind_at({a}, {age}) = {at} is not between {least} and blind({a}) = {largest}")
        });
    }
    if findings.is_empty() {
        let family: Vec<_> = periodic(n, 1, 2).take(SEQUENCES).collect();
        for s in visited(env, STATES) {
            if let Some(wrong) = at_state(psi, &s, &family) {
                findings.add(format!("state {s:?}, {wrong}"));
                break;
            }
        }
    }
    findings
}

fn at_state<T, P>(psi: &P, s: &P::State, family: &[ActionSequence]) -> Option<String>
where
    T: Real,
    P: SequenceFeatures<T, State: Clone>,
{
    if let Err(error) = psi.check_state(s) {
        return Some(format!("which is visited, is refused: {error}"));
    }
    let dim = psi.dim().value();
    let (batch, factors) = (psi.batch(s, family), psi.factors());
    if batch.shape() != (2 * dim, family.len()) {
        return Some(format!("the batch of {} sequences is {:?}", family.len(), batch.shape()));
    }
    // Any weights do; these have no symmetry.
    let w = DVector::from_fn(2 * dim, |i, _| ((7 * i + 3) % 11) as f64 / 11.0 - 0.3);
    let k = Optimism { w, bonus: Some((0.5, DMatrix::identity(2 * dim, 2 * dim))) };
    let mut bounds = psi.bounds(&k, 1 << 10);
    if let Some(bounds) = &mut bounds {
        bounds.move_to(s);
    }
    for (j, seq) in family.iter().enumerate() {
        let x = psi.psi(s, seq);
        let norm = x.norm();
        if x.len() != 2 * dim {
            return Some(format!("sequence {seq}: psi has {} entries, not {}", x.len(), 2 * dim));
        }
        if let Some(i) = x.iter().position(|x| !x.is_finite()) {
            return Some(format!("sequence {seq}: entry {i} of psi is {}", Number(x[i].as_f64())));
        }
        if norm > T::one() && !agree(norm, T::one()) {
            return Some(format!("sequence {seq}: ||psi|| = {}, above 1", Number(norm.as_f64())));
        }
        let same = |y: &dyn Fn(usize) -> T| (0..2 * dim).all(|i| agree(x[i], y(i)));
        if !same(&|i| batch[(i, j)]) {
            return Some(format!("sequence {seq}: psi differs from column {j} of the batch"));
        }
        if let Some(factors) = &factors {
            let mut phi = DVector::zeros(dim);
            factors.phi(s, seq.first(), phi.as_mut_slice());
            let product = factors.weights(seq).tr_mul(&phi) * T::of(0.5);
            if !same(&|i| product[i]) {
                return Some(format!(
                    "sequence {seq}: psi differs from the product of its factors"
                ));
            }
        }
        let linear: f64 = x.iter().zip(k.w.iter()).map(|(x, w)| x.as_f64() * w).sum();
        let value = linear + 0.5 * norm.as_f64();
        for length in 0..3 {
            let prefix: Vec<Action> = seq.iter().take(length).collect();
            let bound = bounds.as_mut().map_or(f64::INFINITY, |bounds| bounds.upper_bound(&prefix));
            if bound < value && !agree(T::of(bound), T::of(value)) {
                let (value, bound) = (Number(value), Number(bound));
                return Some(format!(
                    "sequence {seq}: K = {value}, above {bound}, its upper bound"
                ));
            }
        }
    }
    None
}
