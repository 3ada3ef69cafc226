//! Screened planning against plain planning, bit for bit, on features of any kind.

use nalgebra::{DMatrix, DVector, Dyn};
use rand_pcg::Pcg64;

use super::*;
use crate::agents::lsvi_ucb::ridge::Ridge;
use crate::model::draw;

/// Whether a planner is the screened one and has needed plain scoring.
fn fell_back<T: Real>(planner: &dyn PlanningPhase<T>) -> bool {
    format!("{planner:?}").contains("plain: Some")
}

/// Random features and a random history, planned with after every few segments. Every third candidate
/// is close to its neighbour, some equal to it. Returns whether plain scoring was needed.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small positive numbers
fn compare<T: Real>(seed: u64, n: usize, m: usize, steps: usize, rho: f64) -> bool {
    let mut rng = Pcg64::new(seed.into(), 5);
    let (d, cap, lambda) = (2 * n, T::of(20.0), T::of(0.01));
    let mut uniform = || draw::uniform(&mut rng);
    let mut psi = DMatrix::from_fn(d, n * m, |_, _| T::of(0.4 * uniform() - 0.05));
    for column in 1..n * m {
        if column % 3 == 1 {
            let change = [0.0, 1e-9, 1e-4][column % 9 / 3];
            let other = psi.column(column - 1) * T::of(1.0 + change);
            psi.set_column(column, &other);
        }
    }
    let mut planners =
        [Planner::Screened, Planner::Plain].map(|planner| planner.build(&psi, n, steps, cap));
    let mut ridge = Ridge::new(Dyn(d), lambda);
    let mut sums = DMatrix::zeros(d, 1 + n);
    let mut z = DVector::zeros(d);
    for episode in 0..60 {
        let weights = &ridge.inverse * &sums;
        let (inverse, rho) = (&ridge.inverse, T::of(rho));
        let k = Regression { psi: &psi, inverse, weights: &weights, rho, cap };
        let [screened, plain] = planners.each_mut().map(|planner| {
            let (mut choices, mut values) = (vec![7; steps * n], vec![T::zero(); steps * n]);
            planner.plan(k, &mut choices, &mut values);
            (choices, values)
        });
        assert_eq!(screened, plain, "seed {seed}, episode {episode}");
        for _ in 0..=episode % 7 {
            let s = (uniform() * n as f64) as usize;
            let played = plain.0[s] as usize;
            let other = (uniform() * m as f64) as usize;
            let column = s * m + if uniform() < 0.5 { played } else { other };
            let x = psi.column(column).into_owned();
            sums.column_mut(0).axpy(T::of(uniform()), &x, T::one());
            let next = (uniform() * (n as f64 + 0.3)) as usize;
            if next < n {
                sums.column_mut(1 + next).axpy(T::one(), &x, T::one());
            }
            ridge.add(&x, T::one(), &mut z).unwrap();
            planners.iter_mut().for_each(|planner| planner.lambda_grew(z.as_slice()));
        }
    }
    fell_back(&*planners[0])
}

#[test]
fn decides_as_if_all_candidates_were_scored() {
    for case in 0..12 {
        let rho = [0.0, 0.3, 3.0][case % 3];
        compare::<f64>(case as u64, 1 + case % 5, 70, 40, rho);
    }
    compare::<f64>(20, 3, 1, 10, 1.0);
    compare::<f64>(22, 2, 17, 1, 1.0);
    assert!(!compare::<f64>(21, 6, 300, 30, 1.0), "screening an ordinary problem fails");
}

#[test]
fn decides_as_if_all_candidates_were_scored_in_single_precision() {
    for seed in 30..34 {
        compare::<f32>(seed, 4, 70, 40, 0.5);
    }
}
