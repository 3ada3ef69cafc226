//! Certified optimal values where reveal probabilities depend on the age of the last sighting.
//!
//! Let N be the age from which on nothing changes, s_{n,a} = gamma beta_n(a) and w_{n,a} = gamma (1 - beta_n(a)). With
//! U_n(b) the value of a belief b whose next action is the n-th since the last sighting,
//!
//! ```math
//! U_n(b) = max_a [ b.r_a + s_{n,a} (b P_a).V* + w_{n,a} U_{n+1}(b P_a) ],   U_{N+1} = U_N,   V*(s) = U_1(corner s)
//! ```
//!
//! # The algorithm
//! V is the value of a policy. Given V, there is a set C_n of vectors for each age, with L_n(b) = max alpha.b:
//!
//! 1. **C_N** belongs to a blind problem in which sightings pay V and nothing depends on the age. It is closed
//!    under backup over the whole simplex by the machinery of the [constant case](super), on a model whose rewards
//!    are r_a + s_{N,a} P_a V, whose discount is the largest w_{N,a}, and in which nothing is ever seen.
//! 2. **C_n for n = N - 1, ..., 1** is chosen among the backups of C_{n+1}, such that no backup rises above
//!    L_n by more than a tolerance anywhere in the simplex; linear programs find where one does.
//!
//! Each vector of C_n is the value of a sequence, so those of C_1 at the corners make the next policy. When V no
//! longer rises, the tolerance shrinks.
//!
//! # Why the upper bound holds
//! Let V and the vectors be any, D >= max (V* - V), and let rho_{n,a} bound how far backups by action a rise above L_n.
//! As in the constant case, U_N <= L_N + eta_N and then U_n <= L_n + eta_n for
//!
//! ```math
//! eta_N = max_a (rho_{N,a} + s_{N,a} D) / (1 - w_{N,a}),    eta_n = max_a (rho_{n,a} + s_{n,a} D + w_{n,a} eta_{n+1})
//! ```
//!
//! so V*(s) <= L_1(corner s) + eta_1(D). The right side is monotone in D with a slope of at most gamma: any D for which
//! it is at most V + D at every state bounds V* - V. Vectors may be any here, so only the backups that are
//! compared with L_n matter: each is raised by the slack of one backup for rounding.
//!
//! # Why the lower bound holds
//! If V <= K(., policy; V) + e at every state then V exceeds the policy's value by e / (1 - gamma) at most. K is computed
//! backward along each sequence, from where what follows weighs nothing any more; each step errs by the slack
//! of a backup at most, so K by slack / (1 - gamma).

mod layers;
mod lower;
mod tail;

use super::arrays::widest;
use super::bracket::{Bracket, Work};
use super::certificate::always_seen;
use super::lp::DominanceLp;
use super::report::{GapPoint, Termination};
use crate::Real;
use crate::model::Tabular;
use layers::Layers;
use lower::Lower;

/// The weights gamma (1 - beta_n(a)) and gamma beta_n(a) at the ages n = 1, ..., N.
#[derive(Debug)]
pub(super) struct Ages {
    actions: usize,
    blind: Vec<f64>,
    seen: Vec<f64>,
}

impl Ages {
    fn new<T: Real>(model: &Tabular<T>) -> Self {
        let gamma = model.discount().as_f64();
        let pairs = (1..=model.ages())
            .flat_map(|age| (0..model.num_actions()).map(move |a| model.beta_at(a, age).as_f64()));
        Self {
            actions: model.num_actions(),
            blind: pairs.clone().map(|beta| gamma.blind(beta)).collect(),
            seen: pairs.map(|beta| gamma.seen(beta)).collect(),
        }
    }

    /// N.
    fn len(&self) -> usize {
        self.blind.len() / self.actions
    }

    /// (gamma (1 - beta_n(a)), gamma beta_n(a)) for any n >= 1.
    fn at(&self, age: usize, a: usize) -> (f64, f64) {
        let i = (age.min(self.len()) - 1) * self.actions + a;
        (self.blind[i], self.seen[i])
    }
}

/// Narrows the bracket until the gap is reached or something runs out, and says what.
pub(super) fn solve<T: Real, F: FnMut(&GapPoint)>(
    model: &Tabular<T>,
    bracket: &mut Bracket<F>,
) -> Termination {
    let (arrays, limits) = (bracket.arrays, bracket.limits);
    let ages = Ages::new(model);
    let left = 1.0 - arrays.gamma;
    let aim = bracket.asked().min(4.0 * arrays.magnitude);
    let allowance = arrays.slack() / left;
    bracket.offer_upper(&always_seen(arrays, &limits.share(0.2), aim), allowance);
    let mut lower = Lower::new(arrays, &ages);
    lower.offer(bracket);
    bracket.record();
    let mut lp = DominanceLp::within(limits);
    let mut tolerance = (0.05 * arrays.span).max(1e-3 * aim * left);
    loop {
        if bracket.reached() {
            return Termination::GapReached;
        }
        if limits.late() {
            return Termination::TimeLimit;
        }
        let Some(layers) = Layers::build(arrays, &ages, &lower.v, limits, &mut lp, tolerance)
        else {
            return Termination::TimeLimit;
        };
        if let Some(rise) = layers.rise(arrays, &ages, &lower.v) {
            let upper: Vec<f64> = lower.v.iter().zip(&rise).map(|(v, d)| v + d).collect();
            bracket.offer_upper(&upper, 0.0);
        }
        bracket.work = Work {
            sequences: layers.len(),
            active: layers.len(),
            programs: lp.programs,
            pivots: lp.pivots,
            bytes: bracket.work.bytes.max(layers.bytes()),
            nodes: 0,
        };
        let before = lower.v.clone();
        lower.improve(&layers);
        lower.offer(bracket);
        bracket.record();
        let rise = widest(&lower.v, &before);
        if rise <= 0.1 * bracket.width() {
            if tolerance < arrays.slack() {
                return Termination::Precision;
            }
            if layers.is_full() {
                return Termination::MemoryLimit;
            }
            tolerance *= (0.5 * aim / bracket.width()).clamp(0.05, 0.5);
        }
    }
}

/// Bounds for models that are too large for vectors over the states by the hundreds: the value as if the state were
/// always seen, and what every policy is worth at least.
pub(super) fn bound<F: FnMut(&GapPoint)>(
    bracket: &mut Bracket<F>,
    stands_in_the_way: Termination,
) -> Termination {
    let (arrays, limits) = (bracket.arrays, bracket.limits);
    let allowance = arrays.backup_slack() / (1.0 - arrays.gamma);
    let aim = bracket.asked().min(4.0 * arrays.magnitude);
    bracket.offer_upper(&always_seen(arrays, &limits, aim), allowance);
    bracket.record();
    if bracket.reached() { Termination::GapReached } else { stands_in_the_way }
}
